# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dot products and convolutions, with every attribute."""

import math

from random_stablehlo import error_bounds as bounds
from random_stablehlo.builder import Builder, dims, function_type
from random_stablehlo.tensors import FLOATS, INTEGERS, TensorType

# Operand element types with the result types that JAX asks for.
WIDER = {"i8": ("i8", "i16", "i32"), "ui8": ("ui8", "ui32"), "i16": ("i16", "i32"),
         "bf16": ("bf16", "f32"), "f16": ("f16", "f32"), "f32": ("f32", "f64")}

ALGORITHMS = {
    "f16": "lhs_precision_type = f16, rhs_precision_type = f16, accumulation_type = f32",
    "bf16": "lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32",
    "f32": "lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32",
    "f64": "lhs_precision_type = f64, rhs_precision_type = f64, accumulation_type = f64",
}


def smooth_argument(builder: Builder, type: TensorType):
    """Returns floats without infinities, whose sums depend on the order; integers of any size."""
    if type.is_float:
        return builder.argument(type, -2, 2)
    return builder.argument(type)


def dot_general(builder: Builder) -> None:
    element = builder.choice(FLOATS + FLOATS + INTEGERS)
    result_element = builder.choice(WIDER.get(element, (element,)))
    batch = builder.shape(0, 2)
    contracted = builder.shape(0, 2)
    free = [builder.shape(0, 1), builder.shape(0, 1)]
    sides = []
    for i in range(2):
        # The dimensions of an operand, as (kind, number), in any order.
        labels = ([("batch", k) for k in range(len(batch))]
                  + [("contracted", k) for k in range(len(contracted))]
                  + [("free", k) for k in range(len(free[i]))])
        order = [labels[k] for k in builder.random.permutation(len(labels))]
        sizes = {"batch": batch, "contracted": contracted, "free": free[i]}
        type = TensorType(tuple(sizes[kind][k] for kind, k in order), element)
        places = {kind: [order.index((kind, k)) for k in range(len(sizes[kind]))]
                  for kind in ("batch", "contracted")}
        sides.append((smooth_argument(builder, type), places))
    (lhs, left), (rhs, right) = sides
    text, reason = "stablehlo.dot_general $0, $1", None
    if batch:
        text += f", batching_dims = {dims(left['batch'])} x {dims(right['batch'])}"
    text += f", contracting_dims = {dims(left['contracted'])} x {dims(right['contracted'])}"
    if element in ALGORITHMS and result_element in ("f32", "f64") and builder.chance(0.15):
        text += (f", algorithm = <{ALGORITHMS[element]}, lhs_component_count = 1, "
                 "rhs_component_count = 1, num_primitive_operations = 1, "
                 "allow_imprecise_accumulation = false>")
        if element != "f32":
            reason = "dot_general: only the algorithm of f32 is there"
    elif builder.chance(0.5):
        text += f", precision = [{builder.choice(('DEFAULT', 'HIGH', 'HIGHEST'))}, DEFAULT]"
    free_rhs = [rhs.type.shape[k] for k in range(rhs.type.rank)
                if k not in right["batch"] + right["contracted"]]
    free_lhs = [lhs.type.shape[k] for k in range(lhs.type.rank)
                if k not in left["batch"] + left["contracted"]]
    result = TensorType((*batch, *free_lhs, *free_rhs), result_element)
    if result.size > 3000:
        return
    builder.apply("stablehlo.dot_general", f"{text} : {function_type([lhs, rhs], [result])}",
                  [lhs, rhs], [result], bounds.summed(math.prod(contracted), 2), rounds=True,
                  departure=reason)


def dilated(size: int, dilation: int) -> int:
    return 0 if size == 0 else (size - 1) * dilation + 1


def window_result(size: int, padding, window: int, stride: int) -> int:
    """Returns the number of places of a (dilated) window on a (dilated) dimension."""
    padded = padding[0] + size + padding[1]
    return 0 if padded <= 0 or window > padded else (padded - window) // stride + 1


