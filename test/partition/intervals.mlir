// Ops that read more of a dimension than their part of it fetch an interval.
// RUN: shardwise-opt %s -split-input-file -sdy-convert-global-to-local -cse | FileCheck %s

sdy.mesh @mesh = <["x"=4]>

// Each neighbour sends what the windows reach; devices at the ends receive zeros.
// CHECK-LABEL: func @convolution
func.func @convolution(%a: tensor<1x16x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %k: tensor<4x2x3xf32>)
    -> (tensor<1x16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
  // CHECK: %[[TAIL:.*]] = stablehlo.slice %arg0 [0:1, 2:4, 0:2]
  // CHECK: %[[BEFORE:.*]] = "stablehlo.collective_permute"(%[[TAIL]])
  // CHECK-SAME{LITERAL}: source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]>
  // CHECK: %[[HEAD:.*]] = stablehlo.slice %arg0 [0:1, 0:1, 0:2]
  // CHECK: %[[BEHIND:.*]] = "stablehlo.collective_permute"(%[[HEAD]])
  // CHECK-SAME{LITERAL}: source_target_pairs = dense<[[1, 0], [2, 1], [3, 2]]>
  // CHECK: %[[INTERVAL:.*]] = stablehlo.concatenate %[[BEFORE]], %arg0, %[[BEHIND]], dim = 1 : {{.*}} -> tensor<1x7x2xf32>
  // CHECK: stablehlo.convolution(%[[INTERVAL]], %arg1)
  // CHECK-SAME{LITERAL}: pad = [[0, 0]]
  // CHECK-SAME: -> tensor<1x4x3xf32>
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<1x16x2xf32>, tensor<4x2x3xf32>) -> tensor<1x16x3xf32>
  return %0 : tensor<1x16x3xf32>
}

// A dilated input begins and ends between elements: that stays padding.
// CHECK-LABEL: func @transposedConvolution
func.func @transposedConvolution(%a: tensor<1x16x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %k: tensor<3x2x3xf32>)
    -> (tensor<1x32x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
  // CHECK: stablehlo.convolution(
  // CHECK-SAME{LITERAL}: pad = [[1, 0]]
  // CHECK-SAME: (tensor<1x5x2xf32>, tensor<3x2x3xf32>) -> tensor<1x8x3xf32>
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 2]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<1x16x2xf32>, tensor<3x2x3xf32>) -> tensor<1x32x3xf32>
  return %0 : tensor<1x32x3xf32>
}

// A cut kernel meets its part of the input in every window; the results are partial.
// CHECK-LABEL: func @filterGradient
func.func @filterGradient(%a: tensor<1x16x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>},
                          %k: tensor<16x2x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> tensor<1x3x3xf32> {
  // CHECK: stablehlo.convolution(
  // CHECK-SAME{LITERAL}: pad = [[0, 0]]
  // CHECK-SAME: (tensor<1x6x2xf32>, tensor<4x2x3xf32>) -> tensor<1x3x3xf32>
  // CHECK: stablehlo.all_reduce
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}], unreduced={"x"}>]>} : (tensor<1x16x2xf32>, tensor<16x2x3xf32>) -> tensor<1x3x3xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}, {}]> : tensor<1x3x3xf32>
  return %1 : tensor<1x3x3xf32>
}

