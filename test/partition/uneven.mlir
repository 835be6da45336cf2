// RUN: shardwise-opt %s -split-input-file -sdy-convert-global-to-local | FileCheck %s

// Dimensions that do not divide: shards are padded, and what an op would read of padding is masked.

sdy.mesh @mesh = <["x"=4]>

// 10 rows are shards of 3; the last has one row. A value is masked once for what is neutral to both
// ops, once more for a maximum, and not for element-wise ops.
// CHECK-LABEL: func @masks
// CHECK-SAME: %[[A:.*]]: tensor<3x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>, shardwise.global_type = tensor<10x8xf32>}
func.func @masks(%a: tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8xf32>, tensor<8x8xf32>, tensor<8xf32>) {
  // CHECK-DAG: %[[SIZE:.*]] = stablehlo.constant dense<10> : tensor<i32>
  // CHECK: %[[END:.*]] = stablehlo.subtract %[[SIZE]], %{{.*}} : tensor<i32>
  // CHECK: %[[ENDS:.*]] = stablehlo.broadcast_in_dim %[[END]], dims = [] : (tensor<i32>) -> tensor<3xi32>
  // CHECK: %[[IOTA:.*]] = stablehlo.iota dim = 0 : tensor<3xi32>
  // CHECK: %[[VALID:.*]] = stablehlo.compare LT, %[[IOTA]], %[[ENDS]]
  // CHECK: %[[E:.*]] = stablehlo.exponential %[[A]] : tensor<3x8xf32>
  // CHECK: %[[ALL:.*]] = stablehlo.broadcast_in_dim %[[VALID]], dims = [0] : (tensor<3xi1>) -> tensor<3x8xi1>
  // CHECK: %[[ZEROS:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<3x8xf32>
  // CHECK: %[[M:.*]] = stablehlo.select %[[ALL]], %[[E]], %[[ZEROS]]
  // CHECK: stablehlo.reduce(%[[M]] init:
  // CHECK: stablehlo.dot_general %[[M]], %[[M]]
  // CHECK: %[[LOW:.*]] = stablehlo.constant dense<0xFF800000> : tensor<3x8xf32>
  // CHECK: %[[N:.*]] = stablehlo.select %{{.*}}, %[[E]], %[[LOW]]
  // CHECK: stablehlo.reduce(%[[N]] init:
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %e = stablehlo.exponential %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<10x8xf32>
  %0 = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : (tensor<10x8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  %2 = stablehlo.dot_general %e, %e, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<10x8xf32>, tensor<10x8xf32>) -> tensor<8x8xf32>
  %3 = sdy.all_reduce {"x"} %2 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %4 = stablehlo.reduce(%e init: %low) applies stablehlo.maximum across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=max{"x"}>]>} : (tensor<10x8xf32>, tensor<f32>) -> tensor<8xf32>
  %5 = sdy.all_reduce max {"x"} %4 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %1, %3, %5 : tensor<8xf32>, tensor<8x8xf32>, tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>

// Zeros are neutral to a sum as they are.
// CHECK-LABEL: func @zeros
// CHECK-NOT: stablehlo.select
func.func @zeros() -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<0.0> : tensor<10xf32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [], unreduced={"x"}>]>} : (tensor<10xf32>, tensor<f32>) -> tensor<f32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, []> : tensor<f32>
  return %1 : tensor<f32>
}

// -----

sdy.mesh @mesh = <["x"=4]>

