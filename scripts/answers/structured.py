# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops with regions, contractions, control flow, calls, tokens, tuples and lone collectives."""

import numpy as np

from .case import Case, array, op_case, type_of


def region(op, element):
    """A region that combines two scalars by an op."""
    t = f"tensor<{element}>"
    return (f"{{ ^bb0(%a: {t}, %b: {t}): %x = stablehlo.{op} %a, %b : {t} "
            f"stablehlo.return %x : {t} }}")


def comparator(direction, elements, kind="TOTALORDER"):
    """A sort region that compares the first input."""
    arguments = ", ".join(f"%a{i}: tensor<{e}>, %b{i}: tensor<{e}>" for i, e in enumerate(elements))
    t = f"tensor<{elements[0]}>"
    return (f"{{ ^bb0({arguments}): %x = stablehlo.compare {direction}, %a0, %b0, {kind} : "
            f"({t}, {t}) -> tensor<i1> stablehlo.return %x : tensor<i1> }}")


def reductions():
    """reduce, reduce_window, select_and_scatter, scatter, map."""
    grid = array(np.arange(6).reshape(2, 3) - 2, "f32")
    for op, start in (("add", 0.0), ("multiply", 1.0), ("maximum", -np.inf), ("minimum", np.inf)):
        for element in ("f32", "f64", "bf16", "i32", "ui8", "i1"):
            limits = {"maximum": -1000.0, "minimum": 100.0}
            first = start if element.startswith(("f", "b")) else limits.get(op, start)
            if element == "ui8":
                first = max(first, 0)
            if element == "i1":
                first = op in ("multiply", "minimum")
            x = array(np.abs(grid) if element == "ui8" else grid, element)
            yield Case(f"reduce_{op}_{element}", [x, array(first, element)],
                       f"%r0 = stablehlo.reduce($0 init: $1) applies stablehlo.{op} across "
                       f"dimensions = [1] : ({type_of(x)}, tensor<{element}>) -> "
                       f"tensor<2x{element}>", [f"tensor<2x{element}>"], 1e-2 if element == "bf16"
                       else 0.0)
    yield Case("reduce_everything_and_nothing", [grid, array(0.0, "f32")],
               "%r0 = stablehlo.reduce($0 init: $1) applies stablehlo.add across dimensions = [0, 1]"
               " : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>\n"
               "%r1 = stablehlo.reduce($0 init: $1) applies stablehlo.add across dimensions = [] : "
               "(tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>",
               ["tensor<f32>", "tensor<2x3xf32>"])
    # bf16 elements, an f32 region: the result is f32. XLA's importer refuses mixed types.
    small = array([[1.0, 0.0078125, 0.0078125]], "bf16")
    yield op_case("reduce_promotes_to_region_type", "stablehlo.reduce",
                  [small, array(0.0, "bf16")], ["tensor<1xf32>"],
                  attributes="dimensions = array<i64: 1>", regions=region("add", "f32"),
                  expected=[array([1.015625], "f32")])
    window = ("window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 2>, "
              "padding = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>")
    board = array([[1, 5, 2], [7, -3, 4]], "i32")
    yield op_case("reduce_window_maximum", "stablehlo.reduce_window",
                  [board, array(-100, "i32")], ["tensor<2x2xi32>"], attributes=window,
                  regions=region("maximum", "i32"))
    yield op_case("reduce_window_two_inputs", "stablehlo.reduce_window",
                  [board, array(board * 2, "f32"), array(0, "i32"), array(0.0, "f32")],
                  ["tensor<2x2xi32>", "tensor<2x2xf32>"], attributes=window,
                  regions="{ ^bb0(%a: tensor<i32>, %b: tensor<f32>, %c: tensor<i32>, "
                  "%d: tensor<f32>): %x = stablehlo.add %a, %c : tensor<i32> "
                  "%y = stablehlo.add %b, %d : tensor<f32> "
                  "stablehlo.return %x, %y : tensor<i32>, tensor<f32> }")
    line = array([1.0, 4.0, 4.0, -2.0, 3.0], "f32")
    ge = ("{ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %x = stablehlo.compare GE, %a, %b, FLOAT : "
          "(tensor<f32>, tensor<f32>) -> tensor<i1> stablehlo.return %x : tensor<i1> }")
    yield op_case("select_and_scatter_f32", "stablehlo.select_and_scatter",
                  [line, array([10.0, 20.0, 30.0], "f32"), array(0.0, "f32")], ["tensor<5xf32>"],
                  attributes="window_dimensions = array<i64: 3>, window_strides = array<i64: 2>, "
                  "padding = dense<[[1, 1]]> : tensor<1x2xi64>",
                  regions=ge + ", " + region("add", "f32"))
    scatter = ("scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
               "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
               "index_vector_dim = 1>")
    for op in ("add", "multiply", "maximum"):
        yield op_case(f"scatter_{op}_duplicates", "stablehlo.scatter",
                      [board, array([[1], [1], [5], [-1]], "i32"),
                       array(np.arange(12).reshape(4, 3), "i32")], ["tensor<2x3xi32>"],
                      attributes=scatter, regions=region(op, "i32"))
    yield op_case("scatter_two_inputs", "stablehlo.scatter",
                  [board, array(board, "f32"), array([[1]], "i32"), array([[1, 2, 3]], "i32"),
                   array([[0.5, 0.5, 0.5]], "f32")], ["tensor<2x3xi32>", "tensor<2x3xf32>"],
                  attributes=scatter,
                  regions="{ ^bb0(%a: tensor<i32>, %b: tensor<f32>, %c: tensor<i32>, "
                  "%d: tensor<f32>): %x = stablehlo.add %a, %c : tensor<i32> "
                  "%y = stablehlo.multiply %b, %d : tensor<f32> "
                  "stablehlo.return %x, %y : tensor<i32>, tensor<f32> }")
    yield op_case("scatter_nothing", "stablehlo.scatter",
                  [board, array(np.zeros((0, 1)), "i32"), array(np.zeros((0, 3)), "i32")],
                  ["tensor<2x3xi32>"], attributes=scatter, regions=region("add", "i32"))
    yield op_case("map_two_inputs", "stablehlo.map",
                  [array([1.0, 2.0, 3.0], "f32"), array([0.5, 0.25, 2.0], "f32")],
                  ["tensor<3xf32>"], attributes="dimensions = array<i64: 0>",
                  regions="{ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %x = stablehlo.multiply %a, %b "
                  ": tensor<f32> %y = stablehlo.subtract %x, %a : tensor<f32> "
                  "stablehlo.return %y : tensor<f32> }")


