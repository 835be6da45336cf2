// RUN: shardwise-opt %s -split-input-file -sdy-add-data-flow-edges -sdy-user-priority-propagate 2>/dev/null | FileCheck %s

// Edges of loops, branches and barriers, and values from outside in their bodies.

// Branches return values from outside.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y", ?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {"y", ?}]>}, %arg2: tensor<i32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {"y", ?}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y", ?}]>}) {
// CHECK-NEXT: %0 = stablehlo.tanh %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {"y", ?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1:2 = "stablehlo.case"(%arg2) ({
// CHECK-NEXT: %4 = stablehlo.slice %0 [0:1, 0:8] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {"y", ?}]>]>} : (tensor<8x8xf32>) -> tensor<1x8xf32>
// CHECK-NEXT: %5 = stablehlo.reshape %4 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y", ?}]>]>} : (tensor<1x8xf32>) -> tensor<8xf32>
// CHECK-NEXT: stablehlo.return %arg0, %5 : tensor<8x8xf32>, tensor<8xf32>
// CHECK-NEXT: }, {
// CHECK-NEXT: %cst = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y", ?}]>]>} dense<0.000000e+00> : tensor<8xf32>
// CHECK-NEXT: stablehlo.return %0, %cst : tensor<8x8xf32>, tensor<8xf32>
// CHECK-NEXT: }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"y", ?}]>, <@m, [{?}]>]>} : (tensor<i32>) -> (tensor<8x8xf32>, tensor<8xf32>)
// CHECK-NEXT: %2 = sdy.data_flow_edge %1#0 sharding=<@m, [{"x", ?}, {"y", ?}]> : tensor<8x8xf32>
// CHECK-NEXT: %3 = sdy.data_flow_edge %1#1 sharding=<@m, [{"y", ?}]> : tensor<8xf32>
// CHECK-NEXT: return %2, %3 : tensor<8x8xf32>, tensor<8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: tensor<8x8xf32>, %arg2: tensor<i32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  %0 = stablehlo.tanh %arg1 : tensor<8x8xf32>
  %1:2 = "stablehlo.case"(%arg2) ({
    %2 = stablehlo.slice %0 [0:1, 0:8] : (tensor<8x8xf32>) -> tensor<1x8xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x8xf32>) -> tensor<8xf32>
    stablehlo.return %arg0, %3 : tensor<8x8xf32>, tensor<8xf32>
  }, {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
    stablehlo.return %0, %cst : tensor<8x8xf32>, tensor<8xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"y", ?}]>, <@m, [{?}]>]>} : (tensor<i32>) -> (tensor<8x8xf32>, tensor<8xf32>)
  return %1#0, %1#1 : tensor<8x8xf32>, tensor<8xf32>
}

// -----

