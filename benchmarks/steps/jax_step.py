# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's side of a step: `python jax_step.py NAME FOLDER` writes FOLDER/model.mlir, inputs and expected results, then reads
numbers from standard input, runs the step as often as each says, and answers with seconds of each and of all processors.
`--names` prints the names of all steps."""

import json
import math
import os
import pathlib
import sys
import time

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import numpy  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

from step_programs import STEPS  # noqa: E402


def jitted(step):
    """The jitted step, and its shardings of the arguments; None on one device."""
    if not step.mesh:
        return jax.jit(step.function, keep_unused=True), None
    devices = numpy.array(jax.devices()[:math.prod(step.mesh.values())]).reshape(tuple(step.mesh.values()))
    mesh = Mesh(devices, tuple(step.mesh))
    on_mesh = lambda specs: jax.tree.map(lambda spec: NamedSharding(mesh, spec), specs,  # noqa: E731
                                         is_leaf=lambda leaf: isinstance(leaf, PartitionSpec))
    ins = on_mesh(step.specs)
    return jax.jit(step.function, in_shardings=ins, out_shardings=on_mesh(step.results), keep_unused=True), ins


def save(folder, arrays):
    folder.mkdir(parents=True, exist_ok=True)
    for number, array in enumerate(jax.tree.leaves(arrays)):
        numpy.save(folder / f"{number}.npy", numpy.asarray(array))


def main():
    if sys.argv[1:] == ["--names"]:
        print(json.dumps([step.name for step in STEPS]))
        return
    name, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    step = next(step for step in STEPS if step.name == name)
    function, shardings = jitted(step)
    arguments = step.arguments(numpy.random.default_rng(0))
    save(folder / "inputs", arguments)
    (folder / "model.mlir").write_text(function.lower(*arguments).as_text())
    arguments = jax.device_put(arguments, shardings) if shardings else jax.device_put(arguments)
    save(folder / "expected", function(*arguments))
    print("{}", flush=True)
    for line in sys.stdin:
        seconds, processors = [], time.process_time()
        for _ in range(int(line)):
            start = time.perf_counter()
            jax.block_until_ready(function(*arguments))
            seconds.append(time.perf_counter() - start)
        print(json.dumps({"seconds": seconds, "processors": time.process_time() - processors}), flush=True)


if __name__ == "__main__":
    main()
