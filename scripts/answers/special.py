# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the chlo dialect on real numbers."""

import numpy as np

from .case import ROUNDED, Case, array, op_case, type_of

SMALL = [-0.75, -0.5, -1e-3, 0.0, 1e-3, 0.25, 0.5, 0.9]
ANY = [-5.0, -2.5, -0.5, -1e-3, 1e-3, 0.5, 1.0, 2.5, 5.0]
DOMAINS = {
    "square": ANY, "conj": ANY, "erf": ANY, "erfc": ANY, "erf_inv": SMALL, "lgamma": [-2.5, -0.5, 1e-3, 0.5, 1.25, 2.5, 5.0],
    "digamma": ANY, "bessel_i1e": ANY, "acos": SMALL, "acosh": [1.0, 1.5, 3.0, 100.0],
    "asin": SMALL, "asinh": ANY, "atan": ANY, "atanh": SMALL, "cosh": ANY, "sinh": ANY,
    "tan": SMALL,
}


def cases():
    """All cases of the family."""
    for op, domain in DOMAINS.items():
        for element in ("f32", "f64", "f16", "bf16"):
            x = array(domain, element)
            tolerance = max(ROUNDED[element], 1e-9) * (4 if element != "f64" else 1)
            yield op_case(f"chlo_{op}_{element}", f"chlo.{op}", [x], [type_of(x)], tolerance)
    yield op_case("chlo_erf_inv_outside", "chlo.erf_inv", [array([1.0, -1.0, 1.5, np.nan], "f32")],
                  ["tensor<4xf32>"])
    yield op_case("chlo_acosh_outside", "chlo.acosh", [array([0.5, -2.0], "f32")],
                  ["tensor<2xf32>"])
    yield op_case("chlo_atanh_outside", "chlo.atanh", [array([1.5, -2.0], "f32")],
                  ["tensor<2xf32>"])
    yield op_case("chlo_bessel_i1e_large", "chlo.bessel_i1e",
                  [array([-40.0, 12.0, 29.0, 31.0, 1000.0], "f64")], ["tensor<5xf64>"], 1e-9)
    for element, tolerance in (("f32", 2e-5), ("f64", 1e-9)):
        order = array([0.0, 1.0, 2.0, 3.0, 1.0], element)
        x = array([1.5, 0.5, 2.5, 4.0, -1.5], element)
        yield op_case(f"chlo_polygamma_{element}", "chlo.polygamma", [order, x], [type_of(x)],
                      tolerance)
        power = array([2.0, 3.5, 10.0, 2.0, 1.25], element)
        q = array([1.0, 2.5, 0.5, 100.0, 3.0], element)
        yield op_case(f"chlo_zeta_{element}", "chlo.zeta", [power, q], [type_of(q)], tolerance)
        a = array([0.0, 1.0, -1.0, 1.0, np.inf, np.nan, 1.0], element)
        b = array([1.0, 2.0, -2.0, 1.0, 0.0, 1.0, np.nan], element)
        yield op_case(f"chlo_next_after_{element}", "chlo.next_after", [a, b], [type_of(a)])
        classified = array([np.inf, -np.inf, np.nan, 0.0], element)
        for op in ("is_inf", "is_pos_inf", "is_neg_inf"):
            yield op_case(f"chlo_{op}_{element}", f"chlo.{op}", [classified], ["tensor<4xi1>"])
    for element in ("i8", "i32", "i64", "ui8", "ui32", "ui64"):
        limits = np.iinfo(array(0, element).dtype)
        a = np.array([limits.max, limits.min, 100, 3], dtype=array(0, element).dtype)
        b = np.array([limits.max, limits.max, 100, 5], dtype=a.dtype)
        bits = limits.bits
        high = [(int(x) * int(y)) >> bits for x, y in zip(a, b)]
        # XLA of this version has no lowering for all widths; Python's integers are exact.
        yield op_case(f"chlo_mulhi_{element}", "chlo.mulhi", [a, b], [type_of(a)],
                      expected=[np.array(high, dtype=a.dtype)])
    values = array([[3.0, 1.0, 3.0, -2.0], [np.nan, np.inf, -np.inf, 5.0]], "f32")
    yield op_case("chlo_top_k_f32", "chlo.top_k", [values], ["tensor<2x2xf32>", "tensor<2x2xi32>"],
                  attributes="k = 2 : i64")
    yield op_case("chlo_top_k_ui8", "chlo.top_k", [array([3, 255, 0, 255, 7], "ui8")],
                  ["tensor<3xui8>", "tensor<3xi32>"], attributes="k = 3 : i64")
    yield from ragged_cases()
    yield Case("mhlo_erf_custom_call", [array(ANY, "f32")],
               '%r0 = stablehlo.custom_call @mhlo.erf($0) {mhlo.attributes = {}, '
               'mhlo.version = 1 : i64} : (tensor<9xf32>) -> tensor<9xf32>', ["tensor<9xf32>"],
               1e-6, expected=[_erf(array(ANY, "f32"))])
    yield Case("mhlo_topk_custom_call", [array([3.0, 9.0, 5.0], "f32")],
               "%r0, %r1 = stablehlo.custom_call @mhlo.topk($0) {mhlo.attributes = {k = 2 : i64, "
               "largest = true}, mhlo.version = 1 : i64} : (tensor<3xf32>) -> (tensor<2xf32>, "
               "tensor<2xi32>)", ["tensor<2xf32>", "tensor<2xi32>"],
               expected=[array([9.0, 5.0], "f32"), array([1, 2], "i32")])