// The inner loop's values join those of the outer one.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {"z", ?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"z"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {"z", ?}]>}) {
// CHECK-NEXT: %c = stablehlo.constant dense<0> : tensor<i32>
// CHECK-NEXT: %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<8x8xf32>
// CHECK-NEXT: cond {
// CHECK-NEXT: %c_1 = stablehlo.constant dense<9> : tensor<i32>
// CHECK-NEXT: %3 = stablehlo.compare  LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT: stablehlo.return %3 : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: %c_1 = stablehlo.constant dense<1> : tensor<i32>
// CHECK-NEXT: %3 = stablehlo.add %iterArg, %c_1 : tensor<i32>
// CHECK-NEXT: %4:2 = stablehlo.while(%iterArg_2 = %c, %iterArg_3 = %iterArg_0) : tensor<i32>, tensor<8x8xf32>
// CHECK-NEXT: cond {
// CHECK-NEXT: %7 = stablehlo.compare  LT, %iterArg_2, %iterArg : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT: stablehlo.return %7 : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: %7 = stablehlo.dot_general %iterArg_3, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {"z", ?}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %8 = stablehlo.add %iterArg_2, %c_1 : tensor<i32>
// CHECK-NEXT: stablehlo.return %8, %7 : tensor<i32>, tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %5 = sdy.data_flow_edge %4#0 : tensor<i32>
// CHECK-NEXT: %6 = sdy.data_flow_edge %4#1 sharding=<@m, [{"x", ?}, {"z", ?}]> : tensor<8x8xf32>
// CHECK-NEXT: stablehlo.return %3, %6 : tensor<i32>, tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %1 = sdy.data_flow_edge %0#0 : tensor<i32>
// CHECK-NEXT: %2 = sdy.data_flow_edge %0#1 sharding=<@m, [{"x", ?}, {"z", ?}]> : tensor<8x8xf32>
// CHECK-NEXT: return %2 : tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"z"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {?}]>}) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<8x8xf32>
  cond {
    %c_1 = stablehlo.constant dense<9> : tensor<i32>
    %1 = stablehlo.compare  LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %iterArg, %c_1 : tensor<i32>
    %2:2 = stablehlo.while(%iterArg_2 = %c, %iterArg_3 = %iterArg_0) : tensor<i32>, tensor<8x8xf32>
    cond {
      %3 = stablehlo.compare  LT, %iterArg_2, %iterArg : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = stablehlo.dot_general %iterArg_3, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %4 = stablehlo.add %iterArg_2, %c_1 : tensor<i32>
      stablehlo.return %4, %3 : tensor<i32>, tensor<8x8xf32>
    }
    stablehlo.return %1, %2#1 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}

// -----

// An if has no edges: its result starts anew.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: tensor<i1>) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = "stablehlo.if"(%arg1) ({
// CHECK-NEXT: %3 = stablehlo.sine %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: stablehlo.return %3 : tensor<8x8xf32>
// CHECK-NEXT: }, {
// CHECK-NEXT: stablehlo.return %arg0 : tensor<8x8xf32>
// CHECK-NEXT: }) : (tensor<i1>) -> tensor<8x8xf32>
// CHECK-NEXT: %2 = stablehlo.negate %1 : tensor<8x8xf32>
// CHECK-NEXT: return %2 : tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: tensor<i1>) -> tensor<8x8xf32> {
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  %1 = "stablehlo.if"(%arg1) ({
    %3 = stablehlo.sine %0 : tensor<8x8xf32>
    stablehlo.return %3 : tensor<8x8xf32>
  }, {
    stablehlo.return %arg0 : tensor<8x8xf32>
  }) : (tensor<i1>) -> tensor<8x8xf32>
  %2 = stablehlo.negate %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// Constraints in and after a loop.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {"y", ?}]>}, %arg1: tensor<i32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"y", ?}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {"y", ?}]>}) {
// CHECK-NEXT: %c = stablehlo.constant dense<1> : tensor<i32>
// CHECK-NEXT: %c_0 = stablehlo.constant dense<0> : tensor<i32>
// CHECK-NEXT: %0 = stablehlo.cosine %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {"y", ?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1:2 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %arg0) : tensor<i32>, tensor<8x8xf32>
// CHECK-NEXT: cond {
// CHECK-NEXT: %6 = stablehlo.compare  LT, %iterArg, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT: stablehlo.return %6 : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: %6 = stablehlo.add %iterArg, %c : tensor<i32>
// CHECK-NEXT: %7 = stablehlo.abs %iterArg_1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {"y", ?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %8 = sdy.sharding_constraint %iterArg_1 <@m, [{"x"}, {}], unreduced={"z"}> : tensor<8x8xf32>
// CHECK-NEXT: %9 = stablehlo.add %8, %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {"y", ?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %10 = stablehlo.multiply %9, %7 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {"y", ?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: stablehlo.return %6, %10 : tensor<i32>, tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %2 = sdy.data_flow_edge %1#0 : tensor<i32>
// CHECK-NEXT: %3 = sdy.data_flow_edge %1#1 sharding=<@m, [{"x", ?}, {"y", ?}]> : tensor<8x8xf32>
// CHECK-NEXT: %4 = sdy.sharding_constraint %3 <@m, [{}, {"y"}]> : tensor<8x8xf32>
// CHECK-NEXT: %5 = stablehlo.negate %3 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {"y", ?}]>]>} : tensor<8x8xf32>
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

// Groups join values in and outside of branches.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: tensor<i1>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {?}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {?}]>}) {
// CHECK-NEXT: %cst = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {?}]>]>} dense<1.000000e+00> : tensor<8x8xf32>
// CHECK-NEXT: sdy.sharding_group %cst group_id=0 : tensor<8x8xf32>
// CHECK-NEXT: %0 = stablehlo.add %arg0, %cst {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = stablehlo.optimization_barrier %cst : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.data_flow_edge %1 sharding=<@m, [{"x", ?}, {?}]> : tensor<8x8xf32>
// CHECK-NEXT: sdy.sharding_group %2 group_id=0 : tensor<8x8xf32>
// CHECK-NEXT: %3 = "stablehlo.if"(%arg1) ({
// CHECK-NEXT: stablehlo.return %2 : tensor<8x8xf32>
// CHECK-NEXT: }, {
// CHECK-NEXT: %4 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: sdy.sharding_group %4 group_id=1 : tensor<8x8xf32>
// CHECK-NEXT: stablehlo.return %4 : tensor<8x8xf32>
// CHECK-NEXT: }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {?}]>]>} : (tensor<i1>) -> tensor<8x8xf32>
// CHECK-NEXT: sdy.sharding_group %3 group_id=1 : tensor<8x8xf32>
// CHECK-NEXT: return %3, %2 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: tensor<i1>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %cst = stablehlo.constant dense<1.000000e+00> : tensor<8x8xf32>
  sdy.sharding_group %cst group_id=0 : tensor<8x8xf32>
  %0 = stablehlo.add %arg0, %cst : tensor<8x8xf32>
  %1 = stablehlo.optimization_barrier %cst : tensor<8x8xf32>
  sdy.sharding_group %1 group_id=0 : tensor<8x8xf32>
  %2 = "stablehlo.if"(%arg1) ({
    stablehlo.return %1 : tensor<8x8xf32>
  }, {
    %3 = stablehlo.negate %0 : tensor<8x8xf32>
    sdy.sharding_group %3 group_id=1 : tensor<8x8xf32>
    stablehlo.return %3 : tensor<8x8xf32>
  }) : (tensor<i1>) -> tensor<8x8xf32>
  sdy.sharding_group %2 group_id=1 : tensor<8x8xf32>
  return %2, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// Loops and branches without values.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {?}]>}) {
// CHECK-NEXT: %0 = stablehlo.tanh %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: return %0 : tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}) -> tensor<8x8xf32> {
  stablehlo.while()
  cond {
    stablehlo.return %arg0 : tensor<i1>
  } do {
    stablehlo.return 
  }
  "stablehlo.case"(%arg1) ({
    stablehlo.return 
  }) : (tensor<i32>) -> ()
  %0 = stablehlo.tanh %arg2 : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Owners without a static shape have no edge.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y", ?}]>}, %arg1: tensor<i32>, %arg2: !stablehlo.token) -> (tensor<8x8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {"z", ?}]>}, !stablehlo.token) {
// CHECK-NEXT: %0:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"y", ?}]>, <@m, []>]>} %arg0, %arg2 : tensor<8x8xf32>, !stablehlo.token
// CHECK-NEXT: %1 = sdy.data_flow_edge %0#0 sharding=<@m, [{"x", ?}, {"y", ?}]> : tensor<8x8xf32>
// CHECK-NEXT: %2:2 = "stablehlo.case"(%arg1) ({
// CHECK-NEXT: stablehlo.return %1, %arg0 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }, {
// CHECK-NEXT: %6 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {"y", ?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: stablehlo.return %6, %1 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {?}]>, <@m, [{?}, {"z"}]>]>} : (tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
// CHECK-NEXT: %3 = sdy.data_flow_edge %2#0 sharding=<@m, [{"x", ?}, {"y", ?}]> : tensor<8x8xf32>
// CHECK-NEXT: %4 = sdy.data_flow_edge %2#1 sharding=<@m, [{"x", ?}, {"z"}]> : tensor<8x8xf32>
// CHECK-NEXT: %5 = call @f(%3) : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: return %5, %4, %0#1 : tensor<8x8xf32>, tensor<8x8xf32>, !stablehlo.token
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}) {
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
// CHECK-NEXT: return %0 : tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: tensor<i32>, %arg2: !stablehlo.token) -> (tensor<8x8xf32>, tensor<8x8xf32>, !stablehlo.token) {
  %0:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"y", ?}]>, <@m, []>]>} %arg0, %arg2 : tensor<8x8xf32>, !stablehlo.token
  %1:2 = "stablehlo.case"(%arg1) ({
    stablehlo.return %0#0, %arg0 : tensor<8x8xf32>, tensor<8x8xf32>
  }, {
    %3 = stablehlo.tanh %arg0 : tensor<8x8xf32>
    stablehlo.return %3, %0#0 : tensor<8x8xf32>, tensor<8x8xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {?}]>, <@m, [{?}, {"z"}]>]>} : (tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  %2 = call @f(%1#0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2, %1#1, %0#1 : tensor<8x8xf32>, tensor<8x8xf32>, !stablehlo.token
}
func.func private @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}p2]>}) {
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
