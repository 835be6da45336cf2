// RUN: shardwise-opt %s -shardwise-split-batch-norms | FileCheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>

// What has the operand's shape is where the operand is; features are cut as the operand's are. The
// results of which nothing was said are, too.
// CHECK-LABEL: func @training
func.func @training(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %scale: tensor<8xf32>, %offset: tensor<8xf32>) -> (tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NOT: batch_norm
  // CHECK: %[[SUM:.*]] = stablehlo.reduce(%arg0 init: %{{.*}}) applies stablehlo.add across dimensions = [0] {{.*}}[{"y"}]
  // CHECK: %[[COUNT:.*]] = stablehlo.constant {{.*}}[{"y"}]{{.*}}dense<1.600000e+01> : tensor<8xf32>
  // CHECK: %[[MEAN:.*]] = stablehlo.divide %[[SUM]], %[[COUNT]] {{.*}}[{"y"}]
  // CHECK: %[[CENTERED:.*]] = stablehlo.subtract %arg0, %{{.*}} {{.*}}[{"x"}, {"y"}]
  // CHECK: %[[SQUARES:.*]] = stablehlo.multiply %[[CENTERED]], %[[CENTERED]]
  // CHECK: stablehlo.reduce(%[[SQUARES]] init: %{{.*}}) applies stablehlo.add across dimensions = [0]
  // CHECK: %[[VARIANCE:.*]] = stablehlo.divide
  // CHECK: %[[RESULT:.*]] = stablehlo.add {{.*}}[{"x"}, {"y"}]{{.*}} : tensor<16x8xf32>
  // CHECK: return %[[RESULT]], %[[MEAN]], %[[VARIANCE]]
  %0:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1, %0#2 : tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>
}

// The gradient is cut, the operand is not. bf16 is computed in f32. A result stays where it was put.
// CHECK-LABEL: func @gradient
func.func @gradient(%x: tensor<8x4x6xbf16>, %v: tensor<8xbf16>, %g: tensor<8x4x6xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> (tensor<8x4x6xbf16>, tensor<8xbf16>, tensor<8xbf16>) {
  // CHECK-NOT: batch_norm
  // CHECK: stablehlo.convert %arg2 {{.*}}[{}, {"x"}, {}]{{.*}} -> tensor<8x4x6xf32>
  // CHECK: stablehlo.reduce({{.*}} across dimensions = [1, 2] {{.*}}[{}]>{{.*}} -> tensor<8xf32>
  // CHECK: stablehlo.convert {{.*}}[{}, {}, {"y"}]{{.*}} -> tensor<8x4x6xbf16>
  %0:3 = "stablehlo.batch_norm_grad"(%x, %v, %v, %v, %g) <{epsilon = 1.0e-3 : f32, feature_index = 0 : i64}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"y"}]>, <@mesh, [{}]>, <@mesh, [{}]>]>} : (tensor<8x4x6xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8x4x6xbf16>) -> (tensor<8x4x6xbf16>, tensor<8xbf16>, tensor<8xbf16>)
  return %0#0, %0#1, %0#2 : tensor<8x4x6xbf16>, tensor<8xbf16>, tensor<8xbf16>
}

// Only the mean is used.
// CHECK-LABEL: func @mean
func.func @mean(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %scale: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: stablehlo.constant
  // CHECK-NEXT: stablehlo.reduce
  // CHECK-NEXT: stablehlo.constant
  // CHECK-NEXT: %[[MEAN:.*]] = stablehlo.divide
  // CHECK-NEXT: return %[[MEAN]]
  %0:3 = "stablehlo.batch_norm_training"(%x, %scale, %scale) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %0#1 : tensor<8xf32>
}

// Whole tensors: one op, one kernel.
// CHECK-LABEL: func @whole
func.func @whole(%x: tensor<16x8xf32>, %scale: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<16x8xf32> {
  // CHECK-NEXT: "stablehlo.batch_norm_training"
  // CHECK-NEXT: return
  %0:3 = "stablehlo.batch_norm_training"(%x, %scale, %scale) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %0#0 : tensor<16x8xf32>
}
