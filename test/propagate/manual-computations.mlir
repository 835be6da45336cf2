// RUN: shardwise-opt %s -split-input-file -sdy-import-pipeline -sdy-sharding-group-import -sdy-user-priority-propagate 2>/dev/null | FileCheck %s

// Manual axes stay outside of the body, free axes pass.

// A manual computation in another one.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}, {name = "z", size = 4 : i64}]}}
// CHECK-NEXT: func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y", "z"}, {}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {"y", ?}]>}) {
// CHECK-NEXT: %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x", ?}, {?}]>] out_shardings=[<@m, [{"x", ?}, {?}]>] manual_axes={"x"} (%arg1: tensor<8x16xf32>) {
// CHECK-NEXT: %3 = sdy.data_flow_edge %arg1 sharding=<@m, [{"y", "z", ?}, {?}]> : tensor<8x16xf32>
// CHECK-NEXT: %4 = stablehlo.tanh %3 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y", "z", ?}, {?}]>]>} : tensor<8x16xf32>
// CHECK-NEXT: %5 = sdy.manual_computation(%4) in_shardings=[<@m, [{"y", ?}, {?}]>] out_shardings=[<@m, [{?}, {"y", ?}]>] manual_axes={"y"} (%arg2: tensor<4x16xf32>) {
// CHECK-NEXT: %8 = sdy.data_flow_edge %arg2 sharding=<@m, [{"z", ?}, {?}]> : tensor<4x16xf32>
// CHECK-NEXT: %9 = stablehlo.sine %8 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"z", ?}, {?}]>]>} : tensor<4x16xf32>
// CHECK-NEXT: %10 = stablehlo.transpose %9, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"z", ?}]>]>} : (tensor<4x16xf32>) -> tensor<16x4xf32>
// CHECK-NEXT: %11 = stablehlo.reshape %10 : (tensor<16x4xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: sdy.return %11 : tensor<8x8xf32>
// CHECK-NEXT: } : (tensor<8x16xf32>) -> tensor<8x16xf32>
// CHECK-NEXT: %6 = sdy.data_flow_edge %5 sharding=<@m, [{?}, {"y", ?}]> : tensor<8x16xf32>
// CHECK-NEXT: %7 = stablehlo.negate %6 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"y", ?}]>]>} : tensor<8x16xf32>
// CHECK-NEXT: sdy.return %7 : tensor<8x16xf32>
// CHECK-NEXT: } : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %1 = sdy.data_flow_edge %0 sharding=<@m, [{"x", ?}, {"y", ?}]> : tensor<16x16xf32>
// CHECK-NEXT: %2 = stablehlo.cosine %1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {"y", ?}]>]>} : tensor<16x16xf32>
// CHECK-NEXT: return %2 : tensor<16x16xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y", "z"}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x", ?}, {?}]>] out_shardings=[<@m, [{"x", ?}, {?}]>] manual_axes={"x"} (%arg1: tensor<8x16xf32>) {
    %2 = stablehlo.tanh %arg1 : tensor<8x16xf32>
    %3 = sdy.manual_computation(%2) in_shardings=[<@m, [{"y", ?}, {?}]>] out_shardings=[<@m, [{?}, {"y", ?}]>] manual_axes={"y"} (%arg2: tensor<4x16xf32>) {
      %5 = stablehlo.sine %arg2 : tensor<4x16xf32>
      %6 = stablehlo.transpose %5, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
      %7 = stablehlo.reshape %6 : (tensor<16x4xf32>) -> tensor<8x8xf32>
      sdy.return %7 : tensor<8x8xf32>
    } : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %4 = stablehlo.negate %3 : tensor<8x16xf32>
    sdy.return %4 : tensor<8x16xf32>
  } : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = stablehlo.cosine %0 : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}

// -----

