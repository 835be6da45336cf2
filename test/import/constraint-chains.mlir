// RUN: shardwise-opt %s -split-input-file -sdy-add-data-flow-edges -sdy-apply-sharding-constraints 2>/dev/null | FileCheck %s

// Which uses a constraint binds.

// Uses behind a chain of constraints mean the end of it; what is returned does not.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.sharding_constraint %0 <@m, [{"x"}, {}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.sharding_constraint %1 <@m, [{}, {"x"}]> : tensor<8x8xf32>
// CHECK-NEXT: %3 = sdy.sharding_constraint %2 <@m, [{"y"}, {?}]> : tensor<8x8xf32>
// CHECK-NEXT: %4 = stablehlo.negate %3 : tensor<8x8xf32>
// CHECK-NEXT: %5 = stablehlo.add %4, %3 : tensor<8x8xf32>
// CHECK-NEXT: return %5, %0 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@m, [{"x"}, {}]> : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %1 <@m, [{}, {"x"}]> : tensor<8x8xf32>
  %3 = sdy.sharding_constraint %2 <@m, [{"y"}, {?}]> : tensor<8x8xf32>
  %4 = stablehlo.negate %0 : tensor<8x8xf32>
  %5 = stablehlo.add %4, %3 : tensor<8x8xf32>
  return %5, %0 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// Uses in other blocks, or before the end of the chain, stay.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = stablehlo.tanh %0 : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.sharding_constraint %0 <@m, [{"x"}, {}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
// CHECK-NEXT: %3 = stablehlo.negate %0 : tensor<8x8xf32>
// CHECK-NEXT: %4 = sdy.sharding_constraint %2 <@m, [{}, {"x"}]> : tensor<8x8xf32>
// CHECK-NEXT: %5 = "stablehlo.case"(%arg1) ({
// CHECK-NEXT: %9 = stablehlo.sine %0 : tensor<8x8xf32>
// CHECK-NEXT: stablehlo.return %9 : tensor<8x8xf32>
// CHECK-NEXT: }, {
// CHECK-NEXT: stablehlo.return %3 : tensor<8x8xf32>
// CHECK-NEXT: }) : (tensor<i32>) -> tensor<8x8xf32>
// CHECK-NEXT: %6 = sdy.data_flow_edge %5 : tensor<8x8xf32>
// CHECK-NEXT: %7 = stablehlo.add %4, %6 : tensor<8x8xf32>
// CHECK-NEXT: %8 = stablehlo.add %1, %3 : tensor<8x8xf32>
// CHECK-NEXT: return %7, %8 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8x8xf32>
  %1 = stablehlo.tanh %0 : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %0 <@m, [{"x"}, {}]> : tensor<8x8xf32>
  %3 = stablehlo.negate %0 : tensor<8x8xf32>
  %4 = sdy.sharding_constraint %2 <@m, [{}, {"x"}]> : tensor<8x8xf32>
  %5 = "stablehlo.case"(%arg1) ({
    %8 = stablehlo.sine %0 : tensor<8x8xf32>
    stablehlo.return %8 : tensor<8x8xf32>
  }, {
    stablehlo.return %3 : tensor<8x8xf32>
  }) : (tensor<i32>) -> tensor<8x8xf32>
  %6 = stablehlo.add %0, %5 : tensor<8x8xf32>
  %7 = stablehlo.add %1, %3 : tensor<8x8xf32>
  return %6, %7 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// A chain ends where a constraint has several uses; it binds nobody if those ask again.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.sharding_constraint %0 <@m, [{"x"}, {}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.sharding_constraint %1 <@m, [{}, {"x"}]> : tensor<8x8xf32>
// CHECK-NEXT: %3 = sdy.sharding_constraint %2 <@m, [{"y"}, {?}]> : tensor<8x8xf32>
// CHECK-NEXT: %4 = sdy.sharding_constraint %2 <@m, [{"z"}, {?}]> : tensor<8x8xf32>
// CHECK-NEXT: %5 = stablehlo.negate %0 : tensor<8x8xf32>
// CHECK-NEXT: return %3, %5 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@m, [{"x"}, {}]> : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %1 <@m, [{}, {"x"}]> : tensor<8x8xf32>
  %3 = sdy.sharding_constraint %2 <@m, [{"y"}, {?}]> : tensor<8x8xf32>
  %4 = sdy.sharding_constraint %2 <@m, [{"z"}, {?}]> : tensor<8x8xf32>
  %5 = stablehlo.negate %0 : tensor<8x8xf32>
  return %3, %5 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// A chain on an argument.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = sdy.sharding_constraint %arg0 <@m, [{"x"}, {}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.sharding_constraint %0 <@m, [{}, {"x"}]> : tensor<8x8xf32>
