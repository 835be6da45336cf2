# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms, linear algebra, LAPACK calls, batch normalisation, random bits."""

import numpy as np

from .case import Case, array, op_case, short, type_of


def fft_case(name, kind, x, lengths, result):
    """One transform."""
    tolerance = 1e-4 if "f32" in result else 1e-10
    return Case(name, [x], f"%r0 = stablehlo.fft $0, type = {kind}, length = {list(lengths)} : "
                f"({type_of(x)}) -> {result}", [result], tolerance)


def transforms():
    """Every kind, lengths that are and are not powers of two, one to three dimensions."""
    for element, real in (("complex<f32>", "f32"), ("complex<f64>", "f64")):
        for n in (1, 2, 3, 5, 8):
            x = array(np.cos(np.arange(n)) + 1j * np.arange(n), element)
            for kind in ("FFT", "IFFT"):
                yield fft_case(f"fft_{kind}_{n}_{short(element)}", kind, x, [n], type_of(x))
            r = array(np.arange(n) ** 2 - 1.5, real)
            half = f"tensor<{n // 2 + 1}x{element}>"
            yield fft_case(f"fft_RFFT_{n}_{short(element)}", "RFFT", r, [n], half)
            spectrum = array(np.fft.rfft(r), element)
            yield fft_case(f"fft_IRFFT_{n}_{short(element)}", "IRFFT", spectrum, [n],
                           f"tensor<{n}x{real}>")
    cube = array(np.sin(np.arange(24)).reshape(2, 3, 4) * (2 - 1j), "complex<f64>")
    yield fft_case("fft_batched", "FFT", cube, [4], type_of(cube))
    yield fft_case("fft_two_dims", "IFFT", cube, [3, 4], type_of(cube))
    yield fft_case("fft_three_dims", "FFT", cube, [2, 3, 4], type_of(cube))
    real = array(np.sin(np.arange(24) + 1).reshape(2, 3, 4), "f64")
    yield fft_case("fft_rfft_three_dims", "RFFT", real, [2, 3, 4], "tensor<2x3x3xcomplex<f64>>")
    spectrum = array(np.fft.rfftn(real), "complex<f64>")
    yield fft_case("fft_irfft_three_dims", "IRFFT", spectrum, [2, 3, 4], "tensor<2x3x4xf64>")


def factor(a, lower):
    """NumPy's Cholesky factor."""
    result = np.linalg.cholesky(a.astype(np.complex128 if a.dtype.kind == "c" else np.float64))
    result = result if lower else np.conj(np.swapaxes(result, -1, -2))
    return (result + 0).astype(a.dtype)  # Without -0.


def masked(name, a, lower):
    """Cholesky with the triangle that the op leaves open set to zero by a product with a mask."""
    t = type_of(a)
    keep = np.broadcast_to(np.tril(np.ones(a.shape[-2:])) if lower
                           else np.triu(np.ones(a.shape[-2:])), a.shape)
    return Case(name, [a, keep.astype(bool), np.zeros_like(a)],
                f"%f = stablehlo.cholesky $0, lower = {str(lower).lower()} : {t}\n"
                f"%r0 = stablehlo.select $1, %f, $2 : {type_of(keep.astype(bool))}, {t}", [t],
                1e-5 if "f32" in t else 1e-10, expected=[factor(a, lower)])


