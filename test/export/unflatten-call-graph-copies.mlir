// RUN: shardwise-opt %s -split-input-file -sdy-unflatten-call-graph -symbol-dce | FileCheck %s --check-prefixes=CHECK,EQUAL
// RUN: shardwise-opt %s -split-input-file "-sdy-unflatten-call-graph=dedup-functions-fully=true" -symbol-dce | FileCheck %s --check-prefixes=CHECK,FULLY

// Which copy of a function stays, and what is no copy.

// Of equal copies, the one that is called first.
// CHECK-LABEL: func.func @first_call_stays
func.func @first_call_stays(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-COUNT-3: call @f_1(
  %0 = call @f_1(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @f_0(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
// CHECK-NOT: func.func private @f(
// CHECK-NOT: func.func private @f_0(
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func private @f_0(%a: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  return %a : tensor<8xf32>
}
func.func private @f_1(%a: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  return %a : tensor<8xf32>
}

// -----

// Two of three calls want [{"y"}]. The second of them makes these shardings lead, so its function stays.
sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @most_calls
func.func @most_calls(%a: tensor<8xf32>) -> tensor<8xf32> {
  // EQUAL: call @f(
  // EQUAL-COUNT-2: call @f_0(
  // FULLY-COUNT-3: call @f_1(
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f_0(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @f_1(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func private @f_0(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  return %a : tensor<8xf32>
}
func.func private @f_1(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  return %a : tensor<8xf32>
}

// -----

// As many calls as others have is not more: [{"x"}] was there first, and its first call keeps its function.
sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @as_many_calls
func.func @as_many_calls(%a: tensor<8xf32>) -> tensor<8xf32> {
  // EQUAL: call @f(
  // EQUAL: call @f_0(
  // EQUAL: call @f(
  // EQUAL: call @f_0(
  // FULLY-COUNT-4: call @f(
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f_0(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @f_1(%1) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = call @f_0(%2) : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func private @f_0(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  return %a : tensor<8xf32>
}
func.func private @f_1(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  return %a : tensor<8xf32>
}

// -----

// Beside an argument with a sharding, one without is open; where no argument has one, all are without.
sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @open_or_none
func.func @open_or_none(%a: tensor<8xf32>) -> tensor<8xf32> {
  // EQUAL-COUNT-2: call @f(
  // EQUAL: call @f_1(
  // EQUAL: call @f_2(
  %0 = call @f(%a, %a) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f_0(%0, %a) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = call @f_1(%1, %a) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = call @f_2(%2, %a) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func private @f_0(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  return %a : tensor<8xf32>
}
func.func private @f_1(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  return %a : tensor<8xf32>
}
func.func private @f_2(%a: tensor<8xf32>, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  return %a : tensor<8xf32>
}

// -----

// Calls in other functions count as well. Copies of a function that calls copies of another are copies.
// CHECK-LABEL: func.func @nested
func.func @nested(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: call @outer_1(
  // CHECK: call @inner_2(
  // CHECK: call @outer_1(
  %0 = call @outer_1(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @inner_2(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @outer(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @inner(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func private @outer(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @inner(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// CHECK: func.func private @outer_1
// CHECK-NEXT: call @inner_2(
func.func private @outer_1(%a: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "outer"} {
  %0 = call @inner_1(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @inner_1(%a: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "inner"} {
  return %a : tensor<8xf32>
}
func.func private @inner_2(%a: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "inner"} {
  return %a : tensor<8xf32>
}

// -----

// What propagation decides in a body does not tell copies apart; the shardings of a closed constraint do.
sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @decided_or_written
func.func @decided_or_written(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: call @f(
  // CHECK: call @f(
  // CHECK: call @f_1(
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f_0(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @f_1(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  %1 = stablehlo.optimization_barrier %0 : tensor<8xf32>
  %2 = sdy.data_flow_edge %1 sharding=<@mesh, [{"x", ?}]> : tensor<8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"x", ?}]> : tensor<8xf32>
  %4 = sdy.sharding_constraint %3 <@mesh, [{"x"}]> : tensor<8xf32>
  return %4 : tensor<8xf32>
}
func.func private @f_0(%a: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  %0 = stablehlo.negate %a : tensor<8xf32>
  %1 = stablehlo.optimization_barrier %0 : tensor<8xf32>
  %2 = sdy.data_flow_edge %1 : tensor<8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{?}]> : tensor<8xf32>
  %4 = sdy.sharding_constraint %3 <@mesh, [{"x"}]> : tensor<8xf32>
  return %4 : tensor<8xf32>
}
func.func private @f_1(%a: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  %0 = stablehlo.negate %a : tensor<8xf32>
  %1 = stablehlo.optimization_barrier %0 : tensor<8xf32>
  %2 = sdy.data_flow_edge %1 : tensor<8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{?}]> : tensor<8xf32>
  %4 = sdy.sharding_constraint %3 <@mesh, [{"y"}]> : tensor<8xf32>
  return %4 : tensor<8xf32>
}

// -----

// One name, but another op, another attribute, another order of operands, and ops one by one.
// CHECK-LABEL: func.func @other_bodies
func.func @other_bodies(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: call @f(
  // CHECK: call @f_0(
  // CHECK: call @f_1(
  // CHECK: call @f_2(
  // CHECK: call @f_3(
  // CHECK: call @f_1(
  %0 = call @f(%a, %b) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @f_0(%0, %b) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = call @f_1(%1, %b) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = call @f_2(%2, %b) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = call @f_3(%3, %b) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = call @f_4(%4, %b) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %5 : tensor<8x8xf32>
}
func.func private @f(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.subtract %a, %b : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @f_0(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {sdy.original_func_name = "f"} {
  %0 = stablehlo.subtract %b, %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @f_1(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {sdy.original_func_name = "f"} {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @f_2(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {sdy.original_func_name = "f"} {
  %0 = stablehlo.reverse %a, dims = [1] : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @f_3(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {sdy.original_func_name = "f"} {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<8x8xf32>
  %1 = stablehlo.negate %0 : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @f_4(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {sdy.original_func_name = "f"} {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// The bodies are equal but for the functions that they call, which have equal names, too.
// CHECK-LABEL: func.func @other_callees
func.func @other_callees(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: call @outer(
  // CHECK: call @outer_0(
  %0 = call @outer(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @outer_0(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @outer(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @inner(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @outer_0(%a: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "outer"} {
  %0 = call @inner_0(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @inner(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @inner_0(%a: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "inner"} {
  %0 = stablehlo.exponential %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Two orders of manual axes: the local shapes are the same, the devices get other parts.
sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @other_manual_axes
func.func @other_manual_axes(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: call @f(
  // CHECK: call @f_0(
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f_0(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x", "y"}]>] out_shardings=[<@mesh, [{"x", "y"}]>] manual_axes={"x", "y"} (%b: tensor<2xf32>) {
    sdy.return %b : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f_0(%a: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x", "y"}]>] out_shardings=[<@mesh, [{"y", "x"}]>] manual_axes={"x", "y"} (%b: tensor<2xf32>) {
    sdy.return %b : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Regions with several values: which one a loop returns counts.
// CHECK-LABEL: func.func @loops
func.func @loops(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: call @f(
  // CHECK: call @f_0(
  // CHECK: call @f(
  %0:2 = call @f(%a, %b) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1:2 = call @f_0(%0#0, %0#1) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %2:2 = call @f_1(%1#0, %1#1) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %2#0, %2#1 : tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.constant dense<false> : tensor<i1>
  %0:2 = stablehlo.while(%i = %a, %j = %b) : tensor<8xf32>, tensor<8xf32>
  cond {
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %i, %j : tensor<8xf32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}
func.func private @f_0(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) attributes {sdy.original_func_name = "f"} {
  %c = stablehlo.constant dense<false> : tensor<i1>
  %0:2 = stablehlo.while(%i = %a, %j = %b) : tensor<8xf32>, tensor<8xf32>
  cond {
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %j, %i : tensor<8xf32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}
func.func private @f_1(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) attributes {sdy.original_func_name = "f"} {
  %c = stablehlo.constant dense<false> : tensor<i1>
  %0:2 = stablehlo.while(%i = %a, %j = %b) : tensor<8xf32>, tensor<8xf32>
  cond {
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %i, %j : tensor<8xf32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Functions without body are copies if one was made from the other; a function that calls itself is like no other.
// CHECK-LABEL: func.func @without_body
func.func @without_body(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: call @extern(
  // CHECK: call @extern(
  // CHECK: call @other(
  // CHECK: call @loop(
  // CHECK: call @loop_0(
  %0 = call @extern(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @extern_0(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @other(%1) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = call @loop(%2) : (tensor<8xf32>) -> tensor<8xf32>
  %4 = call @loop_0(%3) : (tensor<8xf32>) -> tensor<8xf32>
  return %4 : tensor<8xf32>
}
func.func private @extern(tensor<8xf32>) -> tensor<8xf32>
func.func private @extern_0(tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "extern"}
func.func private @other(tensor<8xf32>) -> tensor<8xf32>
func.func private @loop(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @loop(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @loop_0(%a: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "loop"} {
  %0 = call @loop_0(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
