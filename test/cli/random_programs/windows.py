# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that read more of a dimension than the part at their own place.

Of integers: every element is right or wrong. Sizes are drawn, and with them the last padding, so
that most results divide.
"""

from .blocks import Tensor, Value, array
from .families import family
from .program import Program

SIZES = [4, 8, 12, 16, 24]


def pairs(values) -> str:
    return f"dense<{[list(pair) for pair in values]}> : tensor<{len(values)}x2xi64>"


class Dim:
    """A window along one dimension of `size` elements, with `count` positions."""

    def __init__(self, program: Program, max_taps: int = 9, can_dilate_base: bool = True):
        draw = program.draw
        self.size, self.count = draw.choice(SIZES), draw.choice(SIZES)
        self.taps = draw.randint(1, max_taps)
        self.stride, self.dilation = draw.choice([1, 1, 1, 2, 3]), draw.choice([1, 1, 1, 2, 3])
        self.base = draw.choice([1, 1, 1, 2, 3]) if can_dilate_base else 1
        self.low = draw.randint(-3, self.taps)
        covered = (self.count - 1) * self.stride + (self.taps - 1) * self.dilation + 1
        self.high = covered - ((self.size - 1) * self.base + 1) - self.low
        # Positions that no window reaches.
        self.high += draw.randrange(self.stride)


@family("whole", "groups", "reversed")
def convolution_windows(program: Program, kind: str) -> list[Value]:
    dims = [Dim(program), Dim(program, 4)]
    groups = 2 if kind == "groups" else 1
    image = program.argument(2, *(dim.size for dim in dims), 4, element="i32")
    kernel = program.argument(*(dim.taps for dim in dims), 4 // groups, 4, element="i32")
    reversal = "true" if kind == "reversed" else "false"
    return [program.op(
        "convolution", [image, kernel], Tensor((2, *(dim.count for dim in dims), 4), "i32"),
        "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, "
        f"window_strides = {array([dim.stride for dim in dims])}, "
        f"padding = {pairs([(dim.low, dim.high) for dim in dims])}, "
        f"lhs_dilation = {array([dim.base for dim in dims])}, "
        f"rhs_dilation = {array([dim.dilation for dim in dims])}, "
        f"window_reversal = array<i1: {reversal}, {reversal}>, "
        f"feature_group_count = {groups} : i64, batch_group_count = 1 : i64")]


@family()
def convolution_large_kernel(program: Program) -> list[Value]:
    """As the gradient by a filter: few windows, and a kernel that is cut."""
    draw = program.draw
    size, taps, count = draw.choice(SIZES), draw.choice(SIZES), draw.randint(1, 4)
    stride, dilation, base = (draw.choice([1, 1, 2, 3]) for _ in range(3))
    low = draw.randint(-2, 3)
    high = (count - 1) * stride + (taps - 1) * dilation + 1 - ((size - 1) * base + 1) - low
    reversal = draw.choice(["true", "false"])
    image = program.argument(size, 4, 2, element="i32")
    kernel = program.argument(taps, 2, 4, element="i32")
    return [program.op(
        "convolution", [image, kernel], Tensor((4, count, 4), "i32"),
        "dimension_numbers = #stablehlo.conv<[0, b, f]x[0, i, o]->[b, 0, f]>, "
        f"window_strides = {array([stride])}, padding = {pairs([(low, high)])}, "
        f"lhs_dilation = {array([base])}, rhs_dilation = {array([dilation])}, "
        f"window_reversal = array<i1: {reversal}>, "
        "feature_group_count = 1 : i64, batch_group_count = 1 : i64")]


@family("maximum", "add", "minimum")
def pooling(program: Program, kind: str) -> list[Value]:
    dims = [Dim(program, 5), Dim(program, 3)]
    start = program.constant(str(program.draw.choice([0, -100, 3])), Tensor((), "i32"))
    return [program.op(
        "reduce_window", [program.argument(*(dim.size for dim in dims), element="i32"), start],
        Tensor(tuple(dim.count for dim in dims), "i32"),
        f"window_dimensions = {array([dim.taps for dim in dims])}, "
        f"window_strides = {array([dim.stride for dim in dims])}, "
        f"base_dilations = {array([dim.base for dim in dims])}, "
        f"window_dilations = {array([dim.dilation for dim in dims])}, "
        f"padding = {pairs([(dim.low, dim.high) for dim in dims])}",
        [program.reducer(kind, "i32")])]


def gradient_dim(program: Program) -> tuple[int, int, int, int, int, int]:
    """Elements, windows, taps, stride and padding along one dimension of the gradient of a pool."""
    draw = program.draw
    stride = draw.choice([1, 2, 2, 3])
    taps = draw.choice([stride, stride + 1, draw.randint(1, 5)])
    # Windows of nothing but padding, and elements that are cut off, are rare.
    low, high = (draw.choice([0, draw.randrange(taps), draw.randrange(taps), draw.randint(-2, taps + 1)])
                 for _ in range(2))
    windows = draw.choice([2, 4, 7, 8, 12, 13])
    # Some elements may be behind the last window.
    size = max(1, (windows - 1) * stride + taps - low - high) + draw.randrange(stride)
    windows = (size + low + high - taps) // stride + 1
    return size, windows, taps, stride, low, high


@family("order", "any")
def pooling_gradient(program: Program, kind: str) -> list[Value]:
    draw = program.draw
    dims = [gradient_dim(program), gradient_dim(program) if draw.random() < 0.4 else (6, 6, 1, 1, 0, 0)]
    sizes, windows, taps, strides, lows, highs = zip(*dims)
    image, source = (program.argument(*lengths, element="i32") for lengths in (sizes, windows))
    select = program.region(Tensor((), "i32"), Tensor((), "i32"))
    chosen = select.arguments
    directions, scatter, start = ["GE", "GE", "GT", "LE", "LT"], "add", "0"
    if kind == "any":
        directions, scatter = [*directions, "EQ", "NE"], draw.choice(["add", "subtract", "maximum", "multiply"])
        start = draw.choice(["0", "3", "-100"])
        if draw.random() < 0.5:
            chosen = [select.elementwise("abs", value) for value in chosen]
    select.terminate("stablehlo.return", [select.compare(draw.choice(directions), *chosen)])
    return [program.op(
        "select_and_scatter", [image, source, program.constant(start, Tensor((), "i32"))],
        image.type, f"window_dimensions = {array(taps)}, window_strides = {array(strides)}, "
        f"padding = {pairs(list(zip(lows, highs)))}", [select, program.reducer(scatter, "i32")])]


@family()
def moves(program: Program) -> list[Value]:
    """A chain of pads, slices and reversals along one dimension."""
    draw = program.draw
    value = program.argument(draw.choice(SIZES), 4, element="i32")
    for _ in range(draw.randint(1, 4)):
        size = value.shape[0]
        kind = draw.choice(["pad", "slice", "reverse", "shift"])
        if kind == "pad":
            low, interior = draw.randint(-2, 5), draw.choice([0, 0, 1])
            wanted = draw.choice(SIZES)
            high = wanted - low - ((size - 1) * (interior + 1) + 1)
            value = program.pad(value, [low, 0], [high, 0], [interior, 0])
        elif kind == "slice":
            stride = draw.choice([1, 1, 2, 3])
            start = draw.randrange(size)
            value = program.slice(value, [start, 0], [draw.randint(start + 1, size), 4],
                                  [stride, 1])
        elif kind == "shift":
            by = draw.randint(-size, size)
            value = program.pad(value, [by, 0], [-by, 0], [0, 0])
        else:
            value = program.op("reverse", [value], value.type, "dimensions = array<i64: 0>")
        if draw.random() < 0.3:
            value = program.constraint(value)
    return [value]


@family()
def roll(program: Program) -> list[Value]:
    """Periodic shifts of one value, added up."""
    value = program.argument(program.draw.choice(SIZES), 4, element="i32")
    size, total = value.shape[0], value
    for _ in range(program.draw.randint(1, 3)):
        at = program.draw.randint(1, size - 1)
        end = program.slice(value, [at, 0], [size, 4], [1, 1])
        begin = program.slice(value, [0, 0], [at, 4], [1, 1])
        total = program.elementwise("add", total, program.concatenate([end, begin], 0))
    return [total]


@family()
def concatenate_parts(program: Program) -> list[Value]:
    """Values, slices and constants one after the other."""
    draw = program.draw
    parts = []
    for _ in range(draw.randint(2, 4)):
        kind = draw.choice(["value", "slice", "constant"])
        size = draw.choice([1, 2, 4, 8, 12])
        if kind == "value":
            parts.append(program.argument(size, 4, element="i32"))
        elif kind == "slice":
            start = draw.randint(0, 5)
            value = program.argument(draw.choice([24, 32]), 4, element="i32")
            parts.append(program.slice(value, [start, 0], [start + size, 4], [1, 1]))
        else:
            parts.append(program.constant("7", Tensor((size, 4), "i32")))
    return [program.concatenate(parts, 0)]
