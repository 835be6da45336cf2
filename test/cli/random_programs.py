# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random StableHLO programs with random shardings, the same for the same seed and index.

Every program is small, valid, and partitions evenly as written: whatever the partitioner does with
it, the devices together must compute what the unpartitioned program computes. Families of programs
(one function each) are registered by `@family`; steps of the random graphs by `@step`.

    program = generate(seed=0, index=17)
    program.family, program.text

Ops are written in MLIR's generic form, so one method serves all of them.
"""

import dataclasses
import itertools
import math
import random
from typing import Callable, Iterable, Optional, Sequence

# Values and blocks of ops.


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
I1 = Tensor((), "i1")


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
            properties: str = "", regions: Sequence["Block"] = ()) -> list[Value]:
        """Appends an op with any number of results.

        Args:
            op: name with the dialect, such as `stablehlo.add`.
            operands: its operands.
            results: types of its results.
            properties: text between `<{` and `}>`.
            regions: terminated blocks made by `region`.
        """
        self.used.update(map(str, operands))
        name = self._fresh()
        text = f'{name}{f":{len(results)}" if len(results) > 1 else ""} = "{op}"({comma(operands)})'
        if properties:
            text += f" <{{{properties}}}>"
        if regions:
            text += f" ({comma(map(self._region_text, regions))})"
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
        return self.op("pad", [value, self.constant("2.0", value.type.of())],
                       value.type.of(*shape),
                       f"edge_padding_low = {array(low)}, edge_padding_high = {array(high)}, "
                       f"interior_padding = {array(interior)}")

    def concatenate(self, values: Sequence[Value], dim: int) -> Value:
        shape = list(values[0].shape)
        shape[dim] = sum(value.shape[dim] for value in values)
        return self.op("concatenate", values, values[0].type.of(*shape), f"dimension = {dim} : i64")


# Meshes and shardings.


@dataclasses.dataclass(frozen=True)
class Axis:
    """A mesh axis, or a sub-axis of it: the parts from `parts_before` to `parts_before * size`."""

    name: str
    size: int
    parts_before: int = 0  # 0: the whole axis

    def __str__(self) -> str:
        part = f":({self.parts_before}){self.size}" if self.parts_before else ""
        return f'"{self.name}"{part}'

    def continues(self, other: "Axis") -> bool:
        """Whether `other` followed by this must be written as one."""
        return (self.name == other.name
                and self.parts_before == other.parts_before * other.size > 0)


@dataclasses.dataclass(frozen=True)
class Mesh:
    """Axes in order, and the order of the devices where it is not the natural one."""

    axes: tuple[Axis, ...]
    device_order: str = ""

    def __str__(self) -> str:
        axes = comma(f'"{axis.name}"={axis.size}' for axis in self.axes)
        return f"<[{axes}]{self.device_order}>"


MESHES = [
    Mesh((Axis("x", 2), Axis("y", 2))),
    Mesh((Axis("x", 4), Axis("y", 2))),
    Mesh((Axis("x", 2), Axis("y", 2), Axis("z", 2))),
    Mesh((Axis("x", 2), Axis("y", 3))),
    Mesh((Axis("x", 2), Axis("y", 2)), ", device_ids=[2, 0, 3, 1]"),
    Mesh((Axis("x", 8),)),
]


class Shardings:
    """Draws shardings that are valid on a mesh and divide their shape evenly."""

    # Shares of the cases: an axis of four or eight is split in two sub-axes, an axis is used, the
    # sharding of a dimension is open, an axis left over is said to be replicated.
    SPLIT, USED, OPEN, REPLICATED = 0.5, 0.7, 0.1, 0.05

    def __init__(self, mesh: Mesh, draw: random.Random):
        self._mesh = mesh
        self._draw = draw

    def _axes(self) -> list[Axis]:
        axes = []
        for axis in self._mesh.axes:
            if axis.size in (4, 8) and self._draw.random() < self.SPLIT:
                axes += [Axis(axis.name, 2, 1), Axis(axis.name, axis.size // 2, 2)]
            else:
                axes.append(axis)
        self._draw.shuffle(axes)
        return axes

    def _dims(self, shape: Sequence[int]) -> tuple[list[list[Axis]], list[Axis]]:
        """Axes of each dimension, and whole axes used by none."""
        dims: list[list[Axis]] = [[] for _ in shape]
        left, unused = list(shape), []
        for axis in self._axes():
            dim = self._draw.randrange(len(shape)) if shape else None
            if (dim is None or self._draw.random() > self.USED or left[dim] % axis.size
                    or dims[dim] and axis.continues(dims[dim][-1])):
                unused.append(axis)
                continue
            dims[dim].append(axis)
            left[dim] //= axis.size
        return dims, [axis for axis in unused if not axis.parts_before]

    def _dim_text(self, axes: Sequence[Axis]) -> str:
        mark = ["?"] if self._draw.random() < self.OPEN else []
        return "{" + comma([*axes, *mark]) + "}"

    def attribute(self, shape: Sequence[int]) -> str:
        """A sharding of a tensor with this shape, such as `#sdy.sharding<@mesh, [{"x"}, {}]>`."""
        dims, unused = self._dims(shape)
        replicated = sorted((axis for axis in unused if self._draw.random() < self.REPLICATED),
                            key=self._mesh.axes.index)
        suffix = f", replicated={{{comma(replicated)}}}" if replicated else ""
        return f"#sdy.sharding<@mesh, [{comma(map(self._dim_text, dims))}]{suffix}>"


# Programs and their families.


class Program(Block):
    """The body of the function of one program; `draw` makes its choices.

    Attributes:
        draw: the source of every random choice.
        shardings: draws shardings on the mesh of the program.
        per_device: false to write the global counterpart of a manual computation instead.
    """

    ARGUMENT_SHARDED, RESULT_SHARDED = 0.8, 0.6

    def __init__(self, draw: random.Random, per_device: bool = True):
        super().__init__()
        self.draw = draw
        self.mesh = draw.choice(MESHES)
        self.shardings = Shardings(self.mesh, draw)
        self.per_device = per_device

    def argument(self, *shape: int, element: str = "f32") -> Value:
        """Adds an argument of the function."""
        value = Value(f"%arg{len(self.arguments)}", Tensor(shape, element))
        self.arguments.append(value)
        return value

    def constraint(self, value: Value) -> Value:
        """Appends a sharding constraint."""
        return self.ops("sdy.sharding_constraint", [value], [value.type],
                        f"sharding = {self.shardings.attribute(value.shape)}")[0]

    def _sharded(self, type_: Tensor, share: float) -> str:
        if self.draw.random() >= share:
            return str(type_)
        return f"{type_} {{sdy.sharding = {self.shardings.attribute(type_.shape)}}}"

    def module(self, results: Sequence[Value]) -> str:
        """Text of the module whose function returns these values."""
        self.terminate("func.return", results)
        arguments = comma(f"{value}: {self._sharded(value.type, self.ARGUMENT_SHARDED)}"
                          for value in self.arguments)
        types = comma(self._sharded(value.type, self.RESULT_SHARDED) for value in results)
        return (f"sdy.mesh @mesh = {self.mesh}\n"
                f"func.func public @main({arguments}) -> ({types}) {{\n{self}\n}}\n")


Family = Callable[[Program], list[Value]]
FAMILIES: dict[str, Family] = {}


def family(*variants) -> Callable:
    """Registers a function that writes programs and returns their results.

    With variants, each becomes a family of its own, given to the function as second argument.
    """
    def register(function: Callable) -> Callable:
        name = function.__name__.rstrip("_")
        if not variants:
            FAMILIES[name] = function
        for variant in variants:
            FAMILIES[f"{name}/{variant}"] = lambda program, v=variant: function(program, v)
        return function
    return register


@dataclasses.dataclass(frozen=True)
class RandomProgram:
    """A program and where it came from.

    Attributes:
        whole: the same computation as a program for one device, where the tool cannot make it by
            itself because part of `text` is written per device; else None.
    """

    seed: int
    index: int
    family: str
    text: str
    whole: Optional[str] = None


def generate(seed: int, index: int) -> RandomProgram:
    """Program `index` of a seed; consecutive indices go through the families in turn."""
    name = list(FAMILIES)[index % len(FAMILIES)]

    def write(per_device: bool) -> str:
        program = Program(random.Random(f"{seed}/{index}"), per_device)
        return program.module(FAMILIES[name](program))

    whole = write(per_device=False) if name.startswith("manual_computation") else None
    return RandomProgram(seed, index, name, write(per_device=True), whole)


# Contractions.


@family()
def dot(program: Program) -> list[Value]:
    rows, inner, columns = (program.draw.choice(sizes)
                            for sizes in ((8, 12, 24), (8, 24), (4, 6, 12)))
    left, right = program.argument(rows, inner), program.argument(inner, columns)
    return [program.dot(left, right, (1, 0))]


@family()
def batched_dot(program: Program) -> list[Value]:
    batch, rows, inner, columns = (program.draw.choice(sizes)
                                   for sizes in ((2, 4, 6), (8, 12), (8, 24), (4, 6, 12)))
    left, right = program.argument(batch, rows, inner), program.argument(batch, inner, columns)
    return [program.dot(left, right, (2, 1), batch=[0])]


@family("add", "subtract")
def sum_of_dots(program: Program, op: str) -> list[Value]:
    """Partial sums that may be added up before they are reduced."""
    left, right = program.argument(8, 12), program.argument(12, 8)
    flipped = program.transpose(program.dot(right, left, (0, 1)), [1, 0])
    first = program.elementwise(op, program.dot(left, right, (1, 0)),
                                program.scaled(flipped, "-0.5"))
    return [program.elementwise("add", first,
                                program.dot(left, program.scaled(right, "0.5"), (1, 0)))]


# Convolutions.


def convolve(program: Program, image: Value, kernel: Value, result: Tensor, layout: str,
             padding: int, feature_groups: int = 1, batch_groups: int = 1) -> Value:
    return program.op("convolution", [image, kernel], result,
                      f"dimension_numbers = #stablehlo.conv<{layout}>, "
                      f"padding = dense<{padding}> : tensor<2x2xi64>, "
                      f"feature_group_count = {feature_groups} : i64, "
                      f"batch_group_count = {batch_groups} : i64")


FORWARD = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
KERNEL_GRADIENT = "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]"


@family(1, 2, 4)
def convolution(program: Program, groups: int) -> list[Value]:
    features = program.draw.choice([8, 16])
    image = program.argument(8, 6, 6, 8)
    kernel = program.argument(3, 3, 8 // groups, features)
    return [convolve(program, image, kernel, Tensor((8, 6, 6, features)), FORWARD, 1, groups)]


@family()
def convolution_kernel_gradient(program: Program) -> list[Value]:
    image, gradient = program.argument(8, 6, 6, 4), program.argument(8, 6, 6, 12)
    return [convolve(program, image, gradient, Tensor((3, 3, 4, 12)), KERNEL_GRADIENT, 1)]


@family(2, 4)
def convolution_batch_groups(program: Program, groups: int) -> list[Value]:
    image, kernel = program.argument(8, 6, 6, 4), program.argument(3, 3, 4, 8)
    return [convolve(program, image, kernel, Tensor((8 // groups, 4, 4, 8)), FORWARD, 0,
                     batch_groups=groups)]


# Reductions and windows.

NEGATIVE_INFINITY = "0xFF800000"

# name: (op, start value, element type)
REDUCTIONS = {
    "add": ("add", "0.0", "f32"),
    "add_from_one": ("add", "1.0", "f32"),
    "maximum": ("maximum", NEGATIVE_INFINITY, "f32"),
    "minimum_from_half": ("minimum", "0.5", "f32"),
    "multiply": ("multiply", "1.0", "f32"),
    "and": ("and", "-1", "i32"),
    "or": ("or", "0", "i32"),
}


@family(*REDUCTIONS)
def reduce(program: Program, kind: str) -> list[Value]:
    op, start, element = REDUCTIONS[kind]
    dims = program.draw.choice([[0], [1], [2], [0, 2], [0, 1, 2]])
    return [program.reduce(program.argument(8, 12, 4, element=element), dims, op, start)]


@family()
def argmax(program: Program) -> list[Value]:
    """A reduction of two values at once."""
    values, numbers = program.argument(8, 12), program.argument(8, 12, element="i32")
    starts = [program.constant(NEGATIVE_INFINITY, Tensor()), program.constant("0", I32)]
    region = program.region(Tensor(), I32, Tensor(), I32)
    left, left_number, right, right_number = region.arguments
    greater = region.compare("GT", left, right)
    region.terminate("stablehlo.return", [
        region.op("select", [greater, left, right], Tensor()),
        region.op("select", [greater, left_number, right_number], I32)])
    return program.ops("stablehlo.reduce", [values, numbers, *starts],
                       [Tensor((8,)), Tensor((8,), "i32")], "dimensions = array<i64: 1>", [region])


WINDOWS = ("padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, "
           "window_strides = array<i64: 1, 2, 2, 1>")


@family()
def reduce_window(program: Program) -> list[Value]:
    start = program.constant(NEGATIVE_INFINITY, Tensor())
    return [program.op("reduce_window", [program.argument(8, 12, 12, 4), start],
                       Tensor((8, 6, 6, 4)), WINDOWS, [program.reducer("maximum", "f32")])]


@family()
def select_and_scatter(program: Program) -> list[Value]:
    image, source = program.argument(8, 12, 12, 4), program.argument(8, 6, 6, 4)
    select = program.region(Tensor(), Tensor())
    select.terminate("stablehlo.return", [select.compare("GE", *select.arguments)])
    return [program.op("select_and_scatter", [image, source, program.constant("0.0", Tensor())],
                       image.type, WINDOWS, [select, program.reducer("add", "f32")])]


# Gathers and scatters.


def indices(program: Program, factor: int, *shape: int) -> Value:
    """Indices from random integers, spread out; some lie beyond the bounds."""
    return program.scaled(program.argument(*shape, element="i32"), str(factor))


def gather_from(program: Program, operand: Value, starts: Value, result: Tensor, numbers: str,
                sizes: Sequence[int]) -> Value:
    return program.op("gather", [operand, starts], result,
                      f"dimension_numbers = #stablehlo.gather<{numbers}>, "
                      f"slice_sizes = {array(sizes)}, indices_are_sorted = false")


@family()
def gather_rows(program: Program) -> list[Value]:
    table = program.argument(24, 12)
    return [gather_from(program, table, indices(program, 9, 8, 2), Tensor((8, 2, 12)),
                        "offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], "
                        "index_vector_dim = 2", [1, 12])]


@family()
def gather_points(program: Program) -> list[Value]:
    """Two indices per point, in the other order than the dimensions they index."""
    table = program.argument(8, 12, 6)
    return [gather_from(program, table, indices(program, 4, 4, 8, 2), Tensor((4, 8, 6)),
                        "offset_dims = [2], collapsed_slice_dims = [0, 1], "
                        "start_index_map = [1, 0], index_vector_dim = 2", [1, 1, 6])]


@family()
def gather_batched(program: Program) -> list[Value]:
    table = program.argument(8, 12, 6)
    return [gather_from(program, table, indices(program, 4, 8, 4, 1), Tensor((8, 4, 6)),
                        "offset_dims = [2], collapsed_slice_dims = [1], "
                        "operand_batching_dims = [0], start_indices_batching_dims = [0], "
                        "start_index_map = [1], index_vector_dim = 2", [1, 1, 6])]


def scatter_into(program: Program, operand: Value, starts: Value, updates: Value, op: str,
                 numbers: str) -> Value:
    return program.op("scatter", [operand, starts, updates], operand.type,
                      f"scatter_dimension_numbers = #stablehlo.scatter<{numbers}>, "
                      "indices_are_sorted = false, unique_indices = false",
                      [program.reducer(op, "f32")])


ROWS = ("update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
        "index_vector_dim = 1")


@family("add", "maximum", "multiply")
def scatter_rows(program: Program, op: str) -> list[Value]:
    table, starts = program.argument(24, 12), indices(program, 9, 8, 1)
    return [scatter_into(program, table, starts, program.argument(8, 12), op, ROWS)]


@family()
def scatter_into_zeros(program: Program) -> list[Value]:
    """The gradient of an embedding."""
    zeros, starts = program.constant("0.0", Tensor((24, 12))), indices(program, 9, 8, 1)
    return [scatter_into(program, zeros, starts, program.argument(8, 12), "add", ROWS)]


@family()
def scatter_columns(program: Program) -> list[Value]:
    table, starts = program.argument(4, 24, 6), indices(program, 9, 8, 1)
    return [scatter_into(program, table, starts, program.argument(4, 8, 6), "add",
                         "update_window_dims = [0, 2], inserted_window_dims = [1], "
                         "scatter_dims_to_operand_dims = [1], index_vector_dim = 1")]


# Data movement.

RESHAPES = [((8, 12), (96,)), ((96,), (8, 12)), ((4, 24), (8, 12)), ((12, 8), (2, 6, 8)),
            ((24, 4), (6, 16)), ((16, 6), (4, 24)), ((8, 1, 6), (8, 6)), ((8, 6), (8, 1, 6)),
            ((2, 3, 4), (24,)), ((24,), (2, 3, 4)), ((12, 10), (8, 15)), ((48, 2), (2, 48))]


@family("first", "second")
def reshape(program: Program, _: str) -> list[Value]:
    source, target = program.draw.choice(RESHAPES)
    return [program.reshape(program.argument(*source), *target)]


@family()
def transpose(program: Program) -> list[Value]:
    order = program.draw.sample(range(3), 3)
    return [program.transpose(program.argument(8, 12, 6), order)]


@family()
def broadcast(program: Program) -> list[Value]:
    shape, dims = program.draw.choice([((12, 1), [1, 2]), ((8, 6), [0, 2]), ((6,), [2]), ((), [])])
    return [program.broadcast(program.argument(*shape), dims, 8, 12, 6)]


@family()
def concatenate(program: Program) -> list[Value]:
    count = program.draw.choice([2, 2, 3])
    return [program.concatenate([program.argument(8, 12) for _ in range(count)],
                                program.draw.choice([0, 1]))]


@family()
def pad(program: Program) -> list[Value]:
    low, high, interior = program.draw.choice([
        ([0, 1], [0, 3], [0, 0]), ([1, 0], [-1, 0], [0, 0]), ([0, 0], [0, 0], [1, 0]),
        ([2, 2], [2, 2], [0, 0])])
    return [program.pad(program.argument(8, 12), low, high, interior)]


@family()
def slice_(program: Program) -> list[Value]:
    starts, limits, strides = program.draw.choice([
        ([0, 2], [8, 8], [1, 1]), ([0, 0], [8, 12], [2, 1]), ([4, 0], [8, 12], [1, 1]),
        ([0, 0], [8, 12], [1, 1]), ([1, 0], [8, 12], [3, 2])])
    return [program.slice(program.argument(8, 12), starts, limits, strides)]


@family()
def dynamic_slice(program: Program) -> list[Value]:
    value, start = program.argument(8, 12), program.argument(element="i32")
    sizes = program.draw.choice([(8, 6), (4, 12), (1, 12)])
    return [program.op("dynamic_slice", [value, start, start], value.type.of(*sizes),
                       f"slice_sizes = {array(sizes)}")]


@family()
def dynamic_update_slice(program: Program) -> list[Value]:
    value = program.argument(8, 12)
    update = program.argument(*program.draw.choice([(8, 6), (4, 12), (1, 12), (8, 12)]))
    start = program.argument(element="i32")
    return [program.op("dynamic_update_slice", [value, update, start, start], value.type)]


@family()
def reverse(program: Program) -> list[Value]:
    value = program.argument(8, 12)
    return [program.op("reverse", [value], value.type,
                       f"dimensions = {array([program.draw.choice([0, 1])])}")]


@family()
def iota(program: Program) -> list[Value]:
    value = program.argument(8, 12, element="i32")
    numbers = program.op("iota", [], value.type,
                         f"iota_dimension = {program.draw.choice([0, 1])} : i64")
    return [program.elementwise("add", value, numbers)]


@family()
def constants(program: Program) -> list[Value]:
    """One with different elements, and a splat that is returned as it is."""
    value = program.argument(8, 12)
    rows = comma(str([float(row * 12 + column) for column in range(12)]) for row in range(8))
    return [program.elementwise("add", value, program.constant(f"[{rows}]", value.type)),
            program.constant("3.0", value.type)]


@family()
def sort(program: Program) -> list[Value]:
    values, numbers = program.argument(8, 12), program.argument(8, 12, element="i32")
    region = program.region(Tensor(), Tensor(), I32, I32)
    region.terminate("stablehlo.return", [region.compare("LT", *region.arguments[:2])])
    return program.ops("stablehlo.sort", [values, numbers], [values.type, numbers.type],
                       f"dimension = {program.draw.choice([0, 1])} : i64, is_stable = true",
                       [region])


@family()
def top_k(program: Program) -> list[Value]:
    return program.ops("chlo.top_k", [program.argument(8, 12)],
                       [Tensor((8, 4)), Tensor((8, 4), "i32")], "k = 4 : i64")


@family()
def bitcast(program: Program) -> list[Value]:
    return [program.op("bitcast_convert", [program.argument(8, 12, element="i32")],
                       Tensor((8, 12, 4), "i8"))]


@family()
def clamp_and_select(program: Program) -> list[Value]:
    """With scalar bounds and a scalar predicate."""
    bound, value = program.argument(), program.argument(8, 12)
    clamped = program.op("clamp", [bound, value, bound], value.type)
    return [clamped, program.op("select", [program.argument(element="i1"), value, clamped],
                                value.type)]


# Control flow.


def counted_loop(program: Program, trips: int, starts: Sequence[Value],
                 body: Callable[[Block, Sequence[Value]], Sequence[Value]]) -> list[Value]:
    """A while loop that runs `body` this many times; returns what it carries, without the count."""
    types = [I32, *(value.type for value in starts)]
    test = program.region(*types)
    test.terminate("stablehlo.return",
                   [test.compare("LT", test.arguments[0], test.constant(str(trips), I32))])
    block = program.region(*types)
    count = block.elementwise("add", block.arguments[0], block.constant("1", I32))
    block.terminate("stablehlo.return", [count, *body(block, block.arguments[1:])])
    return program.ops("stablehlo.while", [program.constant("0", I32), *starts], types,
                       regions=[test, block])[1:]


@family()
def recurrent_loop(program: Program) -> list[Value]:
    state, weights = program.argument(8, 8), program.argument(8, 8)

    def body(block: Block, carried: Sequence[Value]) -> list[Value]:
        state, total = carried
        state = block.elementwise("tanh", block.dot(state, weights, (1, 0)))
        return [state, block.elementwise("add", total, block.reduce(state, [0]))]

    return counted_loop(program, 3, [state, program.constant("0.0", Tensor((8,)))], body)


@family("add", "subtract")
def accumulating_loop(program: Program, op: str) -> list[Value]:
    """Partial sums that the loop carries and may reduce once, after it."""
    value, other = program.argument(8, 12), program.argument(8, 6)
    matrix, vector = program.argument(6, 12), program.argument(12)
    if program.draw.random() < 0.5:
        matrix = program.constant("0.0", matrix.type)

    def body(block: Block, carried: Sequence[Value]) -> list[Value]:
        product = block.transpose(block.dot(value, other, (0, 0)), [1, 0])
        row = block.reshape(block.reduce(value, [0]), 1, 12)
        return [block.elementwise(op, carried[0], product),
                block.elementwise("add", block.reduce(row, [0]), carried[1])]

    return counted_loop(program, 3, [matrix, vector], body)


@family("case", "if")
def branch(program: Program, op: str) -> list[Value]:
    choice = program.argument(element="i32" if op == "case" else "i1")
    left, right = program.argument(8, 12), program.argument(8, 12)
    first, second = program.region(), program.region()
    first.terminate("stablehlo.return", [first.elementwise("add", left, right)])
    second.terminate("stablehlo.return", [right])
    return [program.op(op, [choice], left.type, regions=[first, second])]


@family()
def optimization_barrier(program: Program) -> list[Value]:
    values = [program.argument(8, 12), program.argument(8, 12)]
    return program.ops("stablehlo.optimization_barrier", values, [value.type for value in values])


# Shardings written inside of programs.


@family("first", "second")
def constraint_chain(program: Program, _: str) -> list[Value]:
    """Reshards from one random sharding to the next."""
    value = program.argument(8, 12, 8)
    for _ in range(program.draw.choice([1, 2, 3])):
        value = program.constraint(value)
    return [program.elementwise("negate", value)]


@family()
def constrained_dots(program: Program) -> list[Value]:
    product = program.dot(program.argument(8, 12), program.argument(12, 8), (1, 0))
    product, weights = program.constraint(product), program.argument(8, 8)
    total = program.elementwise("add", program.dot(product, weights, (1, 0)),
                                program.dot(product, weights, (0, 0)))
    total = program.constraint(total)
    return [program.transpose(total, [1, 0]), program.reduce(total, [0])]


@family()
def manual_computation(program: Program) -> list[Value]:
    """An elementwise body over the first axis of the mesh."""
    value, axis = program.argument(8, 12), program.mesh.axes[0]
    if not program.per_device:
        return [program.elementwise("tanh", value)]
    sharding = f'#sdy.sharding_per_value<[<@mesh, [{{"{axis.name}"}}, {{}}]>]>'
    region = program.region(Tensor((8 // axis.size, 12)))
    region.terminate("sdy.return", [region.elementwise("tanh", region.arguments[0])])
    return program.ops("sdy.manual_computation", [value], [value.type],
                       f"in_shardings = {sharding}, out_shardings = {sharding}, "
                       f'manual_axes = #sdy<manual_axes{{"{axis.name}"}}>', regions=[region])


# Graphs of a few ops. A step takes values made before and makes one more, or returns None where it
# finds nothing to work on. Steps scale down what they sum, so that rounding stays small.

Step = Callable[[Program, list[Value]], Optional[Value]]
STEPS: list[Step] = []
LARGEST = 2048  # elements of a value that further steps take
RECENT = 5  # steps take the values made last


def step(function: Step) -> Step:
    """Registers a step."""
    STEPS.append(function)
    return function


def any_dim(program: Program, value: Value) -> Optional[int]:
    """A dimension of the value; None if it is a scalar."""
    return program.draw.randrange(len(value.shape)) if value.shape else None


@step
def unary_step(program: Program, values: list[Value]) -> Value:
    op = program.draw.choice(["tanh", "abs", "logistic", "negate"])
    return program.elementwise(op, program.draw.choice(values))


@step
def binary_step(program: Program, values: list[Value]) -> Optional[Value]:
    left, right = program.draw.choice(values), program.draw.choice(values)
    if left.shape != right.shape or left == right:
        return None
    return program.elementwise(program.draw.choice(["add", "multiply", "maximum"]), left, right)


@step
def dot_step(program: Program, values: list[Value]) -> Optional[Value]:
    left, right = program.draw.choice(values), program.draw.choice(values)
    pairs = [(i, j) for i, size in enumerate(left.shape) for j, other in enumerate(right.shape)
             if size == other]
    if not pairs:
        return None
    pair = program.draw.choice(pairs)
    return program.scaled(program.dot(left, right, pair), "0.25")


@step
def transpose_step(program: Program, values: list[Value]) -> Value:
    value = program.draw.choice(values)
    return program.transpose(value, program.draw.sample(range(len(value.shape)), len(value.shape)))


@step
def reduce_step(program: Program, values: list[Value]) -> Optional[Value]:
    value = program.draw.choice(values)
    dim = any_dim(program, value)
    if dim is None:
        return None
    op, start = program.draw.choice([("add", "0.0"), ("maximum", NEGATIVE_INFINITY)])
    result = program.reduce(value, [dim], op, start)
    return program.scaled(result, "0.25") if op == "add" else result


@step
def broadcast_step(program: Program, values: list[Value]) -> Value:
    value, size = program.draw.choice(values), program.draw.choice([4, 6, 8])
    place = program.draw.randint(0, len(value.shape))
    dims = [dim for dim in range(len(value.shape) + 1) if dim != place]
    return program.broadcast(value, dims, *value.shape[:place], size, *value.shape[place:])


@step
def merge_step(program: Program, values: list[Value]) -> Optional[Value]:
    """Reshapes two neighbouring dimensions to one."""
    value = program.draw.choice(values)
    if len(value.shape) < 2:
        return None
    dim = program.draw.randrange(len(value.shape) - 1)
    merged = value.shape[dim] * value.shape[dim + 1]
    return program.reshape(value, *value.shape[:dim], merged, *value.shape[dim + 2:])


@step
def split_step(program: Program, values: list[Value]) -> Optional[Value]:
    """Reshapes one dimension to two."""
    value = program.draw.choice(values)
    dim = any_dim(program, value)
    if dim is None:
        return None
    size = value.shape[dim]
    factor = program.draw.choice([part for part in range(1, size + 1) if size % part == 0])
    return program.reshape(value, *value.shape[:dim], factor, size // factor,
                           *value.shape[dim + 1:])


@step
def slice_step(program: Program, values: list[Value]) -> Optional[Value]:
    value = program.draw.choice(values)
    dim = any_dim(program, value)
    if dim is None or value.shape[dim] < 2:
        return None
    starts, limits, strides = [0] * len(value.shape), list(value.shape), [1] * len(value.shape)
    starts[dim] = program.draw.choice([0, 1, value.shape[dim] // 2])
    strides[dim] = program.draw.choice([1, 1, 2])
    return program.slice(value, starts, limits, strides)


@step
def pad_step(program: Program, values: list[Value]) -> Optional[Value]:
    value = program.draw.choice(values)
    dim = any_dim(program, value)
    if dim is None:
        return None
    low, high, interior = ([0] * len(value.shape) for _ in range(3))
    low[dim], high[dim] = program.draw.choice([(1, 0), (1, 1), (0, 2), (2, 2)])
    return program.pad(value, low, high, interior)


@step
def concatenate_step(program: Program, values: list[Value]) -> Optional[Value]:
    value, other = program.draw.choice(values), program.draw.choice(values)
    if not value.shape or value.shape != other.shape:
        return None
    return program.concatenate([value, other], any_dim(program, value))


@step
def reverse_step(program: Program, values: list[Value]) -> Optional[Value]:
    value = program.draw.choice(values)
    dim = any_dim(program, value)
    if dim is None:
        return None
    return program.op("reverse", [value], value.type, f"dimensions = {array([dim])}")


@step
def constraint_step(program: Program, values: list[Value]) -> Value:
    return program.constraint(program.draw.choice(values))


@family(3, 4, 5, 6, 8, 10)
def graph(program: Program, length: int) -> list[Value]:
    """Random steps over a few arguments; returns what no later step takes."""
    shapes = [(8, 12), (12, 8), (8, 12), (24,), (4, 6, 8)]
    values = [program.argument(*shape)
              for shape in program.draw.sample(shapes, program.draw.choice([2, 3]))]
    arguments = len(values)
    while len(values) < arguments + length:
        value = program.draw.choice(STEPS)(program, values[-RECENT:])
        # What is too large to go on with stays in the program, unused.
        if value and len(value.shape) <= 4 and math.prod(value.shape) <= LARGEST:
            values.append(value)
    return [value for value in values[arguments:] if value.name not in program.used]
