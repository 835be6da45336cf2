// RUN: shardwise-opt %s -split-input-file -sdy-manual-axes-cleanup -verify-diagnostics | FileCheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: in_shardings=[<@mesh, [{"a"}], replicated={"b"}>] out_shardings=[<@mesh, [{"b", "a"}]>] manual_axes={"a", "b"}
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"b", "a"}]>] manual_axes={"b", "a"} (%y: tensor<4xf32>) {
    %1 = stablehlo.slice %y [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    sdy.return %1 : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Parts of axes: what no list of the sharding has is replicated.
sdy.mesh @mesh = <["a"=8, "b"=8, "c"=2]>
// CHECK-LABEL: func.func @in_dimensions
func.func @in_dimensions(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: in_shardings=[<@mesh, [{"b":(2)2}], replicated={"a", "b":(1)2, "b":(4)2}>] out_shardings=[<@mesh, [{"b":(1)2}], replicated={"a", "b":(2)4}>] manual_axes={"a", "b"}
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"b":(2)2}]>] out_shardings=[<@mesh, [{"b":(1)2}], replicated={"a":(2)2}>] manual_axes={"a", "b"} (%y: tensor<4xf32>) {
    sdy.return %y : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @unreduced_and_replicated
func.func @unreduced_and_replicated(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: in_shardings=[<@mesh, [{?}p1], replicated={"a":(2)4, "b"}, unreduced={"a":(1)2}>] out_shardings=[<@mesh, [{}], replicated={"a":(2)2, "b"}, unreduced=max{"a":(1)2, "a":(4)2}>]
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{?}p1], replicated={"a":(2)2}, unreduced={"a":(1)2}>] out_shardings=[<@mesh, [{}], replicated={"b":(4)2}, unreduced=max{"a":(1)2, "a":(4)2}>] manual_axes={"b", "a"} (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Free axes stay as they are, before and behind in the order of the mesh.
// CHECK-LABEL: func.func @free_axes
func.func @free_axes(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: in_shardings=[<@mesh, [{"b":(1)4, "a":(2)2, ?}], replicated={"a":(1)2, "b":(4)2}>] out_shardings=[<@mesh, [{"b":(4)2, "b":(1)2}], replicated={"b":(2)2, "c"}>] manual_axes={"b"}
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"b":(1)4, "a":(2)2, ?}], replicated={"a":(1)2}>] out_shardings=[<@mesh, [{"b":(4)2, "b":(1)2}], replicated={"c"}>] manual_axes={"b"} (%y: tensor<2xf32>) {
    sdy.return %y : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Where the rest of an axis has no name, because two parts cannot coexist, it stays unmentioned.
sdy.mesh @mesh = <["a"=48, "b"=2]>
// CHECK-LABEL: func.func @no_name
func.func @no_name(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: in_shardings=[<@mesh, [{}], replicated={"a":(1)4, "b"}, unreduced={"a":(4)2, "a":(12)2}>, <@mesh, [{}], replicated={"a":(1)8, "a":(12)2, "b"}>] out_shardings=[<@mesh, [{}], replicated={"a":(1)12, "a":(24)2, "b"}, unreduced={"a":(12)2}>]
  %0 = sdy.manual_computation(%x, %y) in_shardings=[<@mesh, [{}], unreduced={"a":(4)2, "a":(12)2}>, <@mesh, [{}], replicated={"a":(4)2, "a":(12)2}>] out_shardings=[<@mesh, [{}], unreduced={"a":(12)2}>] manual_axes={"a", "b"} (%u: tensor<8xf32>, %v: tensor<8xf32>) {
    sdy.return %u : tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @unknownMesh() {
  // expected-error @+1 {{has manual_axes but neither inputs nor outputs}}
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () {
    %0 = stablehlo.custom_call @effect() {has_side_effect = true} : () -> tensor<f32>
    sdy.return
  } : () -> ()
  return
}