// CHECK-NEXT: %2 = stablehlo.negate %1 : tensor<8x8xf32>
// CHECK-NEXT: return %arg0, %2 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@m, [{"x"}, {}]> : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@m, [{}, {"x"}]> : tensor<8x8xf32>
  %2 = stablehlo.negate %arg0 : tensor<8x8xf32>
  return %arg0, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// A constraint without uses binds its input; equal ones do not contradict.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.sharding_constraint %0 <@m, [{"x"}, {}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
// CHECK-NEXT: %2 = stablehlo.negate %0 : tensor<8x8xf32>
// CHECK-NEXT: %3 = stablehlo.sine %2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %4 = sdy.sharding_constraint %3 <@m, [{"y"}, {}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
// CHECK-NEXT: %5 = sdy.sharding_constraint %3 <@m, [{"y"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %6 = stablehlo.add %4, %5 : tensor<8x8xf32>
// CHECK-NEXT: return %3, %6 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@m, [{"x"}, {}]> : tensor<8x8xf32>
  %2 = stablehlo.negate %0 : tensor<8x8xf32>
  %3 = stablehlo.sine %2 : tensor<8x8xf32>
  %4 = sdy.sharding_constraint %3 <@m, [{"y"}, {}]> : tensor<8x8xf32>
  %5 = sdy.sharding_constraint %3 <@m, [{"y"}, {}]> : tensor<8x8xf32>
  %6 = stablehlo.add %4, %5 : tensor<8x8xf32>
  return %3, %6 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// Different constraints bind nobody.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.sharding_constraint %0 <@m, [{"x"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.sharding_constraint %0 <@m, [{"y"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@m, [{"x"}, {}]> : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %0 <@m, [{"y"}, {}]> : tensor<8x8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// Where the input has an edge, the constraint takes its place; unreduced axes go to the edge.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %c = stablehlo.constant dense<1> : tensor<i32>
// CHECK-NEXT: %c_0 = stablehlo.constant dense<0> : tensor<i32>
// CHECK-NEXT: %0 = stablehlo.cosine %arg0 : tensor<8x8xf32>
// CHECK-NEXT: %1:2 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %arg0) : tensor<i32>, tensor<8x8xf32>
// CHECK-NEXT: cond {
// CHECK-NEXT: %6 = stablehlo.compare  LT, %iterArg, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT: stablehlo.return %6 : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: %6 = sdy.sharding_constraint %iterArg_1 <@m, [{"x"}, {}], unreduced={"z"}> : tensor<8x8xf32>
// CHECK-NEXT: %7 = stablehlo.add %iterArg, %c : tensor<i32>
// CHECK-NEXT: %8 = stablehlo.abs %6 : tensor<8x8xf32>
// CHECK-NEXT: %9 = stablehlo.add %6, %0 : tensor<8x8xf32>
// CHECK-NEXT: %10 = stablehlo.multiply %9, %8 : tensor<8x8xf32>
// CHECK-NEXT: stablehlo.return %7, %10 : tensor<i32>, tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %2 = sdy.data_flow_edge %1#0 : tensor<i32>
// CHECK-NEXT: %3 = sdy.data_flow_edge %1#1 sharding=<@m, [{?}, {?}], unreduced={"z"}> : tensor<8x8xf32>
// CHECK-NEXT: %4 = sdy.sharding_constraint %3 <@m, [{}, {"y"}]> : tensor<8x8xf32>
// CHECK-NEXT: %5 = stablehlo.negate %3 : tensor<8x8xf32>
// CHECK-NEXT: return %4, %5 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c = stablehlo.constant dense<1> : tensor<i32>
  %c_0 = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.cosine %arg0 : tensor<8x8xf32>
  %1:2 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %arg0) : tensor<i32>, tensor<8x8xf32>
  cond {
    %4 = stablehlo.compare  LT, %iterArg, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %4 = stablehlo.add %iterArg, %c : tensor<i32>
    %5 = stablehlo.abs %iterArg_1 : tensor<8x8xf32>
    %6 = sdy.sharding_constraint %iterArg_1 <@m, [{"x"}, {}], unreduced={"z"}> : tensor<8x8xf32>
    %7 = stablehlo.add %6, %0 : tensor<8x8xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<8x8xf32>
    stablehlo.return %4, %8 : tensor<i32>, tensor<8x8xf32>
  }
  %2 = sdy.sharding_constraint %1#1 <@m, [{}, {"y"}]> : tensor<8x8xf32>
  %3 = stablehlo.negate %1#1 : tensor<8x8xf32>
  return %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// In_shardings bind like constraints.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = stablehlo.optimization_barrier %arg1 : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.data_flow_edge %1 : tensor<8x8xf32>