def linear_algebra():
    """cholesky, triangular_solve."""
    base = np.array([[4.0, 2.0, -1.0], [2.0, 5.0, 0.5], [-1.0, 0.5, 3.0]])
    hermitian = base + 1j * np.array([[0, 0.5, -1], [-0.5, 0, 0.25], [1, -0.25, 0]])
    for element, matrix in (("f32", base), ("f64", base), ("complex<f32>", hermitian),
                            ("complex<f64>", hermitian)):
        for lower in (True, False):
            side = "lower" if lower else "upper"
            yield masked(f"cholesky_{side}_{short(element)}", array(matrix, element), lower)
    yield masked("cholesky_batched", array(np.stack([base, 2 * base]), "f64"), True)
    bad = array([[1.0, 2.0], [2.0, 1.0]], "f32")
    yield Case("cholesky_of_indefinite_is_nan", [bad],
               "%f = stablehlo.cholesky $0, lower = true : tensor<2x2xf32>\n"
               "%r0 = stablehlo.slice %f [1:2, 1:2] : (tensor<2x2xf32>) -> tensor<1x1xf32>",
               ["tensor<1x1xf32>"])
    a = np.array([[2.0, 7.0, -3.0], [1.0, 4.0, 9.0], [-1.0, 0.5, 5.0]])
    b = np.array([[1.0, 2.0], [3.0, -4.0], [0.5, 6.0]])
    imaginary = np.array([[0.5, 1, 2], [0, -1, 1], [3, 1, 0.25]])
    for element in ("f32", "f64", "complex<f32>", "complex<f64>"):
        matrix = array(a + (1j * imaginary if "c" in element else 0), element)
        for left in (True, False):
            right = array(b if left else b.T, element)
            for lower in (True, False):
                for unit in (True, False):
                    for op in ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"):
                        yield solve(element, matrix, right, left, lower, unit, op)
    stacked = array(np.stack([a, 3 * a]), "f64")
    yield solve("f64", stacked, array(np.stack([b, b + 1]), "f64"), True, True, False,
                "NO_TRANSPOSE", "_batched")


def solve(element, a, b, left, lower, unit, op, suffix=""):
    """One triangular_solve."""
    name = (f"triangular_solve_{'left' if left else 'right'}_{'lower' if lower else 'upper'}"
            f"{'_unit' if unit else ''}_{op}_{short(element)}{suffix}")
    flag = {True: "true", False: "false"}
    return op_case(name, "stablehlo.triangular_solve", [a, b], [type_of(b)],
                   1e-5 if "f32" in element else 1e-10,
                   attributes=f"left_side = {flag[left]}, lower = {flag[lower]}, transpose_a = "
                   f"#stablehlo<transpose {op}>, unit_diagonal = {flag[unit]}")


def lapack():
    """The custom calls that jnp.linalg becomes on CPU; XLA's own kernels answer."""
    spd = np.array([[4.0, 2.0, -1.0], [2.0, 5.0, 0.5], [-1.0, 0.5, 3.0]])
    square = np.array([[1.0, 7.0, -3.0], [2.0, 4.0, 9.0], [-4.0, 0.5, 5.0]])
    columns = "dense<[0, 1]> : tensor<2xindex>"
    for letter, element in (("s", "f32"), ("d", "f64")):
        tolerance = 1e-5 if letter == "s" else 1e-10
        t = f"tensor<3x3x{element}>"
        a = array(spd, element)
        for uplo, side in ((76, "lower"), (85, "upper")):
            expected = np.where(np.tril(np.ones((3, 3))) > 0 if uplo == 76
                                else np.triu(np.ones((3, 3))) > 0, factor(a, uplo == 76), a)
            yield Case(f"lapack_{letter}potrf_{side}", [a],
                       f"%r0, %r1 = stablehlo.custom_call @lapack_{letter}potrf_ffi($0) "
                       f'{{backend_config = "", mhlo.backend_config = {{uplo = {uplo} : ui8}}, '
                       f"operand_layouts = [{columns}], result_layouts = [{columns}, "
                       f"dense<> : tensor<0xindex>]}} : ({t}) -> ({t}, tensor<i32>)",
                       [t, "tensor<i32>"], tolerance, expected=[expected, array(0, "i32")])
        m = array(square, element)
        yield getrf(f"lapack_{letter}getrf", letter, m, tolerance)
        b = array(square + 1, element)
        from scipy import linalg
        for uplo, trans, diag, name in ((76, 78, 78, "lower"), (85, 84, 85, "upper_transposed_unit")):
            expected = linalg.solve_triangular(m, b, trans=int(trans == 84), lower=uplo == 76,
                                               unit_diagonal=diag == 85)
            yield Case(f"lapack_{letter}trsm_{name}", [m, b],
                       f"%r0 = stablehlo.custom_call @lapack_{letter}trsm_ffi($0, $1) "
                       f"{{backend_config = {{diag = {diag} : ui8, side = 76 : ui8, trans_x = "
                       f"{trans} : ui8, uplo = {uplo} : ui8}}, api_version = 4 : i32}} : "
                       f"({t}, {t}) -> {t}", [t], tolerance, expected=[array(expected, element)])


