// RUN: shardwise-opt %s -sdy-export-named-computations | FileCheck %s

// A named computation becomes a private function and a call. Shardings of its edges, or else those written on it, are
// on the arguments of the function and on the results of the call.

sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<4x8xf32>) {
  // CHECK-NEXT: %[[F:.*]] = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {?}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = sdy.named_computation<"f">(%a) in_shardings=[<@mesh, [{?}, {?}]>] (%p: tensor<8x8xf32>) {
    %4 = sdy.data_flow_edge %p sharding=<@mesh, [{"x"}, {?}]> : tensor<8x8xf32>
    %5 = stablehlo.negate %4 : tensor<8x8xf32>
    sdy.return %5 : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"y"}, {?}]> : tensor<8x8xf32>
  // A second one of the same name gets a name of its own; attributes go to the call, the thread also to the function.
  // CHECK-NEXT: %[[G:.*]] = call @f_0(%[[F]]) {mine = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = sdy.named_computation<"f">(%1) out_shardings=[<@mesh, [{}, {"y"}]>] (%p: tensor<8x8xf32>) {
    %inner = sdy.named_computation<"inner">(%p) (%q: tensor<8x8xf32>) {
      sdy.return %q : tensor<8x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    sdy.return %inner : tensor<8x8xf32>
  } {execution_thread = "main", mine = 1} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: sdy.manual_computation
  // CHECK-NEXT: call @h(%arg1) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%p: tensor<4x8xf32>) {
    %6 = sdy.named_computation<"h">(%p) (%q: tensor<4x8xf32>) {
      sdy.return %q : tensor<4x8xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    sdy.return %6 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<4x8xf32>
  return %1, %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<4x8xf32>
}

// Functions remember the name of the computation, and the manual axes around it; inner computations come first.
// CHECK: func.func private @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}) -> tensor<8x8xf32> attributes {sdy.original_func_name = "f"} {
// CHECK-NEXT: %[[NEGATED:.*]] = stablehlo.negate %arg0 : tensor<8x8xf32>
// CHECK-NEXT: return %[[NEGATED]]
// CHECK: func.func private @inner(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {sdy.original_func_name = "inner"} {
// CHECK: func.func private @f_0(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {execution_thread = "main", sdy.original_func_name = "f"} {
// CHECK-NEXT: call @inner(%arg0)
// CHECK: func.func private @h(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {sdy.func_manual_axes = #sdy<manual_axes{"x"}>, sdy.original_func_name = "h"} {
