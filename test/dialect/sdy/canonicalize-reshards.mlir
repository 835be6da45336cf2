// RUN: shardwise-opt %s -canonicalize | FileCheck %s
// RUN: shardwise-opt %s -canonicalize="enable-patterns=sdy-reshard" | FileCheck %s
// RUN: shardwise-opt %s -canonicalize="disable-patterns=sdy-reshard" | FileCheck %s --check-prefix=OFF

// A reshard takes the result of an earlier one of the same elements in another shape.

// OFF-COUNT-32: sdy.reshard

sdy.mesh @m = <["x"=2, "y"=4, "z"=2]>

// CHECK-LABEL: @reshape
// CHECK-NEXT:  %[[R:.*]] = sdy.reshard %arg0 <@m, [{"x"}, {}]>
// CHECK-NEXT:  %[[S:.*]] = stablehlo.reshape %[[R]] {kept, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}]>]>}
// CHECK-NEXT:  return %[[R]], %[[S]]
func.func @reshape(%t: tensor<16x32xf32>) -> (tensor<16x32xf32>, tensor<512xf32>) {
  %0 = sdy.reshard %t <@m, [{"x"}, {}]> : tensor<16x32xf32>
  %r = stablehlo.reshape %t {kept, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}]>]>} : (tensor<16x32xf32>) -> tensor<512xf32>
  %1 = sdy.reshard %r <@m, [{"x", ?}]> : tensor<512xf32>
  return %0, %1 : tensor<16x32xf32>, tensor<512xf32>
}

// The earlier one may be of a reshape, and axes may be split where a dimension ends.
// CHECK-LABEL: @two_reshapes
// CHECK-NEXT:  %[[A:.*]] = stablehlo.reshape %arg0
// CHECK-NEXT:  %[[R:.*]] = sdy.reshard %[[A]]
// CHECK-NEXT:  %[[S:.*]] = stablehlo.reshape %[[R]] : (tensor<512xf32>) -> tensor<4x4x32xf32>
// CHECK-NEXT:  return %[[R]], %[[S]]
func.func @two_reshapes(%t: tensor<16x32xf32>) -> (tensor<512xf32>, tensor<4x4x32xf32>) {
  %a = stablehlo.reshape %t : (tensor<16x32xf32>) -> tensor<512xf32>
  %0 = sdy.reshard %a <@m, [{"x", "y"}]> : tensor<512xf32>
  %b = stablehlo.reshape %t : (tensor<16x32xf32>) -> tensor<4x4x32xf32>
  %1 = sdy.reshard %b <@m, [{"x", "y":(1)2}, {"y":(2)2}, {}]> : tensor<4x4x32xf32>
  return %0, %1 : tensor<512xf32>, tensor<4x4x32xf32>
}

// CHECK-LABEL: @earlier_of_reshape
// CHECK:       %[[R:.*]] = sdy.reshard
// CHECK-NEXT:  %[[S:.*]] = stablehlo.reshape %[[R]] : (tensor<512xf32>) -> tensor<16x32xf32>
// CHECK-NEXT:  return %[[R]], %[[S]]
func.func @earlier_of_reshape(%t: tensor<16x32xf32>) -> (tensor<512xf32>, tensor<16x32xf32>) {
  %a = stablehlo.reshape %t : (tensor<16x32xf32>) -> tensor<512xf32>
  %0 = sdy.reshard %a <@m, [{"x"}]> : tensor<512xf32>
  %1 = sdy.reshard %t <@m, [{"x"}, {}]> : tensor<16x32xf32>
  return %0, %1 : tensor<512xf32>, tensor<16x32xf32>
}

// CHECK-LABEL: @transpose
// CHECK-NEXT:  %[[R:.*]] = sdy.reshard %arg0 <@m, [{"x"}, {"y"}]>
// CHECK-NEXT:  %[[T:.*]] = stablehlo.transpose %[[R]], dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
// CHECK-NEXT:  return %[[R]], %[[T]]
func.func @transpose(%t: tensor<16x32xf32>) -> (tensor<16x32xf32>, tensor<32x16xf32>) {
  %0 = sdy.reshard %t <@m, [{"x"}, {"y"}]> : tensor<16x32xf32>
  %r = stablehlo.transpose %t, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
  %1 = sdy.reshard %r <@m, [{"y"}, {"x"}]> : tensor<32x16xf32>
  return %0, %1 : tensor<16x32xf32>, tensor<32x16xf32>
}