// Priorities at the border of a manual computation.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}, {name = "z", size = 4 : i64}]}}
// CHECK-NEXT: func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "z"}, {?}]>}, %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {"z"}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {"z", ?}]>}) {
// CHECK-NEXT: %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@m, [{"x", "z"}p1, {?}]>, <@m, [{"x", ?}p2, {?}]>] out_shardings=[<@m, [{"x", ?}, {?}p3]>] manual_axes={"x"} (%arg2: tensor<8x16xf32>, %arg3: tensor<8x16xf32>) {
// CHECK-NEXT: %3 = sdy.data_flow_edge %arg2 sharding=<@m, [{"z"}, {?}]> : tensor<8x16xf32>
// CHECK-NEXT: %4 = sdy.data_flow_edge %arg3 sharding=<@m, [{?}, {"z", ?}]> : tensor<8x16xf32>
// CHECK-NEXT: %5 = stablehlo.add %3, %4 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"z", ?}]>]>} : tensor<8x16xf32>
// CHECK-NEXT: sdy.return %5 : tensor<8x16xf32>
// CHECK-NEXT: } : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %1 = sdy.data_flow_edge %0 sharding=<@m, [{"x", ?}, {"z", ?}]> : tensor<16x16xf32>
// CHECK-NEXT: %2 = stablehlo.cosine %1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {"z", ?}]>]>} : tensor<16x16xf32>
// CHECK-NEXT: return %2 : tensor<16x16xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "z"}p1, {?}]>}, %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"z"}]>}) -> tensor<16x16xf32> {
  %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@m, [{"x", "z"}p1, {?}]>, <@m, [{"x", ?}p2, {?}]>] out_shardings=[<@m, [{"x", ?}, {?}p3]>] manual_axes={"x"} (%arg2: tensor<8x16xf32>, %arg3: tensor<8x16xf32>) {
    %2 = stablehlo.add %arg2, %arg3 : tensor<8x16xf32>
    sdy.return %2 : tensor<8x16xf32>
  } : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = stablehlo.cosine %0 : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}

// -----

// Replicated and unreduced axes at the border are those of the attribute.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}, {name = "z", size = 4 : i64}]}}
// CHECK-NEXT: func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {?}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"z"}]>}) {
// CHECK-NEXT: %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x", ?}, {?}], replicated={"y", "z":(1)2}>] out_shardings=[<@m, [{?}, {?}], replicated={"x"}, unreduced={"y"}>] manual_axes={"x", "y"} (%arg1: tensor<8x16xf32>) {
// CHECK-NEXT: %3 = sdy.data_flow_edge %arg1 sharding=<@m, [{?}, {?}], replicated={"z":(1)2}> : tensor<8x16xf32>
// CHECK-NEXT: %4 = stablehlo.concatenate %3, %3, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"z", ?}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: sdy.return %4 : tensor<16x16xf32>
// CHECK-NEXT: } : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %1 = sdy.data_flow_edge %0 sharding=<@m, [{?}, {"z", ?}], replicated={"x"}, unreduced={"y"}> : tensor<16x16xf32>
// CHECK-NEXT: %2 = stablehlo.cosine %1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"z", ?}]>]>} : tensor<16x16xf32>
// CHECK-NEXT: return %2 : tensor<16x16xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<16x16xf32>) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"z"}]>}) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x", ?}, {?}], replicated={"z":(1)2}>] out_shardings=[<@m, [{?}, {?}], replicated={"x"}, unreduced={"y"}>] manual_axes={"x", "y"} (%arg1: tensor<8x16xf32>) {
    %2 = stablehlo.concatenate %arg1, %arg1, dim = 0 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
    sdy.return %2 : tensor<16x16xf32>
  } : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = stablehlo.cosine %0 : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}

// -----

