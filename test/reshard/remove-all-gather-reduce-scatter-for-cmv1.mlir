// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a product overlaps with is left to it: gathers before it, else the scatter behind it.

// RUN: shardwise-opt %s -sdy-remove-all-gather-reduce-scatter-for-cmv1 | FileCheck %s
// RUN: shardwise-opt %s -pass-pipeline='builtin.module(func.func(sdy-remove-all-gather-reduce-scatter-for-cmv1))' | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>

// CHECK-LABEL: func.func @gathers
func.func @gathers(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
    -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK-NEXT: %[[P:.*]] = stablehlo.dot_general %arg0, %arg1, {{.*}}<@mesh, [{}, {"y"}]>
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
  %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  // On both sides, and of `dot` too.
  // CHECK-NEXT: %[[Q:.*]] = stablehlo.dot %arg0, %arg1 {{.*}}<@mesh, [{}, {}]>
  %2 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
  %3 = sdy.all_gather [{}, {"y"}] %b out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  %4 = stablehlo.dot %2, %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  // CHECK-NEXT: return %[[P]], %[[Q]]
  return %1, %4 : tensor<8x8xf32>, tensor<8x8xf32>
}

// Used otherwise, or twice by one product, a gather stays. Of two in a row the last one goes.
// CHECK-LABEL: func.func @gathersThatStay
func.func @gathersThatStay(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"z"}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
    -> (tensor<8x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK-NEXT: %[[G:.*]] = sdy.all_gather [{"x"}, {"z"}] %arg0
  // CHECK-NEXT: stablehlo.dot_general %[[G]], %arg1
  %0 = sdy.all_gather [{"x"}, {"z"}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
  %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  // CHECK-NEXT: %[[H:.*]] = sdy.all_gather [{"x"}, {"z"}] %arg0
  // CHECK-NEXT: stablehlo.dot_general %[[H]], %[[H]]
  %2 = sdy.all_gather [{"x"}, {"z"}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
  %3 = stablehlo.dot_general %2, %2, contracting_dims = [1] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x8xf32>
  // CHECK-NEXT: %[[I:.*]] = sdy.all_gather [{"x"}, {}] %arg0
  // CHECK-NEXT: stablehlo.dot_general %[[I]], %arg1
  %4 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{}, {"z"}]> : tensor<8x16xf32>
  %5 = sdy.all_gather [{}, {"z"}] %4 out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
  %6 = stablehlo.dot_general %5, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  return %1, %0, %3, %6 : tensor<8x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func @scatter
func.func @scatter(%p: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %q: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[P:.*]] = stablehlo.dot_general %arg0, %arg1, {{.*}}<@mesh, [{"x"}, {}]>
  %0 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.reduce_scatter [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  // CHECK-NEXT: stablehlo.negate %[[P]]
  %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// A product that is used otherwise, that is written as partial, or that overlaps with a gather.
// CHECK-LABEL: func.func @scattersThatStay
// CHECK-COUNT-3: sdy.reduce_scatter
// CHECK-NOT: sdy.all_gather
func.func @scattersThatStay(%p: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %q: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>})
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.reduce_scatter [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %2 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %3 = sdy.reduce_scatter [{"x"}, {}] %2 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %4 = sdy.all_gather [{"y"}, {}] %a out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x16xf32>
  %5 = stablehlo.dot_general %4, %q, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %6 = sdy.reduce_scatter [{"x"}, {}] %5 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %1, %0, %3, %6 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
