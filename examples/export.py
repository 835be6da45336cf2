# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports JAX programs: StableHLO text with `sdy` shardings, inputs and outputs.

Usage: python examples/export.py [--set examples|test] [--out DIR] [--check] [NAME ...]

The set `examples` is what users start from; the set `test` widens what the tests read, verify and
execute, and lies in test/programs. Writes DIR/NAME/model.mlir, DIR/NAME/inputs/I.npy in the argument order of @main and
DIR/NAME/outputs/I.npy in its result order. The outputs are JAX's own, from the program without
shardings on one CPU device; the sharded program must agree with them before anything is written.
With --check nothing is written: a fresh export is compared with the files in DIR.
"""

import argparse
import os
import pathlib
import re
import sys
from collections.abc import Callable
from typing import Any

# Read when JAX first looks for devices. One thread per matrix product keeps the order of
# floating-point sums, and so the recorded outputs, the same from run to run. Without excess
# precision a bf16 value is one, also between two ops.
DEVICES = 8
os.environ["XLA_FLAGS"] = (
    f"--xla_force_host_platform_device_count={DEVICES} --xla_cpu_multi_thread_eigen=false"
    " --xla_allow_excess_precision=false"
)
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_X64"] = "0"

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TEST_PROGRAMS = HERE.parent / "test/programs"
sys.path.append(str(TEST_PROGRAMS))

import models  # noqa: E402
import programs  # noqa: E402
from programs.program import Program  # noqa: E402

SETS = {"examples": (HERE, programs.PROGRAMS), "test": (TEST_PROGRAMS, models.PROGRAMS)}

Arrays = list[np.ndarray]
Export = tuple[str, Arrays, Arrays]


def spec_pairs(program: Program, arguments: tuple[Any, ...]) -> tuple[list, list]:
    """Returns the specs of arguments and of results, flat, each with the shape that it cuts."""
    results = jax.eval_shape(program.build(lambda value, *axes: value), *arguments)

    def pairs(specs, values):
        is_spec = lambda leaf: isinstance(leaf, PartitionSpec)  # noqa: E731
        return [(spec, value.shape) for spec, value in zip(
            jax.tree.leaves(specs, is_leaf=is_spec), jax.tree.leaves(values))]

    return pairs(program.in_specs, arguments), pairs(program.out_specs, results)


def uneven_dims(program: Program, spec: PartitionSpec, shape: tuple[int, ...]) -> dict[int, str]:
    """Returns the axes of the dimensions that they do not divide, one axis each."""
    return {dim: axis for dim, (axis, size) in enumerate(zip(spec, shape))
            if isinstance(axis, str) and size % program.mesh[axis]}


def even_specs(program: Program, pairs: list) -> list[PartitionSpec]:
    """Returns the specs without what does not divide, which JAX refuses."""
    return [PartitionSpec(*(None if dim in uneven_dims(program, spec, shape) else axis
                            for dim, axis in enumerate(spec)))
            for spec, shape in pairs]


def with_uneven_dims(text: str, program: Program, pairs: list) -> str:
    """Returns the module with the axes that JAX was not told of, in the signature of @main."""
    numbers = iter(range(len(pairs)))

    def add(match: re.Match) -> str:
        dims = match[1].split(", ") if match[1] else []
        for dim, axis in uneven_dims(program, *pairs[next(numbers)]).items():
            assert dims[dim] == "{}", match[0]
            dims[dim] = f'{{"{axis}"}}'
        return f"#sdy.sharding<@mesh, [{', '.join(dims)}]>"

    head, main, body = re.split(r"(func\.func public @main.*\n)", text, maxsplit=1)
    main, count = re.subn(r"#sdy\.sharding<@mesh, \[(.*?)\]>", add, main)
    assert count == len(pairs), f"{count} shardings, expected {len(pairs)}"
    return head + main + body


def sharded(program: Program, arguments: tuple[Any, ...]) -> Any:
    """Returns the jitted program with its shardings, as far as they divide."""
    devices = np.array(jax.devices()).reshape(tuple(program.mesh.values()))
    mesh = Mesh(devices, tuple(program.mesh))

    def to_shardings(specs, pairs):
        is_spec = lambda leaf: isinstance(leaf, PartitionSpec)  # noqa: E731
        even = iter(even_specs(program, pairs))
        return jax.tree.map(lambda spec: NamedSharding(mesh, next(even)), specs, is_leaf=is_spec)

    def constrain(value, *axes):
        sharding = NamedSharding(mesh, PartitionSpec(*axes))
        return jax.lax.with_sharding_constraint(value, sharding)

    in_pairs, out_pairs = spec_pairs(program, arguments)
    return jax.jit(
        program.build(constrain),
        in_shardings=to_shardings(program.in_specs, in_pairs),
        out_shardings=to_shardings(program.out_specs, out_pairs),
        keep_unused=True,
    )


def run(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Arrays:
    """Runs a jitted function and returns its results in flat order."""
    with jax.default_matmul_precision("highest"):
        return [np.asarray(leaf) for leaf in jax.tree.leaves(function(*arguments))]


def export(program: Program) -> Export:
    """Returns the module text, the inputs and the outputs of a program.

    Raises:
        SystemExit: JAX's sharded and unsharded runs disagree.
    """
    arguments = program.arguments(program.generator())
    function = sharded(program, arguments)
    text = function.lower(*arguments).as_text(debug_info=False)
    in_pairs, out_pairs = spec_pairs(program, arguments)
    if any(uneven_dims(program, *pair) for pair in in_pairs + out_pairs):
        text = with_uneven_dims(text, program, in_pairs + out_pairs)
    outputs = run(jax.jit(program.build(lambda value, *axes: value)), arguments)
    for problem in compare_arrays(
        "result", outputs, run(function, arguments), program.tolerance
    ):
        sys.exit(f"{program.name}: sharded and unsharded runs differ: {problem}")
    return text, [np.asarray(leaf) for leaf in jax.tree.leaves(arguments)], outputs


def compare_arrays(what: str, expected: Arrays, actual: Arrays, tolerance: float) -> list[str]:
    """Returns one line for each difference; `tolerance` is both absolute and relative."""
    if len(expected) != len(actual):
        return [f"{what}: expected {len(expected)} arrays, got {len(actual)}"]
    problems = []
    for index, (left, right) in enumerate(zip(expected, actual)):
        if (left.shape, left.dtype) != (right.shape, right.dtype):
            kinds = f"{left.dtype}{list(left.shape)}, got {right.dtype}{list(right.shape)}"
            problems.append(f"{what} {index}: expected {kinds}")
        elif not np.allclose(left, right, rtol=tolerance, atol=tolerance):
            worst = np.max(np.abs(left.astype(np.float64) - right.astype(np.float64)))
            problems.append(f"{what} {index}: values differ by up to {worst:.3g}")
    return problems


def without_locations(text: str) -> list[str]:
    """Returns the lines of a module without `loc(..)` and location aliases."""
    lines = [line for line in text.splitlines() if not line.startswith("#loc")]
    return [re.sub(r" loc\(.*?\)+(?=$|[,)])", "", line).rstrip() for line in lines]


def first_difference(expected: list[str], actual: list[str]) -> list[str]:
    """Returns one line naming the first differing line, or nothing."""
    length = max(len(expected), len(actual))
    padding = ["<end of file>"]
    pairs = zip(
        expected + padding * (length - len(expected)), actual + padding * (length - len(actual))
    )
    for number, (left, right) in enumerate(pairs, start=1):
        if left != right:
            return [f"model.mlir line {number}: expected '{left.strip()}', got '{right.strip()}'"]
    return []


def write_arrays(folder: pathlib.Path, arrays: Arrays) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*.npy"):
        stale.unlink()
    for index, array in enumerate(arrays):
        np.save(folder / f"{index}.npy", array)


def read_arrays(folder: pathlib.Path) -> Arrays:
    paths = sorted(folder.glob("*.npy"), key=lambda path: int(path.stem))
    return [np.load(path) for path in paths]


def write(folder: pathlib.Path, fresh: Export) -> None:
    """Writes an export into a program's folder."""
    text, inputs, outputs = fresh
    write_arrays(folder / "inputs", inputs)
    write_arrays(folder / "outputs", outputs)
    (folder / "model.mlir").write_text(text)


