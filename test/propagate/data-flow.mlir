// RUN: shardwise-opt %s -split-input-file -sdy-add-data-flow-edges -sdy-op-priority-propagate | FileCheck %s --check-prefixes=CHECK,EDGE
// RUN: shardwise-opt %s -split-input-file -sdy-add-data-flow-edges -sdy-op-priority-propagate -sdy-sink-data-flow-edges | FileCheck %s --check-prefixes=CHECK,SINK

sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @loop
// CHECK-SAME: %arg0: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y", ?}]>}
// CHECK-SAME: %arg1: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}]>}
func.func @loop(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %w: tensor<64x64xf32>, %n: tensor<i32>)
    -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}) {
  // SINK: stablehlo.while{{.*}}sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {"y", ?}]>, <@mesh, []>]>
  // CHECK: stablehlo.dot_general {{.*}}[<@mesh, [{"x", ?}, {"y", ?}]>]
  // EDGE: sdy.data_flow_edge {{.*}} sharding=<@mesh, [{"x", ?}, {"y", ?}]>
  // EDGE: sdy.data_flow_edge %{{[^ ]*}} : tensor<i32>
  // SINK-NOT: sdy.data_flow_edge
  // CHECK: stablehlo.negate {{.*}}[<@mesh, [{"x", ?}, {"y", ?}]>]
  %r:2 = stablehlo.while(%i = %a, %k = %n) : tensor<64x64xf32>, tensor<i32>
  cond {
    %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %d = stablehlo.dot_general %i, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    stablehlo.return %d, %k : tensor<64x64xf32>, tensor<i32>
  }
  %neg = stablehlo.negate %r#0 : tensor<64x64xf32>
  return %neg : tensor<64x64xf32>
}

// -----

// Manual axes stay outside: the body sees the free ones only.
sdy.mesh @mesh = <["a"=2, "b"=4]>
// CHECK-LABEL: func.func @manual
func.func @manual(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}) -> tensor<16x8xf32> {
  // SINK: sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a", "b", ?}, {?}]>] out_shardings=[<@mesh, [{"b", ?}, {?}], replicated={"a"}>] manual_axes={"a"}
  // EDGE: sdy.data_flow_edge {{.*}} sharding=<@mesh, [{"b", ?}, {?}]>
  // CHECK: stablehlo.tanh {{.*}}[<@mesh, [{"b", ?}, {?}]>]
  // CHECK: stablehlo.concatenate {{.*}}[<@mesh, [{"b", ?}, {?}]>]
  // EDGE: sdy.data_flow_edge {{.*}} sharding=<@mesh, [{"b", ?}, {?}], replicated={"a"}>
  // CHECK: stablehlo.negate {{.*}}[<@mesh, [{"b", ?}, {?}]>]
  %m = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a", ?}, {?}]>] out_shardings=[<@mesh, [{?}, {?}], replicated={"a"}>] manual_axes={"a"} (%arg: tensor<8x8xf32>) {
    %t = stablehlo.tanh %arg : tensor<8x8xf32>
    %u = stablehlo.concatenate %t, %t, dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    sdy.return %u : tensor<16x8xf32>
  } : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %n = stablehlo.negate %m : tensor<16x8xf32>
  return %n : tensor<16x8xf32>
}

// -----

// Without sdy-manual-axes-cleanup a free axis may come before a manual one. What the body sees is then what is
// behind the middle of the list that a binary search for the first free axis meets: nothing here.
sdy.mesh @mesh = <["data"=2, "model"=2]>
// CHECK-LABEL: func.func @manual_behind_free
func.func @manual_behind_free(%x: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model", "data"}, {}]>}) -> tensor<16x16xf32> {
  // SINK: in_shardings=[<@mesh, [{?}, {}]>]
  // EDGE: sdy.data_flow_edge {{.*}} sharding=<@mesh, [{?}, {}]>
  // CHECK: stablehlo.tanh %{{[0-9a-z]*}} : tensor
  %m = sdy.manual_computation(%x) in_shardings=[<@mesh, [{?}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"data"} (%arg: tensor<16x16xf32>) {
    %t = stablehlo.tanh %arg : tensor<16x16xf32>
    sdy.return %t : tensor<16x16xf32>
  } : (tensor<16x16xf32>) -> tensor<16x16xf32>
  return %m : tensor<16x16xf32>
}