def regions_with_calls():
    """Regions that call functions; XLA's importer knows no calls in regions."""
    line = array([3.0, -1.0, 4.0, -2.0], "f32")
    start = array(0.0, "f32")
    t = "tensor<f32>"
    yield Case("reduce_with_call", [line, start],
               f'%r0 = "stablehlo.reduce"($0, $1) <{{dimensions = array<i64: 0>}}> ({{ ^bb0(%a: {t},'
               f" %b: {t}): %x = func.call @twice(%b) : ({t}) -> {t} %y = func.call @twice(%x) : "
               f"({t}) -> {t} %z = stablehlo.add %a, %y : {t} stablehlo.return %z : {t} }}) : "
               f"(tensor<4xf32>, {t}) -> {t}", [t],
               functions=f"func.func private @twice(%x: {t}) -> {t} {{ %0 = stablehlo.add %x, %x : "
               f"{t} return %0 : {t} }}", expected=[array(16.0, "f32")])


def sorts():
    """sort: stability, NaN, dimensions, several inputs."""
    values = array([3.0, np.nan, -0.0, 0.0, -np.inf, 3.0, -1.0], "f32")
    order = array(np.arange(7), "i32")
    for direction in ("LT", "GT"):
        yield op_case(f"sort_{direction}_total_order", "stablehlo.sort", [values, order],
                      ["tensor<7xf32>", "tensor<7xi32>"],
                      attributes="dimension = 0 : i64, is_stable = true",
                      regions=comparator(direction, ["f32", "i32"]))
    yield op_case("sort_first_dimension", "stablehlo.sort",
                  [array([[3, 1], [1, 2], [2, 0]], "i32")], ["tensor<3x2xi32>"],
                  attributes="dimension = 0 : i64, is_stable = true",
                  regions=comparator("LT", ["i32"], "SIGNED"))
    yield op_case("sort_unsigned", "stablehlo.sort", [array([200, 3, 255, 0], "ui8")],
                  ["tensor<4xui8>"], attributes="dimension = -1 : i64, is_stable = true",
                  regions=comparator("LT", ["ui8"], "UNSIGNED"))
    yield op_case("sort_empty", "stablehlo.sort", [array(np.zeros((2, 0)), "f32")],
                  ["tensor<2x0xf32>"], attributes="dimension = 1 : i64, is_stable = true",
                  regions=comparator("LT", ["f32"]))


