# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes small programs, op for op, and keeps beside each value what it is made of (received.py)."""

import numpy
import received

BYTES = {"i32": 4, "f32": 4, "i8": 1, "i64": 8, "i1": 1}


def shape_text(shape, element):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


class Value:
    def __init__(self, name, shape, made_of, element="i32"):
        self.name, self.shape, self.made_of, self.element = name, tuple(shape), made_of, element

    @property
    def type(self):
        return shape_text(self.shape, self.element)


def numbers(values):
    return f"array<i64: {', '.join(map(str, values))}>"


def spans(starts, limits, strides):
    return ", ".join(f"{a}:{b}" + (f":{s}" if s != 1 else "")
                     for a, b, s in zip(starts, limits, strides))


class Program:
    """Arguments, ops, results. Shardings are in sdy notation, `mesh: [{"x"}, {}]`; without a mesh, that
    of the program."""

    def __init__(self, mesh):
        self.mesh = mesh
        self.meshes = [mesh]
        self.arguments, self.places, self.lines, self.results = [], [], [], []
        self.sizes = []

    def place(self, sharding):
        mesh, found, rest = sharding.partition(": ")
        place = (mesh, rest) if found else (self.mesh, sharding)
        if place[0] not in self.meshes:
            self.meshes.append(place[0])
        return place

    def argument(self, shape, sharding=None, element="i32"):
        value = Value(f"%a{len(self.arguments)}", shape, None, element)
        self.arguments.append(value)
        self.places.append(self.place(sharding) if sharding else None)
        return value

    def start(self):
        """Numbers the elements of all arguments; before the first op."""
        counts = [int(numpy.prod(value.shape, dtype=int)) for value in self.arguments]
        first = numpy.cumsum([0] + counts)
        for value, begin, count in zip(self.arguments, first, counts):
            made_of = numpy.zeros((count, first[-1]), dtype=bool)
            made_of[numpy.arange(count), begin + numpy.arange(count)] = True
            value.made_of = made_of.reshape(*value.shape, first[-1])
        self.num_sources = int(first[-1])

    def op(self, text, shape, made_of, element="i32"):
        value = Value(f"%v{len(self.lines)}", shape, made_of, element)
        self.lines.append(f"  {value.name} = {text.replace('RESULT', value.type)}")
        return value

    def nothing(self, shape):
        return numpy.zeros((*shape, self.num_sources), dtype=bool)

    def constant(self, number, element="i32"):
        return self.op(f"stablehlo.constant dense<{number}> : RESULT", (), self.nothing(()), element)

    # Ops that move elements.

    def slice(self, x, starts, limits, strides=None):
        strides = strides or [1] * len(starts)
        made_of = x.made_of[tuple(slice(a, b, s) for a, b, s in zip(starts, limits, strides))]
        return self.op(f"stablehlo.slice {x.name} [{spans(starts, limits, strides)}] : ({x.type}) -> RESULT",
                       made_of.shape[:-1], made_of, x.element)

    def pad(self, x, low, high, interior=None, value=7):
        interior = interior or [0] * len(low)
        fill = self.constant(value, x.element)
        made_of = x.made_of
        for dim, (before, behind, between) in enumerate(zip(low, high, interior)):
            size = made_of.shape[dim]
            wide = (size - 1) * (between + 1) + 1 if size else 0
            spread = numpy.zeros((*made_of.shape[:dim], wide, *made_of.shape[dim + 1:]), dtype=bool)
            spread[(slice(None),) * dim + (slice(0, None, between + 1),)] = made_of
            widths = [(0, 0)] * spread.ndim
            widths[dim] = (max(before, 0), max(behind, 0))
            spread = numpy.pad(spread, widths)
            keep = slice(max(-before, 0), spread.shape[dim] - max(-behind, 0))
            made_of = spread[(slice(None),) * dim + (keep,)]
        return self.op(f"stablehlo.pad {x.name}, {fill.name}, low = {list(low)}, high = {list(high)}, "
                       f"interior = {list(interior)} : ({x.type}, {fill.type}) -> RESULT",
                       made_of.shape[:-1], made_of, x.element)

    def reverse(self, x, dims):
        return self.op(f"stablehlo.reverse {x.name}, dims = {list(dims)} : {x.type}", x.shape,
                       numpy.flip(x.made_of, dims), x.element)

    def concatenate(self, values, dim):
        made_of = numpy.concatenate([value.made_of for value in values], axis=dim)
        return self.op(f"stablehlo.concatenate {', '.join(value.name for value in values)}, dim = {dim} : "
                       f"({', '.join(value.type for value in values)}) -> RESULT",
                       made_of.shape[:-1], made_of, values[0].element)

    def roll(self, x, dim, shift):
        """As JAX writes it: the end, then the beginning."""
        at = x.shape[dim] - shift
        starts, limits = [0] * len(x.shape), list(x.shape)
        starts[dim] = at
        end = self.slice(x, starts, limits)
        starts[dim], limits[dim] = 0, at
        return self.concatenate([end, self.slice(x, starts, limits)], dim)

    def reshape(self, x, shape):
        return self.op(f"stablehlo.reshape {x.name} : ({x.type}) -> RESULT", shape,
                       x.made_of.reshape(*shape, self.num_sources), x.element)

    def transpose(self, x, dims):
        made_of = x.made_of.transpose(*dims, len(dims))
        return self.op(f"stablehlo.transpose {x.name}, dims = {list(dims)} : ({x.type}) -> RESULT",
                       made_of.shape[:-1], made_of, x.element)

    def broadcast(self, x, shape, dims):
        made_of = x.made_of
        order = [dims.index(dim) if dim in dims else None for dim in range(len(shape))]
        made_of = made_of[tuple(slice(None) if dim is not None else None for dim in order)]
        made_of = numpy.broadcast_to(made_of, (*shape, self.num_sources))
        return self.op(f"stablehlo.broadcast_in_dim {x.name}, dims = {list(dims)} : ({x.type}) -> RESULT",
                       shape, made_of, x.element)

    # Ops that compute.

    def add(self, x, y):
        return self.op(f"stablehlo.add {x.name}, {y.name} : {x.type}", x.shape, x.made_of | y.made_of,
                       x.element)

    def iota(self, shape, dim, element="i32"):
        return self.op(f"stablehlo.iota dim = {dim} : RESULT", shape, self.nothing(shape), element)

    def windows(self, made_of, dim, size, stride=1, low=0, high=0, base=1, dilation=1):
        """The union over each window of `size` elements along `dim`."""
        count = made_of.shape[dim]
        reach = (size - 1) * dilation + 1
        results = ((count - 1) * base + 1 + low + high - reach) // stride + 1
        made_of = numpy.moveaxis(made_of, dim, 0)
        united = numpy.zeros((results, *made_of.shape[1:]), dtype=bool)
        for result in range(results):
            for tap in range(size):
                position = result * stride - low + tap * dilation
                if position % base == 0 and 0 <= position // base < count:
                    united[result] |= made_of[position // base]
        return numpy.moveaxis(united, 0, dim)

    def reducer(self, op, element="i32"):
        one = shape_text((), element)
        return (f"({{\n  ^bb0(%p: {one}, %q: {one}):\n    %s = stablehlo.{op} %p, %q : {one}\n"
                f"    stablehlo.return %s : {one}\n  }})")

    def reduce_window(self, x, sizes, strides=None, padding=None, base=None, dilations=None, op="add",
                      start=0):
        rank = len(x.shape)
        strides, base, dilations = (value or [1] * rank for value in (strides, base, dilations))
        padding = padding or [(0, 0)] * rank
        first = self.constant(start, x.element)
        made_of = x.made_of
        for dim in range(rank):
            made_of = self.windows(made_of, dim, sizes[dim], strides[dim], *padding[dim], base[dim],
                                   dilations[dim])
        pads = str([list(pair) for pair in padding])
        return self.op(
            f'"stablehlo.reduce_window"({x.name}, {first.name}) <{{window_dimensions = {numbers(sizes)}, '
            f"window_strides = {numbers(strides)}, base_dilations = {numbers(base)}, window_dilations = "
            f"{numbers(dilations)}, padding = dense<{pads}> : tensor<{rank}x2xi64>}}> {self.reducer(op)} : "
            f"({x.type}, {first.type}) -> RESULT", made_of.shape[:-1], made_of, x.element)

    def pool_gradient(self, x, source, size, stride=1, low=0, high=0, choice="ge", scatter="add", start=0):
        """select_and_scatter along dimension 0, whose windows choose by `choice` of both elements, or of their
        magnitudes if it begins with "abs_"."""
        made_of = self.nothing(x.shape)
        for window in range(source.shape[0]):
            begin = window * stride - low
            covered = slice(max(begin, 0), max(begin + size, 0))
            made_of[covered] |= x.made_of[covered].any(axis=0) | source.made_of[window]
        first = self.constant(start)
        rank, compare = len(x.shape), choice.removeprefix("abs_").upper()
        one = shape_text((), x.element)
        is_of_magnitudes = choice.startswith("abs_")
        magnitudes = "".join(f"    %m{name} = stablehlo.abs %{name} : {one}\n" for name in "pq" if is_of_magnitudes)
        prefix = "%m" if is_of_magnitudes else "%"
        pads = str([[low, high]] + [[0, 0]] * (rank - 1))
        return self.op(
            f'"stablehlo.select_and_scatter"({x.name}, {source.name}, {first.name}) <{{window_dimensions = '
            f"{numbers([size] + [1] * (rank - 1))}, window_strides = {numbers([stride] + [1] * (rank - 1))}, "
            f"padding = dense<{pads}> : tensor<{rank}x2xi64>}}> ({{\n  ^bb0(%p: {one}, %q: {one}):\n{magnitudes}"
            f"    %s = stablehlo.compare {compare}, {prefix}p, {prefix}q, SIGNED : ({one}, {one}) -> tensor<i1>\n"
            f"    stablehlo.return %s : tensor<i1>\n  }}, {self.reducer(scatter)[1:-1]}) : "
            f"({x.type}, {source.type}, {first.type}) -> RESULT", x.shape, made_of, x.element)

    def convolution(self, x, kernel, stride=1, low=0, high=0, base=1, dilation=1, groups=1):
        """Of `x`, batch x positions x features, along the positions."""
        taps, _, features = kernel.shape
        made_of = self.windows(x.made_of, 1, taps, stride, low, high, base, dilation)
        made_of = made_of.any(axis=2, keepdims=True) | kernel.made_of.any(axis=(0, 1, 2))
        made_of = numpy.repeat(made_of, features, axis=2)
        return self.op(
            f'"stablehlo.convolution"({x.name}, {kernel.name}) <{{dimension_numbers = '
            f"#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, window_strides = {numbers([stride])}, "
            f"padding = dense<[[{low}, {high}]]> : tensor<1x2xi64>, lhs_dilation = {numbers([base])}, "
            f"rhs_dilation = {numbers([dilation])}, feature_group_count = {groups} : i64, "
            f"batch_group_count = 1 : i64}}> : ({x.type}, {kernel.type}) -> RESULT",
            made_of.shape[:-1], made_of, x.element)

    def reduce(self, x, dims, op="add", start=0):
        first = self.constant(start, x.element)
        made_of = x.made_of.any(axis=tuple(dims))
        return self.op(f"stablehlo.reduce({x.name} init: {first.name}) applies stablehlo.{op} across "
                       f"dimensions = {list(dims)} : ({x.type}, {first.type}) -> RESULT",
                       made_of.shape[:-1], made_of, x.element)

    def dot(self, x, y, contracting=((1,), (0,)), batching=((), ())):
        free = [[dim for dim in range(len(value.shape)) if dim not in (*c, *b)]
                for value, c, b in zip((x, y), contracting, batching)]
        shape = ([x.shape[dim] for dim in batching[0]] + [x.shape[dim] for dim in free[0]]
                 + [y.shape[dim] for dim in free[1]])
        batch = f"batching_dims = {list(batching[0])} x {list(batching[1])}, " if batching[0] else ""
        # Which sums are partial is for the caller to say: sets say only what is read.
        return self.op(f"stablehlo.dot_general {x.name}, {y.name}, {batch}contracting_dims = "
                       f"{list(contracting[0])} x {list(contracting[1])} : ({x.type}, {y.type}) -> RESULT",
                       shape, None, x.element)

    def sort(self, x, dim, element="i32"):
        one = shape_text((), element)
        made_of = numpy.broadcast_to(x.made_of.any(axis=dim, keepdims=True), x.made_of.shape)
        return self.op(
            f'"stablehlo.sort"({x.name}) <{{dimension = {dim} : i64, is_stable = true}}> ({{\n'
            f"  ^bb0(%p: {one}, %q: {one}):\n    %s = stablehlo.compare LT, %p, %q : ({one}, {one}) -> "
            f"tensor<i1>\n    stablehlo.return %s : tensor<i1>\n  }}) : ({x.type}) -> RESULT",
            x.shape, made_of, x.element)

    def dynamic_slice(self, x, starts, sizes):
        names = ", ".join(start.name for start in starts)
        types = ", ".join(start.type for start in starts)
        return self.op(f"stablehlo.dynamic_slice {x.name}, {names}, sizes = {list(sizes)} : "
                       f"({x.type}, {types}) -> RESULT", sizes, None, x.element)

    def dynamic_update_slice(self, x, update, starts):
        names = ", ".join(start.name for start in starts)
        types = ", ".join(start.type for start in starts)
        return self.op(f"stablehlo.dynamic_update_slice {x.name}, {update.name}, {names} : "
                       f"({x.type}, {update.type}, {types}) -> RESULT", x.shape, None, x.element)

    def take_rows(self, x, indices):
        """x[indices]; `indices` is count x 1."""
        shape = (indices.shape[0], *x.shape[1:])
        offsets = list(range(1, len(x.shape)))
        return self.op(
            f'"stablehlo.gather"({x.name}, {indices.name}) <{{dimension_numbers = #stablehlo.gather<offset_dims '
            f"= {offsets}, collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
            f"slice_sizes = {numbers((1, *x.shape[1:]))}, indices_are_sorted = false}}> : ({x.type}, "
            f"{indices.type}) -> RESULT", shape, None, x.element)

    def add_rows(self, x, indices, updates):
        """x.at[indices].add(updates)."""
        return self.op(
            f'"stablehlo.scatter"({x.name}, {indices.name}, {updates.name}) <{{scatter_dimension_numbers = '
            f"#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
            f"scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, "
            f"unique_indices = false}}> {self.reducer('add', x.element)} : ({x.type}, {indices.type}, "
            f"{updates.type}) -> RESULT", x.shape, None, x.element)

    def constrain(self, x, sharding):
        mesh, axes = self.place(sharding)
        return self.op(f"sdy.sharding_constraint {x.name} <@{mesh}, {axes}> : {x.type}", x.shape, x.made_of,
                       x.element)

    def on_device(self, x, mesh):
        """An op that a single device computes."""
        self.place(f"{mesh}: []")
        return self.op(f"stablehlo.negate {x.name} {{sdy.sharding = #sdy.sharding_per_value<[<@{mesh}, []>]>}} "
                       f": {x.type}", x.shape, x.made_of, x.element)

    def result(self, value, sharding=None):
        self.results.append((value, self.place(sharding) if sharding else None))

    def text(self):
        def annotated(type_, place):
            return type_ + (f" {{sdy.sharding = #sdy.sharding<@{place[0]}, {place[1]}>}}" if place else "")

        arguments = ", ".join(f"{value.name}: {annotated(value.type, place)}"
                              for value, place in zip(self.arguments, self.places))
        results = ", ".join(annotated(value.type, place) for value, place in self.results)
        lines = [f"sdy.mesh @{name} = <{received.MESHES[name]}>" for name in self.meshes]
        lines += [f"func.func @main({arguments}) -> ({results}) {{", *self.lines]
        lines += [f"  return {', '.join(value.name for value, _ in self.results)} : "
                  f"{', '.join(value.type for value, _ in self.results)}", "}"]
        return "\n".join(lines) + "\n"

    def num_devices(self):
        return max(max(received.devices_of(name)) + 1 for name in self.meshes)

    def least_received(self):
        """Bytes, by the model; None if a value has no sets, or something has no place."""
        whole = (self.mesh, "")
        arguments = [(place or whole, value.made_of)
                     for value, place in zip(self.arguments, self.places)]
        if any(value.made_of is None or place is None for value, place in self.results):
            return None
        results = [(place, value.made_of) for value, place in self.results]
        element = BYTES[self.arguments[0].element]
        return received.received_elements(arguments, results, self.num_devices()) * element
