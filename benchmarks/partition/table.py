# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a row of the table is, and the bytes by which its expert counts.

A row is a small program with shardings, the bytes that the busiest device receives when an expert
writes its collectives by hand, and a line on why those. Most rows are JAX functions; the table can be
read without JAX, only the bodies of the functions need it:

    @row(X8, [f32(64, 256, on="- x"), f32(256, 64, on="x -")], ["x -"],
         expert=scatter_sum(64, 64, over=8), why="the sum is wanted in parts")
    def product_wanted_in_parts(a, b):
        return a @ b

`on` names an axis per dimension, `-` for none; `data,model` are two axes on one dimension. Dimensions
that it does not reach are not cut.
"""

import dataclasses
import math
from collections.abc import Callable

try:
    import jax
    import jax.numpy as jnp
    from jax import lax
except ImportError:
    jax = jnp = lax = None

X4, X8 = {"x": 4}, {"x": 8}
DATA_MODEL = {"data": 2, "model": 4}

ROWS: list["Row"] = []


@dataclasses.dataclass(frozen=True)
class Argument:
    shape: tuple[int, ...]
    dtype: str
    on: str


@dataclasses.dataclass(frozen=True)
class Row:
    """`text` is the name of a file in the folder `written` where the program is not a function."""

    name: str
    idea: str
    expert: float
    why: str
    mesh: dict[str, int] | None = None
    arguments: tuple[Argument, ...] = ()
    results: tuple[str, ...] = ()
    function: Callable | None = None
    options: tuple[str, ...] = ()


def f32(*shape, on=""):
    return Argument(shape, "float32", on)


def bf16(*shape, on=""):
    return Argument(shape, "bfloat16", on)


def i32(*shape, on=""):
    return Argument(shape, "int32", on)


def u32(*shape, on=""):
    return Argument(shape, "uint32", on)


def c64(*shape, on=""):
    return Argument(shape, "complex64", on)


def row(mesh, arguments, results, expert, why, options=()):
    """Puts a function into the table, under its name; its module is the idea that it shows. `options` are those
    of `shardwise run`."""

    def add(function):
        ROWS.append(Row(function.__name__, function.__module__.rsplit(".", 1)[-1], expert, why, mesh,
                        tuple(arguments), tuple(results), function, tuple(options)))
        return function

    return add


def written(idea, name, expert, why):
    """Puts written/NAME.mlir into the table."""
    ROWS.append(Row(name, idea, expert, why))


def constrain(value, *axes):
    """A sharding constraint on the mesh that is being exported; None for a dimension that is not cut."""
    return lax.with_sharding_constraint(value, jax.sharding.PartitionSpec(*axes))


# What one device receives, by the cost table of the planner. `size` is that of an element.


def gather(*shape, over, size=4):
    """All_gather to a local `shape`."""
    return math.prod(shape) * size * (over - 1) // over


def scatter_sum(*shape, over, size=4):
    """Reduce_scatter of partial sums of the local `shape`."""
    return math.prod(shape) * size * (over - 1) // over


def all_sum(*shape, over, size=4):
    """All_reduce of partial results of the local `shape`."""
    return 2 * math.prod(shape) * size * (over - 1) // over


def exchange(*shape, over, size=4):
    """All_to_all of a local `shape`."""
    return math.prod(shape) * size * (over - 1) // over


def fetch(*shape, size=4):
    """Elements of a neighbour, or of whoever has them."""
    return math.prod(shape) * size