def contractions():
    """dot_general, dot, convolution."""
    a = array(np.arange(12).reshape(2, 2, 3) - 4, "f32")
    b = array(np.arange(12).reshape(2, 3, 2) / 2, "f32")
    yield Case("dot_general_batched", [a, b],
               "%r0 = stablehlo.dot_general $0, $1, batching_dims = [0] x [0], contracting_dims = "
               "[2] x [1] : (tensor<2x2x3xf32>, tensor<2x3x2xf32>) -> tensor<2x2x2xf32>",
               ["tensor<2x2x2xf32>"])
    yield Case("dot_general_outer", [array([1, 2], "i32"), array([3, 4, 5], "i32")],
               "%r0 = stablehlo.dot_general $0, $1, contracting_dims = [] x [] : "
               "(tensor<2xi32>, tensor<3xi32>) -> tensor<2x3xi32>", ["tensor<2x3xi32>"])
    yield Case("dot_general_bf16_to_f32", [array(a, "bf16"), array(b, "bf16")],
               "%r0 = stablehlo.dot_general $0, $1, batching_dims = [0] x [0], contracting_dims = "
               "[2] x [1] : (tensor<2x2x3xbf16>, tensor<2x3x2xbf16>) -> tensor<2x2x2xf32>",
               ["tensor<2x2x2xf32>"])
    for name, left, right, result in (
            ("matrix", a[0], b[0], "tensor<2x2xf32>"),
            ("vector", a[0, 0], b[0], "tensor<2xf32>"),
            ("inner", a[0, 0], b[0, :, 0], "tensor<f32>")):
        yield Case(f"dot_legacy_{name}", [left, right],
                   f"%r0 = stablehlo.dot $0, $1 : ({type_of(left)}, {type_of(right)}) -> {result}",
                   [result])
    image = array(np.arange(32).reshape(1, 4, 4, 2) / 8, "f32")
    kernel = array(np.arange(24).reshape(2, 2, 2, 3) - 11, "f32")
    yield Case("convolution_2d", [image, kernel],
               "%r0 = stablehlo.convolution($0, $1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->"
               "[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 0], [0, 1]], rhs_dilate = "
               "[1, 2], reverse = [false, true]} {batch_group_count = 1 : i64, "
               "feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<2x2x2x3xf32>) -> "
               "tensor<1x2x3x3xf32>", ["tensor<1x2x3x3xf32>"], 1e-6)