// Every step on the way has the sharding that it has there, if it had one before.
// CHECK-LABEL: @chain
// CHECK-NEXT:  %[[R:.*]] = sdy.reshard %arg0
// CHECK-NEXT:  %[[A:.*]] = stablehlo.reshape %[[R]] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "y":(1)2}, {"y":(2)2}, {"z"}]>]>}
// CHECK-SAME:      (tensor<16x32xf32>) -> tensor<4x4x32xf32>
// CHECK-NEXT:  %[[B:.*]] = stablehlo.transpose %[[A]]
// CHECK-SAME:      [{"z"}, {"x", "y":(1)2}, {"y":(2)2}]
// CHECK-NEXT:  %[[C:.*]] = stablehlo.reshape %[[B]]
// CHECK-SAME:      [{"z"}, {"x", "y"}]
// CHECK-SAME:      (tensor<32x4x4xf32>) -> tensor<32x16xf32>
// CHECK-NEXT:  return %[[R]], %[[C]]
func.func @chain(%t: tensor<16x32xf32>) -> (tensor<16x32xf32>, tensor<32x16xf32>) {
  %0 = sdy.reshard %t <@m, [{"x", "y"}, {"z"}]> : tensor<16x32xf32>
  %a = stablehlo.reshape %t : (tensor<16x32xf32>) -> tensor<512xf32>
  %b = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {?}, {?}]>]>} : (tensor<512xf32>) -> tensor<4x4x32xf32>
  %c = stablehlo.transpose %b, dims = [2, 0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}, {}]>]>} : (tensor<4x4x32xf32>) -> tensor<32x4x4xf32>
  %d = stablehlo.reshape %c {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {}]>]>} : (tensor<32x4x4xf32>) -> tensor<32x16xf32>
  %1 = sdy.reshard %d <@m, [{"z"}, {"x", "y"}]> : tensor<32x16xf32>
  return %0, %1 : tensor<16x32xf32>, tensor<32x16xf32>
}

// Where the shapes have no shardings, none are written; other attributes stay.
// CHECK-LABEL: @without_annotations
// CHECK-NEXT:  %[[R:.*]] = sdy.reshard %arg0
// CHECK-NEXT:  %[[A:.*]] = stablehlo.reshape %[[R]] : (tensor<16x32xf32>) -> tensor<4x4x32xf32>
// CHECK-NEXT:  %[[B:.*]] = stablehlo.transpose %[[A]], dims = [2, 0, 1] {kept} : (tensor<4x4x32xf32>) -> tensor<32x4x4xf32>
// CHECK-NEXT:  %[[C:.*]] = stablehlo.reshape %[[B]] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"z", ?}, {"x"}]>]>} : (tensor<32x4x4xf32>) -> tensor<32x16xf32>
// CHECK-NEXT:  return %[[R]], %[[C]]
func.func @without_annotations(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}) -> (tensor<16x32xf32>, tensor<32x16xf32>) {
  %0 = sdy.reshard %t <@m, [{"x"}, {"z"}]> : tensor<16x32xf32>
  %b = stablehlo.reshape %t : (tensor<16x32xf32>) -> tensor<4x4x32xf32>
  %c = stablehlo.transpose %b, dims = [2, 0, 1] {kept} : (tensor<4x4x32xf32>) -> tensor<32x4x4xf32>
  %d = stablehlo.reshape %c {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"y"}]>]>} : (tensor<32x4x4xf32>) -> tensor<32x16xf32>
  %1 = sdy.reshard %d <@m, [{"z", ?}, {"x"}]> : tensor<32x16xf32>
  return %0, %1 : tensor<16x32xf32>, tensor<32x16xf32>
}

// CHECK-LABEL: @replicated
// CHECK-NEXT:  %[[R:.*]] = sdy.reshard %arg0 <@m, [{}, {}]>
// CHECK-NEXT:  %[[T:.*]] = stablehlo.transpose %[[R]], dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
// CHECK-NEXT:  return %[[R]], %[[T]]
func.func @replicated(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<16x32xf32>, tensor<32x16xf32>) {
  %0 = sdy.reshard %t <@m, [{}, {}]> : tensor<16x32xf32>
  %r = stablehlo.transpose %t, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
  %1 = sdy.reshard %r <@m, [{}, {}]> : tensor<32x16xf32>
  return %0, %1 : tensor<16x32xf32>, tensor<32x16xf32>
}

// What the reshard says is still said where someone reads it: collectives and reshards start from what
// their operand says.
// CHECK-LABEL: @read_by_collective
// CHECK:       %[[T:.*]] = stablehlo.transpose {{.*}}, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {"x"}]>]>}
// CHECK-NEXT:  sdy.all_gather [{"y"}, {}] %[[T]]
func.func @read_by_collective(%t: tensor<16x32xf32>) -> (tensor<16x32xf32>, tensor<32x16xf32>) {
  %0 = sdy.reshard %t <@m, [{"x"}, {"y"}]> : tensor<16x32xf32>
  %r = stablehlo.transpose %t, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
  %1 = sdy.reshard %r <@m, [{"y"}, {"x"}]> : tensor<32x16xf32>
  %2 = sdy.all_gather [{"y"}, {}] %1 out_sharding=<@m, [{}, {"x"}]> : tensor<32x16xf32>
  return %0, %2 : tensor<16x32xf32>, tensor<32x16xf32>
}

