// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reshards to the placement that the operand has go, unless they are to stay.

// RUN: shardwise-opt %s -sdy-reshard-to-collectives | FileCheck %s --check-prefixes=CHECK,GONE
// RUN: shardwise-opt %s -sdy-reshard-to-collectives=keep-redundant-reshards=true | FileCheck %s --check-prefixes=CHECK,KEPT

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @redundant
func.func @redundant(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %u: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  // GONE-NOT: sdy.reshard
  // KEPT: sdy.reshard %arg0 <@mesh, [{"x"}, {"y"}]>
  %0 = sdy.reshard %a <@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
  // KEPT: sdy.reshard %arg0 <@mesh, [{"x", ?}, {"y", ?}]>
  %1 = sdy.reshard %a <@mesh, [{"x", ?}, {"y", ?}]> : tensor<8x8xf32>
  // Of a value without sharding: it is replicated.
  // KEPT: sdy.reshard %arg1 <@mesh, [{}, {}], replicated={"x"}>
  %2 = sdy.reshard %u <@mesh, [{}, {}], replicated={"x"}> : tensor<8x8xf32>
  // Others become collectives either way.
  // CHECK: sdy.all_gather [{"x"}, {}]
  %3 = sdy.reshard %a <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  // CHECK-NOT: sdy.reshard
  // GONE: return %arg0, %arg0, %arg1, %0
  return %0, %1, %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
