# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What XLA makes of programs: its collectives on the CPU with Shardy, as lines of JSON.

    xla.py FILE[*ROUNDS]...

A line per file, in order: {"collectives": [{"kind", "devices", "count", "bytes"}], "peak"} or {"error"}. Bytes
are what a device receives, by the cost table of our planner, times the trip counts of loops that XLA
knows; others run ROUNDS times, or count once. Needs JAX. XLA may abort the process; the lines before it are complete.
"""

import json
import os
import pathlib
import re
import sys

DEVICES = 8
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES}"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax._src import compiler  # noqa: E402
from jax._src.interpreters import mlir  # noqa: E402
from jax._src.lib import xla_client  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402
from hlo import collectives_of  # noqa: E402


def devices_of(text: str) -> int:
    """Devices of the program: those of its first mesh that has axes."""
    for axes in re.findall(r"sdy\.mesh @\S+ = <\[([^\]]+)\]", text):
        return int(np.prod([int(size) for size in re.findall(r"=\s*(\d+)", axes)]))
    return 1


def compile_text(text: str, unknown_rounds: int | None):
    num_devices = devices_of(text)
    devices = jax.devices()[:num_devices]
    # JAX writes the number of partitions on the module; programs from elsewhere may lack it.
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        count = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), num_devices)
        module.operation.attributes["mhlo.num_partitions"] = count
        options = compiler.get_compile_options(
            1, num_devices, device_assignment=np.array([[device.id for device in devices]]))
        executable = devices[0].client.compile_and_load(
            module, executable_devices=xla_client.DeviceList(tuple(devices)), compile_options=options)
    memory = executable.get_compiled_memory_stats()
    return {"collectives": collectives_of(executable.hlo_modules()[0].to_string(), num_devices,
                                           unknown_rounds),
            "peak": memory.peak_memory_in_bytes}


def main():
    for argument in sys.argv[1:]:
        name, _, rounds = argument.partition("*")
        try:
            answer = compile_text(pathlib.Path(name).read_text(encoding="utf-8"), int(rounds) if rounds else None)
        except Exception as error:  # XLA's and MLIR's are of many kinds; the table shows the text.
            answer = {"error": str(error).splitlines()[0][:300]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
