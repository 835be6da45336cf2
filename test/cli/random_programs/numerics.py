# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear algebra, transforms, normalisation and complex numbers."""

from .blocks import Tensor, Value
from .families import family
from .program import Program

COMPLEX = "complex<f32>"


def well_conditioned(program: Program, batch: int, size: int) -> Value:
    """Symmetric matrices with large numbers on the diagonal."""
    square = program.argument(batch, size, size)
    numbers = Tensor(square.shape, "i32")
    row, column = (program.op("iota", [], numbers, f"iota_dimension = {dim} : i64")
                   for dim in (1, 2))
    symmetric = program.elementwise("add", square, program.transpose(square, [0, 2, 1]))
    return program.op("select", [program.compare("EQ", row, column),
                                 program.constant("30.0", square.type), symmetric], square.type)


@family("true", "false")
def cholesky(program: Program, lower: str) -> list[Value]:
    matrices = well_conditioned(program, 8, program.draw.choice([4, 12]))
    return [program.op("cholesky", [matrices], matrices.type, f"lower = {lower}")]


@family("left", "right")
def triangular_solve(program: Program, side: str) -> list[Value]:
    size = program.draw.choice([4, 12])
    matrices = well_conditioned(program, 8, size)
    right = program.argument(8, *((size, 6) if side == "left" else (6, size)))
    transpose = program.draw.choice(["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"])
    return [program.op("triangular_solve", [matrices, right], right.type,
                       f"left_side = {str(side == 'left').lower()}, "
                       f"lower = {program.draw.choice(['true', 'false'])}, "
                       f"transpose_a = #stablehlo<transpose {transpose}>, "
                       "unit_diagonal = false")]


@family("FFT", "IFFT", "RFFT", "IRFFT")
def fft(program: Program, kind: str) -> list[Value]:
    shape, half = (8, 12, 8), (8, 12, 5)
    real, whole = Tensor(shape), Tensor(shape, COMPLEX)
    source, target = {"FFT": (whole, whole), "IFFT": (whole, whole),
                      "RFFT": (real, Tensor(half, COMPLEX)),
                      "IRFFT": (Tensor(half, COMPLEX), real)}[kind]
    lengths = program.draw.choice(["8", "12, 8"])
    return [program.op("fft", [program.argument(*source.shape, element=source.element)], target,
                       f"fft_type = #stablehlo<fft_type {kind}>, "
                       f"fft_length = array<i64: {lengths}>")]


@family(0, 1, 2)
def batch_norm(program: Program, feature: int) -> list[Value]:
    """Statistics of the batch, the normalised batch by them, and gradients."""
    shape = (8, 12, 4)
    batch, gradient = program.argument(*shape), program.argument(*shape)
    scale, offset = program.argument(shape[feature]), program.argument(shape[feature])
    options = f"epsilon = 1.000000e-03 : f32, feature_index = {feature} : i64"
    vector = scale.type
    output, mean, variance = program.ops("stablehlo.batch_norm_training", [batch, scale, offset],
                                         [batch.type, vector, vector], options)
    again = program.op("batch_norm_inference", [gradient, scale, offset, mean, variance],
                       batch.type, options)
    return [output, again, *program.ops("stablehlo.batch_norm_grad",
                                        [batch, scale, mean, variance, gradient],
                                        [batch.type, vector, vector], options)]


@family()
def complex_dot(program: Program) -> list[Value]:
    """Partial sums of complex numbers."""
    left = program.argument(8, 12, element=COMPLEX)
    right = program.argument(12, 6, element=COMPLEX)
    product = program.dot(left, right, (1, 0))
    return [program.op("abs", [product], Tensor(product.shape)),
            program.reduce(product, [0], start="(0.0, 0.0)")]


@family()
def complex_parts(program: Program) -> list[Value]:
    first, second = program.argument(8, 12), program.argument(8, 12)
    number = program.op("complex", [first, second], Tensor((8, 12), COMPLEX))
    power = program.elementwise("multiply", number, program.elementwise("exponential", number))
    return [program.transpose(power, [1, 0]), program.op("imag", [power], first.type)]


def ragged(program: Program, operands: list[Value], result: Tensor, numbers: str) -> list[Value]:
    return program.ops("chlo.ragged_dot", operands, [result],
                       f"ragged_dot_dimension_numbers = #chlo.ragged_dot<{numbers}>")


@family()
def ragged_dot(program: Program) -> list[Value]:
    """Rows that meet the matrix of their group, with rows behind the last group or sizes beyond it."""
    rows, experts = program.argument(12, 8), program.argument(4, 8, 6)
    sizes = program.constant(program.draw.choice(["[5, 0, 4, 2]", "[1, 7, 3, 1]", "[9, 9, -2, 4]"]),
                             Tensor((4,), "i32"))
    return ragged(program, [rows, experts, sizes], Tensor((12, 6)),
                  "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
                  "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]")


