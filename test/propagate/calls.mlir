// RUN: shardwise-opt %s -split-input-file -sdy-propagation-pipeline 2>/dev/null | FileCheck %s

// Calls, propagated through as if their bodies stood there.

// Calls of one function with different shardings end in different copies.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}, {name = "z", size = 4 : i64}]}}
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"z"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"z"}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"z"}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"z"}]>}) {
// CHECK-NEXT: %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"z"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %1 = call @f_0(%arg1) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"y"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.reshard %1 <@m, [{}, {"z"}]> : tensor<8x8xf32>
// CHECK-NEXT: %3 = call @g(%0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"z"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %4 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"z"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %5 = stablehlo.add %3, %4 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"z"}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: return %2, %5, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"z"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"z"}]>}) {
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"z"}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: return %0 : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @f_0(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) {
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"y"}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: return %0 : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @g(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"z"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"z"}]>}) {
// CHECK-NEXT: %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"z"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %1 = stablehlo.add %0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"z"}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: return %1 : tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"y"}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = call @f(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @f(%arg1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = call @g(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = call @f(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = stablehlo.add %2, %3 : tensor<8x8xf32>
  return %1, %4, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @f(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"z", ?}]>}) {
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @g(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {?}]>}) -> tensor<8x8xf32> {
  %0 = call @f(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.add %0, %arg0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
func.func private @unused(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  return %arg0 : tensor<8x8xf32>
}

// -----

// Shardings on a call; arguments that are returned directly.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}, {name = "z", size = 4 : i64}]}}
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"z"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
// CHECK-NEXT: %0:2 = call @f(%arg0, %arg1) {frontend = "u", sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"z"}]>, <@m, [{"x"}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
// CHECK-NEXT: %1:2 = call @f_0(%0#0, %0#1) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>, <@m, [{}, {"z"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
// CHECK-NEXT: return %1#0, %0#1 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"z"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"z"}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
// CHECK-NEXT: return %arg1, %arg0 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @f_0(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"z"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"z"}]>}) {
// CHECK-NEXT: return %arg1, %arg0 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0:2 = call @f(%arg0, %arg1) {frontend = "u", sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"z"}]>, <@m, [{?}, {?}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  %1:2 = call @f(%0#0, %0#1) : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  return %1#0, %0#1 : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @f(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  return %arg1, %arg0 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// Calls in loops and manual computations.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}, {name = "z", size = 4 : i64}]}}
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"z"}]>}, %arg1: tensor<i1>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"z"}]>}) {
// CHECK-NEXT: %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"y"}, {"z"}]>] out_shardings=[<@m, [{"y"}, {"z"}]>] manual_axes={"y"} (%arg2: tensor<4x8xf32>) {
// CHECK-NEXT: %2 = func.call @f(%arg2) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"z"}]>]>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %3 = func.call @f(%2) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"z"}]>]>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: sdy.return %3 : tensor<4x8xf32>
// CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %1 = stablehlo.while(%iterArg = %0) : tensor<8x8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {"z"}]>]>}
// CHECK-NEXT: cond {
// CHECK-NEXT: stablehlo.return %arg1 : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: %2 = func.call @g(%iterArg) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {"z"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: stablehlo.return %2 : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %1 : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @f(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"z"}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"z"}]>}) {
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"z"}]>]>} : tensor<4x8xf32>
// CHECK-NEXT: return %0 : tensor<4x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @h(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"z"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"z"}]>}) {
// CHECK-NEXT: %0 = sdy.reshard %arg0 <@m, [{}, {"z"}]> : tensor<8x8xf32>
// CHECK-NEXT: return %0 : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @g(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"z"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"z"}]>}) {
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {"z"}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = call @h(%0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"z"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.reshard %1 <@m, [{"y"}, {"z"}]> : tensor<8x8xf32>
// CHECK-NEXT: return %2 : tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: tensor<i1>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"y", ?}, {?}]>] out_shardings=[<@m, [{"y", ?}, {?}]>] manual_axes={"y"} (%arg2: tensor<4x8xf32>) {
    %2 = func.call @f(%arg2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %3 = func.call @f(%2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    sdy.return %3 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.while(%iterArg = %0) : tensor<8x8xf32>
  cond {
    stablehlo.return %arg1 : tensor<i1>
  } do {
    %2 = func.call @g(%iterArg) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %2 : tensor<8x8xf32>
  }
  return %1 : tensor<8x8xf32>
}
func.func private @f(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.tanh %arg0 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func private @g(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"z", ?}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  %1 = call @h(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
func.func private @h(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.sharding_constraint %arg0 <@m, [{}, {"z"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Calls without results, and with tokens.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}, {name = "z", size = 4 : i64}]}}
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: !stablehlo.token) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, !stablehlo.token) {
// CHECK-NEXT: call @f(%arg0) : (tensor<8x8xf32>) -> ()
// CHECK-NEXT: %0:2 = call @g(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>, <@m, []>]>} : (tensor<8x8xf32>, !stablehlo.token) -> (tensor<8x8xf32>, !stablehlo.token)
// CHECK-NEXT: return %0#0, %0#1 : tensor<8x8xf32>, !stablehlo.token
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
// CHECK-NEXT: stablehlo.custom_call @foo(%arg0) {has_side_effect = true} : (tensor<8x8xf32>) -> ()
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @g(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: !stablehlo.token {sdy.sharding = #sdy.sharding<@m, []>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, !stablehlo.token {sdy.sharding = #sdy.sharding<@m, []>}) {
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: return %0, %arg1 : tensor<8x8xf32>, !stablehlo.token
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: !stablehlo.token) -> (tensor<8x8xf32>, !stablehlo.token) {
  call @f(%arg0) : (tensor<8x8xf32>) -> ()
  %0:2 = call @g(%arg0, %arg1) : (tensor<8x8xf32>, !stablehlo.token) -> (tensor<8x8xf32>, !stablehlo.token)
  return %0#0, %0#1 : tensor<8x8xf32>, !stablehlo.token
}
func.func private @f(%arg0: tensor<8x8xf32>) {
  stablehlo.custom_call @foo(%arg0) {has_side_effect = true} : (tensor<8x8xf32>) -> ()
  return
}
func.func private @g(%arg0: tensor<8x8xf32>, %arg1: !stablehlo.token) -> (tensor<8x8xf32>, !stablehlo.token) {
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  return %0, %arg1 : tensor<8x8xf32>, !stablehlo.token
}

// -----

// A call of constants only is split like a constant.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}, {name = "z", size = 4 : i64}]}}
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) {
// CHECK-NEXT: %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} dense<0.000000e+00> : tensor<8xf32>
// CHECK-NEXT: %1 = sdy.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK-NEXT: %2 = call @mk(%0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %3 = call @mk_0(%1) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"y"}]>]>} : (tensor<8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %4 = stablehlo.add %arg0, %2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %5 = stablehlo.add %arg1, %3 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"y"}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: return %4, %5 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @mk(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
// CHECK-NEXT: %0 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xf32>
// CHECK-NEXT: %1 = stablehlo.add %0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xf32>
// CHECK-NEXT: %2 = stablehlo.broadcast_in_dim %1, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: return %2 : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @mk_0(%arg0: tensor<8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) {
// CHECK-NEXT: %0 = stablehlo.iota dim = 0 : tensor<8xf32>
// CHECK-NEXT: %1 = stablehlo.add %0, %arg0 : tensor<8xf32>
// CHECK-NEXT: %2 = stablehlo.broadcast_in_dim %1, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"y"}]>]>} : (tensor<8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: return %2 : tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"y"}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
  %0 = call @mk(%cst) : (tensor<8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<8x8xf32>
  %2 = stablehlo.add %arg1, %0 : tensor<8x8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @mk(%arg0: tensor<8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %1 = stablehlo.add %0, %arg0 : tensor<8xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// Results of functions that return their argument.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}, {name = "z", size = 4 : i64}]}}
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
// CHECK-NEXT: %0:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>, <@m, [{"x"}, {}]>]>} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
// CHECK-NEXT: %1:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>, <@m, [{"x"}, {}]>]>} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
// CHECK-NEXT: %2 = call @g(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: return %0#0, %0#1, %1#0, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
// CHECK-NEXT: return %arg0, %arg0 : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @g(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
// CHECK-NEXT: return %arg0 : tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0:2 = call @f(%arg0) : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  %1:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {?}]>, <@m, [{?}, {?}]>]>} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  %2 = call @g(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0#0, %0#1, %1#0, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @f(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}p2]>}, tensor<8x8xf32>) {
  return %arg0, %arg0 : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @g(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  return %arg0 : tensor<8x8xf32>
}
