#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a source includes a layer that its own layer may not use.

The layers and what each may include are listed in ALLOWED; the order in the text is the order
of dependence. Prints one line per offence, `FILE:LINE: LAYER may not include LAYER`.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

CORE = {"support", "core"}
ALLOWED = {
    "support": {"support"},
    "core": CORE,
    "propagation": CORE | {"propagation"},
    "planner": CORE | {"planner"},
    "runtime": CORE | {"planner", "runtime"},
    "dialect/sdy": CORE | {"dialect/sdy"},
    "dialect/stablehlo": CORE | {"dialect/stablehlo"},
    "dialect/builtin": CORE | {"runtime", "dialect/builtin"},
    "dialect/chlo": CORE | {"dialect/chlo", "dialect/stablehlo"},
}
DIALECTS = {"dialect/sdy", "dialect/stablehlo", "dialect/chlo"}
ALLOWED["dialect/extensions"] = CORE | DIALECTS | {"dialect/extensions"}
ALLOWED["rules"] = CORE | DIALECTS | {"rules"}
PROGRAMS = CORE | DIALECTS | {"runtime", "dialect/builtin"}
ALLOWED["reference"] = PROGRAMS | {"reference"}
ALLOWED["execute"] = PROGRAMS | {"execute"}
TRANSFORMS = CORE | DIALECTS | {"rules", "propagation", "planner"}
# The stages in pipeline order; a later one may use what an earlier one knows.
STAGES = ("import", "propagate", "export", "reshard", "partition")
for position, stage in enumerate(STAGES):
    ALLOWED[f"transforms/{stage}"] = TRANSFORMS | {
        f"transforms/{earlier}" for earlier in STAGES[:position + 1]}
ALLOWED["transforms"] = ALLOWED["transforms/partition"] | {"transforms"}
ALLOWED["driver"] = set().union(*ALLOWED.values()) | {"driver"}
ALLOWED["tools"] = ALLOWED["driver"] | {"tools"}

# What the unit tests of a layer may use besides: the executor is checked against the evaluator,
# and tests that load programs register what the driver does.
ALLOWED_IN_TESTS = {"execute": {"reference"}, "transforms/propagate": {"dialect/extensions"}}

# Layers that must build without LLVM.
NO_MLIR = {"support", "core", "propagation", "planner", "runtime"}

INCLUDE = re.compile(r'^\s*#include\s+["<]([^">]+)[">]')


def layer_of(path: str) -> str:
    """Returns the longest layer name that is a prefix of `path` (relative to shardwise/)."""
    parts = path.split("/")[:-1]
    for length in range(len(parts), 0, -1):
        name = "/".join(parts[:length])
        if name in ALLOWED:
            return name
    return ""


def offences(source: pathlib.Path):
    relative = source.relative_to(ROOT / "shardwise").as_posix()
    layer = layer_of(relative)
    if not layer:
        yield 1, f"{relative} belongs to no known layer"
        return
    allowed = ALLOWED[layer]
    if source.stem.endswith(("Test", "Testing")):
        allowed = allowed | ALLOWED_IN_TESTS.get(layer, set())
    for number, line in enumerate(source.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match.group(1)
        if target.startswith(("mlir/", "llvm/")) and layer in NO_MLIR:
            yield number, f"{layer} must build without LLVM but includes {target}"
        if target.startswith("shardwise/"):
            included = layer_of(target[len("shardwise/"):])
            if included not in allowed:
                yield number, f"{layer} may not include {included or target}"


def main() -> int:
    sources = sorted(p for p in (ROOT / "shardwise").rglob("*") if p.suffix in {".h", ".cpp"})
    failed = 0
    for source in sources:
        for number, message in offences(source):
            print(f"{source.relative_to(ROOT)}:{number}: {message}")
            failed += 1
    print(f"lint_layers: {len(sources)} files, {failed} offences")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