def check(folder: pathlib.Path, fresh: Export, tolerance: float) -> list[str]:
    """Returns one line for each difference between a fresh export and a program's folder."""
    text, inputs, outputs = fresh
    model = folder / "model.mlir"
    if not model.is_file():
        return ["model.mlir is missing: export it without --check"]
    return (
        first_difference(without_locations(model.read_text()), without_locations(text))
        + compare_arrays("input", read_arrays(folder / "inputs"), inputs, tolerance)
        + compare_arrays("output", read_arrays(folder / "outputs"), outputs, tolerance)
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="export programs with JAX")
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs, all by default")
    parser.add_argument("--set", choices=SETS, default="examples", help="which programs")
    parser.add_argument("--out", type=pathlib.Path, help="folder of the exports (default: the set's)")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args()
    folder, chosen = SETS[options.set]
    out = options.out or folder
    unknown = [name for name in options.names if name not in chosen]
    if unknown:
        parser.error(f"no program '{unknown[0]}': the programs are {', '.join(chosen)}")

    failed = False
    for name in options.names or chosen:
        fresh = export(chosen[name])
        if options.check:
            problems = check(out / name, fresh, chosen[name].tolerance)
            for problem in problems:
                print(f"{name}: {problem}", file=sys.stderr)
            failed = failed or bool(problems)
            print(f"{name}: {'differs' if problems else 'same'}")
        else:
            write(out / name, fresh)
            print(f"{name}: {len(fresh[1])} inputs, {len(fresh[2])} outputs")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