// Where the op pads with something else than zero, the ends have that.
// CHECK-LABEL: func @pool
func.func @pool(%a: tensor<16x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK: %[[LOWEST:.*]] = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  // CHECK: %[[PART:.*]] = "stablehlo.collective_permute"
  // CHECK-SAME{LITERAL}: source_target_pairs = dense<[[1, 0], [2, 1], [3, 2]]>
  // CHECK: %[[IS_SENT:.*]] = stablehlo.compare LT, %{{.*}}, %{{.*}}
  // CHECK: %[[OUTSIDE:.*]] = stablehlo.broadcast_in_dim %[[LOWEST]]
  // CHECK: %[[BEHIND:.*]] = stablehlo.select %[[IS_SENT]], %[[PART]], %[[OUTSIDE]]
  // CHECK: stablehlo.concatenate %arg0, %[[BEHIND]], dim = 0
  // CHECK: "stablehlo.reduce_window"
  // CHECK-SAME: padding = dense<0>
  %0 = "stablehlo.reduce_window"(%a, %lowest) <{padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %1 = stablehlo.maximum %l, %r : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<16x2xf32>, tensor<f32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}

// Intervals that do not move with the blocks: each device looks up what it sends, and where it puts
// what it receives.
// CHECK-LABEL: func @slice
func.func @slice(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK-DAG: stablehlo.constant dense<0.000000e+00>
  // CHECK: "stablehlo.collective_permute"
  // CHECK-SAME{LITERAL}: source_target_pairs = dense<[[1, 0], [2, 3]]>
  // CHECK: stablehlo.dynamic_update_slice
  // CHECK: %[[INTERVAL:.*]] = stablehlo.slice
  // CHECK: return
  %0 = stablehlo.slice %a [4:12] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Everybody has what one other wants: nothing is put together.
// CHECK-LABEL: func @reverse
func.func @reverse(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK-NEXT: %[[BLOCK:.*]] = "stablehlo.collective_permute"(%arg0)
  // CHECK-SAME{LITERAL}: source_target_pairs = dense<[[3, 0], [2, 1], [1, 2], [0, 3]]>
  // CHECK-NEXT: %[[TURNED:.*]] = stablehlo.reverse %[[BLOCK]], dims = [0]
  // CHECK-NEXT: return %[[TURNED]]
  %0 = stablehlo.reverse %a, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// Nothing has to be sent for every second element.
// CHECK-LABEL: func @stride
func.func @stride(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK-NEXT: %[[OWN:.*]] = stablehlo.slice %arg0 [1:4]
  // CHECK-NEXT: stablehlo.slice %[[OWN]] [0:3:2] : (tensor<3xf32>) -> tensor<2xf32>
  // CHECK-NEXT: return
  %0 = stablehlo.slice %a [1:16:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// What is wanted whole is gathered.
// CHECK-LABEL: func @sumOfAll
func.func @sumOfAll(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: %[[ALL:.*]] = "stablehlo.all_gather"(%arg0)
  // CHECK: %[[PADDED:.*]] = stablehlo.concatenate %{{.*}}, %[[ALL]], %{{.*}}, dim = 0
  // CHECK: %[[INTERVAL:.*]] = stablehlo.dynamic_slice %[[PADDED]], %{{.*}}, sizes = [34]
  // CHECK: "stablehlo.reduce_window"(%[[INTERVAL]]
  %0 = "stablehlo.reduce_window"(%a, %zero) <{padding = dense<15> : tensor<1x2xi64>, window_dimensions = array<i64: 31>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %1 = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// Operands are fetched to where they are in the result.
// CHECK-LABEL: func @concatenate
func.func @concatenate(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK: "stablehlo.collective_permute"
  // CHECK: %[[FROM_SECOND:.*]] = stablehlo.compare GE
  // CHECK: %[[MASK:.*]] = stablehlo.broadcast_in_dim %[[FROM_SECOND]]
  // CHECK: %[[JOINED:.*]] = stablehlo.select %[[MASK]]
  // CHECK-NEXT: return %[[JOINED]]
  %0 = stablehlo.concatenate %a, %b, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// A device scatters from all windows that reach into its part, and keeps what is in it. The first of
// them are not there for x=0, the last ones not for x=3.
// CHECK-LABEL: func @selectAndScatter
func.func @selectAndScatter(%a: tensor<20xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %s: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<20xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK: %[[BEHIND_FIRST:.*]] = stablehlo.convert %{{.*}} : (tensor<i1>) -> tensor<i32>
  // CHECK: %[[LAST:.*]] = stablehlo.convert %{{.*}} : (tensor<i1>) -> tensor<i32>
  // CHECK: %[[PLACE:.*]] = stablehlo.add %[[BEHIND_FIRST]], %[[LAST]]
  // CHECK: "stablehlo.case"(%[[PLACE]])
  // CHECK: slice %[[ELEMENTS:.*]] [4:13]
  // CHECK: slice %[[SOURCE:.*]] [4:9]
  // CHECK: "stablehlo.select_and_scatter"
  // CHECK: (tensor<9xf32>, tensor<5xf32>, tensor<f32>) -> tensor<9xf32>
  // CHECK: stablehlo.pad %{{.*}}, low = [0], high = [-4], interior = [0]
  // CHECK: "stablehlo.select_and_scatter"(%[[ELEMENTS]], %[[SOURCE]]
  // CHECK: (tensor<13xf32>, tensor<9xf32>, tensor<f32>) -> tensor<13xf32>
  // CHECK: stablehlo.pad %{{.*}}, low = [-4], high = [-4], interior = [0]
  // CHECK: slice %[[ELEMENTS]] [0:9]
  // CHECK: slice %[[SOURCE]] [0:5]
  // CHECK: stablehlo.pad %{{.*}}, low = [-4], high = [0], interior = [0]
  // CHECK: -> tensor<5xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%a, %s, %zero) <{window_dimensions = array<i64: 5>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %1 = stablehlo.compare GE, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %1 = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<20xf32>, tensor<16xf32>, tensor<f32>) -> tensor<20xf32>
  return %0 : tensor<20xf32>
}

// CHECK-LABEL: func @selectAndScatterOfWindowsSideBySide
func.func @selectAndScatterOfWindowsSideBySide(
    %a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %s: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK-NOT: collective_permute
  // CHECK: "stablehlo.select_and_scatter"(%arg0, %arg1
  // CHECK: (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%a, %s, %zero) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %1 = stablehlo.compare GE, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %1 = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>, tensor<8xf32>, tensor<f32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// 28 elements are blocks of 7, which begin in a window of 2 or between two: devices look up which window is
// their first, 7c / 2 rounded down, and drop the element in front of it.
// CHECK-LABEL: func @selectAndScatterThatDrifts
func.func @selectAndScatterThatDrifts(
    %a: tensor<28xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %s: tensor<14xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<28xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK: %[[WINDOW:.*]] = stablehlo.divide %{{.*}}, %{{.*}} : tensor<i32>
  // CHECK: %[[DROPPED:.*]] = stablehlo.dynamic_slice %{{.*}}, %{{.*}}, sizes = [8]
  // CHECK: "stablehlo.select_and_scatter"(%[[DROPPED]]
  // CHECK: (tensor<8xf32>, tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: %[[BLOCK:.*]] = stablehlo.dynamic_slice %{{.*}}, %{{.*}}, sizes = [7]
  // CHECK: return %[[BLOCK]]
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%a, %s, %zero) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %1 = stablehlo.compare GE, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %1 = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<28xf32>, tensor<14xf32>, tensor<f32>) -> tensor<28xf32>
  return %0 : tensor<28xf32>
}

// Blocks of 7 positions begin at an element and between two: a device pads one position more, and takes 7 of 8.
// CHECK-LABEL: func @padThatDrifts
func.func @padThatDrifts(%a: tensor<14xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<28xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK: %[[P:.*]] = stablehlo.pad %{{.*}}, %{{.*}}, low = [1], high = [0], interior = [1]{{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: %[[REST:.*]] = stablehlo.remainder %{{.*}}, %{{.*}} : tensor<i32>
  // CHECK: stablehlo.dynamic_slice %[[P]], %[[REST]], sizes = [7]
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %a, %zero, low = [0], high = [1], interior = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<14xf32>, tensor<f32>) -> tensor<28xf32>
  return %0 : tensor<28xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Two dimensions are fetched one after the other: the corners come with the second.
// CHECK-LABEL: func @corners
func.func @corners(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: "stablehlo.collective_permute"
  // CHECK-SAME{LITERAL}: dense<[[0, 2], [1, 3]]>
  // CHECK: "stablehlo.collective_permute"
  // CHECK-SAME{LITERAL}: dense<[[2, 0], [3, 1]]>
  // CHECK: %[[ROWS:.*]] = stablehlo.concatenate {{.*}} -> tensor<6x4xf32>
  // CHECK: stablehlo.slice %[[ROWS]] [0:6, 3:4]
  // CHECK: "stablehlo.collective_permute"
  // CHECK-SAME{LITERAL}: dense<[[0, 1], [2, 3]]>
  // CHECK: stablehlo.concatenate {{.*}} -> tensor<6x6xf32>
  %0 = "stablehlo.reduce_window"(%a, %zero) <{padding = dense<1> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 3>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %1 = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// What several ops want of a value is fetched once.
// CHECK-LABEL: func @once
func.func @once(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %k: tensor<8x8xf32>)
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK-COUNT-2: "stablehlo.collective_permute"
  // CHECK-NOT: "stablehlo.collective_permute"
  %0 = "stablehlo.reduce_window"(%a, %zero) <{padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %1 = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %2 = stablehlo.pad %a, %zero, low = [1, 0], high = [-1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  return %0, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}

// A value that a loop does not change is fetched before it.
// CHECK-LABEL: func @loop
func.func @loop(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %n: tensor<i32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %first = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  // CHECK: "stablehlo.collective_permute"
  // CHECK: stablehlo.while
  // CHECK-NOT: "stablehlo.collective_permute"
  %0:2 = stablehlo.while(%i = %first, %s = %a) : tensor<i32>, tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}]>]>}
  cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.pad %a, %zero, low = [1], high = [-1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %3 = stablehlo.add %s, %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    stablehlo.return %1, %3 : tensor<i32>, tensor<8xf32>
  }
  return %0#1 : tensor<8xf32>
}

// Of parts that overlap, the longest is sent.
// CHECK-LABEL: func @overlap
func.func @overlap(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: %[[SENT:.*]] = stablehlo.slice %arg0 [5:8]
  // CHECK: %[[PART:.*]] = "stablehlo.collective_permute"(%[[SENT]])
  // CHECK: stablehlo.slice %[[PART]] [2:3]
  // CHECK-NOT: "stablehlo.collective_permute"
  %0 = stablehlo.pad %a, %zero, low = [1], high = [-1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
  %1 = stablehlo.pad %a, %zero, low = [3], high = [-3], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}

// -----

sdy.mesh @mesh = <["x"=4, "y"=2]>

// Spatial dimensions may be named in any order: the last one is fetched along first here.
// CHECK-LABEL: func @convolutionOfAnImageOnItsSide
func.func @convolutionOfAnImageOnItsSide(%a: tensor<1x8x16x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {"x"}, {}]>}, %k: tensor<3x3x2x3xf32>)
    -> (tensor<1x8x16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {"x"}, {}]>}) {
  // CHECK: stablehlo.convolution(
  // CHECK-SAME{LITERAL}: pad = [[0, 0], [0, 0]]
  // CHECK-SAME: (tensor<1x6x6x2xf32>, tensor<3x3x2x3xf32>) -> tensor<1x4x4x3xf32>
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 1, 0, f]x[0, 1, i, o]->[b, 1, 0, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}, {"x"}, {}]>]>} : (tensor<1x8x16x2xf32>, tensor<3x3x2x3xf32>) -> tensor<1x8x16x3xf32>
  return %0 : tensor<1x8x16x3xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>

// Of 30 rows the last device has 6 and padding. What neighbours and windows read of that is what the pad
// has outside: one constant, or a value that is spread.
// CHECK-LABEL: func @unevenPad
func.func @unevenPad(%a: tensor<30x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %v: tensor<f32>)
    -> (tensor<30x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<30x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %seven = stablehlo.constant dense<7.0> : tensor<f32>
  // CHECK: %[[VALID:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [0] : (tensor<8xi1>) -> tensor<8x2xi1>
  // CHECK: %[[SEVENS:.*]] = stablehlo.constant dense<7.000000e+00> : tensor<8x2xf32>
  // CHECK: stablehlo.select %[[VALID]], %arg0, %[[SEVENS]]
  %0 = stablehlo.pad %a, %seven, low = [-1, 0], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<30x2xf32>, tensor<f32>) -> tensor<30x2xf32>
  // CHECK: %[[VALUES:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
  // CHECK: stablehlo.select %[[VALID]], %arg0, %[[VALUES]]
  %1 = stablehlo.pad %a, %v, low = [-1, 0], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<30x2xf32>, tensor<f32>) -> tensor<30x2xf32>
  return %0, %1 : tensor<30x2xf32>, tensor<30x2xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>

// Nothing that counts reads behind the last row: no mask.
// CHECK-LABEL: func @unevenSlice
func.func @unevenSlice(%a: tensor<30x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<27x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK-NOT: select
  // CHECK: return %{{.*}} : tensor<7x2xf32>
  %0 = stablehlo.slice %a [3:30, 0:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<30x2xf32>) -> tensor<27x2xf32>
  return %0 : tensor<27x2xf32>
}