def control_flow():
    """if, case, while, optimization_barrier, composite, calls, tokens, tuples."""
    t = "tensor<i32>"
    yield Case("if_both_ways", [array(True, "i1"), array(False, "i1"), array(1, "i32"),
                                array(2, "i32")],
               "\n".join(f'%r{i} = "stablehlo.if"(${i}) ({{ stablehlo.return $2 : {t} }}, '
                         f"{{ stablehlo.return $3 : {t} }}) : (tensor<i1>) -> {t}"
                         for i in range(2)), [t, t])
    yield Case("case_in_range", [array(1, "i32"), array(10, "i32"), array(20, "i32")],
               f'%r0 = "stablehlo.case"($0) ({{ stablehlo.return $1 : {t} }}, '
               f"{{ stablehlo.return $2 : {t} }}) : ({t}) -> {t}", [t])
    yield Case("while_sums_to_ten", [array(0, "i32"), array(5, "i32"), array(1, "i32")],
               f"%r0, %r1 = stablehlo.while(%i = $0, %s = $0) : {t}, {t} cond {{ "
               f"%p = stablehlo.compare LT, %i, $1, SIGNED : ({t}, {t}) -> tensor<i1> "
               f"stablehlo.return %p : tensor<i1> }} do {{ %n = stablehlo.add %i, $2 : {t} "
               f"%m = stablehlo.add %s, %i : {t} stablehlo.return %n, %m : {t}, {t} }}", [t, t])
    yield Case("while_never_runs", [array(9, "i32"), array(5, "i32")],
               f"%r0 = stablehlo.while(%i = $0) : {t} cond {{ %p = stablehlo.compare LT, %i, $1, "
               f"SIGNED : ({t}, {t}) -> tensor<i1> stablehlo.return %p : tensor<i1> }} do {{ "
               f"stablehlo.return %i : {t} }}", [t])
    yield Case("optimization_barrier_passes_on", [array(3, "i32"), array([1.0], "f32")],
               f"%r0, %r1 = stablehlo.optimization_barrier $0, $1 : {t}, tensor<1xf32>",
               [t, "tensor<1xf32>"])
    yield Case("composite_calls_its_decomposition", [array(3, "i32")],
               f'%r0 = stablehlo.composite "my.twice" $0 {{decomposition = @twice}} : ({t}) -> {t}',
               [t], functions=f"func.func private @twice(%x: {t}) -> {t} {{ %0 = stablehlo.add %x, "
               f"%x : {t} return %0 : {t} }}", expected=[array(6, "i32")])
    yield Case("call_of_a_function", [array(3, "i32")], f"%r0 = call @twice($0) : ({t}) -> {t}",
               [t], functions=f"func.func private @twice(%x: {t}) -> {t} {{ %0 = stablehlo.add %x, "
               f"%x : {t} return %0 : {t} }}")
    yield Case("custom_call_sharding_is_identity", [array(3, "i32")],
               f'%r0 = stablehlo.custom_call @Sharding($0) {{mhlo.sharding = "{{replicated}}"}} : '
               f"({t}) -> {t}", [t], expected=[array(3, "i32")])
    yield Case("tokens_order_nothing", [array(3, "i32")],
               "%t0 = stablehlo.create_token : !stablehlo.token\n"
               "%t1 = stablehlo.after_all %t0, %t0 : !stablehlo.token\n"
               f"%r0, %t2 = stablehlo.optimization_barrier $0, %t1 : {t}, !stablehlo.token", [t])
    pair = f"tuple<{t}, tensor<2xf32>>"
    yield Case("tuples_hold_values", [array(3, "i32"), array([1.0, 2.0], "f32")],
               f"%t0 = stablehlo.tuple $0, $1 : {pair}\n"
               f"%t1 = stablehlo.tuple %t0, $0 : tuple<{pair}, {t}>\n"
               f"%t2 = stablehlo.get_tuple_element %t1[0] : (tuple<{pair}, {t}>) -> {pair}\n"
               f"%r0 = stablehlo.get_tuple_element %t2[1] : ({pair}) -> tensor<2xf32>\n"
               f"%r1 = stablehlo.get_tuple_element %t1[1] : (tuple<{pair}, {t}>) -> {t}",
               ["tensor<2xf32>", t])


def scan(name, inputs, inits, outputs, dim, body, attributes="", **more):
    """A case of chlo.scan. `body` is in terms of %a0, %a1, ... (slices) and %b0, ... (carries)."""
    def of(kind, values):
        return [f"%{kind}{i}: {type_of(v)}" for i, v in enumerate(values)]

    def names(first, values):
        return ", ".join(f"${first + i}" for i in range(len(values)))

    slices = [np.zeros(np.delete(x.shape, dim), x.dtype) for x in inputs]
    results = outputs + [type_of(init) for init in inits]
    head = ", ".join(f"%r{i}" for i in range(len(results)))
    taken = ", ".join(type_of(value) for value in inputs + inits)
    text = f" attributes {{{attributes}}}" if attributes else ""
    return Case(name, inputs + inits,
                f"{head} = chlo.scan({names(0, inputs)}) inits ({names(len(inputs), inits)}) "
                f"dimension={dim}{text} {{ ^bb0({', '.join(of('a', slices) + of('b', inits))}): "
                f"{body} }} : ({taken}) -> ({', '.join(results)})", results, **more)


