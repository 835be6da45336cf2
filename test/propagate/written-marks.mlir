// RUN: shardwise propagate %s | FileCheck %s
//
// That a sharding was written is remembered for the partitioner only. It keeps no two constants
// apart that are alike, and is not printed.

sdy.mesh @mesh = <["x"=4]>

// CHECK-LABEL: func.func @main
// CHECK-NOT: written_sharding
// CHECK: sdy.constant
// CHECK-NOT: sdy.constant
// CHECK: return
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>} dense<1.0> : tensor<8x8xf32>
  %1 = stablehlo.constant dense<1.0> : tensor<8x8xf32>
  %2 = stablehlo.add %a, %0 : tensor<8x8xf32>
  %3 = stablehlo.subtract %2, %1 : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}
