// RUN: shardwise-opt %s -split-input-file -shardwise-propagation-pipeline -shardwise-partition-pipeline | FileCheck %s
//
// Linear algebra, transforms and normalisation: batch dimensions stay sharded, dimensions that an op
// needs whole are made whole before it: their axes go to the batch if there is room, else they are
// gathered.

// CHECK-LABEL: func.func @factors
// CHECK-SAME: %[[A:.*]]: tensor<4x3x6xf32>
// CHECK-SAME: %[[B:.*]]: tensor<4x6x2xf32>
// The right-hand sides are solved where they are, and need all of the factor: it is gathered before
// the decomposition, not moved to the batch and gathered behind it.
// CHECK: %[[WHOLE_A:.*]] = "stablehlo.all_gather"(%[[A]]) {{.*}} -> tensor<4x6x6xf32>
// CHECK: %[[FACTOR:.*]] = stablehlo.cholesky %[[WHOLE_A]], lower = true : tensor<4x6x6xf32>
// CHECK: %[[SOLVED:.*]] = "stablehlo.triangular_solve"(%[[FACTOR]], %[[B]]){{.*}} -> tensor<4x6x2xf32>
// CHECK: "stablehlo.all_gather"(%[[SOLVED]]) {{.*}} -> tensor<4x6x4xf32>
// CHECK-NOT: stablehlo.all_
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @factors(%a: tensor<8x6x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}, %b: tensor<8x6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>}) -> (tensor<8x6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) {
  %0 = stablehlo.cholesky %a, lower = true : tensor<8x6x6xf32>
  %1 = "stablehlo.triangular_solve"(%0, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<8x6x6xf32>, tensor<8x6x4xf32>) -> tensor<8x6x4xf32>
  return %1 : tensor<8x6x4xf32>
}

// -----

// No room in the batch.
// CHECK-LABEL: func.func @smallBatch
// CHECK: %[[WHOLE:.*]] = "stablehlo.all_gather"({{.*}}) <{all_gather_dim = 1 {{.*}} -> tensor<1x6x6xf32>
// CHECK: stablehlo.cholesky %[[WHOLE]], lower = true : tensor<1x6x6xf32>
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @smallBatch(%a: tensor<2x6x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}) -> tensor<2x6x6xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x6x6xf32>
  return %0 : tensor<2x6x6xf32>
}

// -----

// CHECK-LABEL: func.func @transform
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
// CHECK-NOT: stablehlo.all_
// CHECK: %[[FFT:.*]] = stablehlo.fft %[[X]], type = RFFT, length = [8] : (tensor<4x8xf32>) -> tensor<4x5xcomplex<f32>>
// CHECK-NOT: stablehlo.all_
sdy.mesh @mesh = <["x"=2]>
func.func @transform(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x5xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<8x8xf32>) -> tensor<8x5xcomplex<f32>>
  return %0 : tensor<8x5xcomplex<f32>>
}

// -----

// Partial sums of complex numbers are added up over the mesh.
// CHECK-LABEL: func.func @complexSums
// CHECK: %[[PART:.*]] = stablehlo.dot_general {{.*}} (tensor<4x3xcomplex<f32>>, tensor<3x2xcomplex<f32>>) -> tensor<4x2xcomplex<f32>>
// CHECK: "stablehlo.all_reduce"(%[[PART]])
// CHECK: stablehlo.add {{.*}} : tensor<complex<f32>>
sdy.mesh @mesh = <["x"=2]>
func.func @complexSums(%a: tensor<4x6xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<6x2xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x2xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x6xcomplex<f32>>, tensor<6x2xcomplex<f32>>) -> tensor<4x2xcomplex<f32>>
  return %0 : tensor<4x2xcomplex<f32>>
}

// -----

// The statistics are those of the whole batch: sums of parts are added up. What is not used is not
// computed.
// CHECK-LABEL: func.func @statistics
// CHECK-SAME: %[[X:.*]]: tensor<4x3xf32>
// CHECK: %[[PART:.*]] = stablehlo.reduce(%[[X]] init: %{{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK: %[[SUM:.*]] = "stablehlo.all_reduce"(%[[PART]])
// CHECK: %[[MEAN:.*]] = stablehlo.divide %[[SUM]], %{{.*}} : tensor<3xf32>
// CHECK-NOT: stablehlo.multiply
// CHECK: return %[[MEAN]]
sdy.mesh @mesh = <["x"=2]>
func.func @statistics(%x: tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %s: tensor<3xf32>) -> tensor<3xf32> {
  %0, %1, %2 = "stablehlo.batch_norm_training"(%x, %s, %s) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %1 : tensor<3xf32>
}

// -----

// A step of a scan works on what the device has of a slice; splats and results of the body follow.
// CHECK-LABEL: func.func @scan
// CHECK-SAME: %[[X:.*]]: tensor<2x8xf32>
// CHECK-NOT: stablehlo.all_
// CHECK: chlo.scan(%[[X]]) inits (%{{.*}}) dimension=1
// CHECK-NEXT: ^bb0(%[[IN:.*]]: tensor<2xf32>, %[[CARRY:.*]]: tensor<2xf32>):
// CHECK-NEXT: %[[HALF:.*]] = stablehlo.constant dense<5.000000e-01> : tensor<2xf32>
// CHECK-NEXT: %[[M:.*]] = stablehlo.multiply %[[CARRY]], %[[HALF]] : tensor<2xf32>
// CHECK-NEXT: %[[S:.*]] = stablehlo.add %[[IN]], %[[M]] : tensor<2xf32>
// CHECK-NEXT: stablehlo.return %[[S]], %[[S]] : tensor<2xf32>, tensor<2xf32>
// CHECK: (tensor<2x8xf32>, tensor<2xf32>) -> (tensor<2x8xf32>, tensor<2xf32>)
// CHECK-NOT: stablehlo.all_
sdy.mesh @mesh = <["x"=2]>
func.func @scan(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %0:2 = chlo.scan(%x) inits (%zero) dimension=1 attributes {is_associative = false} {
  ^bb0(%in: tensor<4xf32>, %carry: tensor<4xf32>):
    %half = stablehlo.constant dense<0.5> : tensor<4xf32>
    %m = stablehlo.multiply %carry, %half : tensor<4xf32>
    %s = stablehlo.add %in, %m : tensor<4xf32>
    stablehlo.return %s, %s : tensor<4xf32>, tensor<4xf32>
  } : (tensor<4x8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// The scanned dimension is gathered, and so is everything if the body mixes elements.
// CHECK-LABEL: func.func @mixingScan
// CHECK: %[[WHOLE:.*]] = "stablehlo.all_gather"
// CHECK: chlo.scan(%[[WHOLE]]) {{.*}} dimension=0
// CHECK: (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
sdy.mesh @mesh = <["x"=2]>
func.func @mixingScan(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %c: tensor<8xf32>) -> tensor<4x8xf32> {
  %0:2 = chlo.scan(%x) inits (%c) dimension=0 {
  ^bb0(%in: tensor<8xf32>, %carry: tensor<8xf32>):
    %r = stablehlo.reverse %carry, dims = [0] : tensor<8xf32>
    %s = stablehlo.add %in, %r : tensor<8xf32>
    stablehlo.return %s, %s : tensor<8xf32>, tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return %0#0 : tensor<4x8xf32>
}
