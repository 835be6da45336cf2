# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions between all element types, and arithmetic on the narrow ones."""

import numpy as np

from .case import ELEMENT_TYPES, Case, array, op_case, short, type_of

SMALL_FLOATS = [name for name in ELEMENT_TYPES if name.startswith("f8")]
SMALL_INTEGERS = ["i2", "i4", "ui2", "ui4"]
NUMBERS = [name for name in ELEMENT_TYPES if name not in SMALL_FLOATS + SMALL_INTEGERS]


def convert(name, operand, element, expected=None):
    """One conversion; the value is ml_dtypes' or NumPy's if `expected` is given."""
    result = "tensor<" + "".join(f"{size}x" for size in operand.shape) + element + ">"
    return Case(name, [operand], f"%r0 = stablehlo.convert $0 : ({type_of(operand)}) -> {result}",
                [result], expected=expected)


def cases():
    """All cases of the family."""
    for source in NUMBERS:
        for target in NUMBERS:
            if source != target:
                values = [0, 1, 2, 100, 3] if source != "i1" else [0, 1]
                yield convert(f"convert_{short(source)}_to_{short(target)}",
                              array(values, source), target)
    floats = array([0.0, -0.0, 1.0, -1.5, 0.1, 3.0, 1.0625, 1.1875, 448.0, 464.0, 470.0, -1e6,
                    1e-3, np.inf, np.nan], "f32")
    for element in SMALL_FLOATS:
        dtype = ELEMENT_TYPES[element]
        yield convert(f"convert_f32_to_{element}", floats, element, [floats.astype(dtype)])
        small = floats.astype(dtype)
        yield convert(f"convert_{element}_to_f32", small, "f32", [small.astype(np.float32)])
        yield convert(f"convert_{element}_to_f64", small, "f64", [small.astype(np.float64)])
        if element == "f8E8M0FNU":
            continue
        a = array([1.0, -2.0, 3.5, 0.25, 6.0], element)
        b = array([0.5, 1.75, -2.0, 0.125, 5.0], element)
        wide = [a.astype(np.float32), b.astype(np.float32)]
        for op, function in (("add", np.add), ("subtract", np.subtract),
                             ("multiply", np.multiply), ("divide", np.divide),
                             ("maximum", np.maximum), ("minimum", np.minimum)):
            yield op_case(f"{op}_{element}", f"stablehlo.{op}", [a, b], [type_of(a)],
                          expected=[function(*wide).astype(dtype)])
        for op, function in (("negate", np.negative), ("abs", np.abs), ("sqrt", np.sqrt),
                             ("exponential", np.exp), ("tanh", np.tanh)):
            x = np.abs(a) if op == "sqrt" else a
            yield op_case(f"{op}_{element}", f"stablehlo.{op}", [x], [type_of(a)],
                          expected=[function(x.astype(np.float32)).astype(dtype)])
        yield op_case(f"compare_{element}", "stablehlo.compare", [a, b], ["tensor<5xi1>"],
                      attributes="comparison_direction = #stablehlo<comparison_direction LT>",
                      expected=[wide[0] < wide[1]])
        yield Case(f"dot_general_{element}_to_f32", [a, b],
                   "%r0 = stablehlo.dot_general $0, $1, contracting_dims = [0] x [0] : "
                   f"({type_of(a)}, {type_of(b)}) -> tensor<f32>", ["tensor<f32>"], 1e-6,
                   expected=[np.float32(wide[0] @ wide[1])])
        yield Case(f"bitcast_{element}_to_ui8", [a], "%r0 = stablehlo.bitcast_convert $0 : "
                   f"({type_of(a)}) -> tensor<5xui8>", ["tensor<5xui8>"],
                   expected=[a.view(np.uint8)])
    yield from integers()


def integers():
    """Integers of 2 and 4 bits; Python's integers are the oracle."""
    for element in SMALL_INTEGERS:
        bits = int(element.lstrip("ui"))
        signed = element.startswith("i")
        low = -(1 << (bits - 1)) if signed else 0
        high = low + (1 << bits) - 1

        def wrapped(values, low=low, bits=bits, element=element):
            return array([(int(v) - low) % (1 << bits) + low for v in values], element)

        a, b = [low, high, 1, high, 0], [high, high, 1, low, 1]
        for op, function in (("add", lambda x, y: x + y), ("subtract", lambda x, y: x - y),
                             ("multiply", lambda x, y: x * y), ("maximum", max), ("minimum", min),
                             ("and", lambda x, y: x & y), ("or", lambda x, y: x | y),
                             ("xor", lambda x, y: x ^ y)):
            yield op_case(f"{op}_{element}", f"stablehlo.{op}",
                          [array(a, element), array(b, element)], [f"tensor<5x{element}>"],
                          expected=[wrapped(function(x, y) for x, y in zip(a, b))])
        yield op_case(f"shift_left_{element}", "stablehlo.shift_left",
                      [array([1, 1, high], element), array([1, low, 1], element)],
                      [f"tensor<3x{element}>"],
                      expected=[wrapped([2, 1 if low == 0 else 0, high << 1])])
        yield op_case(f"popcnt_{element}", "stablehlo.popcnt", [array(a, element)],
                      [f"tensor<5x{element}>"],
                      expected=[wrapped(bin(v % (1 << bits)).count("1") for v in a)])
        wide = array([-9, -1, 0, 3, 7, 300], "i32")
        yield convert(f"convert_i32_to_{element}", wide, element, [wrapped(wide)])
        yield convert(f"convert_{element}_to_i32", array(a, element), "i32", [array(a, "i32")])
        yield convert(f"convert_f32_to_{element}", array([-99.0, -1.0, 0.9, np.nan, 99.0], "f32"),
                      element, [array([low, max(-1, low), 0, 0, high], element)])
        yield convert(f"convert_{element}_to_f32", array(a, element), "f32", [array(a, "f32")])
    # The least significant bits come first.
    yield Case("bitcast_i8_to_i4", [array([0x21, -0x21], "i8")],
               "%r0 = stablehlo.bitcast_convert $0 : (tensor<2xi8>) -> tensor<2x2xi4>",
               ["tensor<2x2xi4>"], expected=[array([[1, 2], [-1, -3]], "i4")])
    yield Case("bitcast_ui4_to_ui16", [array([[1, 2, 3, 4]], "ui4")],
               "%r0 = stablehlo.bitcast_convert $0 : (tensor<1x4xui4>) -> tensor<1xui16>",
               ["tensor<1xui16>"], expected=[array([0x4321], "ui16")])
    yield Case("iota_i4", [], "%r0 = stablehlo.iota dim = 0 : tensor<9xi4>", ["tensor<9xi4>"],
               expected=[array([0, 1, 2, 3, 4, 5, 6, 7, -8], "i4")])