// CHECK-NEXT: %3 = sdy.sharding_constraint %2 <@m, [{"x", "z"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %4 = sdy.manual_computation(%0, %3) in_shardings=[<@m, [{"x"}, {}]>, <@m, [{"x", "z"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<4x8xf32>, %arg3: tensor<4x8xf32>) {
// CHECK-NEXT: %8 = sdy.data_flow_edge %arg2 sharding=<@m, [{}, {}]> : tensor<4x8xf32>
// CHECK-NEXT: %9 = sdy.data_flow_edge %arg3 sharding=<@m, [{"z"}, {}]> : tensor<4x8xf32>
// CHECK-NEXT: %10 = stablehlo.add %8, %9 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"z"}]>]>} : tensor<4x8xf32>
// CHECK-NEXT: %11 = sdy.sharding_constraint %10 <@m, [{}, {"z"}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>} : tensor<4x8xf32>
// CHECK-NEXT: sdy.return %11 : tensor<4x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %5 = sdy.data_flow_edge %4 sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %6 = stablehlo.add %5, %0 : tensor<8x8xf32>
// CHECK-NEXT: %7 = stablehlo.negate %3 : tensor<8x8xf32>
// CHECK-NEXT: return %6, %7 : tensor<8x8xf32>, tensor<8x8xf32>
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

// -----

// Open shardings on the input, other results of an op, block arguments and reshards.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {?}]>}, %arg2: tensor<8x8xf32>, %arg3: tensor<f32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = sdy.sharding_constraint %arg0 <@m, [{"x"}, {}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.sharding_constraint %arg1 <@m, [{"x"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %2:2 = stablehlo.custom_call @foo(%arg2) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>, <@m, [{?}, {?}]>]>} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
// CHECK-NEXT: %3 = sdy.sharding_constraint %2#0 <@m, [{"x"}, {}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
// CHECK-NEXT: %4 = sdy.sharding_constraint %2#1 <@m, [{"y"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %5 = "stablehlo.reduce_window"(%arg2, %arg3) <{window_dimensions = array<i64: 1, 1>}> ({
// CHECK-NEXT: ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
// CHECK-NEXT: %10 = sdy.sharding_constraint %arg4 <@m, []> : tensor<f32>
// CHECK-NEXT: %11 = stablehlo.add %10, %arg5 : tensor<f32>
// CHECK-NEXT: stablehlo.return %11 : tensor<f32>
// CHECK-NEXT: }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
// CHECK-NEXT: %6 = sdy.sharding_constraint %5 <@m, [{}, {}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
// CHECK-NEXT: %7 = sdy.sharding_constraint %5 <@m, [{}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %8 = sdy.reshard %5 <@m, [{}, {"z"}]> : tensor<8x8xf32>
// CHECK-NEXT: %9 = sdy.sharding_constraint %8 <@m, [{}, {"y"}]> : tensor<8x8xf32>
// CHECK-NEXT: return %3, %1, %9 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {?}]>}, %arg2: tensor<8x8xf32>, %arg3: tensor<f32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@m, [{"x"}, {}]> : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %arg1 <@m, [{"x"}, {}]> : tensor<8x8xf32>
  %2:2 = stablehlo.custom_call @foo(%arg2) : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  %3 = sdy.sharding_constraint %2#0 <@m, [{"x"}, {}]> : tensor<8x8xf32>
  %4 = sdy.sharding_constraint %2#1 <@m, [{"y"}, {}]> : tensor<8x8xf32>
  %5 = "stablehlo.reduce_window"(%arg2, %arg3) <{window_dimensions = array<i64: 1, 1>}> ({
  ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
    %10 = sdy.sharding_constraint %arg4 <@m, []> : tensor<f32>
    %11 = stablehlo.add %10, %arg5 : tensor<f32>
    stablehlo.return %11 : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %6 = sdy.sharding_constraint %5 <@m, [{}, {}]> : tensor<8x8xf32>
  %7 = sdy.sharding_constraint %5 <@m, [{}, {}]> : tensor<8x8xf32>
  %8 = sdy.reshard %5 <@m, [{}, {"z"}]> : tensor<8x8xf32>
  %9 = sdy.sharding_constraint %8 <@m, [{}, {"y"}]> : tensor<8x8xf32>
  return %3, %1, %9 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
