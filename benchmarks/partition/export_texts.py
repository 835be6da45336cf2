# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports the rows that are JAX functions to texts/NAME.mlir.

    .venv-jax/bin/python benchmarks/partition/export_texts.py [--check] [NAME ...]

With --check nothing is written: fresh texts are compared with the committed ones.
"""

import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent.parent / "examples"))

import export  # noqa: E402  (sets the flags that JAX reads; needs the path above)
import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402
from rows import ROWS  # noqa: E402

TEXTS = HERE / "texts"


def spec_of(on: str) -> PartitionSpec:
    """`- x data,model` is PartitionSpec(None, "x", ("data", "model"))."""
    axes = [tuple(word.split(",")) if "," in word else word for word in on.split()]
    return PartitionSpec(*(None if word == "-" else word for word in axes))


def text_of(row) -> str:
    num_devices = int(np.prod(list(row.mesh.values())))
    devices = np.array(jax.devices()[:num_devices]).reshape(tuple(row.mesh.values()))
    mesh = Mesh(devices, tuple(row.mesh))
    shardings = [NamedSharding(mesh, spec_of(argument.on)) for argument in row.arguments]
    results = tuple(NamedSharding(mesh, spec_of(on)) for on in row.results)

    def function(*arguments):
        return tuple(jax.tree.leaves(row.function(*arguments)))

    function.__name__ = row.name
    arguments = [jax.ShapeDtypeStruct(argument.shape, argument.dtype) for argument in row.arguments]
    with jax.set_mesh(mesh):
        jitted = jax.jit(function, in_shardings=tuple(shardings), out_shardings=results, keep_unused=True)
        return jitted.lower(*arguments).as_text(debug_info=False)


def main() -> int:
    parser = argparse.ArgumentParser(description="export the rows of the partition benchmark")
    parser.add_argument("names", nargs="*", metavar="NAME", help="rows, all by default")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args()
    rows = {row.name: row for row in ROWS if row.function}
    unknown = [name for name in options.names if name not in rows]
    if unknown:
        parser.error(f"no row '{unknown[0]}' is a JAX function: those are {', '.join(rows)}")

    status = 0
    TEXTS.mkdir(exist_ok=True)
    for name in options.names or rows:
        path, fresh = TEXTS / f"{name}.mlir", text_of(rows[name])
        if not options.check:
            path.write_text(fresh)
            continue
        old = path.read_text() if path.is_file() else ""
        for problem in export.first_difference(export.without_locations(old), export.without_locations(fresh)):
            print(f"{name}: {problem}", file=sys.stderr)
            status = 1
    if not options.names:
        for path in TEXTS.glob("*.mlir"):
            if path.stem not in rows:
                print(f"{path.stem}: there is a text, but no row", file=sys.stderr)
                status = 1
    print(f"{len(options.names or rows)} rows {'compared' if options.check else 'exported'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
