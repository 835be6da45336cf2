// RUN: shardwise-opt %s -sdy-import-func-calls | FileCheck %s --check-prefixes=CHECK,EDGES
// RUN: shardwise-opt %s -sdy-import-func-calls -sdy-import-func-calls | FileCheck %s --check-prefixes=CHECK,EDGES
// RUN: shardwise-opt %s "-sdy-import-func-calls=add-data-flow-edges-on-named-computations=false" | FileCheck %s --check-prefixes=CHECK,BARE
// RUN: shardwise-opt %s -sdy-propagation-pipeline | FileCheck %s --check-prefix=PIPELINE

// Edges are added to every named computation that has none, to those of the program too; once only.

// CHECK: sdy.named_computation<"written">
// EDGES-NEXT: sdy.data_flow_edge %arg1 : tensor<8xf32>
// BARE-NOT: sdy.data_flow_edge
// CHECK: sdy.named_computation<"called">
// EDGES-NEXT: sdy.data_flow_edge %arg1 : tensor<8xf32>
// EDGES: sdy.data_flow_edge
// EDGES-NOT: sdy.data_flow_edge
// BARE-NOT: sdy.data_flow_edge
// PIPELINE: call @written(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = sdy.named_computation<"written">(%a) (%p: tensor<8xf32>) {
    %2 = stablehlo.negate %p : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @called(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @called(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.abs %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
