// RUN: shardwise-opt %s -shardwise-drop-unused-collectives | FileCheck %s

sdy.mesh @mesh = <["x"=4]>

// The last permute and what feeds it goes; what else is unused stays as it was written.
// CHECK-LABEL: func @pipeline
// CHECK: stablehlo.tanh
// CHECK: %[[SENT:.*]] = "stablehlo.collective_permute"
// CHECK-NEXT: stablehlo.negate
// CHECK-NEXT: sdy.return %[[SENT]]
func.func @pipeline(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<2xf32>) {
    %1 = stablehlo.tanh %b : tensor<2xf32>
    %2 = "stablehlo.collective_permute"(%1) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>}> : (tensor<2xf32>) -> tensor<2xf32>
    %3 = stablehlo.tanh %2 : tensor<2xf32>
    %4 = "stablehlo.collective_permute"(%3) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>}> : (tensor<2xf32>) -> tensor<2xf32>
    %5 = stablehlo.negate %2 : tensor<2xf32>
    sdy.return %2 : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