def convolution(builder: Builder) -> None:
    spatial = builder.integer(0, 3)
    groups = builder.choice((1, 1, 2, 3))
    batch_groups = builder.choice((1, 2)) if groups == 1 else 1
    kernel_inputs, kernel_outputs = builder.integer(1, 3), builder.integer(1, 2)
    kernel_outputs *= groups * batch_groups
    features = kernel_inputs * groups
    batch = builder.integer(1, 2) * batch_groups
    names = ["stride", "lhs_dilate", "rhs_dilate", "pad", "reverse"]
    window, sizes, kernel, result = {name: [] for name in names}, [], [], []
    for _ in range(spatial):
        size, width = builder.integer(1, 6), builder.integer(1, 3)
        stride, lhs_dilate, rhs_dilate = (builder.choice((1, 1, 2)) for _ in range(3))
        pad = builder.integer(-1, 2), builder.integer(-1, 2)
        if dilated(size, lhs_dilate) + sum(pad) < 0:
            pad = 0, 0
        for name, value in zip(names, (stride, lhs_dilate, rhs_dilate, pad, builder.chance(0.3))):
            window[name].append(value)
        sizes.append(size)
        kernel.append(width)
        result.append(window_result(dilated(size, lhs_dilate), pad, dilated(width, rhs_dilate),
                                    stride))

    def arranged(letters: str, values):
        """Returns the letters and spatial numbers in a random order, and the shape in it."""
        entries = list(zip(letters, values)) + [(str(i), None) for i in range(spatial)]
        return [entries[k] for k in builder.random.permutation(len(entries))]

    def laid_out(order, spatial_sizes):
        return tuple(spatial_sizes[int(name)] if value is None else value
                     for name, value in order)

    element = builder.choice(FLOATS + FLOATS + ("i8", "i32", "ui8", "i16"))
    orders = [arranged("bf", (batch, features)), arranged("io", (kernel_inputs, kernel_outputs)),
              arranged("bf", (batch // batch_groups, kernel_outputs))]
    types = [TensorType(laid_out(order, spatial_sizes), element)
             for order, spatial_sizes in zip(orders, (sizes, kernel, result))]
    types[2] = types[2].with_element(builder.choice(WIDER.get(element, (element,))))
    if max(type.size for type in types) > 3000:
        return
    x, w = smooth_argument(builder, types[0]), smooth_argument(builder, types[1])
    texts = {"stride": dims(window["stride"]), "lhs_dilate": dims(window["lhs_dilate"]),
             "rhs_dilate": dims(window["rhs_dilate"]),
             "pad": "[" + ", ".join(str(list(pair)) for pair in window["pad"]) + "]",
             "reverse": "[" + ", ".join(str(flag).lower() for flag in window["reverse"]) + "]"}
    defaults = {"stride": 1, "lhs_dilate": 1, "rhs_dilate": 1, "pad": (0, 0), "reverse": False}
    keys = [name for name in ("stride", "pad", "lhs_dilate", "rhs_dilate", "reverse") if spatial
            and (any(value != defaults[name] for value in window[name]) or builder.chance(0.3))]
    letters = ["[" + ", ".join(name for name, _ in order) + "]" for order in orders]
    attributes = (f"{{batch_group_count = {batch_groups} : i64, "
                  f"feature_group_count = {groups} : i64}}")
    terms = math.prod(kernel) * kernel_inputs
    builder.apply(
        "stablehlo.convolution",
        f"stablehlo.convolution($0, $1) dim_numbers = {letters[0]}x{letters[1]}->{letters[2]}, "
        f"window = {{{', '.join(f'{key} = {texts[key]}' for key in keys)}}} {attributes} : "
        + function_type([x, w], [types[2]]), [x, w], [types[2]], bounds.summed(terms, 2),
        rounds=True,
        departure=NEGATIVE_PADDING if any(low < 0 for low, _ in window["pad"]) else None)


NEGATIVE_PADDING = "convolution: wrong values with a negative low padding"


FAMILIES = {dot_general: 5, convolution: 5}
