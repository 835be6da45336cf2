// RUN: shardwise-opt %s -split-input-file -shardwise-border-on-one-mesh | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @order = <["x"=2, "y"=2], device_ids=[3, 1, 0, 2]>
sdy.mesh @single = <[], device_ids=[1]>

// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
// CHECK-SAME: %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}
// CHECK-SAME: %arg2: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}
// CHECK-SAME: %arg3: tensor<8x4xf32>)
// CHECK-SAME: -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@order, [{"y"}, {"x"}]>},
                %c: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@single, []>},
                %d: tensor<8x4xf32>)
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@order, [{"y"}, {"x"}]>},
        tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@single, []>}) {
  // Inside, values are where they were.
  // CHECK: stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@order, [{"y"}, {"x"}]>]>}
  %0 = stablehlo.negate %b {sdy.sharding = #sdy.sharding_per_value<[<@order, [{"y"}, {"x"}]>]>} : tensor<8x4xf32>
  return %0, %c : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// One order of devices stays as it is.
// CHECK: sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]>
sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]>
// CHECK-LABEL: func @one
// CHECK-SAME: #sdy.sharding<@mesh, [{"x"}]>
func.func @one(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