// Manual axes are sorted, and replicated where a sharding does not use them.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}, {name = "z", size = 4 : i64}]}}
// CHECK-NEXT: sdy.mesh @e = <[]> {stablehlo.mesh = {axes = []}}
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z", "y", ?}, {?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"y", ?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"y", ?}]>}) {
// CHECK-NEXT: %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@m, [{"z", "y"}, {?}], replicated={"x"}>, <@m, [{?}, {?}], replicated={"y", "z"}>] out_shardings=[<@m, [{?}, {"y", ?}], replicated={"z"}>] manual_axes={"y", "z"} (%arg2: tensor<1x8xf32>, %arg3: tensor<8x8xf32>) {
// CHECK-NEXT: %5 = sdy.data_flow_edge %arg2 sharding=<@m, [{}, {?}], replicated={"x"}> : tensor<1x8xf32>
// CHECK-NEXT: %6 = sdy.data_flow_edge %arg3 sharding=<@m, [{?}, {?}]> : tensor<8x8xf32>
// CHECK-NEXT: %7 = stablehlo.slice %6 [0:8, 0:4] : (tensor<8x8xf32>) -> tensor<8x4xf32>
// CHECK-NEXT: sdy.return %7 : tensor<8x4xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.data_flow_edge %0 sharding=<@m, [{?}, {"y", ?}], replicated={"z"}> : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.manual_computation(%arg1) in_shardings=[<@m, [{}, {?}], replicated={"x"}>] out_shardings=[<@m, [{?}, {?}], replicated={"x"}>] manual_axes={"x"} (%arg2: tensor<8x8xf32>) {
// CHECK-NEXT: %5 = sdy.data_flow_edge %arg2 sharding=<@m, [{}, {"y", ?}]> : tensor<8x8xf32>
// CHECK-NEXT: sdy.return %5 : tensor<8x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %3 = sdy.data_flow_edge %2 sharding=<@m, [{?}, {"y", ?}], replicated={"x"}> : tensor<8x8xf32>
// CHECK-NEXT: %4 = stablehlo.add %1, %3 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"y", ?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: return %4 : tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
sdy.mesh @e = <[]>
func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@m, [{"z", "y"}, {?}], replicated={"x"}>, <@m, [{?}, {?}]>] out_shardings=[<@m, [{?}, {"y", ?}]>] manual_axes={"z", "y"} (%arg2: tensor<1x8xf32>, %arg3: tensor<8x8xf32>) {
    %3 = stablehlo.slice %arg3 [0:8, 0:4] : (tensor<8x8xf32>) -> tensor<8x4xf32>
    sdy.return %3 : tensor<8x4xf32>
  } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.manual_computation(%arg1) in_shardings=[<@e, [{}, {?}]>] out_shardings=[<@m, [{?}, {?}]>] manual_axes={"x"} (%arg2: tensor<8x8xf32>) {
    sdy.return %arg2 : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// Without manual axes the border only passes shardings on.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}, {name = "z", size = 4 : i64}]}}
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"x", ?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"x", ?}]>}) {
// CHECK-NEXT: %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{?}, {"x"}]>] out_shardings=[<@m, [{?}, {?}]>] manual_axes={} (%arg1: tensor<8x8xf32>) {
// CHECK-NEXT: %2 = sdy.data_flow_edge %arg1 sharding=<@m, [{?}, {"x"}]> : tensor<8x8xf32>
// CHECK-NEXT: %3 = stablehlo.tanh %2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"x", ?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: sdy.return %3 : tensor<8x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.data_flow_edge %0 sharding=<@m, [{?}, {"x", ?}]> : tensor<8x8xf32>
// CHECK-NEXT: return %1 : tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    sdy.return
  } : () -> ()
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{?}, {"x"}]>] out_shardings=[<@m, [{?}, {?}]>] manual_axes={} (%arg1: tensor<8x8xf32>) {
    %1 = stablehlo.tanh %arg1 : tensor<8x8xf32>
    sdy.return %1 : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Groups in a body.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}, {name = "z", size = 4 : i64}]}}
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {"y", ?}]>}) {
// CHECK-NEXT: %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x", ?}, {?}]>] out_shardings=[<@m, [{"x", ?}, {?}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
// CHECK-NEXT: %2 = sdy.data_flow_edge %arg1 sharding=<@m, [{?}, {"y", ?}]> : tensor<4x8xf32>
// CHECK-NEXT: sdy.sharding_group %2 group_id=0 : tensor<4x8xf32>
// CHECK-NEXT: %3 = stablehlo.tanh %2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"y", ?}]>]>} : tensor<4x8xf32>
// CHECK-NEXT: %4 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"y", ?}]>]>} dense<0.000000e+00> : tensor<4x8xf32>
// CHECK-NEXT: sdy.sharding_group %4 group_id=0 : tensor<4x8xf32>
// CHECK-NEXT: %5 = stablehlo.transpose %4, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y", ?}, {?}]>]>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
// CHECK-NEXT: %6 = stablehlo.reshape %5 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y", ?}, {?}]>]>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %7 = stablehlo.add %3, %6 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"y", ?}]>]>} : tensor<4x8xf32>
// CHECK-NEXT: sdy.return %7 : tensor<4x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.data_flow_edge %0 sharding=<@m, [{"x", ?}, {"y", ?}]> : tensor<8x8xf32>
// CHECK-NEXT: return %1 : tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x", ?}, {?}]>] out_shardings=[<@m, [{"x", ?}, {?}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
    sdy.sharding_group %arg1 group_id=4 : tensor<4x8xf32>
    %1 = stablehlo.tanh %arg1 : tensor<4x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x8xf32>
    sdy.sharding_group %cst group_id=4 : tensor<4x8xf32>
    %2 = stablehlo.transpose %cst, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %3 = stablehlo.reshape %2 : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %4 = stablehlo.add %1, %3 : tensor<4x8xf32>
    sdy.return %4 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// A closed in_sharding.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}, {name = "z", size = 4 : i64}]}}
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "z", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {?}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "z", ?}, {?}]>}) {
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = stablehlo.optimization_barrier %arg1 : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.data_flow_edge %1 sharding=<@m, [{"x", "z", ?}, {?}]> : tensor<8x8xf32>
// CHECK-NEXT: %3 = sdy.manual_computation(%0, %2) in_shardings=[<@m, [{"x"}, {}]>, <@m, [{"x", "z"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<4x8xf32>, %arg3: tensor<4x8xf32>) {
// CHECK-NEXT: %7 = sdy.data_flow_edge %arg2 sharding=<@m, [{}, {}]> : tensor<4x8xf32>
// CHECK-NEXT: %8 = sdy.data_flow_edge %arg3 sharding=<@m, [{"z"}, {}]> : tensor<4x8xf32>
// CHECK-NEXT: %9 = stablehlo.add %7, %8 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"z", ?}, {?}]>]>} : tensor<4x8xf32>
// CHECK-NEXT: %10 = sdy.sharding_constraint %9 <@m, [{}, {"z"}]> : tensor<4x8xf32>
// CHECK-NEXT: sdy.return %10 : tensor<4x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %4 = sdy.data_flow_edge %3 sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %5 = stablehlo.add %4, %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %6 = stablehlo.negate %2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "z", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: return %5, %6 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  %1 = stablehlo.optimization_barrier %arg1 : tensor<8x8xf32>
  %2 = sdy.manual_computation(%0, %1) in_shardings=[<@m, [{"x"}, {}]>, <@m, [{"x", "z"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<4x8xf32>, %arg3: tensor<4x8xf32>) {
    %5 = stablehlo.add %arg2, %arg3 : tensor<4x8xf32>
    %6 = sdy.sharding_constraint %5 <@m, [{}, {"z"}]> : tensor<4x8xf32>
    sdy.return %6 : tensor<4x8xf32>
  } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.add %2, %0 : tensor<8x8xf32>
  %4 = stablehlo.negate %1 : tensor<8x8xf32>
  return %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>
}
