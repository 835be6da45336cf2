// RUN: shardwise-opt %s -split-input-file -sdy-import-pipeline 2>/dev/null | FileCheck %s

// The whole import.

// Axes of size 1 go; a dimension that becomes empty and closed loses its priority.
// CHECK: sdy.mesh @s = <["a"=1, "x"=2, "b"=1, "c"=1]> {stablehlo.mesh = {axes = [{name = "a", size = 1 : i64}, {name = "x", size = 2 : i64}, {name = "b", size = 1 : i64}, {name = "c", size = 1 : i64}]}}
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@s, [{}, {"x"}p2]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@s, [{?}p1, {}]>}) {
// CHECK-NEXT: %0 = sdy.manual_computation(%arg0) in_shardings=[<@s, [{"x"}, {}], replicated={"a"}>] out_shardings=[<@s, [{"x"}, {}], replicated={"a"}>] manual_axes={"a", "x"} (%arg1: tensor<4x8xf32>) {
// CHECK-NEXT: %2 = sdy.data_flow_edge %arg1 sharding=<@s, [{}, {}]> : tensor<4x8xf32>
// CHECK-NEXT: %3 = sdy.sharding_constraint %2 <@s, [{}, {?}p1]> : tensor<4x8xf32>
// CHECK-NEXT: sdy.return %3 : tensor<4x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.data_flow_edge %0 sharding=<@s, [{"x"}, {}], replicated={"a"}> : tensor<8x8xf32>
// CHECK-NEXT: return %1 : tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @s = <["a"=1, "x"=2, "b"=1, "c"=1]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@s, [{"a"}p1, {"b", "x"}p2], replicated={"c"}>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@s, [{"a", ?}p1, {}], unreduced={"c"}>}) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@s, [{"a", "x"}, {}]>] out_shardings=[<@s, [{"a", "x"}, {}]>] manual_axes={"a", "x"} (%arg1: tensor<4x8xf32>) {
    %1 = sdy.sharding_constraint %arg1 <@s, [{"b"}, {"c", ?}p1]> : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Names of lifted meshes.
// CHECK: sdy.mesh @mesh = <["q"=4]> {stablehlo.mesh = {axes = [{name = "q", size = 4 : i64}]}}
// CHECK-NEXT: sdy.mesh @mesh_0 = <["q"=8]> {stablehlo.mesh = {axes = [{name = "q", size = 8 : i64}]}}
// CHECK-NEXT: sdy.mesh @mesh_1 = <["r"=4]> {stablehlo.mesh = {axes = [{name = "r", size = 4 : i64}]}}
// CHECK-NEXT: sdy.mesh @mesh_2 = <["r"=8]> {stablehlo.mesh = {axes = [{name = "r", size = 8 : i64}]}}
// CHECK-NEXT: sdy.mesh @mesh_3 = <["r"=8], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]> {stablehlo.mesh = {axes = [{name = "r", size = 8 : i64}], device_ids = dense<[7, 6, 5, 4, 3, 2, 1, 0]> : tensor<8xi64>}}
// CHECK-NEXT: sdy.mesh @maximal_mesh_5 = <[], device_ids=[5]> {stablehlo.mesh = {axes = [], device_ids = dense<5> : tensor<1xi64>}}
// CHECK-NEXT: sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"q"}, {?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh_1, [{"r"}, {?}]>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh_2, [{"r"}, {?}]>}, %arg3: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"q"}, {?}]>}, %arg4: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh_3, [{"r"}]>}) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = stablehlo.custom_call @foo() {sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_5, []>]>} : () -> tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.sharding_constraint %arg0 <@empty_mesh, [{}, {?}]> : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.sharding_constraint %arg0 <@mesh_0, [{"q"}, {?}]> : tensor<8x8xf32>
// CHECK-NEXT: return %0 : tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @mesh = <["q"=4]>
sdy.mesh @mesh_0 = <["q"=8]>
sdy.mesh @dup = <["q"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["q"=4]>, [{"q"}, {?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["r"=4]>, [{"r"}, {?}]>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["r"=8]>, [{"r"}, {?}]>}, %arg3: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@dup, [{"q"}, {?}]>}, %arg4: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["r"=8], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>, [{"r"}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.custom_call @foo() {sdy.sharding = #sdy.sharding_per_value<[<mesh<[], device_ids=[5]>, []>]>} : () -> tensor<8x8xf32>
  %1 = sdy.sharding_constraint %arg0 <mesh<[]>, [{}, {?}]> : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %arg0 <mesh<["q"=8]>, [{"q"}, {?}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Every use of a constant or scalar expansion has its own copy of all that computes it.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}, {name = "z", size = 4 : i64}]}}
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"y"}]>}, %arg2: tensor<f32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = sdy.constant {foo = 1 : i32} dense<1.000000e+00> : tensor<8xf32>
// CHECK-NEXT: %1 = sdy.constant {foo = 1 : i32} dense<1.000000e+00> : tensor<8xf32>
// CHECK-NEXT: %2 = sdy.constant {foo = 1 : i32} dense<1.000000e+00> : tensor<8xf32>
// CHECK-NEXT: %3 = sdy.constant {foo = 1 : i32} dense<1.000000e+00> : tensor<8xf32>
// CHECK-NEXT: %4 = stablehlo.iota dim = 0 : tensor<8xf32>
// CHECK-NEXT: %5 = stablehlo.iota dim = 0 : tensor<8xf32>
// CHECK-NEXT: %6 = stablehlo.iota dim = 0 : tensor<8xf32>
// CHECK-NEXT: %7 = stablehlo.iota dim = 0 : tensor<8xf32>
// CHECK-NEXT: %8 = stablehlo.add %0, %4 : tensor<8xf32>
// CHECK-NEXT: %9 = stablehlo.add %1, %5 : tensor<8xf32>
// CHECK-NEXT: %10 = stablehlo.add %2, %6 : tensor<8xf32>
// CHECK-NEXT: %11 = stablehlo.add %3, %7 : tensor<8xf32>
// CHECK-NEXT: %12 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %13 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %14 = stablehlo.broadcast_in_dim %10, dims = [1] : (tensor<8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %15 = stablehlo.broadcast_in_dim %11, dims = [1] : (tensor<8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %16 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
// CHECK-NEXT: %17 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
// CHECK-NEXT: %18 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
// CHECK-NEXT: %19 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
// CHECK-NEXT: %20 = stablehlo.tanh %16 : tensor<8x8xf32>
// CHECK-NEXT: %21 = stablehlo.transpose %12, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %22 = stablehlo.add %arg0, %13 : tensor<8x8xf32>
// CHECK-NEXT: %23 = stablehlo.multiply %arg1, %14 : tensor<8x8xf32>
// CHECK-NEXT: %24 = stablehlo.add %22, %17 : tensor<8x8xf32>
// CHECK-NEXT: %25 = stablehlo.multiply %18, %19 : tensor<8x8xf32>
// CHECK-NEXT: %26 = stablehlo.add %25, %21 : tensor<8x8xf32>
// CHECK-NEXT: %27 = stablehlo.subtract %26, %20 : tensor<8x8xf32>
// CHECK-NEXT: %28 = stablehlo.add %27, %23 : tensor<8x8xf32>
// CHECK-NEXT: return %24, %28, %15 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"y"}]>}, %arg2: tensor<f32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %cst = stablehlo.constant {foo = 1 : i32} dense<1.000000e+00> : tensor<8xf32>
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %1 = stablehlo.add %cst, %0 : tensor<8xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  %4 = stablehlo.tanh %3 : tensor<8x8xf32>
  %5 = stablehlo.transpose %2, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %6 = stablehlo.add %arg0, %2 : tensor<8x8xf32>
  %7 = stablehlo.multiply %arg1, %2 : tensor<8x8xf32>
  %8 = stablehlo.add %6, %3 : tensor<8x8xf32>
  %9 = stablehlo.multiply %3, %3 : tensor<8x8xf32>
  %10 = stablehlo.add %9, %5 : tensor<8x8xf32>
  %11 = stablehlo.subtract %10, %4 : tensor<8x8xf32>
  %12 = stablehlo.add %11, %7 : tensor<8x8xf32>
  return %8, %12, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// Named computations of constants only are copied as well.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}, {name = "z", size = 4 : i64}]}}
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"y"}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = sdy.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK-NEXT: %1 = sdy.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK-NEXT: %2 = sdy.named_computation<"mk">(%0) (%arg2: tensor<8xf32>) {
// CHECK-NEXT: %8 = sdy.data_flow_edge %arg2 : tensor<8xf32>
// CHECK-NEXT: %9 = stablehlo.iota dim = 0 : tensor<8xf32>
// CHECK-NEXT: %10 = stablehlo.add %9, %8 : tensor<8xf32>
// CHECK-NEXT: %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: sdy.return %11 : tensor<8x8xf32>
// CHECK-NEXT: } : (tensor<8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %3 = sdy.data_flow_edge %2 : tensor<8x8xf32>
// CHECK-NEXT: %4 = sdy.named_computation<"mk">(%1) (%arg2: tensor<8xf32>) {
// CHECK-NEXT: %8 = sdy.data_flow_edge %arg2 : tensor<8xf32>
// CHECK-NEXT: %9 = stablehlo.iota dim = 0 : tensor<8xf32>
// CHECK-NEXT: %10 = stablehlo.add %9, %8 : tensor<8xf32>
// CHECK-NEXT: %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: sdy.return %11 : tensor<8x8xf32>
// CHECK-NEXT: } : (tensor<8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %5 = sdy.data_flow_edge %4 : tensor<8x8xf32>
// CHECK-NEXT: %6 = stablehlo.add %arg0, %3 : tensor<8x8xf32>
// CHECK-NEXT: %7 = stablehlo.add %arg1, %5 : tensor<8x8xf32>
// CHECK-NEXT: return %6, %7 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"y"}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
  %0 = sdy.named_computation<"mk">(%cst) (%arg2: tensor<8xf32>) {
    %3 = stablehlo.iota dim = 0 : tensor<8xf32>
    %4 = stablehlo.add %3, %arg2 : tensor<8xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>
    sdy.return %5 : tensor<8x8xf32>
  } : (tensor<8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<8x8xf32>
  %2 = stablehlo.add %arg1, %0 : tensor<8x8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// Scalars are not copied.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}, {name = "z", size = 4 : i64}]}}
// CHECK-NEXT: func.func @main(%arg0: tensor<f32> {sdy.sharding = #sdy.sharding<@m, []>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}) -> (tensor<f32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = sdy.sharding_constraint %arg0 <@m, []> : tensor<f32>
// CHECK-NEXT: %1 = stablehlo.add %0, %arg0 : tensor<f32>
// CHECK-NEXT: %2 = stablehlo.optimization_barrier %1 : tensor<f32>
// CHECK-NEXT: %3 = sdy.data_flow_edge %2 : tensor<f32>
// CHECK-NEXT: %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
// CHECK-NEXT: %5 = stablehlo.add %4, %arg1 : tensor<8x8xf32>
// CHECK-NEXT: return %3, %5 : tensor<f32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<f32> {sdy.sharding = #sdy.sharding<@m, []>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}) -> (tensor<f32>, tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@m, []> : tensor<f32>
  %1 = stablehlo.add %0, %arg0 : tensor<f32>
  %2 = stablehlo.optimization_barrier %1 : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  %4 = stablehlo.add %3, %arg1 : tensor<8x8xf32>
  return %2, %4 : tensor<f32>, tensor<8x8xf32>
}
