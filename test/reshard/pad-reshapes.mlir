// RUN: shardwise-opt %s -shardwise-pad-reshapes | FileCheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>

// The merged side is padded, so that its blocks are two rows of two.
// CHECK-LABEL: func @split
func.func @split(%a: tensor<10x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<5x2x3xf32> {
  // CHECK: %[[PAD:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [0, 0], high = [6, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<10x3xf32>, tensor<f32>) -> tensor<16x3xf32>
  // CHECK-NEXT: %[[ALL:.*]] = stablehlo.reshape %[[PAD]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>} : (tensor<16x3xf32>) -> tensor<8x2x3xf32>
  // CHECK-NEXT: stablehlo.slice %[[ALL]] [0:5, 0:2, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>}
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>} : (tensor<10x3xf32>) -> tensor<5x2x3xf32>
  return %0 : tensor<5x2x3xf32>
}

// CHECK-LABEL: func @merge
func.func @merge(%a: tensor<3x5x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}) -> tensor<3x10xi1> {
  // CHECK: stablehlo.pad %arg0, %{{.*}}, low = [0, 0, 0], high = [0, 3, 0]
  // CHECK-NEXT: stablehlo.reshape {{.*}} : (tensor<3x8x2xi1>) -> tensor<3x16xi1>
  // CHECK-NEXT: stablehlo.slice {{.*}} [0:3, 0:10] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>}
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>} : (tensor<3x5x2xi1>) -> tensor<3x10xi1>
  return %0 : tensor<3x10xi1>
}

// Even where the merged dimension divides: 12 in blocks of 3, 6 rows in blocks of 2. Two at once.
// CHECK-LABEL: func @two
func.func @two(%a: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<6x2x3x2xf32> {
  // CHECK: stablehlo.pad %arg0, %{{.*}}, low = [0, 0], high = [4, 2]
  // CHECK-NEXT: stablehlo.reshape {{.*}} : (tensor<16x8xf32>) -> tensor<8x2x4x2xf32>
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {"y"}, {}]>]>} : (tensor<12x6xf32>) -> tensor<6x2x3x2xf32>
  return %0 : tensor<6x2x3x2xf32>
}

// Users placed both sides, by different axes: rows are where they meet, and the result is where it was.
// CHECK-LABEL: func @meet
func.func @meet(%a: tensor<18x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<3x6x64xf32> {
  // CHECK: %[[PAD:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [0, 0], high = [6, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
  // CHECK-NEXT: %[[ALL:.*]] = stablehlo.reshape %[[PAD]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>} : (tensor<24x64xf32>) -> tensor<4x6x64xf32>
  // CHECK-NEXT: stablehlo.slice %[[ALL]] [0:3, 0:6, 0:64] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}, {}]>]>}
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}, {}]>]>} : (tensor<18x64xf32>) -> tensor<3x6x64xf32>
  return %0 : tensor<3x6x64xf32>
}

// The same of a value that nobody placed: it may have other axes in the end.
// CHECK-LABEL: func @proposed
// CHECK-NOT: stablehlo.pad
// CHECK: return
func.func @proposed(%a: tensor<18x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<3x6x64xf32> {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<18x64xf32>
  %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}, {}]>]>} : (tensor<18x64xf32>) -> tensor<3x6x64xf32>
  return %1 : tensor<3x6x64xf32>
}

// A one is no part of anything.
// CHECK-LABEL: func @ones
// CHECK-NOT: stablehlo.pad
// CHECK: return
func.func @ones(%a: tensor<1x6x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> tensor<6x64x1xf32> {
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}, {}]>]>} : (tensor<1x6x64xf32>) -> tensor<6x64x1xf32>
  return %0 : tensor<6x64x1xf32>
}

// Nothing to do: parts are equal, axes differ and little would be saved, the rows are not split, several are
// regrouped.
// CHECK-LABEL: func @keep
// CHECK-NOT: stablehlo.pad
// CHECK: return
func.func @keep(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<10x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %c: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x2xf32>, tensor<5x2x6xf32>, tensor<10x2x3xf32>, tensor<4x6xf32>) {
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<16xf32>) -> tensor<8x2xf32>
  %1 = stablehlo.reshape %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}, {}]>]>} : (tensor<10x6xf32>) -> tensor<5x2x6xf32>
  %2 = stablehlo.reshape %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>} : (tensor<10x6xf32>) -> tensor<10x2x3xf32>
  %3 = stablehlo.reshape %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<6x4xf32>) -> tensor<4x6xf32>
  return %0, %1, %2, %3 : tensor<8x2xf32>, tensor<5x2x6xf32>, tensor<10x2x3xf32>, tensor<4x6xf32>
}
