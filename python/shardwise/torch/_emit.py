# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes StableHLO text, an op a line. What the ATen ops mean is in `_lower`; here is how ops of StableHLO are
spelled, and the conversions and broadcasts that most of them need."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

import torch

from ._meta import DTYPE_NAMES, Meta

__all__ = ["Emitter", "Value"]


class Value:
    """A value of the program: its name, shape and element type (a torch.dtype)."""

    __slots__ = ("name", "shape", "dtype")

    def __init__(self, name: str, shape: Sequence[int], dtype: torch.dtype):
        self.name, self.shape, self.dtype = name, tuple(shape), dtype

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def type(self) -> str:
        """The type as text."""
        return type_text(self.shape, self.dtype)


def type_text(shape: Sequence[int], dtype: torch.dtype) -> str:
    """Returns `tensor<2x3xf32>`."""
    return f"tensor<{''.join(f'{size}x' for size in shape)}{DTYPE_NAMES[dtype]}>"


def _literal(value: Any, dtype: torch.dtype) -> str:
    if dtype == torch.bool:
        return "true" if value else "false"
    if dtype.is_complex:
        value = complex(value)
        part = torch.float32 if dtype == torch.complex64 else torch.float64
        return f"({_literal(value.real, part)}, {_literal(value.imag, part)})"
    if not dtype.is_floating_point:
        # Negative numbers in unsigned types wrap, as in PyTorch.
        return str(int(value) if dtype.is_signed else int(value) & torch.iinfo(dtype).max)
    value = float(value)
    if math.isfinite(value):
        text = format(value, ".17e")
        if not math.isinf(torch.tensor(value, dtype=dtype).item()):
            return text
        value = math.copysign(math.inf, value)
    bits = torch.tensor(value, dtype=dtype)
    width = bits.element_size()
    if width == 8:
        return "0x" + struct.pack(">d", value).hex().upper()
    number = bits.view({2: torch.int16, 4: torch.int32}[width]).item() & (2 ** (8 * width) - 1)
    return f"0x{number:0{2 * width}X}"


