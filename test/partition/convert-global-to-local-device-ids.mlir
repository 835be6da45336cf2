// RUN: shardwise-opt %s -sdy-convert-global-to-local | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 1, 0, 2]>

// Position of each device: 0 is third, 1 second, 2 fourth, 3 first.
// CHECK-LABEL: func @slice
func.func @slice(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK: %[[ID:.*]] = stablehlo.partition_id : tensor<ui32>
  // CHECK: %[[TABLE:.*]] = stablehlo.constant dense<[2, 1, 3, 0]> : tensor<4xui32>
  // CHECK: %[[ONE:.*]] = stablehlo.dynamic_slice %[[TABLE]], %[[ID]], sizes = [1]
  // CHECK: %[[POSITION:.*]] = stablehlo.reshape %[[ONE]] : (tensor<1xui32>) -> tensor<ui32>
  // CHECK: stablehlo.divide %[[POSITION]]
  %0 = sdy.all_slice [{"x"}] %a out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func @permute
func.func @permute(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  // CHECK: source_target_pairs = dense<{{\[}}[3, 3], [0, 1], [1, 0], [2, 2]]>
  %0 = sdy.collective_permute %a out_sharding=<@mesh, [{"y"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
