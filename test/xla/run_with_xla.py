# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs per-device programs of `shardwise partition --form` with XLA, on host devices.

Reads JSON lines from standard input, each with `program` (the text), `shardings` (the file that
--shardings wrote), `inputs` (paths of .npy files, whole arrays) and `outputs` (a folder for whole
arrays), and answers each with a line: {} or {"error": ..}. Needs jax 0.10.

Whoever wants to call such a program from JAX can read here how: `run_shard_map` and `body_of` are all
of it, `run_replicas` does without `jax.shard_map` but asks jaxlib for what is private to it.
"""

import json
import math
import os
import pathlib
import sys

# Without excess precision a bf16 value is one, also between two ops.
DEVICES = 8
os.environ["XLA_FLAGS"] = (f"--xla_force_host_platform_device_count={DEVICES}"
                           " --xla_allow_excess_precision=false")
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import jax  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jax._src.interpreters.mlir import make_ir_context  # noqa: E402
from jax.extend.core import Primitive  # noqa: E402
from jax.interpreters import mlir  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402
from jaxlib import _jax, lapack  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir.dialects import func  # noqa: E402

jax.config.update("jax_enable_x64", True)
lapack._lapack.initialize()  # JAX does it when it lowers a call of LAPACK, but here it lowers none.


class Value:
    """How one argument or result lies on the devices, from an entry of the shardings file."""

    def __init__(self, entry: dict, mesh: dict, devices: int):
        self.dtype = dtype_of(entry["dtype"])
        self.shape = entry["global_shape"]
        self.local_shape = tuple(entry["local_shape"])
        self.spec = entry["spec"]
        self.unreduced = entry.get("unreduced", {}).get("axes", [])
        self.combine = entry.get("unreduced", {}).get("reduction", "sum")
        # Positions are row-major in the mesh; on another mesh, and without ids, an id is a position.
        default = mesh.get("device_ids", range(devices))
        self.device_ids = list(entry.get("device_ids", default))
        self.sizes = dict(mesh["axes"]) if len(self.device_ids) > 1 else {}

    def block(self, position: int, axes: list) -> int:
        """The number of the block along `axes` at a position of the mesh, first axis most major."""
        coordinates = dict(zip(self.sizes, np.unravel_index(position, tuple(self.sizes.values()))))
        number = 0
        for axis in axes:
            number = number * self.sizes[axis] + int(coordinates[axis])
        return number

    def padded(self, array: np.ndarray) -> np.ndarray:
        """`array` with as many elements as blocks of one size have."""
        parts = [math.prod(self.sizes[axis] for axis in axes) for axes in self.spec]
        whole = np.zeros([part * size for part, size in zip(parts, self.local_shape)], array.dtype)
        whole[tuple(slice(0, size) for size in array.shape)] = array
        return whole

    def place(self, position: int) -> tuple:
        starts = [self.block(position, axes) * size
                  for axes, size in zip(self.spec, self.local_shape)]
        return tuple(slice(start, start + size)
                     for start, size in zip(starts, self.local_shape))

    def shards(self, array: np.ndarray, devices: int) -> list:
        """What each device holds. A device that has no part has zeros."""
        whole = self.padded(array)
        shards = [np.zeros(self.local_shape, self.dtype) for _ in range(devices)]
        for position, device in enumerate(self.device_ids):
            is_first = self.block(position, self.unreduced) == 0
            if is_first or self.combine != "sum":
                shards[device] = np.array(whole[self.place(position)], order="C")
        return shards

    def assembled(self, shards: list) -> np.ndarray:
        """The whole array. Devices that hold the same must agree in every bit, but for padding."""
        empty = np.zeros(self.shape, self.dtype)
        whole = np.zeros_like(self.padded(empty))
        combine = {"sum": np.add, "max": np.maximum, "min": np.minimum}[self.combine]
        axes = self.unreduced + [axis for dim in self.spec for axis in dim]
        seen, filled = {}, set()
        for position, device in enumerate(self.device_ids):
            part = self.block(position, axes)
            place = self.place(position)
            counts = [max(size - one.start, 0) for size, one in zip(self.shape, place)]
            shard = shards[device]
            valid = shard[tuple(map(slice, counts))]
            known, first = seen.setdefault(part, (shard, valid))
            if known is not shard:
                if first.tobytes() != valid.tobytes():
                    raise ValueError(f"device {device} disagrees with another that holds the same")
                continue
            key = str(place)
            whole[place] = combine(whole[place], known) if key in filled else known
            filled.add(key)
        return whole[tuple(slice(0, size) for size in self.shape)]


def dtype_of(name: str) -> np.dtype:
    """The type that StableHLO calls `name`."""
    if name == "i1":
        return np.dtype(bool)
    if name.startswith("complex<"):
        return np.dtype({"f32": np.complex64, "f64": np.complex128}[name[8:-1]])
    kind, bits = name.rstrip("0123456789"), name.lstrip("uifb")
    if kind in ("i", "ui") and int(bits) >= 8:
        return np.dtype(f"{'u' if kind == 'ui' else ''}int{bits}")
    if kind == "f" and bits.isdigit():
        return np.dtype(f"float{bits}")
    names = {"bf16": "bfloat16", "i4": "int4", "ui4": "uint4", "i2": "int2", "ui2": "uint2"}
    return np.dtype(getattr(ml_dtypes, names.get(name, name.lower().replace("f8e", "float8_e"))))


def read(path: str, dtype: np.dtype) -> np.ndarray:
    array = np.load(path)
    return array.view(dtype) if array.dtype.kind == "V" else array.astype(dtype)


def write(path: pathlib.Path, array: np.ndarray) -> None:
    is_own = array.dtype.kind not in "biufc" or array.dtype.name == "bfloat16"
    np.save(path, array.view(f"V{array.dtype.itemsize}") if is_own else array)


# --form xla-replicas: a replica is a device, by its number.


def run_replicas(text: str, arguments: list, results: list, arrays: list, count: int) -> list:
    devices = jax.devices()[:count]
    with make_ir_context():
        module = ir.Module.parse(text)
    options = _jax.CompileOptions()
    options.num_replicas, options.num_partitions = count, 1
    client = devices[0].client
    executable = client.compile_and_load(module, _jax.DeviceList(tuple(devices)), options)
    # JAX sees a replicated array; what each device has is not its business.
    everywhere = NamedSharding(Mesh(np.array(devices), ("device",)), PartitionSpec())
    operands = [jax.make_array_from_single_device_arrays(
        value.local_shape, everywhere,
        [jax.device_put(shard, device)
         for shard, device in zip(value.shards(array, count), devices)])
        for value, array in zip(arguments, arrays)]
    outputs = executable.execute_sharded(operands).disassemble_into_single_device_arrays()
    return [value.assembled([np.asarray(shard) for shard in output])
            for value, output in zip(results, outputs)]


# --form xla-shard-map: the body of a shard_map over the mesh of the program.

local_program = Primitive("shardwise_local_program")
local_program.multiple_results = True


@local_program.def_abstract_eval
def _(*operands, text, types):
    return [jax.core.ShapedArray(shape, dtype) for shape, dtype in types]


def body_of(context, *operands, text, types):
    outer = context.module_context
    with outer.context:
        module = ir.Module.parse(text)
    results = ir.SymbolTable(module.operation)["main"].type.results
    name = mlir.merge_mlir_modules(outer.module, "shardwise_local_program", module,
                                   dst_symtab=outer.symbol_table)
    return list(func.CallOp(list(results), ir.FlatSymbolRefAttr.get(name), list(operands)).results)


mlir.register_lowering(local_program, body_of)


def run_shard_map(text: str, arguments: list, results: list, arrays: list, axes: dict) -> list:
    devices = np.array(jax.devices()[:math.prod(axes.values())])
    mesh = Mesh(devices.reshape(tuple(axes.values())), tuple(axes))
    types = tuple((value.local_shape, value.dtype) for value in results)
    specs = [tuple(PartitionSpec(*map(tuple, value.spec)) for value in values)
             for values in (arguments, results)]
    body = jax.shard_map(
        lambda *operands: tuple(local_program.bind(*operands, text=text, types=types)),
        mesh=mesh, in_specs=specs[0], out_specs=specs[1], check_vma=False)
    operands = [jax.device_put(value.padded(array), NamedSharding(mesh, spec))
                for value, array, spec in zip(arguments, arrays, specs[0])]
    outputs = jax.jit(body)(*operands)
    return [np.asarray(output)[tuple(slice(0, size) for size in value.shape)]
            for value, output in zip(results, outputs)]


def run(question: dict) -> None:
    text = pathlib.Path(question["program"]).read_text()
    border = json.loads(pathlib.Path(question["shardings"]).read_text())
    arguments, results = ([Value(entry, border["mesh"], border["devices"])
                           for entry in border[key]] for key in ("arguments", "results"))
    arrays = [read(path, value.dtype) for path, value in zip(question["inputs"], arguments)]
    if border["form"] == "xla-replicas":
        outputs = run_replicas(text, arguments, results, arrays, border["devices"])
    else:
        outputs = run_shard_map(text, arguments, results, arrays, border["mesh"]["axes"])
    folder = pathlib.Path(question["outputs"])
    folder.mkdir(parents=True, exist_ok=True)
    for index, output in enumerate(outputs):
        write(folder / f"{index}.npy", output)


def main() -> None:
    for line in sys.stdin:
        try:
            run(json.loads(line))
            answer = {}
        except Exception as error:  # Whatever XLA raises is the answer.
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
