# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dimensions that are cut into parts of different sizes, which arrays of JAX cannot be.

Inside of a program they may be: parts are padded, and the padding is masked where it would count. At the
border `uneven=` says what happens. An argument stays whole and is sliced inside, which moves nothing. A result is
gathered (`replicate`), or returned with its padding (`pad`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax
from jax.sharding import NamedSharding, PartitionSpec

from ..errors import InvalidError

POLICIES = ("error", "replicate", "pad")


def blocks(mesh: Any, axes: Any) -> int:
    """In how many parts the axes of one entry of a spec cut a dimension."""
    names = (axes,) if isinstance(axes, str) else axes or ()
    return math.prod(mesh.shape[axis] for axis in names)


def even_part(sharding: Any, shape: Sequence[int]) -> Any:
    """A sharding without the dimensions that it does not cut evenly."""
    if not isinstance(sharding, NamedSharding):
        return sharding
    spec = [None if size % blocks(sharding.mesh, axes) else axes for axes, size in zip(sharding.spec, shape)]
    return NamedSharding(sharding.mesh, PartitionSpec(*spec)) if spec != list(sharding.spec) else sharding


def check(what: str, sharding: Any, shape: Sequence[int]) -> None:
    """Raises if `sharding` does not cut `shape` evenly.

    Raises:
        InvalidError: With the dimension, and sizes that would do.
    """
    if not isinstance(sharding, NamedSharding):
        return
    for dim, (axes, size) in enumerate(zip(sharding.spec, shape)):
        parts = blocks(sharding.mesh, axes)
        if size % parts:
            names = ", ".join(f'"{axis}"' for axis in ((axes,) if isinstance(axes, str) else axes))
            low, high = size - size % parts, size + parts - size % parts
            fit = f"{low} or {high}" if low else str(high)
            raise InvalidError(
                f"{what}: dimension {dim} has size {size} and is cut into {parts} parts by {names}, but arrays of JAX "
                f"are cut evenly; {fit} would fit; or pass uneven=\"replicate\", which keeps it whole at the border of "
                "the function, or uneven=\"pad\"")


def check_leaves(what: str, tree: Any, shardings: Sequence[Any]) -> None:
    """The same for the leaves of arguments or results."""
    leaves = jax.tree_util.tree_flatten_with_path(tree)[0]
    for (path, leaf), sharding in zip(leaves, shardings):
        if hasattr(leaf, "shape"):
            check(f"{what}{jax.tree_util.keystr(path)}", sharding, leaf.shape)


def unpad(array: Any, shape: Sequence[int]) -> Any:
    """Returns a result without its padding: what it is cut unevenly along becomes whole on every device.

    Args:
        array: A result of a function of `shardwise.jax.jit` with `uneven="pad"`.
        shape: Its shape without padding, as in the function's `out_valid_shapes`.

    Raises:
        InvalidError: The shape is larger than the array.
    """
    if len(shape) != array.ndim or any(want > size for want, size in zip(shape, array.shape)):
        raise InvalidError(f"an array of shape {array.shape} has no part of shape {tuple(shape)}; take the shape "
                           "from out_valid_shapes of the function that returned it")
    if tuple(shape) == array.shape:
        return array
    sharding = array.sharding
    if isinstance(sharding, NamedSharding):
        spec = [axes if want == size else None for axes, want, size in
                zip([*sharding.spec] + [None] * array.ndim, shape, array.shape)]
        sharding = NamedSharding(sharding.mesh, PartitionSpec(*spec))
    return jax.jit(lambda whole: whole[tuple(slice(0, size) for size in shape)], out_shardings=sharding)(array)
