# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares results with those of `jax.jit`, whose programs XLA partitions.

Both add in different orders, so results differ by roundings, and some programs make large differences of
small ones: Adam divides a gradient of nearly 0 by its size. What is out of tolerance is therefore excused if the
result of `jax.jit` moves by as much when arguments move by a rounding.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy

from .._warn import warn_user
from ..errors import VerificationError
from ..programs import compile as compile_program
from . import _xla
from ._program import LocalProgram, with_mesh

#: Of the largest magnitude in a result, by bits of the element type's mantissa.
_TOLERANCES = {52: 1e-9, 23: 1e-4, 10: 2e-2, 7: 6e-2}
_COARSE = 0.3  # Of floats with fewer bits.
_DISTURBANCES = 3
# How much farther off than in these few tries a result may be.
_MARGIN = 30


@dataclasses.dataclass(frozen=True)
class Policy:
    """When results are compared.

    Attributes:
        when: `first`, `always` or `never`.
        limit: Bytes of arguments above which they are not.
    """

    when: str
    limit: int

    def is_due(self, leaves: Sequence[Any]) -> bool:
        if self.when == "never":
            return False
        return sum(getattr(leaf, "nbytes", 8) for leaf in leaves) <= self.limit


def compare(name: str, names: Sequence[str], actual: Any, expected: Any,
            disturbed: Callable[[Callable], Any]) -> None:
    """Compares results leaf by leaf.

    Args:
        name: What to call the function.
        names: Names of the results, possibly empty.
        disturbed: Gives `jax.jit`'s results for arguments that a function has changed.

    Raises:
        VerificationError: A result is farther off than roundings explain.
    """
    pairs = list(zip(jax.tree.leaves(actual), jax.tree.leaves(expected)))
    failed = [i for i, pair in enumerate(pairs) if not _excess(*pair)[1] <= 1]
    if not failed:
        return
    moved = [jax.tree.leaves(disturbed(_disturbance(seed))) for seed in range(_DISTURBANCES)]
    for i in failed:
        error, _, place = _excess(*pairs[i], [leaves[i] for leaves in moved], _MARGIN)
        if _excess(*pairs[i], [leaves[i] for leaves in moved], _MARGIN)[1] <= 1:
            continue
        label = names[i] if i < len(names) and names[i] else str(i)
        raise VerificationError(
            f"{name}: result {label} differs from jax.jit's by up to {error:.3g} at {place}, more than roundings "
            "explain. If the program is meant to depend on the order of sums, pass verify=\"never\"; else this is "
            "a mistake of shardwise's or XLA's: please report it with the output of .text(stage=\"global\")")


def compare_or_decide(local: LocalProgram, leaves: Sequence[Any], names: Sequence[str], actual: Sequence[Any], expected: Any,
                      disturbed: Callable[[Callable], Any]) -> None:
    """As `compare`; where results differ, Shardwise's evaluators tell who is wrong, and there is a warning if that is XLA.

    Args:
        leaves: The arguments.
        actual: Whole results.

    Raises:
        VerificationError: As of `compare`.
    """
    try:
        compare(local.traced.name, names, actual, expected, disturbed)
    except VerificationError as error:
        if not all(one.is_fully_addressable for one in actual) or not are_right(local, leaves, actual):
            raise
        warn_user(f"{str(error).partition(', more than')[0]}, which is wrong: results are those of the function on one "
                  "device, by Shardwise's evaluators, so XLA partitions it wrongly with these shardings")


def are_right(local: LocalProgram, leaves: Sequence[Any], results: Sequence[Any]) -> bool:
    """Whether results are those of the program on one device, by Shardwise's evaluators. They share nothing with XLA, so they
    tell who is wrong where XLA's partition gives something else: as of JAX 0.10 gradients of grouped convolutions whose
    batch is cut.

    Args:
        leaves: The arguments.
        results: Whole results.
    """
    program = compile_program(with_mesh(local.traced.text, local.user_mesh), name=local.traced.name)
    inputs = [_whole(leaf, aval) for leaf, aval in zip(leaves, local.traced.in_avals)]
    outputs = [_whole(leaf, aval) for leaf, aval in zip(results, local.traced.out_avals)]
    return program.verify(inputs, expected=outputs).verified


def _whole(leaf: Any, aval: Any) -> numpy.ndarray:
    return numpy.asarray(jax.random.key_data(leaf)) if _xla.is_key(aval) else numpy.asarray(leaf, aval.dtype)


def _excess(actual: Any, expected: Any, moved: Sequence[Any] = (), margin: float = 1) -> tuple:
    """The largest error, the largest multiple of what is allowed, and where that is."""
    worst = (0.0, 0.0, ())
    for index, (left, right, *others) in enumerate(zip(_parts(actual), _parts(expected),
                                                       *map(_parts, moved))):
        if not jax.dtypes.issubdtype(left.dtype, jax.numpy.inexact):
            errors = (left != right).astype(float)
            allowed = sum(((one != right) for one in others), numpy.zeros(right.shape, bool)).astype(float)
        else:
            wide = numpy.complex128 if left.dtype.kind == "c" else numpy.float64
            left, right = left.astype(wide), right.astype(wide)
            same = (left == right) | (numpy.isnan(left) & numpy.isnan(right))
            finite = numpy.isfinite(right)
            errors = numpy.where(same, 0, numpy.abs(left - right))
            scale = numpy.abs(right[finite]).max(initial=0)
            allowed = numpy.full(right.shape, _tolerance(expected.dtype) * scale)
            for one in others:
                allowed = numpy.maximum(allowed, margin * numpy.abs(one.astype(wide) - right))
        with numpy.errstate(divide="ignore", invalid="ignore"):
            ratios = numpy.where(errors == 0, 0, errors / allowed)
        ratios = numpy.where(numpy.isnan(ratios), numpy.inf, ratios)
        if ratios.size and ratios.max() > worst[1]:
            place = numpy.unravel_index(int(ratios.argmax()), ratios.shape)
            worst = (float(errors[place]), float(ratios[place]), (index, *map(int, place)))
    return worst


def _parts(array: Any) -> list[numpy.ndarray]:
    """What this process has of an array: all of it, or its shards."""
    if jax.dtypes.issubdtype(array.dtype, jax.dtypes.prng_key):
        array = jax.random.key_data(array)
    if array.is_fully_addressable:
        return [numpy.asarray(array)]
    return [numpy.asarray(shard.data) for shard in array.addressable_shards]


def _tolerance(dtype: Any) -> float:
    return _TOLERANCES.get(jax.numpy.finfo(dtype).nmant, _COARSE)


def _disturbance(seed: int) -> Callable[[Any], Any]:
    """A function of leaves that moves floats by a rounding, up or down."""
    generator = numpy.random.default_rng(seed)

    def disturb(leaf: Any) -> Any:
        dtype = getattr(leaf, "dtype", None)
        if dtype is None or not jax.dtypes.issubdtype(dtype, jax.numpy.inexact):
            return leaf
        step = float(jax.numpy.finfo(dtype).eps)
        signs = generator.choice([-1.0, 1.0], size=leaf.shape)
        return leaf * jax.numpy.asarray(1 + step * signs, dtype)

    return disturb
