// RUN: shardwise-opt %s -split-input-file -sdy-op-priority-propagate | FileCheck %s

// Pass-through factors go before contracting ones; `model` stays on the weights.
sdy.mesh @mesh = <["data"=4, "model"=2]>
// CHECK-LABEL: func.func @matmul
// CHECK-SAME: %arg0: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}
// CHECK-SAME: %arg1: tensor<64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model", ?}, {?}]>}
// CHECK-SAME: -> (tensor<32x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", ?}, {?}]>})
func.func @matmul(%x: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>},
                  %w: tensor<64x128xf32>) -> tensor<32x128xf32> {
  // CHECK: stablehlo.dot_general {{.*}}[<@mesh, [{"data", ?}, {?}]>]
  // CHECK: stablehlo.tanh {{.*}}[<@mesh, [{"data", ?}, {?}]>]
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x128xf32>) -> tensor<32x128xf32>
  %z = stablehlo.tanh %y : tensor<32x128xf32>
  return %z : tensor<32x128xf32>
}

// -----

// Reshapes split axes; what would need strided shards is dropped.
sdy.mesh @mesh = <["x"=8]>
// CHECK-LABEL: func.func @subAxes
func.func @subAxes(%a: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<24xf32> {
  // CHECK: stablehlo.reshape {{.*}}[<@mesh, [{"x":(1)4, ?}, {"x":(4)2, ?}]>]
  // CHECK: stablehlo.transpose {{.*}}[<@mesh, [{"x":(4)2, ?}, {"x":(1)4, ?}]>]
  // CHECK: stablehlo.reshape {{.*}}[<@mesh, [{"x":(4)2, ?}]>]
  %b = stablehlo.reshape %a : (tensor<24xf32>) -> tensor<4x6xf32>
  %c = stablehlo.transpose %b, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %d = stablehlo.reshape %c : (tensor<6x4xf32>) -> tensor<24xf32>
  return %d : tensor<24xf32>
}

// -----

sdy.mesh @mesh = <["p"=2, "q"=3]>
// CHECK-LABEL: func.func @overflow
func.func @overflow(%a: tensor<20xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"p", "q"}]>},
                    %b: tensor<4x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"p"}, {"q"}]>},
                    %c: tensor<2x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"p"}, {"q"}]>})
    -> (tensor<4x5xf32>, tensor<2x10xf32>, tensor<20xf32>, tensor<20xf32>) {
  // CHECK: stablehlo.reshape {{.*}}[<@mesh, [{"p", ?}, {?}]>]
  // CHECK: stablehlo.reshape {{.*}}[<@mesh, [{"p", ?}, {"q", ?}]>]
  // CHECK: stablehlo.reshape {{.*}}[<@mesh, [{"p", ?}]>]
  // CHECK: stablehlo.reshape {{.*}}[<@mesh, [{"p", "q", ?}]>]
  %0 = stablehlo.reshape %a : (tensor<20xf32>) -> tensor<4x5xf32>
  %1 = stablehlo.reshape %a : (tensor<20xf32>) -> tensor<2x10xf32>
  %2 = stablehlo.reshape %b : (tensor<4x5xf32>) -> tensor<20xf32>
  %3 = stablehlo.reshape %c : (tensor<2x10xf32>) -> tensor<20xf32>
  return %0, %1, %2, %3 : tensor<4x5xf32>, tensor<2x10xf32>, tensor<20xf32>, tensor<20xf32>
}

// -----

// The broadcast waits until the result has decided what x is for.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @broadcastWaits
// CHECK-SAME: %arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}
// CHECK-SAME: %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}
func.func @broadcastWaits(%bias: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %h: tensor<8x16xf32>)
    -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}) {
  // CHECK: stablehlo.broadcast_in_dim {{.*}}[<@mesh, [{"x", ?}, {?}]>]
  // CHECK: stablehlo.add {{.*}}[<@mesh, [{"x", ?}, {?}]>]
  // CHECK: stablehlo.tanh {{.*}}[<@mesh, [{"x", ?}, {?}]>]
  %bb = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<16xf32>) -> tensor<8x16xf32>
  %o = stablehlo.add %h, %bb : tensor<8x16xf32>
  %t = stablehlo.tanh %o : tensor<8x16xf32>
  return %t : tensor<8x16xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @changedDimensions
// CHECK-SAME: %arg2: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}]>}
func.func @changedDimensions(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                             %u: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                             %z: tensor<16x8xf32>, %i: tensor<i32>, %p: tensor<f32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<18x8xf32>, tensor<16x8xf32>, tensor<12x8xf32>) {
  // CHECK: stablehlo.slice {{.*}}[<@mesh, [{"x", ?}, {"y", ?}]>]
  // CHECK: stablehlo.dynamic_slice {{.*}}[<@mesh, [{?}, {"y", ?}]>]
  // CHECK: stablehlo.pad {{.*}}[<@mesh, [{"x", ?}, {"y", ?}]>]
  // CHECK: stablehlo.dynamic_update_slice {{.*}}[<@mesh, [{?}, {"y", ?}]>]
  // CHECK: stablehlo.concatenate {{.*}}[<@mesh, [{"x", ?}, {"y", ?}]>]
  %0 = stablehlo.slice %a [2:6, 0:8] : (tensor<16x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.dynamic_slice %a, %i, %i, sizes = [4, 8] : (tensor<16x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %2 = stablehlo.pad %a, %p, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<16x8xf32>, tensor<f32>) -> tensor<18x8xf32>
  %3 = stablehlo.dynamic_update_slice %z, %u, %i, %i : (tensor<16x8xf32>, tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
  %4 = stablehlo.concatenate %u, %u, %u, dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<12x8xf32>
  return %0, %1, %2, %3, %4 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<18x8xf32>, tensor<16x8xf32>, tensor<12x8xf32>
}

// -----

// A spatial dimension is windows times kernel: what the windows cannot take goes to the kernel.
sdy.mesh @mesh = <["s"=32]>
// CHECK-LABEL: func.func @convolution
// CHECK-SAME: %arg1: tensor<2x16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"s":(16)2, ?}, {?}, {?}]>}
func.func @convolution(%lhs: tensor<8x32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"s"}, {?}]>},
                       %kernel: tensor<2x16x64xf32>) -> tensor<8x16x64xf32> {
  // CHECK: stablehlo.convolution{{.*}}[<@mesh, [{?}, {"s":(1)16, ?}, {?}]>]
  %0 = stablehlo.convolution(%lhs, %kernel) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x16xf32>, tensor<2x16x64xf32>) -> tensor<8x16x64xf32>
  return %0 : tensor<8x16x64xf32>
}
