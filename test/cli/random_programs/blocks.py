# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text of values and of blocks of ops.

Ops are written in MLIR's generic form, so one method serves all of them.
"""

import dataclasses
import itertools
from typing import Iterable, Optional, Sequence


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A tensor type."""

    shape: tuple[int, ...] = ()
    element: str = "f32"

    def __str__(self) -> str:
        return f"tensor<{''.join(f'{size}x' for size in self.shape)}{self.element}>"

    def of(self, *shape: int) -> "Tensor":
        """The same element type with another shape."""
        return Tensor(shape, self.element)


@dataclasses.dataclass(frozen=True)
class Value:
    """An SSA value."""

    name: str
    type: Tensor

    def __str__(self) -> str:
        return self.name

    @property
    def shape(self) -> tuple[int, ...]:
        return self.type.shape


I32 = Tensor((), "i32")
NEGATIVE_INFINITY = "0xFF800000"  # as element of an f32 constant


def comma(items: Iterable) -> str:
    """Items with commas between them."""
    return ", ".join(map(str, items))


def function_type(inputs: Iterable, outputs: Iterable) -> str:
    """Type text such as `(tensor<8xf32>) -> (tensor<f32>)`."""
    return f"({comma(inputs)}) -> ({comma(outputs)})"


def array(numbers: Sequence[int]) -> str:
    """An `array<i64>` attribute."""
    return f"array<i64: {comma(numbers)}>" if numbers else "array<i64>"


