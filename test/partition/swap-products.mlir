// RUN: shardwise-opt %s -shardwise-swap-products | FileCheck %s

// The transpose of a gradient moves through the sum over devices, up to the product. What the attributes say of a side moves with it.
// CHECK-LABEL: func @gradient
// CHECK: %[[PRODUCT:.*]] = stablehlo.dot_general %arg1, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, HIGHEST] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
// CHECK: %[[SUM:.*]] = "stablehlo.all_reduce"(%[[PRODUCT]]) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<{{.*}}> : tensor<1x2xi64>}> ({
// CHECK: stablehlo.add
// CHECK: }) : (tensor<16x8xf32>) -> tensor<16x8xf32>
// CHECK-NEXT: return %[[SUM]]
func.func @gradient(%g: tensor<4x8xf32>, %x: tensor<4x16xf32>) -> tensor<16x8xf32> {
  %0 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0], precision = [HIGHEST, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// With a batch, several free dimensions, a change of type, and a dimension that is cut and gathered on the way.
// CHECK-LABEL: func @passed
// CHECK: %[[PRODUCT:.*]] = stablehlo.dot_general %arg1, %arg0, batching_dims = [0] x [0], contracting_dims = [1] x [2] : (tensor<3x4x8x6xbf16>, tensor<3x5x4xbf16>) -> tensor<3x8x6x5xbf16>
// CHECK: %[[WIDE:.*]] = stablehlo.convert %[[PRODUCT]] : (tensor<3x8x6x5xbf16>) -> tensor<3x8x6x5xf32>
// CHECK: %[[PART:.*]] = "stablehlo.reduce_scatter"(%[[WIDE]]) <{{{.*}}scatter_dimension = 1 : i64}> ({
// CHECK: }) : (tensor<3x8x6x5xf32>) -> tensor<3x4x6x5xf32>
// CHECK: %[[MOVED:.*]] = "stablehlo.collective_permute"(%[[PART]]) {{.*}} : (tensor<3x4x6x5xf32>) -> tensor<3x4x6x5xf32>
// CHECK: %[[WHOLE:.*]] = "stablehlo.all_gather"(%[[MOVED]]) <{all_gather_dim = 3 : i64{{.*}}}> : (tensor<3x4x6x5xf32>) -> tensor<3x4x6x10xf32>
// CHECK-NEXT: return %[[WHOLE]]
func.func @passed(%g: tensor<3x5x4xbf16>, %x: tensor<3x4x8x6xbf16>) -> tensor<3x4x6x10xf32> {
  %0 = stablehlo.dot_general %g, %x, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x4xbf16>, tensor<3x4x8x6xbf16>) -> tensor<3x5x8x6xbf16>
  %1 = stablehlo.convert %0 : (tensor<3x5x8x6xbf16>) -> tensor<3x5x8x6xf32>
  %2 = "stablehlo.reduce_scatter"(%1) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 2 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %6 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %6 : tensor<f32>
  }) : (tensor<3x5x8x6xf32>) -> tensor<3x5x4x6xf32>
  %3 = "stablehlo.collective_permute"(%2) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x5x4x6xf32>) -> tensor<3x5x4x6xf32>
  %4 = "stablehlo.all_gather"(%3) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x5x4x6xf32>) -> tensor<3x10x4x6xf32>
  %5 = stablehlo.transpose %4, dims = [0, 2, 3, 1] : (tensor<3x10x4x6xf32>) -> tensor<3x4x6x10xf32>
  return %5 : tensor<3x4x6x10xf32>
}

// An algorithm has a type for each side.
// CHECK-LABEL: func @algorithm
// CHECK: stablehlo.dot_general %arg1, %arg0, {{.*}}algorithm = <lhs_precision_type = f8E5M2, rhs_precision_type = f8E4M3FN, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>
// CHECK-NOT: stablehlo.transpose
func.func @algorithm(%g: tensor<4x8xf32>, %x: tensor<4x16xf32>) -> tensor<16x8xf32> {
  %0 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0], algorithm = <lhs_precision_type = f8E4M3FN, rhs_precision_type = f8E5M2, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// Left sides with the contracted dimension elsewhere than last are laid out anew: %x is not, if it is more than %g and the result. XLA would where nothing is between
