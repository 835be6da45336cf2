// RUN: shardwise partition %s | FileCheck %s
// RUN: shardwise run %s | FileCheck --check-prefix=EXECUTED %s
//
// A batch norm and its gradient on a batch that is cut: sums of features are added up over devices,
// once for the mean, and once for what depends on it. Nothing is gathered. The batch of 14 does not
// divide by 4.

// CHECK-LABEL: func.func public @main
// CHECK-NOT: stablehlo.all_gather
// CHECK: stablehlo.reduce(%{{.*}} across dimensions = [0, 2] {{.*}} -> tensor<3xf32>
// CHECK: "stablehlo.all_reduce"
// CHECK: (tensor<3xf32>) -> tensor<3xf32>
// CHECK-NOT: stablehlo.all_gather
// CHECK: :3 = "stablehlo.all_reduce"
// CHECK-NOT: stablehlo.all_
// CHECK: return

// EXECUTED: verified on 8 devices
// EXECUTED-NOT: all_gather
// EXECUTED: all_reduce  {"x"}  2 (4 tensors)
// EXECUTED-NEXT: total
sdy.mesh @mesh = <["x"=4, "y"=2]>
#wide = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>
#feature = #sdy.sharding<@mesh, [{"y"}]>
func.func public @main(%x: tensor<14x6x4xf32> {sdy.sharding = #wide}, %scale: tensor<6xf32> {sdy.sharding = #feature}, %offset: tensor<6xf32> {sdy.sharding = #feature}, %g: tensor<14x6x4xf32> {sdy.sharding = #wide})
    -> (tensor<14x6x4xf32> {sdy.sharding = #wide}, tensor<14x6x4xf32> {sdy.sharding = #wide}, tensor<6xf32> {sdy.sharding = #feature}, tensor<6xf32> {sdy.sharding = #feature}) {
  %y:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<14x6x4xf32>, tensor<6xf32>, tensor<6xf32>) -> (tensor<14x6x4xf32>, tensor<6xf32>, tensor<6xf32>)
  %d:3 = "stablehlo.batch_norm_grad"(%x, %scale, %y#1, %y#2, %g) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<14x6x4xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<14x6x4xf32>) -> (tensor<14x6x4xf32>, tensor<6xf32>, tensor<6xf32>)
  return %y#0, %d#0, %d#1, %d#2 : tensor<14x6x4xf32>, tensor<14x6x4xf32>, tensor<6xf32>, tensor<6xf32>
}
