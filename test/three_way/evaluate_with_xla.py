# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates StableHLO programs with XLA on one CPU device.

Reads JSON lines from standard input, each with `program` (a path), `inputs` (paths of .npy files)
and `outputs` (a folder), and answers each with a line: {} or {"error": ..}. Needs jaxlib.
"""

import json
import os
import pathlib
import sys

# Without excess precision a bf16 value is one, also between two ops. The programs are small:
# compiling them takes longer than running them.
os.environ["XLA_FLAGS"] = (
    "--xla_allow_excess_precision=false --xla_backend_optimization_level=0"
    " --xla_cpu_parallel_codegen_split_count=1"
)
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import jax  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy  # noqa: E402
from jax._src.interpreters.mlir import make_ir_context  # noqa: E402
from jaxlib import _jax  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402

jax.config.update("jax_enable_x64", True)


def read(path: str) -> numpy.ndarray:
    array = numpy.load(path)
    return array.view(ml_dtypes.bfloat16) if array.dtype.kind == "V" else array


def write(path: pathlib.Path, array: numpy.ndarray) -> None:
    numpy.save(path, array.view("V2") if array.dtype == ml_dtypes.bfloat16 else array)


def evaluate(client, context, question: dict) -> None:
    with context:
        module = ir.Module.parse(pathlib.Path(question["program"]).read_text())
    devices = _jax.DeviceList(tuple(client.local_devices()[:1]))
    executable = client.compile_and_load(module, devices, _jax.CompileOptions())
    inputs = [jax.device_put(read(path)) for path in question["inputs"]]
    results = executable.execute(inputs)
    folder = pathlib.Path(question["outputs"])
    folder.mkdir(parents=True, exist_ok=True)
    for index, result in enumerate(results):
        write(folder / f"{index}.npy", numpy.asarray(result))


def main() -> None:
    client = jax.devices()[0].client
    context = make_ir_context()
    for line in sys.stdin:
        try:
            evaluate(client, context, json.loads(line))
            answer = {}
        except Exception as error:  # Whatever XLA raises is the answer.
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