def scans():
    """chlo.scan: forward and back, several inputs and carries, bodies that mix elements."""
    grid = array(np.arange(8).reshape(2, 4) - 3, "f32")
    start = array([10, 20], "f32")
    t = "tensor<2xf32>"
    both = f"stablehlo.return %s, %s : {t}, {t}"
    for direction in ("false", "true"):
        yield scan(f"scan_sums_reverse_{direction}", [grid], [start], ["tensor<2x4xf32>"], 1,
                   f"%s = stablehlo.add %a0, %b0 : {t} {both}", f"is_reverse = {direction}")
    yield scan("scan_first_dimension", [array(np.arange(6).reshape(3, 2), "i64")],
               [array([1, 2], "i64")], ["tensor<3x2xi64>"], 0,
               "%s = stablehlo.multiply %a0, %b0 : tensor<2xi64> "
               "%u = stablehlo.subtract %s, %a0 : tensor<2xi64> "
               "stablehlo.return %u, %s : tensor<2xi64>, tensor<2xi64>", "is_associative = false")
    yield scan("scan_of_scalars", [array([5, 250, 7], "ui8")], [array(1, "ui8")],
               ["tensor<3xui8>"], 0, "%s = stablehlo.maximum %a0, %b0 : tensor<ui8> "
               "stablehlo.return %s, %s : tensor<ui8>, tensor<ui8>")
    yield scan("scan_gives_the_old_carry", [grid], [start], ["tensor<2x4xf32>"], 1,
               f"%s = stablehlo.add %a0, %b0 : {t} stablehlo.return %b0, %s : {t}, {t}")
    yield scan("scan_exchanges_carries", [array([True, False, True], "i1")],
               [array(1, "i32"), array(2, "i32")], ["tensor<3xi32>"], 0,
               "stablehlo.return %b0, %b1, %b0 : tensor<i32>, tensor<i32>, tensor<i32>")
    yield scan("scan_mixes_elements", [grid], [start], ["tensor<2x4xf32>"], 1,
               f"%x = stablehlo.reverse %b0, dims = [0] : {t} %s = stablehlo.add %a0, %x : {t} "
               f"{both}")
    yield scan("scan_middle_dimension_two_inputs",
               [array(np.arange(12).reshape(2, 3, 2), "f32"),
                array(np.arange(12).reshape(2, 3, 2) % 5, "i32")],
               [array(np.ones((2, 2)), "f32")], ["tensor<2x3x2xf32>"], 1,
               "%k = stablehlo.constant dense<2.0> : tensor<2x2xf32> "
               "%f = stablehlo.convert %a1 : (tensor<2x2xi32>) -> tensor<2x2xf32> "
               "%m = stablehlo.multiply %b0, %k : tensor<2x2xf32> "
               "%s = stablehlo.add %m, %f : tensor<2x2xf32> "
               "%u = stablehlo.subtract %s, %a0 : tensor<2x2xf32> "
               "stablehlo.return %u, %s : tensor<2x2xf32>, tensor<2x2xf32>")
    yield scan("scan_of_nothing", [array(np.zeros((2, 0)), "f32")], [start], ["tensor<2x0xf32>"],
               1, f"%s = stablehlo.add %a0, %b0 : {t} {both}",
               expected=[array(np.zeros((2, 0)), "f32"), start])
    yield scan("scan_without_carries", [grid], [], ["tensor<2x4xf32>"], 1,
               f"%s = stablehlo.add %a0, %a0 : {t} stablehlo.return %s : {t}")
    yield scan("scan_without_inputs", [], [start], ["tensor<2x3xf32>"], 1,
               f"%s = stablehlo.add %b0, %b0 : {t} {both}", "scan_dim_size = 3 : i64")


def collectives():
    """Collectives of a program on one device: groups of one process."""
    x = array([[1.0, 2.0], [3.0, 4.0]], "f32")
    groups = "replica_groups = dense<0> : tensor<1x1xi64>"
    t = type_of(x)
    yield op_case("all_gather_alone", "stablehlo.all_gather", [x], [t],
                  attributes=f"all_gather_dim = 0 : i64, {groups}")
    yield op_case("all_reduce_alone", "stablehlo.all_reduce", [x], [t], attributes=groups,
                  regions=region("add", "f32"))
    yield op_case("reduce_scatter_alone", "stablehlo.reduce_scatter", [x], [t],
                  attributes=f"{groups}, scatter_dimension = 1 : i64",
                  regions=region("add", "f32"))
    yield op_case("all_to_all_alone", "stablehlo.all_to_all", [x], [t],
                  attributes=f"concat_dimension = 0 : i64, {groups}, split_count = 1 : i64, "
                  "split_dimension = 1 : i64")
    yield op_case("collective_permute_to_itself", "stablehlo.collective_permute", [x], [t],
                  attributes="source_target_pairs = dense<0> : tensor<1x2xi64>")
    yield op_case("collective_permute_from_nobody", "stablehlo.collective_permute", [x], [t],
                  attributes="source_target_pairs = dense<> : tensor<0x2xi64>",
                  expected=[np.zeros_like(x)])
    yield op_case("collective_broadcast_alone", "stablehlo.collective_broadcast", [x], [t],
                  attributes=groups, expected=[x])
    for op in ("partition_id", "replica_id"):
        yield Case(f"{op}_alone", [], f"%r0 = stablehlo.{op} : tensor<ui32>", ["tensor<ui32>"])


def cases():
    """All cases of the family."""
    for part in (reductions, regions_with_calls, sorts, contractions, control_flow, scans,
                 collectives):
        yield from part()
