# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program with every kind of collective, for a mesh of any size.

Each block is a piece of a model: products whose axes move on the way, a convolution, a stencil and a
slice along cut dimensions, an argmax, a prefix sum and a top-k, a KV cache, a scatter, sizes that do
not divide, a loop. The text differs from mesh to mesh in the sizes of the axes only.
"""

import re

# Cut dimensions are long enough for 65,536 blocks of two elements.
LONG = 131072
UNEVEN = LONG + 37

BLOCK = """
  // Products: slices, reductions, all_to_alls, permutes, gathers.
  %k{i}a1 = sdy.sharding_constraint %v{p} <@mesh, [{{S}}, {{Y}}]> : T
  %k{i}a2 = stablehlo.dot_general %k{i}a1, %w, contracting_dims = [1] x [0] : (T, T) -> T
  %k{i}a3 = sdy.sharding_constraint %k{i}a2 <@mesh, [{{S}}, {{Z}}]> : T
  %k{i}a4 = stablehlo.tanh %k{i}a3 : T
  %k{i}a5 = sdy.sharding_constraint %k{i}a4 <@mesh, [{{S}}, {{Y}}]> : T
  %k{i}a6 = stablehlo.exponential %k{i}a5 : T
  %k{i}a7 = sdy.sharding_constraint %k{i}a6 <@mesh, [{{S, Y}}, {{}}]> : T
  %k{i}a8 = stablehlo.cosine %k{i}a7 : T
  %k{i}a9 = sdy.sharding_constraint %k{i}a8 <@mesh, [{{Y, S}}, {{}}]> : T
  %k{i}a10 = stablehlo.sine %k{i}a9 : T
  %k{i}a11 = sdy.sharding_constraint %k{i}a10 <@mesh, [{{Y}}, {{S}}]> : T
  %k{i}a12 = stablehlo.negate %k{i}a11 : T
  %k{i}a13 = sdy.sharding_constraint %k{i}a12 <@mesh, [{{}}, {{S}}]> : T
  %k{i}a14 = stablehlo.tanh %k{i}a13 : T
  // A stencil: the part behind the first row, and the rows shifted by one.
  %k{i}b1 = sdy.sharding_constraint %k{i}a14 <@mesh, [{{S}}, {{}}]> : T
  %k{i}b2 = stablehlo.slice %k{i}b1 [1:{long}, 0:{long}] : (T) -> tensor<{less}x{long}xf32>
  %k{i}b3 = stablehlo.slice %k{i}b1 [0:1, 0:{long}] : (T) -> tensor<1x{long}xf32>
  %k{i}b4 = stablehlo.concatenate %k{i}b2, %k{i}b3, dim = 0 : (tensor<{less}x{long}xf32>, tensor<1x{long}xf32>) -> T
  %k{i}b5 = stablehlo.add %k{i}b1, %k{i}b4 {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{S}}, {{}}]>]>}} : T
  // Half of the rows, from a quarter on: blocks come from other places.
  %k{i}b6 = stablehlo.slice %k{i}b5 [{quarter}:{threequarters}, 0:{long}] {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{S}}, {{}}]>]>}} : (T) -> tensor<{half}x{long}xf32>
  %k{i}b7 = stablehlo.pad %k{i}b6, %zero, low = [{quarter}, 0], high = [{quarter}, 0], interior = [0, 0] {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{S}}, {{}}]>]>}} : (tensor<{half}x{long}xf32>, tensor<f32>) -> T
  %k{i}b8 = stablehlo.reverse %k{i}b7, dims = [0] : T
  // A convolution and its pooling.
  %k{i}c1 = stablehlo.convolution(%image, %filter) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {{pad = [[1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : (I, tensor<3x4x4xf32>) -> I
  %k{i}c2 = "stablehlo.reduce_window"(%k{i}c1, %low) <{{padding = dense<[[0, 0], [1, 1], [0, 0]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 3, 1>}}> ({{
  ^bb0(%k{i}l: tensor<f32>, %k{i}r: tensor<f32>):
    %k{i}m = stablehlo.maximum %k{i}l, %k{i}r : tensor<f32>
    stablehlo.return %k{i}m : tensor<f32>
  }}) : (I, tensor<f32>) -> I
  %k{i}c3 = stablehlo.reduce(%k{i}c2 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (I, tensor<f32>) -> tensor<f32>
  // Two phases: the best of a row, and prefix sums.
  %k{i}d1 = stablehlo.iota dim = 0 : tensor<{long}xi32>
  %k{i}d2:2 = stablehlo.reduce(%vector init: %low), (%k{i}d1 init: %first) across dimensions = [0] : (tensor<{long}xf32>, tensor<{long}xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%k{i}x: tensor<f32>, %k{i}y: tensor<f32>) (%k{i}s: tensor<i32>, %k{i}t: tensor<i32>) {{
    %k{i}n1 = stablehlo.compare GT, %k{i}x, %k{i}y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %k{i}n2 = stablehlo.compare EQ, %k{i}x, %k{i}y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %k{i}n3 = stablehlo.compare LT, %k{i}s, %k{i}t : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %k{i}n4 = stablehlo.and %k{i}n2, %k{i}n3 : tensor<i1>
    %k{i}n5 = stablehlo.or %k{i}n1, %k{i}n4 : tensor<i1>
    %k{i}n6 = stablehlo.select %k{i}n5, %k{i}x, %k{i}y : tensor<i1>, tensor<f32>
    %k{i}n7 = stablehlo.select %k{i}n5, %k{i}s, %k{i}t : tensor<i1>, tensor<i32>
    stablehlo.return %k{i}n6, %k{i}n7 : tensor<f32>, tensor<i32>
  }}
  // A row of a cache is written and read where it lies.
  %k{i}e1 = stablehlo.dynamic_update_slice %cache, %row, %k{i}d2#1, %first : (C, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> C
  %k{i}e2 = stablehlo.dynamic_slice %k{i}e1, %k{i}d2#1, %first, sizes = [1, 8] : (C, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
  // Sizes that do not divide: masks, padded collectives.
  %k{i}f1 = sdy.sharding_constraint %odd <@mesh, [{{S}}, {{}}]> : U
  %k{i}f2 = stablehlo.exponential %k{i}f1 : U
  %k{i}f3 = stablehlo.reduce(%k{i}f2 init: %zero) applies stablehlo.add across dimensions = [0] : (U, tensor<f32>) -> tensor<8xf32>
  %k{i}f5 = stablehlo.cosine %k{i}f2 : U
  %k{i}f6 = sdy.sharding_constraint %k{i}f5 <@mesh, [{{}}, {{}}]> : U
  %k{i}f7 = stablehlo.reduce(%k{i}f6 init: %zero) applies stablehlo.maximum across dimensions = [0] : (U, tensor<f32>) -> tensor<8xf32>
  %k{i}g1 = stablehlo.add %k{i}f3, %k{i}f7 : tensor<8xf32>
  %k{i}g2 = stablehlo.reshape %k{i}e2 : (tensor<1x8xf32>) -> tensor<8xf32>
  %k{i}g3 = stablehlo.add %k{i}g1, %k{i}g2 : tensor<8xf32>
  %k{i}g4 = stablehlo.reduce(%k{i}g3 init: %k{i}c3) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %k{i}g5 = stablehlo.broadcast_in_dim %k{i}g4, dims = [] : (tensor<f32>) -> T
  %v{i} = stablehlo.add %k{i}b8, %k{i}g5 : T
"""

PROGRAM = """sdy.mesh @mesh = <[{mesh}]>
func.func @main(%v0: T {{sdy.sharding = #sdy.sharding<@mesh, [{{S}}, {{}}]>}},
    %w: T {{sdy.sharding = #sdy.sharding<@mesh, [{{Y}}, {{}}]>}},
    %vector: tensor<{long}xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{S}}]>}},
    %image: I {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{S}}, {{}}]>}}, %filter: tensor<3x4x4xf32>,
    %cache: C {{sdy.sharding = #sdy.sharding<@mesh, [{{S}}, {{}}]>}}, %row: tensor<1x8xf32>, %odd: U) -> T {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %first = stablehlo.constant dense<0> : tensor<i32>
{body}
  return %v{blocks} : T
}}
"""


def program(axes, blocks):
    """The text of `blocks` blocks for a mesh with `axes`, sizes by name.

    S in it is the first axis, which cuts what stencils and prefix sums work on, Y and Z are the
    others, which are of one size: else they would not change places by the same collectives.
    """
    names = {"blocks": blocks, "mesh": ", ".join(f'"{name}"={size}' for name, size in axes.items()),
             "long": LONG, "less": LONG - 1, "quarter": LONG // 4, "half": LONG // 2,
             "threequarters": 3 * LONG // 4}
    names["body"] = "".join(BLOCK.format(i=i, p=i - 1, **names) for i in range(1, blocks + 1))
    text = PROGRAM.format(**names)
    roles = dict(zip("SYZ", (f'"{name}"' for name in axes)))
    text = re.sub(r"\{([SYZ](?:, [SYZ])*)\}",
                  lambda match: "{" + ", ".join(roles[role] for role in match[1].split(", ")) + "}",
                  text)
    types = {"T": f"{LONG}x{LONG}", "U": f"{UNEVEN}x8", "I": f"8x{LONG}x4", "C": f"{LONG}x8"}
    return re.sub(r"\b[TUIC]\b", lambda match: f"tensor<{types[match[0]]}xf32>", text)


def three_axes(devices, blocks):
    """On a mesh of three axes, as large models have them."""
    y = {8: 2, 512: 8, 65536: 32}[devices]
    return program({"x": devices // y // y, "y": y, "z": y}, blocks)


def one_axis(devices, blocks):
    """On a mesh where one axis has nearly all devices."""
    return program({"x": devices // 4, "y": 2, "z": 2}, blocks)
