# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs. A case has a name, a program, and the bytes that the busiest device receives: what the
model (received.py) counts, unless a figure is given, whose reason stands beside it."""

import collections

from small_programs import Program

Case = collections.namedtuple("Case", "program received exceeds")
CASES = {}
ROWS, COLUMNS = '[{"x"}, {}]', '[{}, {"x"}]'
BOTH = '[{"x"}, {"y"}]'
ROWS_XY, ROWS_YX = '[{"x", "y"}, {}]', '[{"y", "x"}, {}]'


def case(name, mesh, arguments, body, to=None, received=None, exceeds=0):
    """`arguments` are (shape, sharding); `body` gets the program and their values, and returns the
    result or results, which are placed as the first argument unless `to` says how. `received` is the
    figure that the model cannot count, `exceeds` what a device receives beyond the least, with
    the reason beside it."""
    program = Program(mesh)
    values = [program.argument(shape, *rest) for shape, *rest in arguments]
    program.start()
    results = body(program, *values)
    results = results if isinstance(results, (list, tuple)) else [results]
    places = to if isinstance(to, list) else [to or arguments[0][1]] * len(results)
    for result, place in zip(results, places):
        program.result(result, place)
    assert name not in CASES, name
    CASES[name] = Case(program, received, exceeds)


def moves(name, mesh, shape, sharding, body, **options):
    case(name, mesh, [(shape, sharding)], body, **options)


# Slices.
for name, mesh, rows, start, limit, stride in [
        ("front_half_of_16_on_4", "x4", 16, 0, 8, 1),
        ("back_half_of_16_on_4", "x4", 16, 8, 16, 1),
        ("middle_of_64_on_8", "x8", 64, 8, 56, 1),
        ("one_block_of_16_on_4", "x4", 16, 4, 8, 1),
        ("every_second_of_16_on_4", "x4", 16, 0, 16, 2),
        ("every_second_of_16_from_1_on_4", "x4", 16, 1, 16, 2),
        ("every_third_of_24_from_2_on_4", "x4", 24, 2, 24, 3),
        ("9_of_10_on_4", "x4", 10, 1, 10, 1),
        ("front_9_of_10_on_4", "x4", 10, 0, 9, 1),
        ("middle_7_of_10_on_4", "x4", 10, 2, 9, 1),
        ("every_second_of_10_on_4", "x4", 10, 0, 10, 2),
        ("every_second_of_11_on_3", "x3", 11, 0, 11, 2),
        ("every_third_of_13_from_1_on_4", "x4", 13, 1, 13, 3),
        ("10_of_16_on_4", "x4", 16, 0, 10, 1),
        ("13_of_16_from_3_on_8", "x8", 16, 3, 16, 1),
        ("2_of_3_on_8", "x8", 3, 1, 3, 1),
        ("1_of_16_on_8", "x8", 16, 9, 10, 1),
        ("3_of_5_on_16", "x16", 5, 1, 4, 1),
        ("7_of_9_on_the_turned_4", "x4_turned", 9, 1, 8, 1),
]:
    moves(f"slice_{name}", mesh, (rows, 4), ROWS,
          lambda p, x, s=start, l=limit, t=stride: p.slice(x, [s, 0], [l, 4], [t, 1]))
# The rows between those that are wanted go along.
moves("slice_every_third_of_a_part_of_40_on_4", "x4", (40, 4), ROWS, lambda p, x: p.slice(x, [5, 0], [29, 4], [3, 1]),
      exceeds=2 * 16)
moves("slice_rows_of_two_axes", "x2y3", (13, 4), ROWS_XY, lambda p, x: p.slice(x, [2, 0], [12, 4]))
moves("slice_rows_of_three_axes", "x2y2z2", (20, 4), '[{"x", "y", "z"}, {}]',
      lambda p, x: p.slice(x, [1, 0], [19, 4]))
moves("slice_rows_of_a_sub_axis", "x8", (10, 4), '[{"x":(1)4}, {}]', lambda p, x: p.slice(x, [1, 0], [10, 4]))
moves("slice_rows_of_a_minor_sub_axis", "x8", (10, 4), '[{"x":(2)4}, {}]',
      lambda p, x: p.slice(x, [0, 0], [9, 4]))
moves("slice_the_dimension_that_is_whole", "x4", (10, 9), ROWS, lambda p, x: p.slice(x, [0, 2], [10, 8], [1, 3]))
moves("slice_both_dimensions", "x2y3", (10, 10), BOTH, lambda p, x: p.slice(x, [1, 2], [9, 9]))
# Each slice is fetched by itself: two rows for the first, two of them for the second.
moves("slice_of_a_slice", "x4", (14, 4), ROWS,
      lambda p, x: p.slice(p.slice(x, [1, 0], [13, 4]), [2, 0], [11, 4]), exceeds=2 * 16)

# Pads.
for name, mesh, rows, low, high, interior in [
        ("both_ends_of_64_on_8", "x8", 64, 4, 4, 0),
        ("front_of_16_on_4", "x4", 16, 4, 0, 0),
        ("shift_of_16_on_4", "x4", 16, 1, -1, 0),
        ("shift_back_of_16_on_4", "x4", 16, -3, 3, 0),
        ("shift_of_16_by_two_blocks_on_4", "x4", 16, 8, -8, 0),
        ("interior_of_16_on_4", "x4", 16, 0, 1, 1),
        ("both_ends_of_10_on_4", "x4", 10, 1, 1, 0),
        ("front_of_10_on_4", "x4", 10, 3, 0, 0),
        ("back_of_10_on_4", "x4", 10, 0, 3, 0),
        ("shift_of_10_on_4", "x4", 10, 1, -1, 0),
        ("shift_of_10_back_on_4", "x4", 10, -1, 1, 0),
        ("shift_of_10_by_4_on_4", "x4", 10, 4, -4, 0),
        ("interior_of_8_to_16_on_4", "x4", 8, 0, 1, 1),
        ("negative_ends_of_13_on_4", "x4", 13, -2, -2, 0),
        ("of_3_on_8", "x8", 3, 1, 2, 0),
        ("of_1_on_4", "x4", 1, 2, 2, 0),
        ("of_7_on_the_turned_4", "x4_turned", 7, 2, 1, 0),
        ("nothing_left_of_8_on_4", "x4", 8, -8, 8, 0),
]:
    moves(f"pad_{name}", mesh, (rows, 4), ROWS,
          lambda p, x, a=low, b=high, i=interior: p.pad(x, [a, 0], [b, 0], [i, 0]))
# What one permute moves has the length of the longest part: one row more than the busiest device needs.
moves("pad_interior_of_16_cut_off_on_4", "x4", (16, 4), ROWS, lambda p, x: p.pad(x, [-2, 0], [-13, 0], [1, 0]),
      exceeds=16)
moves("pad_rows_of_two_axes", "x2y3", (11, 4), ROWS_XY, lambda p, x: p.pad(x, [1, 0], [1, 0]), exceeds=16)
# The column of a neighbour comes with the row that lies outside.
moves("pad_both_dimensions", "x2y2", (7, 9), BOTH, lambda p, x: p.pad(x, [1, 1], [1, 0]), exceeds=4)
moves("pad_the_dimension_that_is_whole", "x4", (10, 3), ROWS, lambda p, x: p.pad(x, [0, 2], [0, 1]))

# Reversals.
for name, mesh, rows in [("16_on_4", "x4", 16), ("24_on_3", "x3", 24), ("10_on_4", "x4", 10),
                         ("9_on_2", "x2", 9), ("3_on_8", "x8", 3), ("17_on_16", "x16", 17),
                         ("11_on_the_turned_4", "x4_turned", 11), ("1_on_4", "x4", 1)]:
    moves(f"reverse_{name}", mesh, (rows, 4), ROWS, lambda p, x: p.reverse(x, [0]))
moves("reverse_rows_of_two_axes", "x2y3", (17, 4), ROWS_XY, lambda p, x: p.reverse(x, [0]))
# Dimensions are fetched one after the other: each time the whole block, with its padding.
moves("reverse_both_dimensions", "x2y3", (8, 9), BOTH, lambda p, x: p.reverse(x, [0, 1]), exceeds=4 * 3 * 4)
moves("reverse_both_uneven_dimensions", "x2y3", (7, 8), BOTH, lambda p, x: p.reverse(x, [0, 1]),
      received=4 * 4 * 3 + 4 * (4 * 3 + 1))
moves("reverse_the_dimension_that_is_whole", "x4", (10, 4), ROWS, lambda p, x: p.reverse(x, [1]))
# Nobody joins reversals: there and back.
moves("reverse_twice", "x4", (10, 4), ROWS, lambda p, x: p.reverse(p.reverse(x, [0]), [0]), received=2 * 3 * 16)

# Concatenations.
for name, mesh, sizes in [
        ("equal_parts_on_8", "x8", (64, 64)), ("16_8_8_on_4", "x4", (16, 8, 8)),
        ("one_part_on_4", "x4", (16,)), ("16_2_4_on_2", "x2", (16, 2, 4)),
        ("10_6_on_4", "x4", (10, 6)), ("5_5_on_4", "x4", (5, 5)), ("1_9_on_4", "x4", (1, 9)),
        ("3_4_on_3", "x3", (3, 4)), ("2_1_3_on_4", "x4", (2, 1, 3)), ("1_1_on_8", "x8", (1, 1)),
        ("9_4_on_the_turned_4", "x4_turned", (9, 4))]:
    case(f"concatenate_{name}", mesh, [((size, 4), ROWS) for size in sizes],
         lambda p, *x: p.concatenate(x, 0))
# The parts that are sent together have the length of the longest.
case("concatenate_10_10_10_on_4", "x4", [((10, 4), ROWS)] * 3, lambda p, *x: p.concatenate(x, 0), exceeds=4 * 16)
case("concatenate_rows_of_two_axes", "x2y3", [((7, 4), ROWS_XY), ((6, 4), ROWS_XY)],
     lambda p, *x: p.concatenate(x, 0), exceeds=16)
# An operand without elements has no parts: rows of the operands become columns, and rows of the result again.
case("concatenate_7_0_6_on_4", "x4", [((rows, 4), ROWS) for rows in (7, 0, 6)], lambda p, *x: p.concatenate(x, 0),
     received=3 * 2 * 4 + 3 * 2 * 4 + 3 * 4 * 4)
case("concatenate_along_what_is_whole", "x4", [((10, 3), ROWS), ((10, 5), ROWS)],
     lambda p, *x: p.concatenate(x, 1))
# What every device has is cut as the result is, and fetched like the other operand.
case("concatenate_with_what_every_device_has", "x4", [((9, 4), ROWS), ((3, 4), "[{}, {}]")],
     lambda p, *x: p.concatenate(x, 0), exceeds=3 * 16)
case("concatenate_both_cut", "x2y2", [((5, 5), BOTH), ((6, 5), BOTH)], lambda p, *x: p.concatenate(x, 0))

# Rolls: periodic, one hop and several.
for name, mesh, rows, shift in [("by_1_of_64_on_8", "x8", 64, 1), ("by_half_of_64_on_8", "x8", 64, 32),
                                ("by_5_of_64_on_4", "x4", 64, 5), ("back_by_3_of_64_on_8", "x8", 64, 61),
                                ("by_9_of_24_on_3", "x3", 24, 9), ("by_1_of_10_on_4", "x4", 10, 1),
                                ("by_3_of_10_on_4", "x4", 10, 3),
                                ("by_1_of_3_on_8", "x8", 3, 1), ("by_2_of_11_on_2", "x2", 11, 2)]:
    moves(f"roll_{name}", mesh, (rows, 4), ROWS, lambda p, x, s=shift: p.roll(x, 0, s))
moves("roll_rows_of_two_axes", "x2y3", (13, 4), ROWS_XY, lambda p, x: p.roll(x, 0, 1))
# From the front and from the back of a block, of which one row is the last device's, and padding.
moves("roll_by_7_of_13_on_4", "x4", (13, 4), ROWS, lambda p, x: p.roll(x, 0, 7), exceeds=16)
# The corner comes with the row, and is not wanted.
moves("roll_both_dimensions", "x2y2", (8, 8), BOTH, lambda p, x: p.roll(p.roll(x, 0, 1), 1, 1), exceeds=4)
moves("roll_both_uneven_dimensions", "x2y2", (7, 9), BOTH, lambda p, x: p.roll(p.roll(x, 0, 1), 1, 1), exceeds=4)

# Reshapes.
for name, mesh, shape, to_shape, sharding, to in [
        ("splits_16_to_4_by_4", "x4", (16, 3), (4, 4, 3), ROWS, '[{"x"}, {}, {}]'),
        ("splits_24_to_4_by_6_on_2", "x2", (24, 3), (4, 6, 3), ROWS, '[{"x"}, {}, {}]'),
        ("splits_over_two_axes", "x2y3", (12, 3), (2, 6, 3), ROWS_XY, '[{"x"}, {"y"}, {}]'),
        ("merges_4_by_4", "x4", (4, 4, 3), (16, 3), '[{"x"}, {}, {}]', ROWS),
        ("merges_two_axes", "x2y3", (2, 6, 3), (12, 3), '[{"x"}, {"y"}, {}]', ROWS_XY),
        ("merges_a_minor_cut", "x4", (4, 4, 3), (16, 3), '[{}, {"x"}, {}]', ROWS),
        ("splits_10_to_5_by_2_on_4", "x4", (10, 4), (5, 2, 4), ROWS, '[{"x"}, {}, {}]'),
        ("splits_12_to_6_by_2_on_4", "x4", (12, 4), (6, 2, 4), ROWS, '[{"x"}, {}, {}]'),
        ("splits_6_to_3_by_2_on_2", "x2", (6, 4), (3, 2, 4), ROWS, '[{"x"}, {}, {}]'),
        ("merges_5_by_2_on_4", "x4", (5, 2, 4), (10, 4), '[{"x"}, {}, {}]', ROWS),
        ("merges_3_by_4_on_2", "x2", (3, 4, 2), (12, 2), '[{"x"}, {}, {}]', ROWS),
        ("merges_7_by_3_on_4", "x4", (7, 3, 2), (21, 2), '[{"x"}, {}, {}]', ROWS),
        ("adds_a_one", "x4", (10, 3), (10, 1, 3), ROWS, '[{"x"}, {}, {}]'),
        ("drops_a_one", "x4", (1, 10, 3), (10, 3), '[{}, {"x"}, {}]', ROWS),
        ("keeps_uneven_rows_beside_a_split", "x4", (10, 6), (10, 2, 3), ROWS, '[{"x"}, {}, {}]'),
        ("keeps_uneven_rows_beside_a_merge", "x4", (10, 2, 3), (10, 6), '[{"x"}, {}, {}]', ROWS),
        ("of_a_flat_tensor", "x4", (16,), (4, 4), '[{"x"}]', ROWS),
]:
    moves(f"reshape_{name}", mesh, shape, sharding, lambda p, x, s=to_shape: p.reshape(x, s), to=to)
# Both sides are cut, by different axes: they meet on rows. What is above the least are rows that a permute brings
# and a gather brings again.
for name, mesh, shape, to_shape, sharding, to, exceeds in [
        ("splits_21_rows_to_columns", "x4", (21, 64), (7, 3, 64), ROWS, '[{}, {"x"}, {}]', 0),
        ("splits_rows_to_rows_and_columns", "x2y2", (21, 64), (7, 3, 64), ROWS, '[{"x"}, {"y"}, {}]', 0),
        ("splits_rows_to_fewer_rows", "x2y2", (18, 64), (3, 6, 64), ROWS_XY, '[{"x"}, {}, {}]', 512),
        ("splits_rows_to_more_rows", "x2y2", (21, 64), (7, 3, 64), ROWS, '[{"x", "y"}, {}, {}]', 0),
        ("merges_rows_and_columns_to_rows", "x2y2", (3, 6, 64), (18, 64), '[{"x"}, {"y"}, {}]', ROWS, 768),
        ("merges_rows_to_fewer_rows", "x2y2", (7, 8, 16), (56, 16), '[{"x", "y"}, {}, {}]', ROWS, 0),
]:
    moves(f"reshape_that_{name}", mesh, shape, sharding, lambda p, x, s=to_shape: p.reshape(x, s), to=to,
          exceeds=exceeds)

# Transposes and broadcasts.
moves("transpose_of_uneven_rows", "x4", (10, 6), ROWS, lambda p, x: p.transpose(x, [1, 0]), to=COLUMNS)
moves("transpose_of_both", "x2y3", (7, 8), BOTH, lambda p, x: p.transpose(x, [1, 0]), to='[{"y"}, {"x"}]')
moves("broadcast_along_uneven_rows", "x4", (10,), '[{"x"}]', lambda p, x: p.broadcast(x, (10, 3), [0]), to=ROWS)
moves("broadcast_to_uneven_columns", "x4", (10,), "[{}]", lambda p, x: p.broadcast(x, (10, 7), [0]), to=COLUMNS)
moves("broadcast_of_uneven_rows_to_columns", "x2y3", (7,), '[{"x"}]', lambda p, x: p.broadcast(x, (7, 8), [0]),
      to=BOTH)

# Iota: nothing is sent.
moves("iota_of_uneven_rows", "x4", (10, 4), ROWS, lambda p, x: p.add(x, p.iota((10, 4), 0)))
moves("iota_of_more_devices_than_rows", "x8", (3, 4), ROWS, lambda p, x: p.add(x, p.iota((3, 4), 0)))
moves("iota_of_two_axes", "x2y3", (11, 4), ROWS_YX, lambda p, x: p.add(x, p.iota((11, 4), 0)))
moves("iota_of_sub_axes", "x8", (11, 4), '[{"x":(2)2}, {"x":(4)2}]', lambda p, x: p.add(x, p.iota((11, 4), 1)))

# Windows. Rows have 4 columns of 4 bytes.
for name, mesh, rows, size, stride, low, high, base, dilation in [
        ("3_of_64_on_8", "x8", 64, 3, 1, 1, 1, 1, 1), ("2_by_2_of_16_on_4", "x4", 16, 2, 2, 0, 0, 1, 1),
        ("3_by_2_of_32_on_4", "x4", 32, 3, 2, 0, 1, 1, 1), ("dilated_of_32_on_4", "x4", 32, 3, 1, 2, 2, 1, 2),
        ("spread_of_32_on_4", "x4", 32, 3, 1, 2, 1, 2, 1), ("3_of_10_on_4", "x4", 10, 3, 1, 1, 1, 1, 1),
        ("3_inside_of_10_on_4", "x4", 10, 3, 1, 0, 0, 1, 1), ("5_of_10_on_4_several_hops", "x4", 10, 5, 1, 2, 2, 1, 1),
        ("9_of_11_on_8_several_hops", "x8", 11, 9, 1, 4, 4, 1, 1), ("3_of_3_on_8", "x8", 3, 3, 1, 1, 1, 1, 1),
        ("2_by_2_of_10_on_2", "x2", 10, 2, 2, 0, 0, 1, 1), ("causal_4_of_13_on_4", "x4", 13, 4, 1, 3, 0, 1, 1),
        ("dilated_of_11_on_3", "x3", 11, 3, 1, 2, 2, 1, 2),
        ("spread_by_3_strided_by_2_of_14_on_4", "x4", 14, 4, 2, 1, 1, 3, 1),
        ("spread_by_3_strided_by_4_of_32_on_4", "x4", 32, 7, 4, 3, 2, 3, 1),
        ("spread_by_4_strided_by_2_of_14_on_4", "x4", 14, 3, 2, 1, 0, 4, 1),
        ("3_of_9_on_the_turned_4", "x4_turned", 9, 3, 1, 1, 1, 1, 1)]:
    moves(f"window_{name}", mesh, (rows, 4), ROWS,
          lambda p, x, a=(size, stride, low, high, base, dilation): p.reduce_window(
              x, [a[0], 1], [a[1], 1], [(a[2], a[3]), (0, 0)], [a[4], 1], [a[5], 1]))
# An element more, which is between two taps of all windows.
moves("window_spread_by_5_strided_by_3_dilated_of_13_on_8", "x8", (13, 4), ROWS,
      lambda p, x: p.reduce_window(x, [3, 1], [3, 1], [(4, 4), (0, 0)], [5, 1], [3, 1]), exceeds=16)
moves("window_maxima_of_10_on_4", "x4", (10, 4), ROWS,
      lambda p, x: p.reduce_window(x, [3, 1], None, [(1, 1), (0, 0)], op="maximum", start=-2147483648))
moves("window_sums_from_5_of_10_on_4", "x4", (10, 4), ROWS,
      lambda p, x: p.reduce_window(x, [3, 1], None, [(1, 1), (0, 0)], start=5))
moves("window_of_rows_of_two_axes", "x2y3", (13, 4), ROWS_XY,
      lambda p, x: p.reduce_window(x, [3, 1], None, [(1, 1), (0, 0)]))
# A column comes with what lies outside, above or below.
moves("window_of_both_dimensions", "x2y2", (8, 8), BOTH,
      lambda p, x: p.reduce_window(x, [3, 3], None, [(1, 1), (1, 1)]), exceeds=4)
moves("window_of_both_uneven_dimensions", "x2y2", (7, 9), BOTH,
      lambda p, x: p.reduce_window(x, [3, 3], None, [(1, 1), (1, 1)]), exceeds=4)

# Gradients of pooling, of rows of 4 columns. Elements are chosen among all of a window, which has to be fetched.
for name, mesh, rows, size, stride, low, high, options in [
        ("3_of_16_on_4", "x4", 16, 3, 1, 1, 1, {}),
        ("2_by_2_of_16_on_4", "x4", 16, 2, 2, 0, 0, {}),
        ("from_5_of_16_on_4", "x4", 16, 3, 1, 1, 1, dict(start=5)),
        ("from_5_uneven_on_4", "x4", 13, 3, 1, 1, 1, dict(start=5)),
        ("by_magnitude_on_4", "x4", 16, 3, 1, 1, 1, dict(choice="abs_ge")),
        ("by_no_order_uneven_on_4", "x4", 13, 3, 1, 1, 1, dict(choice="ne")),
        ("of_equals_on_4", "x4", 16, 3, 1, 2, 0, dict(choice="eq")),
        ("kept_largest_on_4", "x4", 16, 3, 1, 1, 1, dict(scatter="maximum", start=-5)),
        ("multiplied_uneven_on_4", "x4", 14, 3, 1, 1, 1, dict(scatter="multiply", start=3)),
        ("taken_from_inside_on_4", "x4", 16, 3, 1, 0, 0, dict(scatter="subtract", start=3)),
        ("of_windows_of_padding_on_4", "x4", 16, 2, 1, 3, 3, {}),
        ("5_of_11_on_8_several_hops", "x8", 11, 5, 1, 2, 2, dict(start=2, choice="lt")),
        ("3_of_3_on_8", "x8", 3, 3, 1, 1, 1, dict(start=2)),
        ("3_of_13_on_the_turned_4", "x4_turned", 13, 3, 1, 1, 1, dict(start=2)),
]:
    windows = (rows + low + high - size) // stride + 1
    case(f"pool_gradient_{name}", mesh, [((rows, 4), ROWS), ((windows, 4), ROWS)],
         lambda p, x, g, a=(size, stride, low, high), o=options: p.pool_gradient(x, g, *a, **o))
# The first blocks ask for as many windows of the last ones' as these of theirs, among them some that are not there.
case("pool_gradient_without_the_first_on_4", "x4", [((16, 4), ROWS), ((11, 4), ROWS)],
     lambda p, x, g: p.pool_gradient(x, g, 3, 1, -2, -1, start=1), exceeds=32)

# Convolutions of 2 x positions x 4 features.
POSITIONS = '[{}, {"x"}, {}]'
for name, mesh, size, taps, options in [
        ("same_of_64_on_8", "x8", 64, 3, dict(low=1, high=1)),
        ("valid_of_10_on_2", "x2", 10, 3, {}),
        ("same_of_10_on_4", "x4", 10, 3, dict(low=1, high=1)),
        ("same_5_of_13_on_4", "x4", 13, 5, dict(low=2, high=2)),
        ("several_hops_of_11_on_8", "x8", 11, 7, dict(low=3, high=3)),
        ("causal_of_10_on_4", "x4", 10, 4, dict(low=3)),
        ("causal_depthwise_of_10_on_4", "x4", 10, 4, dict(low=3, groups=4)),
        ("dilated_of_14_on_4", "x4", 14, 3, dict(low=2, high=2, dilation=2)),
        ("strided_of_16_on_4", "x4", 16, 3, dict(stride=2, high=1)),
        ("strided_of_10_on_2", "x2", 10, 2, dict(stride=2)),
        ("transposed_of_16_on_4", "x4", 16, 3, dict(base=2, low=1, high=2)),
        ("transposed_and_strided_of_14_on_4", "x4", 14, 4, dict(base=3, stride=2, low=1, high=1)),
        ("same_of_3_on_8", "x8", 3, 3, dict(low=1, high=1)),
        ("same_of_9_on_the_turned_4", "x4_turned", 9, 3, dict(low=1, high=1))]:
    groups = options.get("groups", 1)
    case(f"convolution_{name}", mesh, [((2, size, 4), POSITIONS), ((taps, 4 // groups, 4), "[{}, {}, {}]")],
         lambda p, x, k, o=options: p.convolution(x, k, **o))
case("convolution_of_two_axes", "x2y3", [((2, 13, 4), '[{}, {"x", "y"}, {}]'), ((3, 4, 4), "[{}, {}, {}]")],
     lambda p, x, k: p.convolution(x, k, low=1, high=1))
case("convolution_of_an_uneven_batch", "x4", [((5, 8, 4), '[{"x"}, {}, {}]'), ((3, 4, 4), "[{}, {}, {}]")],
     lambda p, x, k: p.convolution(x, k, low=1, high=1))

# Chains: what is moved several times is sent once, or at least not gathered.
moves("shift_and_add", "x4", (10, 4), ROWS, lambda p, x: p.add(x, p.pad(x, [1, 0], [-1, 0])))
moves("stencil_of_three", "x4", (10, 4), ROWS,
      lambda p, x: p.add(p.add(p.pad(x, [1, 0], [-1, 0]), p.pad(x, [-1, 0], [1, 0])), x))
moves("stencil_of_five_points", "x2y2", (8, 8), BOTH,
      lambda p, x: p.add(p.add(p.pad(x, [1, 0], [-1, 0]), p.pad(x, [-1, 0], [1, 0])),
                         p.add(p.pad(x, [0, 1], [0, -1]), p.pad(x, [0, -1], [0, 1]))))
moves("difference_of_neighbours", "x4", (11, 4), ROWS,
      lambda p, x: p.add(p.slice(x, [1, 0], [11, 4]), p.slice(x, [0, 0], [10, 4])))
moves("pad_and_slice", "x4", (10, 4), ROWS, lambda p, x: p.slice(p.pad(x, [2, 0], [2, 0]), [1, 0], [11, 4]))
# One row for the slice, and then whole blocks.
moves("reverse_of_a_slice", "x4", (12, 4), ROWS, lambda p, x: p.reverse(p.slice(x, [1, 0], [12, 4]), [0]), exceeds=16)
moves("two_convolutions_in_a_row", "x4", (10, 4), ROWS,
      lambda p, x: p.reduce_window(p.reduce_window(x, [3, 1], None, [(1, 1), (0, 0)]), [3, 1], None,
                                   [(1, 1), (0, 0)]))

# Gather, scatter, dynamic slices: who has an index computes. What comes back is summed up.
case("take_of_uneven_rows", "x4", [((10, 4), ROWS), ((3, 1), "[{}, {}]")], lambda p, x, i: p.take_rows(x, i),
     to="[{}, {}]", received=2 * 3 * 16 * 3 // 4)  # all_reduce of 3 rows of 16 bytes
case("take_by_uneven_indices", "x4", [((10, 4), "[{}, {}]"), ((7, 1), ROWS)], lambda p, x, i: p.take_rows(x, i),
     to=ROWS, received=0)
case("take_from_more_devices_than_rows", "x8", [((3, 4), ROWS), ((2, 1), "[{}, {}]")],
     lambda p, x, i: p.take_rows(x, i), to="[{}, {}]", received=2 * 2 * 16 * 7 // 8)
case("add_to_uneven_rows", "x4", [((10, 4), ROWS), ((3, 1), "[{}, {}]"), ((3, 4), "[{}, {}]")],
     lambda p, x, i, u: p.add_rows(x, i, u), received=0)
case("add_to_rows_of_two_axes", "x2y3", [((11, 4), ROWS_XY), ((3, 1), "[{}, {}]"), ((3, 4), "[{}, {}]")],
     lambda p, x, i, u: p.add_rows(x, i, u), received=0)
case("dynamic_slice_of_uneven_rows", "x4", [((10, 4), ROWS), ((), "[]")],
     lambda p, x, i: p.dynamic_slice(x, [i, p.constant(0)], [2, 4]), to="[{}, {}]",
     received=2 * 2 * 16 * 3 // 4)
case("dynamic_update_of_uneven_rows", "x4", [((10, 4), ROWS), ((2, 4), "[{}, {}]"), ((), "[]")],
     lambda p, x, u, i: p.dynamic_update_slice(x, u, [i, p.constant(0)]), received=0)
case("dynamic_update_of_rows_of_two_axes", "x2y3", [((11, 4), ROWS_XY), ((2, 4), "[{}, {}]"), ((), "[]")],
     lambda p, x, u, i: p.dynamic_update_slice(x, u, [i, p.constant(0)]), received=0)
case("dynamic_update_of_more_devices_than_rows", "x8", [((3, 4), ROWS), ((2, 4), "[{}, {}]"), ((), "[]")],
     lambda p, x, u, i: p.dynamic_update_slice(x, u, [i, p.constant(0)]), received=0)

# Sorts, reductions, products.
moves("sort_of_columns_of_uneven_rows", "x4", (10, 5), ROWS, lambda p, x: p.sort(x, 1))
moves("sort_of_columns_over_two_axes", "x2y3", (7, 5), ROWS_XY, lambda p, x: p.sort(x, 1))
moves("sum_of_uneven_rows", "x4", (10, 5), ROWS, lambda p, x: p.reduce(x, [0]), to="[{}]",
      received=2 * 20 * 3 // 4)
moves("sum_of_rows_of_more_devices_than_rows", "x8", (3, 8), ROWS, lambda p, x: p.reduce(x, [0]), to="[{}]",
      received=2 * 32 * 7 // 8)
moves("sum_of_columns_of_uneven_rows", "x4", (10, 5), ROWS, lambda p, x: p.reduce(x, [1]), to='[{"x"}]')
moves("maximum_over_one_of_two_axes", "x2y3", (7, 8), BOTH,
      lambda p, x: p.reduce(x, [1], "maximum", -2147483648), to='[{"x"}]', received=2 * 4 * 4 * 2 // 3 + 1)
moves("sum_of_uneven_rows_into_parts", "x4", (10, 8), ROWS, lambda p, x: p.reduce(x, [0]), to='[{"x"}]',
      received=32 * 3 // 4)
case("product_of_uneven_rows", "x4", [((10, 6), ROWS), ((6, 4), "[{}, {}]")], lambda p, x, y: p.dot(x, y),
     received=0)
case("product_over_an_uneven_sum", "x4", [((4, 10), COLUMNS), ((10, 4), ROWS)], lambda p, x, y: p.dot(x, y),
     to="[{}, {}]", received=2 * 64 * 3 // 4)
case("product_over_an_uneven_sum_into_parts", "x4", [((4, 10), COLUMNS), ((10, 4), ROWS)],
     lambda p, x, y: p.dot(x, y), to=ROWS, received=64 * 3 // 4)
case("product_of_uneven_batches", "x3", [((7, 4, 5), '[{"x"}, {}, {}]'), ((7, 5, 4), '[{"x"}, {}, {}]')],
     lambda p, x, y: p.dot(x, y, ((2,), (1,)), ((0,), (0,))), received=0)

# A constraint whose users all work from what it constrains moves nothing.
moves("constraint_on_the_way", "x4", (8, 8), ROWS, lambda p, x: p.reverse(p.constrain(x, COLUMNS), [1]))

# Several meshes. An order of devices is another name for who has what.
for name, mesh, shape, sharding, to in [
        ("even_rows_to_the_turned_order", "x4", (8, 4), ROWS, "x4_turned: " + ROWS),
        ("uneven_rows_to_the_turned_order", "x4", (10, 4), ROWS, "x4_turned: " + ROWS),
        ("uneven_rows_to_the_order_from_the_back", "x4", (9, 4), ROWS, "x4_back: " + ROWS),
        ("more_devices_than_rows_to_the_turned_order", "x4", (3, 4), ROWS, "x4_turned: " + ROWS),
        ("both_to_the_turned_order", "x2y2", (7, 5), BOTH, "x2y2_turned: " + BOTH),
        ("rows_of_two_axes_to_the_turned_order", "x2y3", (13, 4), ROWS_XY, "x2y3_turned: " + ROWS_XY)]:
    moves(f"meshes_{name}", mesh, shape, sharding, lambda p, x: p.add(x, x), to=to)
moves("meshes_there_and_back", "x4", (10, 4), ROWS,
      lambda p, x: p.add(p.constrain(p.add(x, x), "x4_turned: " + ROWS), p.iota((10, 4), 0)), received=2 * 3 * 16)
# The row of a neighbour, then all three rows to another device.
moves("meshes_slice_in_the_turned_order", "x4", (10, 4), ROWS,
      lambda p, x: p.slice(x, [1, 0], [10, 4]), to="x4_turned: " + ROWS, exceeds=16)
case("meshes_operands_in_two_orders", "x4", [((10, 4), ROWS), ((10, 4), "x4_turned: " + ROWS)],
     lambda p, x, y: p.add(x, y))
# Single devices.
# Padding is gathered, too: three rows of each other device.
moves("device_result_of_uneven_rows", "x4", (10, 4), ROWS, lambda p, x: p.on_device(x, "d2"), to="d2: []",
      exceeds=2 * 16)
case("device_argument_to_uneven_rows", "x4", [((10, 4), "d2: []"), ((10, 4), ROWS)], lambda p, x, y: p.add(x, y),
     to=ROWS, received=160)  # All of it to every device: a collective_broadcast.
moves("device_in_the_middle", "x4", (10, 4), ROWS, lambda p, x: p.on_device(p.add(x, x), "d0"),
      received=3 * 3 * 16 + 160)