@family()
def ragged_dot_batched(program: Program) -> list[Value]:
    """The same for batches with sizes of their own."""
    rows, experts = program.argument(2, 12, 8), program.argument(4, 2, 8, 6)
    sizes = program.constant("[[5, 0, 4, 2], [3, 3, 3, 3]]", Tensor((2, 4), "i8"))
    return ragged(program, [rows, experts, sizes], Tensor((2, 12, 6)),
                  "lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], "
                  "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], "
                  "lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]")


@family()
def ragged_dot_per_group(program: Program) -> list[Value]:
    """The gradient of the matrices: a product per group, over the rows of the group."""
    rows, gradients = program.argument(12, 8), program.argument(12, 6)
    sizes = program.constant(program.draw.choice(["[5, 0, 4, 2]", "[0, 12, 0, 0]"]),
                             Tensor((4,), "i64"))
    return ragged(program, [rows, gradients, sizes], Tensor((4, 8, 6)),
                  "lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], "
                  "lhs_ragged_dimensions = [0]")


BY_ROW = ("lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [{inner}], "
          "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]")
PER_GROUP = ("lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], "
             "lhs_ragged_dimensions = [0]")


@family("forward", "gated", "backward")
def experts(program: Program, kind: str) -> list[Value]:
    """Products of experts with ops between that are not linear: logistic(0) is 0.5."""
    rows, first, second = program.argument(16, 4), program.argument(8, 4, 6), program.argument(8, 6, 4)
    sizes = program.constant(program.draw.choice(["[5, 0, 4, 2, 0, 0, 3, 1]", "[0, 0, 9, 9, -2, 1, 0, 7]",
                                                  "[0, 0, 0, 0, 0, 0, 0, 16]"]), Tensor((8,), "i32"))
    inside = ragged(program, [rows, first, sizes], Tensor((16, 6)), BY_ROW.format(inner=1))[0]
    hidden = program.elementwise("logistic", inside)
    if kind == "gated":
        gate = program.argument(8, 4, 6)
        other = ragged(program, [rows, gate, sizes], Tensor((16, 6)), BY_ROW.format(inner=1))[0]
        hidden = program.elementwise("multiply", hidden, program.elementwise("cosine", other))
    results = ragged(program, [hidden, second, sizes], Tensor((16, 4)), BY_ROW.format(inner=1))
    if kind == "backward":
        gradient = ragged(program, [rows, second, sizes], Tensor((16, 6)), BY_ROW.format(inner=2))[0]
        gradient = program.elementwise("multiply", program.elementwise("exponential", gradient), hidden)
        results += ragged(program, [gradient, first, sizes], Tensor((16, 4)), BY_ROW.format(inner=2))
        results += ragged(program, [rows, gradient, sizes], Tensor((8, 4, 6)), PER_GROUP)
        results += ragged(program, [hidden, rows, sizes], Tensor((8, 6, 4)), PER_GROUP)
    return results


@family()
def ragged_dot_of_batches(program: Program) -> list[Value]:
    """Groups of batches change nothing."""
    left, right = program.argument(4, 6, 8), program.argument(4, 8, 6)
    sizes = program.constant("[1, 3]", Tensor((2,), "i32"))
    return ragged(program, [left, right, sizes], Tensor((4, 6, 6)),
                  "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], "
                  "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], "
                  "lhs_ragged_dimensions = [0]")


@family()
def legacy_ops(program: Program) -> list[Value]:
    left, right = program.argument(8, 12), program.argument(12, 4)
    product = program.op("dot", [left, right], Tensor((8, 4)))
    repeated = program.op("broadcast", [product], Tensor((2, 8, 4)),
                          "broadcast_sizes = array<i64: 2>")
    return [program.elementwise("tanh", repeated)]


@family()
def tokens_and_tuples(program: Program) -> list[Value]:
    """Order and packing, which have no sharding, between ops that have."""
    first, second = program.argument(8, 12), program.argument(12, 4, element=COMPLEX)
    token = program.ops("stablehlo.create_token", [], ["!stablehlo.token"])
    program.ops("stablehlo.after_all", token, ["!stablehlo.token"])
    pair = f"tuple<{first.type}, {second.type}>"
    packed = program.ops("stablehlo.tuple", [program.elementwise("tanh", first), second], [pair])
    left, right = (program.ops("stablehlo.get_tuple_element", packed, [value.type],
                               f"index = {number} : i32")[0]
                   for number, value in enumerate((first, second)))
    number = program.op("complex", [left, left], Tensor(left.shape, COMPLEX))
    return [program.dot(number, right, (1, 0))]
