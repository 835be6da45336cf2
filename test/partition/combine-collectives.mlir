// RUN: shardwise-opt %s -shardwise-combine-collectives | FileCheck %s
// RUN: shardwise-opt %s -shardwise-combine-collectives=max-bytes=0 | FileCheck %s --check-prefix=NONE
// RUN: shardwise-opt %s -shardwise-combine-collectives=max-bytes=80 | FileCheck %s --check-prefix=LIMIT

sdy.mesh @mesh = <["x"=2, "y"=2]>

// NONE-NOT: :2 =

// What waits for a result goes behind, in its order; what does not stays.
// CHECK-LABEL: func @gradients
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<2x8xf32>, %[[C:.*]]: tensor<f32>
// CHECK-NEXT: %[[NEG:.*]] = stablehlo.negate %[[B]]
// CHECK-NEXT: %[[SUMS:.*]]:3 = "stablehlo.all_reduce"(%[[A]], %[[NEG]], %[[C]])
// CHECK-SAME: handle = 1,
// CHECK: (tensor<4xf32>, tensor<2x8xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<2x8xf32>, tensor<f32>)
// CHECK-NEXT: %[[EXP:.*]] = stablehlo.exponential %[[SUMS]]#0
// CHECK-NEXT: %[[TWICE:.*]] = stablehlo.add %[[EXP]], %[[SUMS]]#0
// CHECK-NEXT: %[[TURNED:.*]] = stablehlo.transpose %[[SUMS]]#1
// CHECK-NEXT: return %[[TWICE]], %[[TURNED]], %[[SUMS]]#2
// LIMIT-LABEL: func @gradients
// LIMIT: %{{.*}}:2 = "stablehlo.all_reduce"
// LIMIT: stablehlo.transpose
// LIMIT: "stablehlo.all_reduce"(%{{[^,]*}}) <
func.func @gradients(%a: tensor<4xf32>, %b: tensor<2x8xf32>, %c: tensor<f32>) -> (tensor<4xf32>, tensor<8x2xf32>, tensor<f32>) {
  %0 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.exponential %0 : tensor<4xf32>
  %2 = stablehlo.add %1, %0 : tensor<4xf32>
  %3 = stablehlo.negate %b : tensor<2x8xf32>
  %4 = "stablehlo.all_reduce"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<2x8xf32>) -> tensor<8x2xf32>
  %6 = "stablehlo.all_reduce"(%c) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  return %2, %5, %6 : tensor<4xf32>, tensor<8x2xf32>, tensor<f32>
}

// A result that the next one needs, another group, another function, another type: nothing is combined.
// CHECK-LABEL: func @different
// CHECK-COUNT-5: "stablehlo.all_reduce"(%{{[^,]*}})
func.func @different(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  %0 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.maximum %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = "stablehlo.all_reduce"(%c) <{channel_handle = #stablehlo.channel_handle<handle = 8, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
  ^bb0(%l: tensor<i32>, %r: tensor<i32>):
    %s = stablehlo.add %l, %r : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xi32>) -> tensor<4xi32>
  return %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// A product does not wait: it ends the combination.
// CHECK-LABEL: func @used
// CHECK: "stablehlo.all_reduce"(%{{[^,]*}})
// CHECK: stablehlo.dot_general
// CHECK: "stablehlo.all_reduce"(%{{[^,]*}})
func.func @used(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 9, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 10, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}

// What another one needs is not waited for: the second is ready before the first and the third.
// CHECK-LABEL: func @crossed
// CHECK: %[[Y:.*]] = "stablehlo.all_reduce"(%{{[^,]*}})
// CHECK: %[[X:.*]]:2 = "stablehlo.all_reduce"(%{{.*}}, %[[Y]])
// CHECK: "stablehlo.all_reduce"(%[[X]]#0)
func.func @crossed(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 11, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 12, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 13, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 14, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}

// Gathers of one dimension; values that a loop uses are needed before it.
// CHECK-LABEL: func @gathered
// CHECK: %{{.*}}:2 = "stablehlo.all_gather"(%{{.*}}, %{{.*}}) <{all_gather_dim = 0 : i64
// CHECK: stablehlo.while
// CHECK: "stablehlo.all_gather"(%{{[^,]*}})
func.func @gathered(%a: tensor<4xf32>, %b: tensor<2x2xf32>, %i: tensor<i32>) -> (tensor<8xf32>, tensor<4x2xf32>, tensor<4xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 15, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
  %1 = "stablehlo.all_gather"(%b) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 16, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<2x2xf32>) -> tensor<4x2xf32>
  %2 = stablehlo.while(%n = %i) : tensor<i32>
  cond {
    %no = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %no : tensor<i1>
  } do {
    %p = stablehlo.slice %1 [0:1, 0:1] : (tensor<4x2xf32>) -> tensor<1x1xf32>
    %q = stablehlo.reshape %p : (tensor<1x1xf32>) -> tensor<f32>
    %r = stablehlo.convert %q : (tensor<f32>) -> tensor<i32>
    stablehlo.return %r : tensor<i32>
  }
  %3 = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32>
  %4 = "stablehlo.all_gather"(%3) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 17, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  return %0, %1, %4 : tensor<8xf32>, tensor<4x2xf32>, tensor<4xf32>
}

// Not of bf16 along a later dimension, of which XLA for CPUs makes wrong values.
// CHECK-LABEL: func @ofBf16
// CHECK: "stablehlo.all_gather"(%arg0)
// CHECK: "stablehlo.all_gather"(%arg1)
// CHECK: %{{.*}}:2 = "stablehlo.all_gather"(%arg0, %arg1) <{all_gather_dim = 0 : i64
func.func @ofBf16(%a: tensor<4x2xbf16>, %b: tensor<2x2xbf16>) -> (tensor<4x4xbf16>, tensor<2x4xbf16>, tensor<8x2xbf16>, tensor<4x2xbf16>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 18, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<4x2xbf16>) -> tensor<4x4xbf16>
  %1 = "stablehlo.all_gather"(%b) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 19, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<2x2xbf16>) -> tensor<2x4xbf16>
  %2 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 20, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<4x2xbf16>) -> tensor<8x2xbf16>
  %3 = "stablehlo.all_gather"(%b) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 21, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<2x2xbf16>) -> tensor<4x2xbf16>
  return %0, %1, %2, %3 : tensor<4x4xbf16>, tensor<2x4xbf16>, tensor<8x2xbf16>, tensor<4x2xbf16>
}
