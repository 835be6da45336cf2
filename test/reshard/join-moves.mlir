// RUN: shardwise-opt %s -shardwise-join-moves | FileCheck %s

sdy.mesh @mesh = <["x"=8]>

// A slice of a pad is a pad.
// CHECK-LABEL: func @sliceOfPad
func.func @sliceOfPad(%u: tensor<64x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<64x4xf32> {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  // CHECK: %[[PAD:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [-1, 0], high = [1, 2], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<64x4xf32>, tensor<f32>) -> tensor<64x6xf32>
  %p = stablehlo.pad %u, %z, low = [1, 1], high = [1, 2], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<64x4xf32>, tensor<f32>) -> tensor<66x7xf32>
  %s = stablehlo.slice %p [2:66, 1:7] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<66x7xf32>) -> tensor<64x6xf32>
  // CHECK-NEXT: stablehlo.slice %[[PAD]] [0:64, 0:4]
  %r = stablehlo.slice %s [0:64, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<64x6xf32>) -> tensor<64x4xf32>
  return %r : tensor<64x4xf32>
}

// So is a pad of a slice, where the padding covers nothing that was sliced off.
// CHECK-LABEL: func @padOfSlice
func.func @padOfSlice(%u: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<64xf32>, tensor<64xf32>) {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %s = stablehlo.slice %u [0:63] : (tensor<64xf32>) -> tensor<63xf32>
  // CHECK: %[[SHIFTED:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [1], high = [-1], interior = [0]
  %0 = stablehlo.pad %s, %z, low = [1], high = [0], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<63xf32>, tensor<f32>) -> tensor<64xf32>
  // CHECK: %[[COVERED:.*]] = stablehlo.pad %{{.*}}, %{{.*}}, low = [0], high = [1], interior = [0]
  %1 = stablehlo.pad %s, %z, low = [0], high = [1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<63xf32>, tensor<f32>) -> tensor<64xf32>
  // CHECK: return %[[SHIFTED]], %[[COVERED]]
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}

// A roll, and a shift with a constant in front.
// CHECK-LABEL: func @slicesInARow
func.func @slicesInARow(%u: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<64xf32>, tensor<64xf32>) {
  %l = stablehlo.slice %u [63:64] : (tensor<64xf32>) -> tensor<1xf32>
  %r = stablehlo.slice %u [0:63] : (tensor<64xf32>) -> tensor<63xf32>
  // CHECK-DAG: %[[PLACES:.*]] = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<64xi32>
  // CHECK: %[[LAST:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [-63], high = [63], interior = [0]
  // CHECK: %[[OTHERS:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [1], high = [-1], interior = [0]
  // CHECK: %[[BEGIN:.*]] = stablehlo.constant {{.*}}dense<1> : tensor<64xi32>
  // CHECK: %[[IS_OTHER:.*]] = stablehlo.compare GE, %[[PLACES]], %[[BEGIN]]
  // CHECK: %[[ROLLED:.*]] = stablehlo.select %[[IS_OTHER]], %[[OTHERS]], %[[LAST]]
  %0 = stablehlo.concatenate %l, %r, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<1xf32>, tensor<63xf32>) -> tensor<64xf32>
  %c = stablehlo.constant dense<5.0> : tensor<1xf32>
  // CHECK: %[[FILLED:.*]] = stablehlo.constant {{.*}}dense<5.000000e+00> : tensor<64xf32>
  // CHECK: stablehlo.select %{{.*}}, %{{.*}}, %[[FILLED]]
  %1 = stablehlo.concatenate %c, %r, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<1xf32>, tensor<63xf32>) -> tensor<64xf32>
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}

// One element in front of others, or behind them, is in a slice with strides, which moves nothing.
// CHECK-LABEL: func @oneElement
func.func @oneElement(%u: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %e: tensor<31xf32>) -> (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) {
  %f = stablehlo.slice %u [0:1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<64xf32>) -> tensor<1xf32>
  %l = stablehlo.slice %u [63:64] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<64xf32>) -> tensor<1xf32>
  // CHECK: %[[FIRST:.*]] = stablehlo.slice %arg0 [0:63:2] {{.*}}[{"x"}]
  // CHECK: %[[OTHERS:.*]] = stablehlo.pad %arg1, %{{.*}}, low = [1], high = [0]
  // CHECK: stablehlo.select %{{.*}}, %[[OTHERS]], %[[FIRST]]
  %0 = stablehlo.concatenate %f, %e, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<1xf32>, tensor<31xf32>) -> tensor<32xf32>
  // CHECK: %[[LAST:.*]] = stablehlo.slice %arg0 [1:64:2] {{.*}}[{"x"}]
  // CHECK: stablehlo.select %{{.*}}, %[[LAST]], %{{.*}}
  %1 = stablehlo.concatenate %e, %l, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<31xf32>, tensor<1xf32>) -> tensor<32xf32>
  // The last element at the first place is in no such slice.
  // CHECK: stablehlo.pad %arg0, %{{.*}}, low = [-63], high = [31]
  %2 = stablehlo.concatenate %l, %e, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<1xf32>, tensor<31xf32>) -> tensor<32xf32>
  return %0, %1, %2 : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>
}

// A reduce_window pads by itself, with interior padding too, if it starts from the padding value.
// CHECK-LABEL: func @windowOfPad
func.func @windowOfPad(%u: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<64xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.pad %u, %z, low = [2], high = [1], interior = [1] : (tensor<32xf32>, tensor<f32>) -> tensor<66xf32>
  // CHECK-NOT: stablehlo.pad
  // CHECK: "stablehlo.reduce_window"(%arg0, %{{.*}}) <{base_dilations = array<i64: 2>, padding = dense<{{.*}}[2, 1]{{.*}}> : tensor<1x2xi64>
  %0 = "stablehlo.reduce_window"(%p, %z) <{window_dimensions = array<i64: 3>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %1 = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<66xf32>, tensor<f32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// Dimensions that are whole stay as they are, strides too.
// CHECK-LABEL: func @kept
func.func @kept(%u: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<64x8xf32>, tensor<32x8xf32>) {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  // CHECK: stablehlo.slice
  // CHECK: stablehlo.pad
  %s = stablehlo.slice %u [0:64, 0:7] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<64x8xf32>) -> tensor<64x7xf32>
  %0 = stablehlo.pad %s, %z, low = [0, 1], high = [0, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<64x7xf32>, tensor<f32>) -> tensor<64x8xf32>
  // CHECK: stablehlo.pad
  // CHECK: stablehlo.slice
  %p = stablehlo.pad %u, %z, low = [1, 0], high = [0, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<64x8xf32>, tensor<f32>) -> tensor<65x8xf32>
  %1 = stablehlo.slice %p [1:65:2, 0:8] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<65x8xf32>) -> tensor<32x8xf32>
  return %0, %1 : tensor<64x8xf32>, tensor<32x8xf32>
}

// Where nothing is put together there is no slice that has as many elements as the result.
// CHECK-LABEL: func @partsWithoutElements
func.func @partsWithoutElements(%a: tensor<1xui32>, %b: tensor<0xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<0xui32> {
  %s = stablehlo.slice %a [1:1] : (tensor<1xui32>) -> tensor<0xui32>
  // CHECK: %[[OF_SLICE:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [-1], high = [0], interior = [0]
  %r = stablehlo.concatenate %s, %b, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<0xui32>, tensor<0xui32>) -> tensor<0xui32>
  return %r : tensor<0xui32>
}
