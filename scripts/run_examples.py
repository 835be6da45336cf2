#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every program under examples/: partitioned over its mesh, checked against the unpartitioned
program and against what JAX computed. The last line says how many were verified."""

import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="build/bin/shardwise", help="the shardwise program")
    parser.add_argument("names", nargs="*", help="examples to run (default: all)")
    arguments = parser.parse_args()

    names = arguments.names or sorted(p.parent.name for p in ROOT.glob("examples/*/model.mlir"))
    failed = []
    for name in names:
        example = pathlib.Path("examples") / name
        command = [arguments.tool, "run", f"{example}/model.mlir",
                   "--inputs", f"{example}/inputs", "--expect", f"{example}/outputs"]
        print("$ " + " ".join(command), flush=True)
        if subprocess.run(command, cwd=ROOT).returncode != 0:
            failed.append(name)
        print(flush=True)
    for name in failed:
        print(f"not verified: {name}")
    print(f"{len(names) - len(failed)} of {len(names)} examples verified")
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
