// RUN: shardwise-opt %s -split-input-file -shardwise-insert-partition-reshards | FileCheck %s

sdy.mesh @mesh = <["x"=4]>

// Nobody annotated %h, which propagation cut as %w is: with all of it on every device there is one
// gather instead of two.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}
// CHECK: sdy.reshard %{{.*}} <@mesh, [{}, {}]>
// CHECK-NOT: sdy.reshard
func.func @main(%h: tensor<16x16xf32> {shardwise.unwritten_sharding, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %w: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
        tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %v = stablehlo.negate %w {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<16x16xf32>
  %t = stablehlo.add %h, %v {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<16x16xf32>
  %u = stablehlo.multiply %h, %v {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<16x16xf32>
  return %t, %u : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>

// The same with 256 MiB: arguments may not grow by so much. It stays cut.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<8192x8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
func.func @main(%h: tensor<8192x8192xf32> {shardwise.unwritten_sharding, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %w: tensor<8192x8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8192x8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
        tensor<8192x8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %v = stablehlo.negate %w {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8192x8192xf32>
  %t = stablehlo.add %h, %v {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8192x8192xf32>
  %u = stablehlo.multiply %h, %v {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8192x8192xf32>
  return %t, %u : tensor<8192x8192xf32>, tensor<8192x8192xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>

// Nobody annotated the result, which propagation left whole since the dimension of its heads does
// not divide: the rows do.
// CHECK-LABEL: func @main
// CHECK-SAME: -> (tensor<16x6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>})
// CHECK: sdy.reshard %arg0 <@mesh, [{"x"}, {}]>
// CHECK-NOT: sdy.reshard
// CHECK: return
func.func @main(%a: tensor<16x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
    -> (tensor<16x6x4xf32> {shardwise.unwritten_sharding, sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x":(1)2}, {}]>]>} : (tensor<16x24xf32>) -> tensor<16x6x4xf32>
  %1 = stablehlo.tanh %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x":(1)2}, {}]>]>} : tensor<16x6x4xf32>
  return %1 : tensor<16x6x4xf32>
}

// -----

sdy.mesh @mesh = <["x"=8]>

// Results get whole axes and equal parts, and no partial sums.
// CHECK-LABEL: func @main
// CHECK-SAME: -> (tensor<12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>})
func.func @main(%a: tensor<12x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                %b: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<12x16xf32> {shardwise.unwritten_sharding, sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
        tensor<f32> {shardwise.unwritten_sharding, sdy.sharding = #sdy.sharding<@mesh, []>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<12x64xf32>, tensor<64x16xf32>) -> tensor<12x16xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x16xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<12x16xf32>, tensor<f32>
}
