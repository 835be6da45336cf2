// RUN: shardwise-opt %s -shardwise-lead-with-blocks | FileCheck %s

// CHECK-LABEL: func @gather
// CHECK: %[[OWN:.*]] = stablehlo.reshape %arg0 : (tensor<8x4xf32>) -> tensor<1x8x4xf32>
// CHECK: %[[BLOCKS:.*]] = "stablehlo.all_gather"(%[[OWN]]) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<{{.*}}> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<1x8x4xf32>) -> tensor<2x8x4xf32>
// CHECK: %[[TURNED:.*]] = stablehlo.transpose %[[BLOCKS]], dims = [1, 0, 2] : (tensor<2x8x4xf32>) -> tensor<8x2x4xf32>
// CHECK: %[[WHOLE:.*]] = stablehlo.reshape %[[TURNED]] : (tensor<8x2x4xf32>) -> tensor<8x8xf32>
// CHECK: return %[[WHOLE]]
func.func @gather(%a: tensor<8x4xf32>) -> tensor<8x8xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<8x4xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func @scatter
// CHECK: %[[CUT:.*]] = stablehlo.reshape %arg0 : (tensor<3x8x5xf32>) -> tensor<3x2x4x5xf32>
// CHECK: %[[BLOCKS:.*]] = stablehlo.transpose %[[CUT]], dims = [1, 0, 2, 3] : (tensor<3x2x4x5xf32>) -> tensor<2x3x4x5xf32>
// CHECK: %[[OWN:.*]] = "stablehlo.reduce_scatter"(%[[BLOCKS]]) <{{{.*}}scatter_dimension = 0 : i64{{.*}}}> ({
// CHECK: stablehlo.add
// CHECK: }) : (tensor<2x3x4x5xf32>) -> tensor<1x3x4x5xf32>
// CHECK: stablehlo.reshape %[[OWN]] : (tensor<1x3x4x5xf32>) -> tensor<3x4x5xf32>
func.func @scatter(%a: tensor<3x8x5xf32>) -> tensor<3x4x5xf32> {
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>):
    %1 = stablehlo.add %b, %c : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x8x5xf32>) -> tensor<3x4x5xf32>
  return %0 : tensor<3x4x5xf32>
}

// Transposes that have the dimension first are made before the collective, if nothing else reads that.
// CHECK-LABEL: func @transposed
// CHECK: %[[TURNED:.*]] = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
// CHECK: %[[ROWS:.*]] = "stablehlo.reduce_scatter"(%[[TURNED]]) <{{{.*}}scatter_dimension = 0 : i64{{.*}}}> ({
// CHECK: stablehlo.add
// CHECK: }) : (tensor<4x8xf32>) -> tensor<2x8xf32>
// CHECK: %[[BLOCK:.*]] = stablehlo.transpose %arg1, dims = [2, 0, 1] : (tensor<3x4x5xf32>) -> tensor<5x3x4xf32>
// CHECK: %[[WHOLE:.*]] = "stablehlo.all_gather"(%[[BLOCK]]) <{all_gather_dim = 0 : i64{{.*}}}> : (tensor<5x3x4xf32>) -> tensor<10x3x4xf32>
// CHECK: return %[[ROWS]], %[[WHOLE]]
func.func @transposed(%a: tensor<8x4xf32>, %b: tensor<3x4x5xf32>) -> (tensor<2x8xf32>, tensor<10x3x4xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%c: tensor<f32>, %d: tensor<f32>):
    %4 = stablehlo.add %c, %d : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }) : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x2xf32>) -> tensor<2x8xf32>
  %2 = "stablehlo.all_gather"(%b) <{all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4x5xf32>) -> tensor<3x4x10xf32>
  %3 = stablehlo.transpose %2, dims = [2, 0, 1] : (tensor<3x4x10xf32>) -> tensor<10x3x4xf32>
  return %1, %3 : tensor<2x8xf32>, tensor<10x3x4xf32>
}

// A product stays as it is.
// CHECK-LABEL: func @transposed_product
// CHECK: %[[PRODUCT:.*]] = stablehlo.dot_general
// CHECK: %[[CUT:.*]] = stablehlo.reshape %[[PRODUCT]] : (tensor<2x16xf32>) -> tensor<2x2x8xf32>
// CHECK: stablehlo.transpose %[[CUT]], dims = [1, 0, 2] : (tensor<2x2x8xf32>) -> tensor<2x2x8xf32>
// CHECK: "stablehlo.reduce_scatter"
// CHECK: stablehlo.transpose {{.*}}, dims = [1, 0] : (tensor<2x8xf32>) -> tensor<8x2xf32>
func.func @transposed_product(%g: tensor<64x2xf32>, %x: tensor<64x16xf32>) -> tensor<8x2xf32> {
  %0 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0] : (tensor<64x2xf32>, tensor<64x16xf32>) -> tensor<2x16xf32>
  %1 = "stablehlo.reduce_scatter"(%0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<2x16xf32>) -> tensor<2x8xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<2x8xf32>) -> tensor<8x2xf32>
  return %2 : tensor<8x2xf32>
}

// CHECK-LABEL: func @transposed_otherwise
// CHECK: stablehlo.transpose {{.*}}, dims = [1, 0, 2]
// CHECK: "stablehlo.reduce_scatter"
// CHECK: stablehlo.transpose {{.*}}, dims = [1, 0]
// CHECK: "stablehlo.all_gather"
// CHECK: stablehlo.transpose {{.*}}, dims = [1, 0, 2, 3]
// CHECK: stablehlo.transpose {{.*}}, dims = [0, 2, 1]
func.func @transposed_otherwise(%a: tensor<8x4xf32>, %b: tensor<3x4x5xf32>) -> (tensor<8x2xf32>, tensor<2x8xf32>, tensor<3x5x8xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%c: tensor<f32>, %d: tensor<f32>):
    %4 = stablehlo.add %c, %d : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }) : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x2xf32>) -> tensor<2x8xf32>
  %2 = "stablehlo.all_gather"(%b) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4x5xf32>) -> tensor<3x8x5xf32>
  %3 = stablehlo.transpose %2, dims = [0, 2, 1] : (tensor<3x8x5xf32>) -> tensor<3x5x8xf32>
  return %0, %1, %3 : tensor<8x2xf32>, tensor<2x8xf32>, tensor<3x5x8xf32>
}

// Blocks that lie one behind the other already; a group of one; several operands.
// CHECK-LABEL: func @others
// CHECK-NOT: stablehlo.reshape
// CHECK-NOT: stablehlo.transpose
func.func @others(%a: tensor<4x8xf32>, %b: tensor<1x4x8xf32>) -> (tensor<8x8xf32>, tensor<1x8x8xf32>, tensor<4x8xf32>, tensor<4x16xf32>, tensor<4x16xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  %1 = "stablehlo.all_gather"(%b) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<1x4x8xf32>) -> tensor<1x8x8xf32>
  %2 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3:2 = "stablehlo.all_gather"(%a, %a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>)
  return %0, %1, %2, %3#0, %3#1 : tensor<8x8xf32>, tensor<1x8x8xf32>, tensor<4x8xf32>, tensor<4x16xf32>, tensor<4x16xf32>
}
