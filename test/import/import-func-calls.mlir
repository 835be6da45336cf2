// RUN: shardwise-opt %s -sdy-import-func-calls | FileCheck %s --check-prefix=IMPORT
// RUN: shardwise-opt %s -sdy-flatten-call-graph -sdy-import-func-calls | FileCheck %s --check-prefix=IMPORT
// RUN: shardwise-opt %s -sdy-flatten-call-graph -sdy-import-func-calls -sdy-export-named-computations -sdy-unflatten-call-graph -symbol-dce | FileCheck %s --check-prefix=BACK

sdy.mesh @mesh = <["x"=2]>
sdy.mesh @one = <[], device_ids=[0]>
// IMPORT: sdy.named_computation<"f">(%arg0) in_shardings=[<@mesh, [{"x"}]>] (%[[A:.*]]: tensor<8xf32>)
// IMPORT-NEXT: sdy.data_flow_edge %[[A]] sharding=<@mesh, [{"x"}]> : tensor<8xf32>
// IMPORT: sdy.named_computation<"f">
// The argument without a sharding is open on the mesh of the one that is on several devices.
// IMPORT: sdy.named_computation<"g">(%arg0, %arg0, %arg0) in_shardings=[<@mesh, [{?}]>, <@one, []>, <@mesh, [{}]>]
// IMPORT-NOT: func.func private

// BACK: call @f(
// BACK: call @f(
// BACK: func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
// BACK-NOT: func.func private @f

func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) {
  %0 = stablehlo.negate %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
  func.call @g(%a, %a, %a) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> ()
  return %1 : tensor<8xf32>
}
func.func private @g(%a: tensor<8xf32>, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, []>}, %c: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  return
}