class Emitter:
    """Collects the lines of one function.

    Attributes:
        lines: What was written.
        outs: Types of the results of the ATen op that is written now.
    """

    def __init__(self):
        self.lines: list[str] = []
        self.outs: tuple[Meta, ...] = ()
        self._count = 0
        self._constants: dict[tuple, Value] = {}
        #: By name of a transposed value: of what, and in which order.
        self._transposed: dict[str, tuple[Value, list[int]]] = {}
        self.suffix = ""

    def new(self, shape: Sequence[int], dtype: torch.dtype) -> Value:
        """Returns a value with a name that no other has."""
        self._count += 1
        return Value(f"%{self._count}", shape, dtype)

    def nested(self) -> Emitter:
        """Returns an emitter for a region, whose names differ from those here."""
        inner = Emitter()
        inner._count = self._count
        return inner

    def take_numbers(self, inner: Emitter) -> None:
        """Goes on with names behind those of a region."""
        self._count = max(self._count, inner._count)

    def line(self, text: str) -> None:
        """Writes an op."""
        self.lines.append(text + self.suffix)

    def op(self, name: str, operands: Sequence[Value], shape=None, dtype=None, attributes: str = "") -> Value:
        """Writes an op of one result in the form all ops have."""
        first = operands[0]
        out = self.new(first.shape if shape is None else shape, dtype or first.dtype)
        names = ", ".join(one.name for one in operands)
        types = ", ".join(one.type for one in operands)
        braces = f" {{{attributes}}}" if attributes else ""
        self.line(f'{out.name} = "stablehlo.{name}"({names}){braces} : ({types}) -> {out.type}')
        return out

    # Constants, shapes and types.

    def constant(self, value: Any, dtype: torch.dtype, shape: Sequence[int] = ()) -> Value:
        """Returns a tensor whose elements are all `value`."""
        key = (repr(value), dtype, tuple(shape))
        found = self._constants.get(key)
        if found is None:
            found = self._constants[key] = self.new(shape, dtype)
            self.line(f"{found.name} = stablehlo.constant dense<{_literal(value, dtype)}> : {found.type}")
        return found

    def numbers(self, values: Sequence[int], dtype: torch.dtype = torch.int64) -> Value:
        """Returns a vector of constants."""
        out = self.new((len(values),), dtype)
        listed = ", ".join(_literal(one, dtype) for one in values)
        self.line(f"{out.name} = stablehlo.constant dense<[{listed}]> : {out.type}")
        return out

    def iota(self, shape: Sequence[int], dim: int, dtype: torch.dtype = torch.int64) -> Value:
        """Returns a tensor of the indices along `dim`."""
        out = self.new(shape, dtype)
        self.line(f"{out.name} = stablehlo.iota dim = {dim} : {out.type}")
        return out

    def convert(self, value: Value, dtype: torch.dtype) -> Value:
        """Returns the value in another element type; to truth values, whether it is not zero.

        Raises:
            NotImplementedError: It is complex and the type is not: which of its parts is meant is for the op to say.
        """
        if value.dtype == dtype:
            return value
        if dtype == torch.bool:
            return self.compare("NE", value, self.constant(0, value.dtype, value.shape))
        if value.dtype.is_complex and not dtype.is_complex:
            raise NotImplementedError(f"complex numbers where {dtype} is computed with; take .real, .imag or .abs() first")
        if value.dtype.is_floating_point and dtype in (torch.uint8, torch.int8, torch.int16):
            # As C++ does it: through a wide integer, whose low bits remain.
            value = self.convert(value, torch.int64)
        out = self.new(value.shape, dtype)
        self.line(f"{out.name} = stablehlo.convert {value.name} : ({value.type}) -> {out.type}")
        return out

    def reshape(self, value: Value, shape: Sequence[int]) -> Value:
        """Returns the same elements in another shape."""
        if value.shape == tuple(shape):
            return value
        out = self.new(shape, value.dtype)
        self.line(f"{out.name} = stablehlo.reshape {value.name} : ({value.type}) -> {out.type}")
        return out

    def spread(self, value: Value, shape: Sequence[int], dims: Sequence[int]) -> Value:
        """Returns `value` repeated, its dimensions going to `dims` of the result."""
        if value.shape == tuple(shape) and list(dims) == list(range(len(shape))):
            return value
        out = self.new(shape, value.dtype)
        self.line(f"{out.name} = stablehlo.broadcast_in_dim {value.name}, dims = {list(dims)} : "
                  f"({value.type}) -> {out.type}")
        return out

    def broadcast(self, value: Value, shape: Sequence[int]) -> Value:
        """Returns `value` broadcast by the rule of PyTorch: shapes are aligned at the right."""
        if value.shape == tuple(shape):
            return value
        first = len(shape) - value.rank
        ones = [i for i in range(value.rank) if value.shape[i] == 1 and shape[first + i] != 1]
        if ones:
            # A dimension of one is dropped first: the sharding of what is repeated then says nothing of it.
            kept = [i for i in range(value.rank) if i not in ones]
            value = self.reshape(value, [value.shape[i] for i in kept])
            return self.spread(value, shape, [first + i for i in kept])
        return self.spread(value, shape, range(first, len(shape)))

    def transpose(self, value: Value, order: Sequence[int]) -> Value:
        """Returns `value` with its dimensions in this order."""
        order = [one % max(value.rank, 1) for one in order]
        if value.name in self._transposed:
            value, before = self._transposed[value.name]
            order = [before[i] for i in order]
        if order == list(range(value.rank)):
            return value
        out = self.new([value.shape[i] for i in order], value.dtype)
        self._transposed[out.name] = (value, order)
        self.line(f"{out.name} = stablehlo.transpose {value.name}, dims = {order} : "
                  f"({value.type}) -> {out.type}")
        return out

    def slice(self, value: Value, starts, limits, steps=None) -> Value:
        """Returns a part of `value`."""
        steps = steps or [1] * value.rank
        shape = [max(-(-(b - a) // s), 0) for a, b, s in zip(starts, limits, steps)]
        if tuple(shape) == value.shape:
            return value
        out = self.new(shape, value.dtype)
        ranges = ", ".join(f"{a}:{b}:{s}" for a, b, s in zip(starts, limits, steps))
        self.line(f"{out.name} = stablehlo.slice {value.name} [{ranges}] : ({value.type}) -> {out.type}")
        return out

    def slice_dim(self, value: Value, dim: int, start: int, limit: int, step: int = 1) -> Value:
        """Returns a part of `value` along one dimension."""
        starts, limits, steps = [0] * value.rank, list(value.shape), [1] * value.rank
        starts[dim], limits[dim], steps[dim] = start, limit, step
        return self.slice(value, starts, limits, steps)

    def concatenate(self, values: Sequence[Value], dim: int) -> Value:
        """Returns the values behind each other along `dim`."""
        if len(values) == 1:
            return values[0]
        shape = list(values[0].shape)
        shape[dim] = sum(one.shape[dim] for one in values)
        return self.op("concatenate", values, shape, attributes=f"dimension = {dim} : i64")

    def pad(self, value: Value, low, high, fill: Any = 0, interior=None) -> Value:
        """Returns `value` with `fill` around it, negative counts cut."""
        interior = list(interior or [0] * value.rank)
        if not any(low) and not any(high) and not any(interior):
            return value
        shape = [size + a + b + max(size - 1, 0) * c
                 for size, a, b, c in zip(value.shape, low, high, interior)]
        out = self.new(shape, value.dtype)
        scalar = fill if isinstance(fill, Value) else self.constant(fill, value.dtype)
        self.line(f"{out.name} = stablehlo.pad {value.name}, {scalar.name}, low = {list(low)}, "
                  f"high = {list(high)}, interior = {interior} : ({value.type}, {scalar.type}) -> {out.type}")
        return out

    # Arithmetic.

    def number(self, value: Any, dtype: torch.dtype) -> Value:
        """Returns a tensor, a number, or a scalar input as a value of this element type."""
        if isinstance(value, Value):
            return self.convert(value, dtype)
        return self.constant(value, dtype)

    def align(self, values: Sequence[Any], dtype: torch.dtype, shape=None) -> list[Value]:
        """Returns tensors and numbers in one element type and, broadcast, in one shape."""
        if shape is None:
            shape = torch.broadcast_shapes(*(one.shape for one in values if isinstance(one, Value)))
        return [self.broadcast(self.number(one, dtype), shape) if isinstance(one, Value)
                else self.constant(one, dtype, shape) for one in values]

    def unary(self, name: str, value: Value) -> Value:
        """Writes an elementwise op."""
        out = self.new(value.shape, value.dtype)
        self.line(f"{out.name} = stablehlo.{name} {value.name} : {value.type}")
        return out

    def binary(self, name: str, a: Any, b: Any) -> Value:
        """Writes an elementwise op. Operands are broadcast; numbers become constants of the other's type."""
        if not isinstance(a, Value):
            a = self.constant(a, b.dtype, b.shape)
        if not isinstance(b, Value):
            b = self.constant(b, a.dtype, a.shape)
        if a.shape != b.shape:
            shape = torch.broadcast_shapes(a.shape, b.shape)
            a, b = self.broadcast(a, shape), self.broadcast(b, shape)
        out = self.new(a.shape, a.dtype)
        self.line(f"{out.name} = stablehlo.{name} {a.name}, {b.name} : {out.type}")
        return out

    def add(self, a, b) -> Value:
        """a + b."""
        return self.binary("add", a, b)

    def sub(self, a, b) -> Value:
        """a - b."""
        return self.binary("subtract", a, b)

    def mul(self, a, b) -> Value:
        """a * b."""
        return self.binary("multiply", a, b)

    def div(self, a, b) -> Value:
        """a / b."""
        return self.binary("divide", a, b)

    def compare(self, direction: str, a: Any, b: Any) -> Value:
        """Returns truth values of EQ, NE, LT, LE, GT or GE."""
        if not isinstance(b, Value):
            b = self.constant(b, a.dtype, a.shape)
        if a.shape != b.shape:
            shape = torch.broadcast_shapes(a.shape, b.shape)
            a, b = self.broadcast(a, shape), self.broadcast(b, shape)
        out = self.new(a.shape, torch.bool)
        self.line(f"{out.name} = stablehlo.compare {direction}, {a.name}, {b.name} : "
                  f"({a.type}, {b.type}) -> {out.type}")
        return out

    def select(self, condition: Value, a: Any, b: Any) -> Value:
        """Returns `a` where the condition holds, else `b`."""
        dtype = a.dtype if isinstance(a, Value) else b.dtype
        shape = torch.broadcast_shapes(*(one.shape for one in (condition, a, b) if isinstance(one, Value)))
        condition = self.broadcast(condition, shape)
        a, b = self.align([a, b], dtype, shape)
        out = self.new(shape, dtype)
        self.line(f"{out.name} = stablehlo.select {condition.name}, {a.name}, {b.name} : "
                  f"{condition.type}, {out.type}")
        return out

    def reduce(self, value: Value, dims: Sequence[int], kind: str = "add", start: Any = 0,
               keep: bool = False) -> Value:
        """Returns sums (`add`), `maximum`, `minimum`, `multiply`, `and` or `or` over dimensions."""
        dims = sorted({one % max(value.rank, 1) for one in dims}) if value.rank else []
        out = value
        if dims:
            init = self.constant(start, value.dtype)
            out = self.new([size for i, size in enumerate(value.shape) if i not in dims], value.dtype)
            self.line(f"{out.name} = stablehlo.reduce({value.name} init: {init.name}) applies stablehlo.{kind} "
                      f"across dimensions = {dims} : ({value.type}, {init.type}) -> {out.type}")
        if keep:
            out = self.reshape(out, [1 if i in dims else size for i, size in enumerate(value.shape)])
        return out

    def sum(self, value: Value, dims: Sequence[int], keep: bool = False) -> Value:
        """Returns sums over dimensions."""
        return self.reduce(value, dims, "add", 0, keep)

    def max(self, value: Value, dims: Sequence[int], keep: bool = False) -> Value:
        """Returns maxima over dimensions."""
        return self.reduce(value, dims, "maximum", lowest(value.dtype), keep)

    def min(self, value: Value, dims: Sequence[int], keep: bool = False) -> Value:
        """Returns minima over dimensions."""
        return self.reduce(value, dims, "minimum", highest(value.dtype), keep)

    def spread_back(self, value: Value, shape: Sequence[int], dims: Sequence[int]) -> Value:
        """Returns what was reduced over `dims`, without them, in the shape it had."""
        dims = {one % max(len(shape), 1) for one in dims}
        return self.spread(value, shape, [i for i in range(len(shape)) if i not in dims])

    def dot(self, a: Value, b: Value, contract, batch=((), ()), dtype: torch.dtype | None = None) -> Value:
        """Returns products summed over the pairs of dimensions `contract`; `batch` pairs are kept."""
        a, contract_a, batch_a = self._untransposed(a, contract[0], batch[0])
        b, contract_b, batch_b = self._untransposed(b, contract[1], batch[1])
        contract, batch = (contract_a, contract_b), (batch_a, batch_b)
        free_a = [s for i, s in enumerate(a.shape) if i not in contract[0] and i not in batch[0]]
        free_b = [s for i, s in enumerate(b.shape) if i not in contract[1] and i not in batch[1]]
        shape = [a.shape[i] for i in batch[0]] + free_a + free_b
        out = self.new(shape, dtype or a.dtype)
        batching = f"batching_dims = {list(batch[0])} x {list(batch[1])}, " if batch[0] else ""
        self.line(f"{out.name} = stablehlo.dot_general {a.name}, {b.name}, {batching}contracting_dims = "
                  f"{list(contract[0])} x {list(contract[1])} : ({a.type}, {b.type}) -> {out.type}")
        return out

    def _untransposed(self, value: Value, contract: Sequence[int], batch: Sequence[int]):
        """An operand of a product, and which of its dimensions are contracted and which kept: of a transposed value what it
        was made of, if the free dimensions have the same order there. A product reads its operands in any order."""
        if value.name in self._transposed:
            source, order = self._transposed[value.name]
            free = [order[i] for i in range(value.rank) if i not in contract and i not in batch]
            if free == sorted(free):
                return source, [order[i] for i in contract], [order[i] for i in batch]
        return value, list(contract), list(batch)

    def region(self, kind: str, dtype: torch.dtype) -> str:
        """Returns a region of two scalars: `add`, `maximum`, ..., or `return` for the second of them."""
        scalar = type_text((), dtype)
        self._count += 1
        a, b, c = (f"%r{self._count}{letter}" for letter in "abc")
        if kind == "return":
            return f"({{\n^bb0({a}: {scalar}, {b}: {scalar}):\n stablehlo.return {b} : {scalar}\n}})"
        return (f"({{\n^bb0({a}: {scalar}, {b}: {scalar}):\n {c} = stablehlo.{kind} {a}, {b} : {scalar}\n "
                f"stablehlo.return {c} : {scalar}\n}})")

    def general(self, text: str, shape, dtype: torch.dtype) -> Value:
        """Writes an op whose text has `{out}` for the type of its result."""
        out = self.new(shape, dtype)
        self.line(f"{out.name} = {text.replace('{out}', out.type)}")
        return out


def lowest(dtype: torch.dtype) -> Any:
    """What every number of the type is at least."""
    if dtype == torch.bool:
        return False
    return -math.inf if dtype.is_floating_point else torch.iinfo(dtype).min


def highest(dtype: torch.dtype) -> Any:
    """What every number of the type is at most."""
    if dtype == torch.bool:
        return True
    return math.inf if dtype.is_floating_point else torch.iinfo(dtype).max
