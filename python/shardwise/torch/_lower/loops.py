# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops along one dimension, as StableHLO writes them: a counter that is the position, carried values, and what is read and
written at the position.

    %3:2 = stablehlo.while(%5 = %c, %6 = %init) : tensor<i64>, tensor<4x8xf32>     positions 0, 1, ..., or the last first
      cond { %5 < 24 } do { ..., %5 + 1 }
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from .._emit import Emitter, Value

__all__ = ["loop", "put_at", "take_at"]


def loop(e: Emitter, count: int, reverse: bool, carried: Sequence[Value],
         body: Callable[[Emitter, Value, list[Value]], Sequence[Value]]) -> list[Value]:
    """Writes a loop over `count` positions and returns what is carried in the end.

    Args:
        e: Where the loop stands.
        count: How many positions there are.
        reverse: Whether the last one comes first.
        carried: What the first step gets.
        body: Gets an emitter, the position and what is carried, and returns what the next step gets, of the same types. It
            may use values from outside.
    """
    first = e.constant(count - 1 if reverse else 0, torch.int64)
    condition, step = e.nested(), e.nested()
    arguments = [step.new(one.shape, one.dtype) for one in (first, *carried)]
    condition.take_numbers(step)
    goes_on = condition.compare("GE" if reverse else "LT", arguments[0], condition.constant(0 if reverse else count, torch.int64))
    step.take_numbers(condition)
    returned = list(body(step, arguments[0], arguments[1:]))
    one = step.constant(1, torch.int64)
    returned.insert(0, step.sub(arguments[0], one) if reverse else step.add(arguments[0], one))
    e.take_numbers(step)
    bundle = e.new((), torch.int64).name
    types = ", ".join(one.type for one in arguments)
    starts = ", ".join(f"{inner.name} = {outer.name}" for inner, outer in zip(arguments, (first, *carried)))
    e.line("\n".join([
        f"{bundle}:{len(arguments)} = stablehlo.while({starts}) : {types}", "cond {", *condition.lines,
        f"stablehlo.return {goes_on.name} : {goes_on.type}", "} do {", *step.lines,
        f"stablehlo.return {', '.join(one.name for one in returned)} : {types}", "}"]))
    return [Value(f"{bundle}#{i + 1}", one.shape, one.dtype) for i, one in enumerate(carried)]


def _starts(e: Emitter, rank: int, dim: int, position: Value) -> list[Value]:
    zero = e.constant(0, torch.int64)
    return [position if i == dim else zero for i in range(rank)]


def take_at(e: Emitter, value: Value, dim: int, position: Value) -> Value:
    """Returns the part of `value` at a position of `dim`, without that dimension."""
    sizes = [1 if i == dim else size for i, size in enumerate(value.shape)]
    starts = _starts(e, value.rank, dim, position)
    part = e.general(
        f"stablehlo.dynamic_slice {', '.join(one.name for one in (value, *starts))}, sizes = {sizes} : "
        f"({', '.join(one.type for one in (value, *starts))}) -> {{out}}", sizes, value.dtype)
    return e.reshape(part, [size for i, size in enumerate(value.shape) if i != dim])


def put_at(e: Emitter, value: Value, dim: int, position: Value, part: Value) -> Value:
    """Returns `value` with the part at a position of `dim` replaced by `part`, which lacks that dimension."""
    part = e.reshape(part, [1 if i == dim else size for i, size in enumerate(value.shape)])
    operands = [value, part, *_starts(e, value.rank, dim, position)]
    return e.general(f"stablehlo.dynamic_update_slice {', '.join(one.name for one in operands)} : "
                     f"({', '.join(one.type for one in operands)}) -> {{out}}", value.shape, value.dtype)
