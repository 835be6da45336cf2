// What loops may hold more: sums that are carried larger and reduced once, and values that are gathered before the loop.
// RUN: shardwise-opt %s -shardwise-insert-partition-reshards -sdy-merge-reductions | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: shardwise-opt %s -shardwise-insert-partition-reshards=carried-bytes=28672 -sdy-merge-reductions=carried-bytes=28672 | FileCheck %s --check-prefixes=CHECK,CARRIED
// RUN: shardwise-opt %s -shardwise-insert-partition-reshards=carried-bytes=28671 -sdy-merge-reductions=carried-bytes=28671 | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: shardwise-opt %s -shardwise-insert-partition-reshards=hoisted-bytes=0 -sdy-merge-reductions | FileCheck %s --check-prefixes=CHECK,INSIDE

sdy.mesh @mesh = <["x"=8]>

// The weight is 32 KiB, an eighth of it on a device; so is the gradient.
// CHECK-LABEL: func @gradients_are_accumulated
// DEFAULT: sdy.reshard %arg1
// DEFAULT: stablehlo.while
// DEFAULT: do {
// DEFAULT: sdy.reshard %{{.*}} : tensor<64x128xf32>
// DEFAULT: stablehlo.return
// CARRIED: stablehlo.while
// CARRIED: do {
// CARRIED-NOT: sdy.reshard
// CARRIED: stablehlo.return
// CARRIED: sdy.reshard %{{.*}}#1 <@mesh, [{"x"}, {}]> : tensor<128x64xf32>
// INSIDE: do {
// INSIDE: sdy.reshard %arg1
func.func @gradients_are_accumulated(
    %xs: tensor<4x64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>},
    %w: tensor<128x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<128x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<128x64xf32>
  %0:2 = stablehlo.while(%i = %zero, %sum = %none) : tensor<i32>, tensor<128x64xf32>
    attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}, {}]>]>}
    cond {
      %four = stablehlo.constant dense<4> : tensor<i32>
      %more = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %slice = stablehlo.dynamic_slice %xs, %i, %zero, %zero, sizes = [1, 64, 128]
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<4x64x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x128xf32>
      %x = stablehlo.reshape %slice
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<1x64x128xf32>) -> tensor<64x128xf32>
      %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<64x64xf32>
      %g = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0]
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<64x128xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
      %added = stablehlo.add %sum, %g
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<128x64xf32>
      stablehlo.return %next, %added : tensor<i32>, tensor<128x64xf32>
    }
  return %0#1 : tensor<128x64xf32>
}