// the product and the transpose.
// CHECK-LABEL: func @long
// CHECK: stablehlo.dot_general %arg0, %arg1,
// CHECK: stablehlo.all_reduce
// CHECK: stablehlo.transpose
// CHECK: stablehlo.dot_general %arg1, %arg0,
// CHECK-NOT: stablehlo.transpose
func.func @long(%g: tensor<64x2xf32>, %x: tensor<64x16xf32>) -> (tensor<16x2xf32>, tensor<16x2xf32>) {
  %0 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0] : (tensor<64x2xf32>, tensor<64x16xf32>) -> tensor<2x16xf32>
  %1 = "stablehlo.all_reduce"(%0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %5 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }) : (tensor<2x16xf32>) -> tensor<2x16xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<2x16xf32>) -> tensor<16x2xf32>
  %3 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0] : (tensor<64x2xf32>, tensor<64x16xf32>) -> tensor<2x16xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<2x16xf32>) -> tensor<16x2xf32>
  return %2, %4 : tensor<16x2xf32>, tensor<16x2xf32>
}

// Nothing is laid out anew, in vain or not.
// CHECK-LABEL: func @by_lines
// CHECK: stablehlo.dot_general %arg0, %arg1,
// CHECK: stablehlo.transpose
// CHECK: stablehlo.dot_general %arg2, %arg0,
// CHECK-NOT: stablehlo.transpose
func.func @by_lines(%x: tensor<4x64xf32>, %w: tensor<64x16xf32>, %v: tensor<16x64xf32>) -> (tensor<16x4xf32>, tensor<16x4xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x64xf32>, tensor<64x16xf32>) -> tensor<4x16xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
  %2 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [1] : (tensor<4x64xf32>, tensor<16x64xf32>) -> tensor<4x16xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
  return %1, %3 : tensor<16x4xf32>, tensor<16x4xf32>
}

// Another order; a product, and a sum over devices, that something else reads; an op of two operands on the way.
// CHECK-LABEL: func @others
// CHECK-COUNT-4: stablehlo.dot_general %arg0, %arg1,
// CHECK-COUNT-4: stablehlo.transpose
func.func @others(%g: tensor<4x8xf32>, %x: tensor<4x16x2xf32>) -> (tensor<16x8x2xf32>, tensor<8x16x2xf32>, tensor<16x2x8xf32>, tensor<8x16x2xf32>, tensor<16x2x8xf32>, tensor<16x2x8xf32>) {
  %0 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x16x2xf32>) -> tensor<8x16x2xf32>
  %1 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x16x2xf32>) -> tensor<8x16x2xf32>
  %2 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x16x2xf32>) -> tensor<8x16x2xf32>
  %3 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x16x2xf32>) -> tensor<8x16x2xf32>
  %4 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<8x16x2xf32>) -> tensor<16x8x2xf32>
  %5 = stablehlo.transpose %1, dims = [1, 2, 0] : (tensor<8x16x2xf32>) -> tensor<16x2x8xf32>
  %6 = "stablehlo.all_reduce"(%2) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %10 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %10 : tensor<f32>
  }) : (tensor<8x16x2xf32>) -> tensor<8x16x2xf32>
  %7 = stablehlo.transpose %6, dims = [1, 2, 0] : (tensor<8x16x2xf32>) -> tensor<16x2x8xf32>
  %8 = stablehlo.add %3, %3 : tensor<8x16x2xf32>
  %9 = stablehlo.transpose %8, dims = [1, 2, 0] : (tensor<8x16x2xf32>) -> tensor<16x2x8xf32>
  return %4, %1, %5, %6, %7, %9 : tensor<16x8x2xf32>, tensor<8x16x2xf32>, tensor<16x2x8xf32>, tensor<8x16x2xf32>, tensor<16x2x8xf32>, tensor<16x2x8xf32>
}