// What is split is padded before, what is gathered is cut behind.
// CHECK-LABEL: func @collectives
// CHECK-SAME: %[[A:.*]]: tensor<10x6xf32>
func.func @collectives(%a: tensor<10x6xf32>) -> tensor<10x6xf32> {
  // CHECK: %[[P:.*]] = stablehlo.dynamic_slice %[[A]], %[[START:.*]], %{{.*}}, sizes = [3, 6] : (tensor<10x6xf32>, tensor<i32>, tensor<i32>) -> tensor<3x6xf32>
  // The last slice is moved back, from 9 to 7.
  // CHECK: %[[BACK:.*]] = stablehlo.subtract %[[START]], %{{.*}} : tensor<i32>
  // CHECK: %[[L:.*]] = stablehlo.pad %[[P]], %{{.*}}, low = [0, 0], high = [2, 0], interior = [0, 0] : (tensor<3x6xf32>, tensor<f32>) -> tensor<5x6xf32>
  // CHECK: %[[S:.*]] = stablehlo.dynamic_slice %[[L]], %[[BACK]], %{{.*}}, sizes = [3, 6] : (tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<3x6xf32>
  %0 = sdy.all_slice [{"x"}, {}] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<10x6xf32>
  // CHECK: %[[Q:.*]] = stablehlo.pad %[[S]], %{{.*}}, low = [0, 0], high = [0, 2], interior = [0, 0] : (tensor<3x6xf32>, tensor<f32>) -> tensor<3x8xf32>
  // CHECK: %[[T:.*]] = "stablehlo.all_to_all"(%[[Q]]) {{.*}} : (tensor<3x8xf32>) -> tensor<12x2xf32>
  // CHECK: %[[C:.*]] = stablehlo.slice %[[T]] [0:10, 0:2] : (tensor<12x2xf32>) -> tensor<10x2xf32>
  %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@mesh, [{}, {"x"}]> : tensor<10x6xf32>
  // CHECK: %[[G:.*]] = "stablehlo.all_gather"(%[[C]]) {{.*}} : (tensor<10x2xf32>) -> tensor<10x8xf32>
  // CHECK: %[[D:.*]] = stablehlo.slice %[[G]] [0:10, 0:6] : (tensor<10x8xf32>) -> tensor<10x6xf32>
  // CHECK: return %[[D]]
  %2 = sdy.all_gather [{}, {"x"}] %1 out_sharding=<@mesh, [{}, {}]> : tensor<10x6xf32>
  return %2 : tensor<10x6xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>

// Three full blocks of 2 and one of padding, which may be anything: nothing is padded.
// CHECK-LABEL: func @sliceOfFullBlocks
// CHECK-SAME: %[[A:.*]]: tensor<6xf32>
func.func @sliceOfFullBlocks(%a: tensor<6xf32>) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK-NOT: stablehlo.pad
  // CHECK: %[[S:.*]] = stablehlo.dynamic_slice %[[A]], %{{.*}}, sizes = [2]
  // CHECK-NEXT: return %[[S]]
  %0 = sdy.all_slice [{"x"}] %a out_sharding=<@mesh, [{"x"}]> : tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>

// CHECK-LABEL: func @reduceScatter
// CHECK-SAME: %[[A:.*]]: tensor<10xf32>
func.func @reduceScatter(%a: tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> (tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK: %[[P:.*]] = stablehlo.pad %[[A]], %{{.*}}, low = [0], high = [2], interior = [0]
  // CHECK: "stablehlo.reduce_scatter"(%[[P]])
  // CHECK: (tensor<12xf32>) -> tensor<3xf32>
  %0 = sdy.reduce_scatter [{"x"}] %a out_sharding=<@mesh, [{"x"}]> : tensor<10xf32>
  return %0 : tensor<10xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=3]>

// Blocks of 5 rows over "x", of which "y" wants parts of 2: the three parts of a block reach over 6.
// The first block takes a row from the second one, in which parts start a row later; back, the
// second one takes it from the first.
// CHECK-LABEL: func @handOver
// CHECK-SAME: %[[A:.*]]: tensor<5xf32>
func.func @handOver(%a: tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK: %[[FIRST:.*]] = stablehlo.slice %[[A]] [0:1]
  // CHECK: %[[NEXT:.*]] = "stablehlo.collective_permute"(%[[FIRST]])
  // CHECK-SAME{LITERAL}: source_target_pairs = dense<[[3, 0], [0, 3], [4, 1], [1, 4], [5, 2], [2, 5]]>
  // CHECK: %[[SIX:.*]] = stablehlo.concatenate %[[A]], %[[NEXT]], dim = 0
  // CHECK: %[[PADDED:.*]] = stablehlo.pad %[[SIX]], %{{.*}}, low = [0], high = [1], interior = [0]
  // CHECK: %[[WIDE:.*]] = stablehlo.dynamic_slice %[[PADDED]], %{{.*}}, sizes = [6]
  // CHECK: %[[PART:.*]] = stablehlo.dynamic_slice %[[WIDE]], %{{.*}}, sizes = [2]
  %0 = sdy.all_slice [{"y"}] %a out_sharding=<@mesh, [{"x", "y"}]> : tensor<10xf32>
  // CHECK: %[[ALL:.*]] = "stablehlo.all_gather"(%[[PART]])
  // CHECK: %[[LAST:.*]] = stablehlo.slice %[[ALL]] [5:6]
  // CHECK: %[[BEFORE:.*]] = "stablehlo.collective_permute"(%[[LAST]])
  // CHECK-SAME{LITERAL}: source_target_pairs = dense<[[3, 0], [0, 3], [4, 1], [1, 4], [5, 2], [2, 5]]>
  // CHECK: %[[SEVEN:.*]] = stablehlo.concatenate %[[BEFORE]], %[[ALL]], dim = 0
  // CHECK: %[[B:.*]] = stablehlo.dynamic_slice %[[SEVEN]], %{{.*}}, sizes = [5]
  // CHECK: return %[[B]]
  %1 = sdy.all_gather [{"y"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<10xf32>
  return %1 : tensor<10xf32>
}
