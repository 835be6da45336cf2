// RUN: shardwise-opt %s -sdy-convert-global-to-local | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=4]>

// Shards of 8x4 become shards of 4x8, two tiles of 4x4: they are put together at once, without a buffer.
// CHECK-LABEL: func @tiles
// CHECK-NOT: stablehlo.dynamic_update_slice
// CHECK: %[[OWN:.*]] = stablehlo.dynamic_slice %arg0, %{{.*}}, %{{.*}}, sizes = [4, 4]
// CHECK: %[[KEPT:.*]] = stablehlo.broadcast_in_dim %[[OWN]], dims = [0, 2] : (tensor<4x4xf32>) -> tensor<4x2x4xf32>
// CHECK: %[[ONE:.*]] = "stablehlo.collective_permute"
// CHECK: %[[FIRST:.*]] = stablehlo.broadcast_in_dim %[[ONE]], dims = [0, 2]
// CHECK: stablehlo.compare EQ, %{{.*}}, %{{.*}} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
// CHECK: %[[SHOWN:.*]] = stablehlo.select %{{.*}}, %[[FIRST]], %[[KEPT]]
// CHECK: %[[TWO:.*]] = "stablehlo.collective_permute"
// In this one some receive nothing: no tile is theirs.
// CHECK: stablehlo.constant dense<[{{.*}}-1{{.*}}]> : tensor<8xi32>
// CHECK: %[[ALL:.*]] = stablehlo.select %{{.*}}, %{{.*}}, %[[SHOWN]] : tensor<4x2x4xi1>, tensor<4x2x4xf32>
// CHECK: %[[SHARD:.*]] = stablehlo.reshape %[[ALL]] : (tensor<4x2x4xf32>) -> tensor<4x8xf32>
// CHECK-NOT: stablehlo.dynamic_update_slice
// CHECK: return %[[SHARD]]
func.func @tiles(%a: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
  %0 = sdy.exchange %a out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
