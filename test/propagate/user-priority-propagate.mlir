// RUN: shardwise-opt %s -split-input-file -sdy-user-priority-propagate | FileCheck %s

// a's dimension has to wait, so b decides; x cannot shard two dimensions of c.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @lowerNumberGoesFirst
// CHECK-SAME: %arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}
func.func @lowerNumberGoesFirst(%a: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {?}]>},
                                %b: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}) -> tensor<16x16xf32> {
  // CHECK: stablehlo.add {{.*}}[<@mesh, [{?}, {"x", ?}]>]
  // CHECK: stablehlo.exponential {{.*}}[<@mesh, [{?}, {"x", ?}]>]
  %c = stablehlo.add %a, %b : tensor<16x16xf32>
  %d = stablehlo.exponential %c : tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @withoutPriorities
func.func @withoutPriorities(%a: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>},
                             %b: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}) -> tensor<16x16xf32> {
  // CHECK: stablehlo.add {{.*}}[<@mesh, [{"x", ?}, {?}]>]
  // CHECK: stablehlo.exponential {{.*}}[<@mesh, [{"x", ?}, {?}]>]
  %c = stablehlo.add %a, %b : tensor<16x16xf32>
  %d = stablehlo.exponential %c : tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// -----

// While p5 waits, the edge reserves both halves of a, which cannot be read as one list: it shows none.
sdy.mesh @mesh = <["a"=6, "b"=6]>
// CHECK-LABEL: func.func @edgeThatWaits
func.func @edgeThatWaits(%x: tensor<36x8xf32>) -> tensor<36x8xf32> {
  // CHECK: stablehlo.tanh {{.*}}[<@mesh, [{"a":(3)2, ?}, {?}]>]
  // CHECK: sdy.data_flow_edge %0 sharding=<@mesh, [{"b", "a":(3)2, ?}, {?}], replicated={"a":(1)3}>
  %m = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"b", ?}, {?}]>] out_shardings=[<@mesh, [{"b", "a":(3)2, ?}p5, {?}], replicated={"a":(1)3}>] manual_axes={"b"} (%arg: tensor<6x8xf32>) {
    %e = sdy.data_flow_edge %arg sharding=<@mesh, [{?}, {?}]> : tensor<6x8xf32>
    %t = stablehlo.tanh %e : tensor<6x8xf32>
    sdy.return %t : tensor<6x8xf32>
  } : (tensor<36x8xf32>) -> tensor<36x8xf32>
  %f = sdy.data_flow_edge %m sharding=<@mesh, [{"b", "a":(3)2, ?}p5, {?}], replicated={"a":(1)3}> : tensor<36x8xf32>
  return %f : tensor<36x8xf32>
}
