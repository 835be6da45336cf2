// RUN: shardwise-opt %s -split-input-file -sdy-lift-inlined-meshes | FileCheck %s --check-prefixes=CHECK,LIFT
// RUN: shardwise-opt %s -split-input-file -sdy-lift-inlined-meshes -sdy-inline-meshes | FileCheck %s --check-prefixes=CHECK,INLINE

// Meshes that replica groups are written with become symbols too, one with those of shardings, and back.

// LIFT: sdy.mesh @mesh = <["x"=2, "y"=2]>
// LIFT-NEXT: sdy.mesh @mesh_0 = <["x"=4], device_ids=[3, 2, 1, 0]>
// INLINE-NOT: sdy.mesh
// CHECK-LABEL: func.func @written
func.func @written(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=2]>, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  // LIFT: replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>
  // INLINE: <mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // LIFT: replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>
  // INLINE: <mesh = #stablehlo.mesh<axes=[<name = "x", size = 4>], device_ids=dense<[3, 2, 1, 0]> : tensor<4xi64>>, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>
  %1 = "stablehlo.collective_broadcast"(%0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 4>], device_ids=dense<[3, 2, 1, 0]> : tensor<4xi64>>, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: replica_groups = dense<{{\[\[}}0, 1]]>
  %2 = "stablehlo.collective_broadcast"(%1) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// The second of two equal meshes goes; what named it names the first.
// LIFT: sdy.mesh @a
// LIFT-NOT: sdy.mesh
sdy.mesh @a = <["x"=2, "y"=2]>
sdy.mesh @b = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @duplicate
func.func @duplicate(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // LIFT: replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @a,
  // INLINE: <mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 2>]>
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @b, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
