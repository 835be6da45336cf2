# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program whose results change places by exchanges, for meshes of several sizes."""

# Axes of different sizes: blocks of one do not nest in those of the other, so no all_to_all does it.
AXES = {8: (2, 4), 512: (16, 32), 4096: (32, 128), 65536: (128, 512)}
EVEN = 131072
UNEVEN = EVEN + 37


def program(devices, size, layers):
    """The text of `layers` layers on squares of `size`, cut in both dimensions.

    Every layer gives a result whose dimensions are cut the other way round.
    """
    x, y = AXES[devices]
    tensor = f"tensor<{size}x{size}xf32>"
    results = ", ".join([f'{tensor} {{sdy.sharding = #sdy.sharding<@mesh, [{{"y"}}, {{"x"}}]>}}'] * layers)
    body = "\n".join(f'  %v{i} = stablehlo.tanh %v{i - 1} {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"x"}}, {{"y"}}]>]>}} : {tensor}'
                     for i in range(1, layers + 1))
    values = ", ".join(f"%v{i}" for i in range(1, layers + 1))
    return f"""sdy.mesh @mesh = <["x"={x}, "y"={y}]>
func.func @main(%v0: {tensor} {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{"y"}}]>}}) -> ({results}) {{
{body}
  return {values} : {", ".join([tensor] * layers)}
}}
"""