// CHECK-LABEL: @read_by_reshard
// CHECK:       %[[T:.*]] = stablehlo.transpose {{.*}}, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {"x"}]>]>}
// CHECK-NEXT:  %[[S:.*]] = sdy.reshard %[[T]] <@m, [{}, {}]>
// CHECK-NEXT:  return %{{.*}}, %[[T]], %[[S]]
func.func @read_by_reshard(%t: tensor<16x32xf32>) -> (tensor<16x32xf32>, tensor<32x16xf32>, tensor<32x16xf32>) {
  %0 = sdy.reshard %t <@m, [{"x"}, {"y"}]> : tensor<16x32xf32>
  %r = stablehlo.transpose %t, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
  %1 = sdy.reshard %r <@m, [{"y"}, {"x"}]> : tensor<32x16xf32>
  %2 = sdy.reshard %1 <@m, [{}, {}]> : tensor<32x16xf32>
  return %0, %1, %2 : tensor<16x32xf32>, tensor<32x16xf32>, tensor<32x16xf32>
}

// Without sharding a value would not be partial, so every step says it.
// CHECK-LABEL: @partial
// CHECK:       %[[A:.*]] = stablehlo.reshape {{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}, {}], unreduced={"x"}>]>}
// CHECK-NEXT:  stablehlo.transpose %[[A]], dims = [2, 0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}, {}], unreduced={"x"}>]>}
func.func @partial(%t: tensor<16x32xf32>) -> (tensor<16x32xf32>, tensor<32x4x4xf32>) {
  %0 = sdy.reshard %t <@m, [{}, {}], unreduced={"x"}> : tensor<16x32xf32>
  %b = stablehlo.reshape %t : (tensor<16x32xf32>) -> tensor<4x4x32xf32>
  %c = stablehlo.transpose %b, dims = [2, 0, 1] : (tensor<4x4x32xf32>) -> tensor<32x4x4xf32>
  %1 = sdy.reshard %c <@m, [{}, {}, {}], unreduced={"x"}> : tensor<32x4x4xf32>
  return %0, %1 : tensor<16x32xf32>, tensor<32x4x4xf32>
}

// There and back: nothing is left of the way.
// CHECK-LABEL: @back
// CHECK-NEXT:  %[[R:.*]] = sdy.reshard %arg0
// CHECK-NEXT:  return %[[R]], %[[R]]
func.func @back(%t: tensor<16x32xf32>) -> (tensor<16x32xf32>, tensor<16x32xf32>) {
  %0 = sdy.reshard %t <@m, [{"x"}, {"y"}]> : tensor<16x32xf32>
  %a = stablehlo.reshape %t : (tensor<16x32xf32>) -> tensor<512xf32>
  %b = stablehlo.reshape %a : (tensor<512xf32>) -> tensor<16x32xf32>
  %1 = sdy.reshard %b <@m, [{"x"}, {"y"}]> : tensor<16x32xf32>
  return %0, %1 : tensor<16x32xf32>, tensor<16x32xf32>
}

// The same axes at the same distances, but of the transposed elements.
// CHECK-LABEL: @other_elements
// CHECK-COUNT-2: sdy.reshard
func.func @other_elements(%t: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %0 = sdy.reshard %t <@m, [{"x"}, {"y"}]> : tensor<16x16xf32>
  %r = stablehlo.transpose %t, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = sdy.reshard %r <@m, [{"x"}, {"y"}]> : tensor<16x16xf32>
  return %0, %1 : tensor<16x16xf32>, tensor<16x16xf32>
}

// Padded shards hold other elements after a reshape.
// CHECK-LABEL: @uneven
// CHECK-COUNT-2: sdy.reshard
func.func @uneven(%t: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<15xf32>) {
  %0 = sdy.reshard %t <@m, [{"x"}, {}]> : tensor<3x5xf32>
  %r = stablehlo.reshape %t : (tensor<3x5xf32>) -> tensor<15xf32>
  %1 = sdy.reshard %r <@m, [{"x"}]> : tensor<15xf32>
  return %0, %1 : tensor<3x5xf32>, tensor<15xf32>
}

// CHECK-LABEL: @other_placements
// CHECK-COUNT-5: sdy.reshard
func.func @other_placements(%t: tensor<16x32xf32>) -> (tensor<16x32xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) {
  %0 = sdy.reshard %t <@m, [{"x"}, {}]> : tensor<16x32xf32>
  %r = stablehlo.reshape %t : (tensor<16x32xf32>) -> tensor<512xf32>
  %1 = sdy.reshard %r <@m, [{"y"}]> : tensor<512xf32>
  %2 = sdy.reshard %r <@m, [{"x"}], replicated={"y"}> : tensor<512xf32>
  %3 = sdy.reshard %r <@m, [{"x"}], unreduced={"y"}> : tensor<512xf32>
  %4 = sdy.reshard %r <mesh<["x"=2, "y"=4, "z"=2]>, [{"x"}]> : tensor<512xf32>
  return %0, %1, %2, %3, %4 : tensor<16x32xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>
}
