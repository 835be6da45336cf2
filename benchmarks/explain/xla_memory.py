# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python xla_memory.py FOLDER NAME ...: the memory that `explain` tells beside that of XLA's own plan, for programs as JAX prints them.

XLA compiles the same text with Shardy for as many host devices; its figure is arguments and temporaries of `memory_analysis()`, results
that lie in donated arguments counted once. Its CPU backend computes bf16 in f32, so programs should be in f32 throughout. Needs jax.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys


def analysis_of(path):
    """In a process of its own: the number of devices is set before JAX is loaded."""
    text = path.read_text()
    count = int(re.search(r"mhlo\.num_partitions = (\d+)", text).group(1))
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={count}"
    import jax
    import numpy as np
    from jax._src import compiler, xla_bridge
    from jax._src.interpreters import mlir
    from jaxlib import _jax
    from jaxlib.mlir import ir

    options = compiler.get_compile_options(1, count, device_assignment=np.arange(count).reshape(1, count))
    options.executable_build_options.use_shardy_partitioner = True
    options.executable_build_options.use_spmd_partitioning = True
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        run = xla_bridge.get_backend("cpu").compile_and_load(module, _jax.DeviceList(tuple(jax.devices()[:count])), options)
    memory = run.get_compiled_memory_stats()
    print(json.dumps({"arguments": memory.argument_size_in_bytes, "temporaries": memory.temp_size_in_bytes,
                      "results": memory.output_size_in_bytes, "aliased": memory.alias_size_in_bytes}))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--tool", default="build/bin/shardwise")
    parser.add_argument("--seconds", type=float, default=120, help="the most time for a compilation")
    options = parser.parse_args()
    print(f"{'program':26} {'explain GiB':>11} {'XLA GiB':>8} {'ratio':>6}  arguments, temporaries, results and aliased by XLA; by explain")
    for name in options.names:
        path = options.folder / f"{name}.mlir"
        ours = json.loads(subprocess.run([options.tool, "explain", path, "--json", "--suggest", "0"], capture_output=True, text=True,
                                         check=True).stdout)["memory"]
        try:
            process = subprocess.run([sys.executable, __file__, "--one", path], capture_output=True, text=True, timeout=options.seconds)
        except subprocess.TimeoutExpired:
            print(f"{name:26} {ours['peak_bytes'] / 2**30:11.2f}  XLA takes more than {options.seconds:.0f} s")
            continue
        if process.returncode != 0:
            print(f"{name:26} {ours['peak_bytes'] / 2**30:11.2f}  XLA: {process.stderr.strip().splitlines()[-1][:100]}")
            continue
        theirs = json.loads(process.stdout.strip().splitlines()[-1])
        whole = theirs["arguments"] + theirs["temporaries"] + theirs["results"] - theirs["aliased"]
        kinds = ", ".join(f"{row['kind']} {row['bytes'] / 2**30:.2f}" for row in ours["by_kind"] if row["bytes"] > 0.005 * ours["peak_bytes"])
        print(f"{name:26} {ours['peak_bytes'] / 2**30:11.2f} {whole / 2**30:8.2f} {ours['peak_bytes'] / whole:6.2f}  "
              + " ".join(f"{theirs[key] / 2**30:.2f}" for key in ("arguments", "temporaries", "results", "aliased")) + f"; {kinds}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        analysis_of(pathlib.Path(sys.argv[2]))
    else:
        main()