def _erf(x):
    from scipy import special
    return special.erf(x.astype(np.float64)).astype(x.dtype)


def ragged(name, lhs, rhs, sizes, dims, result, expected):
    """A ragged_dot; the value is NumPy's, group by group."""
    numbers = ", ".join(f"{key} = {value}" for key, value in dims.items())
    attributes = f"ragged_dot_dimension_numbers = #chlo.ragged_dot<{numbers}>"
    return op_case(name, "chlo.ragged_dot", [lhs, rhs, sizes], [result], 1e-5,
                   attributes=attributes, expected=[expected])


def ragged_cases():
    """The three kinds of ragged dimension."""
    lhs = array(np.arange(10).reshape(5, 2) / 4, "f32")
    rhs = array(np.arange(12).reshape(3, 2, 2) - 5.0, "f32")
    sizes = array([2, 0, 2], "i32")
    free = np.zeros((5, 2), np.float32)
    free[0:2] = lhs[0:2] @ rhs[0]
    free[2:4] = lhs[2:4] @ rhs[2]
    yield ragged("chlo_ragged_dot_free", lhs, rhs, sizes,
                 {"lhs_contracting_dimensions": [1], "rhs_contracting_dimensions": [1],
                  "lhs_ragged_dimensions": [0], "rhs_group_dimensions": [0]},
                 "tensor<5x2xf32>", free)
    a = array(np.arange(6).reshape(2, 3), "f32")
    b = array(np.arange(6).reshape(3, 2) + 1, "f32")
    contracted = np.stack([a[:, :1] @ b[:1], a[:, 1:3] @ b[1:3]])
    yield ragged("chlo_ragged_dot_contracting", a, b, array([1, 2], "i32"),
                 {"lhs_contracting_dimensions": [1], "rhs_contracting_dimensions": [0],
                  "lhs_ragged_dimensions": [1]}, "tensor<2x2x2xf32>", contracted)
    x = array(np.arange(8).reshape(2, 2, 2), "f32")
    y = array(np.arange(8).reshape(2, 2, 2) - 3, "f32")
    yield ragged("chlo_ragged_dot_batch", x, y, array([1, 1], "i32"),
                 {"lhs_batching_dimensions": [0], "rhs_batching_dimensions": [0],
                  "lhs_contracting_dimensions": [2], "rhs_contracting_dimensions": [1],
                  "lhs_ragged_dimensions": [0]}, "tensor<2x2x2xf32>", x @ y)
    batched = array(np.arange(12).reshape(2, 3, 2), "f32")
    groups = array(np.arange(16).reshape(2, 2, 2, 2) - 7, "f32")
    result = np.zeros((2, 3, 2), np.float32)
    cut = [[1, 2], [2, 1]]
    for batch in range(2):
        first = cut[batch][0]
        result[batch, :first] = batched[batch, :first] @ groups[0, batch]
        result[batch, first:] = batched[batch, first:] @ groups[1, batch]
    yield ragged("chlo_ragged_dot_free_batched", batched, groups, array(cut, "i32"),
                 {"lhs_batching_dimensions": [0], "rhs_batching_dimensions": [1],
                  "lhs_contracting_dimensions": [2], "rhs_contracting_dimensions": [2],
                  "lhs_ragged_dimensions": [1], "rhs_group_dimensions": [0]},
                 "tensor<2x3x2xf32>", result)
