# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Manual computations as shard_map writes them: collectives of every kind over some of the axes,
in loops and branches, and computations in computations."""

import dataclasses
import itertools
import math
import random
import re
from typing import Optional, Sequence

from .blocks import I32, Block, Tensor, Value, comma
from .families import family
from .program import Program
from .shardings import Axis, Mesh

CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
KINDS = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "collective_permute",
         "collective_broadcast")
LARGEST = 600  # elements of a local value


@dataclasses.dataclass(frozen=True)
class Varying:
    """A value of a body, and the manual axes along which devices may hold different ones."""

    value: Value
    axes: frozenset[Axis] = frozenset()


def devices_of(mesh: Mesh) -> list[int]:
    """Device numbers in the order of positions."""
    given = re.search(r"device_ids=\[(.*)\]", mesh.device_order)
    if given:
        return [int(number) for number in given[1].split(",")]
    return list(range(math.prod(axis.size for axis in mesh.axes)))


def groups_over(mesh: Mesh, axes: Sequence[Axis]) -> list[list[int]]:
    """Devices that differ along `axes` only, the first axis most major."""
    groups: dict[tuple, dict[tuple, int]] = {}
    coordinates = itertools.product(*(range(axis.size) for axis in mesh.axes))
    for place, device in zip(coordinates, devices_of(mesh)):
        at = dict(zip(mesh.axes, place))
        rest = tuple(at[axis] for axis in mesh.axes if axis not in axes)
        groups.setdefault(rest, {})[tuple(at[axis] for axis in axes)] = device
    return [[members[key] for key in sorted(members)] for members in groups.values()]


def dense(rows: Sequence[Sequence[int]]) -> str:
    return f"dense<{[list(row) for row in rows]}> : tensor<{len(rows)}x{len(rows[0])}xi64>"


class Body:
    """Writes the ops of a body into a block; what it makes is in `values`."""

    def __init__(self, block: Block, draw: random.Random, mesh: Mesh, manual: Sequence[Axis],
                 values: Sequence[Varying]):
        self.block, self.draw, self.mesh, self.manual = block, draw, mesh, list(manual)
        self.values = list(values)

    def inner(self, block: Block, values: Sequence[Varying]) -> "Body":
        return Body(block, self.draw, self.mesh, self.manual, values)

    def some_axes(self) -> list[Axis]:
        return self.draw.sample(self.manual, self.draw.randint(1, len(self.manual)))

    def groups(self, axes: Sequence[Axis]) -> str:
        if self.draw.random() < 0.5:
            return f"replica_groups = {dense(groups_over(self.mesh, axes))}"
        refs = comma(f'#stablehlo.axis_ref<name = "{axis.name}">' for axis in axes)
        return ("replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, "
                f"axes = [{refs}]>")

    # One op each; None where it does not fit the value.

    def elementwise(self, given: Varying) -> Varying:
        alike = [other for other in self.values if other.value.type == given.value.type]
        other = self.draw.choice(alike)
        # What cancels leaves of a float nothing but rounding; integers are exact.
        is_float = given.value.type.element == "f32"
        op = self.draw.choice(["add", "maximum"] + (["tanh", "abs"] if is_float else
                                                    ["subtract", "multiply", "negate", "not"]))
        if op in ("tanh", "abs", "negate", "not"):
            return Varying(self.block.elementwise(op, given.value), given.axes)
        return Varying(self.block.elementwise(op, given.value, other.value),
                       given.axes | other.axes)

    def collective(self, given: Varying, kind: str) -> Optional[Varying]:
        axes, value = self.some_axes(), given.value
        size = math.prod(axis.size for axis in axes)
        dim, other = self.draw.randrange(2), self.draw.randrange(2)
        shape = list(value.shape)
        attributes = f"{CHANNEL}, {self.groups(axes)}"
        region, after = [], given.axes - set(axes)
        if kind in ("all_gather", "all_reduce", "reduce_scatter"):
            attributes += ", use_global_device_ids"
        if kind == "all_gather":
            attributes += f", all_gather_dim = {dim} : i64"
            shape[dim] *= size
        elif kind in ("reduce_scatter", "all_to_all") and shape[dim] % size:
            return None
        elif kind == "reduce_scatter":
            attributes += f", scatter_dimension = {dim} : i64"
            shape[dim] //= size
            after = given.axes | set(axes)
        elif kind == "all_to_all":
            attributes += (f", split_dimension = {dim} : i64, concat_dimension = {other} : i64, "
                           f"split_count = {size} : i64")
            shape[dim] //= size
            shape[other] *= size
            after = given.axes | set(axes)
        elif kind == "collective_permute":
            attributes = f"{CHANNEL}, {self.pairs(axes)}"
            after = given.axes | set(axes)
        if math.prod(shape) > LARGEST:
            return None
        if kind in ("all_reduce", "reduce_scatter"):
            region = [self.block.reducer(self.draw.choice(["add", "maximum"]),
                                         value.type.element)]
        return Varying(self.block.op(kind, [value], value.type.of(*shape), attributes, region),
                       frozenset(after))

    def pairs(self, axes: Sequence[Axis]) -> str:
        """The same walk in every group; some may be left out, whose targets get zeros."""
        groups = groups_over(self.mesh, axes)
        order = list(range(len(groups[0])))
        walk = [pair for pair in zip(order, self.draw.sample(order, len(order)))
                if self.draw.random() < 0.8] or [(0, 0)]
        pairs = [(group[source], group[target]) for group in groups for source, target in walk]
        return f"source_target_pairs = {dense(pairs)}"

    def axis_index(self) -> Varying:
        """The coordinate along an axis as JAX computes it; the device itself where ids are in
        another order than positions."""
        number = self.block.op("partition_id", [], Tensor((), "ui32"))
        axes = frozenset(self.manual)
        if not self.mesh.device_order:
            axis = self.draw.choice(self.manual)
            minor = math.prod(later.size
                              for later in self.mesh.axes[self.mesh.axes.index(axis) + 1:])
            for op, size in (("divide", minor), ("remainder", axis.size)):
                number = self.block.elementwise(op, number,
                                                self.block.constant(str(size), number.type))
            axes = frozenset([axis])
        return Varying(self.block.op("convert", [number], I32), axes)

    def has_axis_index(self) -> bool:
        return not self.mesh.device_order or len(self.manual) == len(self.mesh.axes)

    def numbered(self, given: Varying) -> Varying:
        index = self.axis_index()
        number = self.block.op("convert", [index.value], given.value.type.of())
        shift = self.block.broadcast(number, [], *given.value.shape)
        return Varying(self.block.elementwise("add", given.value, shift), given.axes | index.axes)

    def loop(self, given: Varying) -> Varying:
        """A number of rounds that all devices do, or one that differs between them."""
        own = self.has_axis_index() and self.draw.random() < 0.5
        count = self.axis_index() if own else Varying(self.block.constant("2", I32))
        start = self.block.constant("0", I32)
        types = [given.value.type, I32, I32]
        condition, body = self.block.region(*types), self.block.region(*types)
        condition.terminate("stablehlo.return", [
            condition.compare("LT", condition.arguments[1], condition.arguments[2])])
        value, number, limit = body.arguments
        step = self.inner(body, [Varying(value, given.axes)])
        if own or self.draw.random() < 0.3:
            made = step.elementwise(step.values[0])
        else:
            # A permute may make devices differ that did not; so all are taken to.
            made = step.collective(step.values[0], self.draw.choice(
                ["all_reduce", "collective_permute", "collective_broadcast"]))
        body.terminate("stablehlo.return", [
            made.value, body.elementwise("add", number, body.constant("1", I32)), limit])
        results = self.block.ops("stablehlo.while", [given.value, start, count.value], types,
                                 regions=[condition, body])
        axes = given.axes | count.axes | made.axes
        if not own:
            axes |= set(self.manual)
        return Varying(results[0], frozenset(axes))

    def branch(self, given: Varying) -> Varying:
        """Each device takes the branch of its own coordinate."""
        index = self.axis_index()
        branches = []
        for _ in range(self.draw.choice([2, 3])):
            block = self.block.region()
            made = self.inner(block, self.values).elementwise(given)
            block.terminate("stablehlo.return", [made.value])
            branches.append((block, made.axes))
        result = self.block.op("case", [index.value], given.value.type,
                               regions=[block for block, _ in branches])
        return Varying(result, index.axes.union(*(axes for _, axes in branches)))

    def computation(self, given: Varying) -> Optional[Varying]:
        """A computation over an axis that is still free."""
        free = [axis for axis in self.mesh.axes if axis not in self.manual]
        if not free:
            return None
        axis, dim = self.draw.choice(free), self.draw.randrange(2)
        shape = list(given.value.shape)
        if shape[dim] % axis.size:
            return None
        shape[dim] //= axis.size
        region = self.block.region(given.value.type.of(*shape))
        body = Body(region, self.draw, self.mesh, [*self.manual, axis],
                    [Varying(region.arguments[0], given.axes | {axis})])
        made = body.elementwise(body.values[0])
        for kind in ("collective_permute", "all_reduce"):
            if self.draw.random() < 0.6:
                made = body.collective(made, kind)
        region.terminate("sdy.return", [made.value])
        cut = ["{}", "{}"]
        cut[dim] = f'{{"{axis.name}"}}'
        sharding = f"#sdy.sharding_per_value<[<@mesh, [{comma(cut)}]>]>"
        result, = self.block.ops(
            "sdy.manual_computation", [given.value], [given.value.type],
            f"in_shardings = {sharding}, out_shardings = {sharding}, "
            f'manual_axes = #sdy<manual_axes{{"{axis.name}"}}>', [region])
        return Varying(result, given.axes | made.axes - {axis})

    def step(self) -> None:
        given = self.draw.choice(self.values)
        steps = [self.elementwise, self.loop, self.computation]
        steps += [lambda value, k=kind: self.collective(value, k) for kind in KINDS]
        if self.has_axis_index():
            steps += [self.numbered, self.branch]
        if made := self.draw.choice(steps)(given):
            self.values.append(made)


def placed(draw: random.Random, axes: Sequence[Axis], rank: int) -> list[list[Axis]]:
    """Puts axes on dimensions, in any order."""
    dims: list[list[Axis]] = [[] for _ in range(rank)]
    for axis in draw.sample(list(axes), len(axes)):
        draw.choice(dims).append(axis)
    return dims


def sharding_text(dims: Sequence[Sequence[Axis]], suffix: str = "") -> str:
    return f"<@mesh, [{comma('{' + comma(axes) + '}' for axes in dims)}]{suffix}>"


def whole_shape(shape: Sequence[int], dims: Sequence[Sequence[Axis]]) -> list[int]:
    return [size * math.prod(axis.size for axis in axes) for size, axes in zip(shape, dims)]


@family("two", "four", "eight")
def manual_collectives(program: Program, length: str) -> list[Value]:
    """A body of two, four or eight steps over one or more axes of the mesh."""
    draw, axes = program.draw, program.mesh.axes
    manual = sorted(draw.sample(axes, draw.randint(1, len(axes))), key=axes.index)
    element = draw.choice(["f32", "i32"])
    operands, locals_, inside = [], [], []
    for _ in range(draw.choice([1, 2])):
        local = [draw.choice([1, 2, 4, 6]), draw.choice([2, 3, 4])]
        used = draw.sample(manual, draw.randint(0, len(manual)))
        dims = placed(draw, used, 2)
        operands.append(program.argument(*whole_shape(local, dims), element=element))
        locals_.append((Tensor(tuple(local), element), frozenset(used)))
        inside.append(sharding_text(dims))
    region = program.region(*(type_ for type_, _ in locals_))
    body = Body(region, draw, program.mesh, manual,
                [Varying(value, used) for value, (_, used) in zip(region.arguments, locals_)])
    for _ in range({"two": 2, "four": 4, "eight": 8}[length]):
        body.step()
    returned = [body.values[-1], *draw.sample(body.values, 1)]
    types, outside = [], []
    for made in returned:
        # What differs along an axis is either cut along it or an addend of a sum.
        rest = [axis for axis in manual if axis not in made.axes]
        named = [*made.axes, *(axis for axis in rest if draw.random() < 0.3)]
        named.sort(key=axes.index)
        addends = [axis for axis in named if draw.random() < 0.2]
        dims = placed(draw, [axis for axis in named if axis not in addends], 2)
        types.append(made.value.type.of(*whole_shape(made.value.shape, dims)))
        outside.append(sharding_text(dims, f", unreduced={{{comma(addends)}}}" if addends else ""))
    region.terminate("sdy.return", [made.value for made in returned])
    names = comma(f'"{axis.name}"' for axis in manual)
    results = program.ops(
        "sdy.manual_computation", operands, types,
        f"in_shardings = #sdy.sharding_per_value<[{comma(inside)}]>, "
        f"out_shardings = #sdy.sharding_per_value<[{comma(outside)}]>, "
        f"manual_axes = #sdy<manual_axes{{{names}}}>", [region])
    return [program.elementwise("negate", results[0]), *results[1:]]