def getrf(name, letter, m, tolerance):
    """An LU factorisation; the value is SciPy's."""
    from scipy import linalg
    lu, pivots = linalg.lu_factor(m)
    t = type_of(m)
    return Case(name, [m], f"%r0, %r1, %r2 = stablehlo.custom_call @lapack_{letter}getrf_ffi($0) "
                '{backend_config = "", mhlo.backend_config = {}} : '
                f"({t}) -> ({t}, tensor<3xi32>, tensor<i32>)", [t, "tensor<3xi32>", "tensor<i32>"],
                tolerance, expected=[lu.astype(m.dtype), array(pivots + 1, "i32"), array(0, "i32")])


def batch_norm():
    """The three batch_norm ops. XLA's CPU compiler expands them."""
    x = np.arange(12).reshape(2, 3, 2) ** 1.5 / 10
    for element in ("f32", "f64", "bf16"):
        tolerance = {"f32": 1e-5, "f64": 1e-10, "bf16": 3e-2}[element]
        operand = array(x, element)
        scale, offset = array([1.0, 2.0, 0.5], element), array([0.0, -1.0, 3.0], element)
        mean, variance = array([0.5, 1.0, 1.5], element), array([1.0, 0.25, 4.0], element)
        t, v = type_of(operand), type_of(scale)
        attributes = "epsilon = 1.000000e-03 : f32, feature_index = 1 : i64"
        yield op_case(f"batch_norm_inference_{element}", "stablehlo.batch_norm_inference",
                      [operand, scale, offset, mean, variance], [t], tolerance, attributes)
        yield op_case(f"batch_norm_training_{element}", "stablehlo.batch_norm_training",
                      [operand, scale, offset], [t, v, v], tolerance, attributes)
        gradient = array(np.sin(np.arange(12)).reshape(2, 3, 2), element)
        yield op_case(f"batch_norm_grad_{element}", "stablehlo.batch_norm_grad",
                      [operand, scale, mean, variance, gradient], [t, v, v], tolerance, attributes)


def random_bits():
    """rng_bit_generator by XLA: Threefry is fixed to the bit; Philox is checked by formula."""
    state = np.array([42, 7], dtype=np.uint64)
    for shape in ("4", "2x3", "5", "1", "3x5"):
        for element in ("ui8", "ui16", "ui32", "ui64", "i32"):
            yield Case(f"threefry_{shape}_{element}", [state],
                       "%r0, %r1 = stablehlo.rng_bit_generator $0, algorithm = THREE_FRY : "
                       f"(tensor<2xui64>) -> (tensor<2xui64>, tensor<{shape}x{element}>)",
                       ["tensor<2xui64>", f"tensor<{shape}x{element}>"])


def published_blocks():
    """Single blocks of the generators from their papers' test vectors."""
    for name, algorithm, state, element, bits in (
            ("threefry_zero_key", "THREE_FRY", [0, 0], "ui64", [0x99ba4efe6b200159]),
            ("threefry_pi_key", "THREE_FRY", [0x0370734413198a2e, 0x85a308d3243f6a88], "ui64",
             [0x483df7a0c4923a9c]),
            ("philox_zero_key", "PHILOX", [0, 0], "ui32",
             [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8])):
        words = np.array(state, dtype=np.uint64)
        expected = np.array(bits, dtype=np.uint64 if element == "ui64" else np.uint32)
        following = words + np.array([0, 1], dtype=np.uint64)
        result = f"tensor<{len(bits)}x{element}>"
        yield Case(name, [words], f"%r0, %r1 = stablehlo.rng_bit_generator $0, algorithm = "
                   f"{algorithm} : (tensor<2xui64>) -> (tensor<2xui64>, {result})",
                   ["tensor<2xui64>", result], expected=[following, expected])


def cases():
    """All cases of the family."""
    for part in (transforms, linear_algebra, lapack, batch_norm, random_bits,
                 published_blocks):
        yield from part()