class Block:
    """Ops of one block, in order; regions of ops are blocks of their own.

    Attributes:
        arguments: block arguments, one for each type given.
        used: names of the values that ops of this block take.
    """

    def __init__(self, names: Optional[itertools.count] = None, depth: int = 2,
                 arguments: Sequence[Tensor] = ()):
        self._names = names or itertools.count()
        self._depth = depth
        self._lines: list[str] = []
        self.used: set[str] = set()
        self.arguments = [Value(self._fresh(), type_) for type_ in arguments]

    def _fresh(self) -> str:
        return f"%v{next(self._names)}"

    def _indented(self, text: str) -> str:
        return "  " * self._depth + text

    def __str__(self) -> str:
        return "\n".join(self._lines)

    def region(self, *arguments: Tensor) -> "Block":
        """An empty block for a region of the next op, with arguments of these types."""
        return Block(self._names, self._depth + 1, arguments)

    def terminate(self, op: str, values: Sequence[Value]) -> None:
        types = [value.type for value in values]
        self._lines.append(self._indented(f'"{op}"({comma(values)}) : {function_type(types, ())}'))

    def _region_text(self, region: "Block") -> str:
        head = comma(f"{value}: {value.type}" for value in region.arguments)
        head = self._indented(f"^bb0({head}):\n") if region.arguments else ""
        return "{\n" + head + str(region) + "\n" + self._indented("}")

    def ops(self, op: str, operands: Sequence[Value], results: Sequence[Tensor],
            properties: str = "", regions: Sequence["Block"] = (),
            attributes: str = "") -> list[Value]:
        """Appends an op with any number of results.

        Args:
            op: name with the dialect, such as `stablehlo.add`.
            operands: its operands.
            results: types of its results.
            properties: text between `<{` and `}>`.
            regions: terminated blocks made by `region`.
            attributes: text between `{` and `}`.
        """
        self.used.update(map(str, operands))
        name = self._fresh()
        text = f'{name}{f":{len(results)}" if len(results) > 1 else ""} = "{op}"({comma(operands)})'
        if properties:
            text += f" <{{{properties}}}>"
        if regions:
            text += f" ({comma(map(self._region_text, regions))})"
        if attributes:
            text += f" {{{attributes}}}"
        types = function_type([value.type for value in operands], results)
        self._lines.append(self._indented(f"{text} : {types}"))
        if len(results) == 1:
            return [Value(name, results[0])]
        return [Value(f"{name}#{number}", type_) for number, type_ in enumerate(results)]

    def op(self, op: str, operands: Sequence[Value], result: Tensor, properties: str = "",
           regions: Sequence["Block"] = ()) -> Value:
        """Appends a StableHLO op with one result."""
        return self.ops(f"stablehlo.{op}", operands, [result], properties, regions)[0]

    # Ops that many families use.

    def constant(self, value: str, type_: Tensor) -> Value:
        return self.op("constant", [], type_, f"value = dense<{value}> : {type_}")

    def elementwise(self, op: str, *operands: Value) -> Value:
        return self.op(op, operands, operands[0].type)

    def scaled(self, value: Value, factor: str) -> Value:
        return self.elementwise("multiply", value, self.constant(factor, value.type))

    def compare(self, direction: str, left: Value, right: Value) -> Value:
        kind = "FLOAT" if left.type.element.startswith("f") else "SIGNED"
        return self.op("compare", [left, right], Tensor(left.shape, "i1"),
                       f"comparison_direction = #stablehlo<comparison_direction {direction}>, "
                       f"compare_type = #stablehlo<comparison_type {kind}>")

    def dot(self, left: Value, right: Value, contracting: tuple[int, int],
            batch: Sequence[int] = ()) -> Value:
        """Product over one dimension of each; `batch` dimensions are the same ones of both."""
        shape = [left.shape[dim] for dim in batch]
        for value, contracted in zip((left, right), contracting):
            shape += [size for dim, size in enumerate(value.shape)
                      if dim != contracted and dim not in batch]
        return self.op("dot_general", [left, right], left.type.of(*shape),
                       "dot_dimension_numbers = #stablehlo.dot<"
                       f"lhs_batching_dimensions = [{comma(batch)}], "
                       f"rhs_batching_dimensions = [{comma(batch)}], "
                       f"lhs_contracting_dimensions = [{contracting[0]}], "
                       f"rhs_contracting_dimensions = [{contracting[1]}]>")

    def transpose(self, value: Value, order: Sequence[int]) -> Value:
        return self.op("transpose", [value], value.type.of(*(value.shape[dim] for dim in order)),
                       f"permutation = {array(order)}")

    def reshape(self, value: Value, *shape: int) -> Value:
        return self.op("reshape", [value], value.type.of(*shape))

    def broadcast(self, value: Value, dims: Sequence[int], *shape: int) -> Value:
        return self.op("broadcast_in_dim", [value], value.type.of(*shape),
                       f"broadcast_dimensions = {array(dims)}")

    def reducer(self, op: str, element: str) -> "Block":
        """Region that combines two scalars by an elementwise op."""
        region = self.region(Tensor((), element), Tensor((), element))
        region.terminate("stablehlo.return", [region.elementwise(op, *region.arguments)])
        return region

    def reduce(self, value: Value, dims: Sequence[int], op: str = "add",
               start: str = "0.0") -> Value:
        kept = (size for dim, size in enumerate(value.shape) if dim not in dims)
        return self.op("reduce", [value, self.constant(start, value.type.of())],
                       value.type.of(*kept), f"dimensions = {array(dims)}",
                       [self.reducer(op, value.type.element)])

    def slice(self, value: Value, starts: Sequence[int], limits: Sequence[int],
              strides: Sequence[int]) -> Value:
        shape = (-(-(limit - start) // stride)
                 for start, limit, stride in zip(starts, limits, strides))
        return self.op("slice", [value], value.type.of(*shape),
                       f"start_indices = {array(starts)}, limit_indices = {array(limits)}, "
                       f"strides = {array(strides)}")

    def pad(self, value: Value, low: Sequence[int], high: Sequence[int],
            interior: Sequence[int]) -> Value:
        shape = (size + before + after + (size - 1) * between for size, before, after, between
                 in zip(value.shape, low, high, interior))
        padding = "2.0" if value.type.element.startswith("f") else "2"
        return self.op("pad", [value, self.constant(padding, value.type.of())],
                       value.type.of(*shape),
                       f"edge_padding_low = {array(low)}, edge_padding_high = {array(high)}, "
                       f"interior_padding = {array(interior)}")

    def concatenate(self, values: Sequence[Value], dim: int) -> Value:
        shape = list(values[0].shape)
        shape[dim] = sum(value.shape[dim] for value in values)
        return self.op("concatenate", values, values[0].type.of(*shape), f"dimension = {dim} : i64")
