// RUN: shardwise-opt %s -canonicalize | FileCheck %s

sdy.mesh @m = <["x"=2, "one"=1]>

// CHECK-LABEL: @unused_operand
// CHECK-SAME:  (%[[T:.*]]: tensor<8xf32>, %[[U:.*]]: tensor<16xf32>)
// CHECK:       sdy.manual_computation(%[[U]]) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%[[A:.*]]: tensor<8xf32>) {
// CHECK-NEXT:    sdy.return %[[A]]
func.func @unused_operand(%t: tensor<8xf32>, %u: tensor<16xf32>) -> tensor<16xf32> {
  %0 = sdy.manual_computation(%t, %u) in_shardings=[<@m, [{}], replicated={"x"}>, <@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    sdy.return %b : tensor<8xf32>
  } : (tensor<8xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// CHECK-LABEL: @empty
// CHECK-NEXT:  return
func.func @empty() {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    sdy.return
  } : () -> ()
  return
}

// CHECK-LABEL: @single_part
// CHECK-SAME:  (%[[T:.*]]: tensor<16xf32>)
// CHECK-NEXT:  %[[C:.*]] = sdy.sharding_constraint %[[T]]
// CHECK-NEXT:  return %[[C]], %[[T]]
func.func @single_part(%t: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %0:2 = sdy.manual_computation(%t) in_shardings=[<@m, [{"one"}]>] out_shardings=[<@m, [{"one"}]>, <@m, [{"one"}]>] manual_axes={"one"} (%a: tensor<16xf32>) {
    %1 = sdy.sharding_constraint %a <@m, [{"x"}]> : tensor<16xf32>
    sdy.return %1, %a : tensor<16xf32>, tensor<16xf32>
  } : (tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
  return %0#0, %0#1 : tensor<16xf32>, tensor<16xf32>
}

// CHECK-LABEL: @several_parts
// CHECK:       sdy.manual_computation
func.func @several_parts(%t: tensor<16xf32>) -> tensor<16xf32> {
  %0 = sdy.manual_computation(%t) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%a: tensor<8xf32>) {
    sdy.return %a : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// CHECK-LABEL: @reshard_of_reshard
// CHECK-SAME:  (%[[T:.*]]: tensor<16xf32>)
// CHECK-NEXT:  %[[R:.*]] = sdy.reshard %[[T]] <@m, [{}]>
// CHECK-NEXT:  return %[[R]]
func.func @reshard_of_reshard(%t: tensor<16xf32>) -> tensor<16xf32> {
  %0 = sdy.reshard %t <@m, [{"x"}]> : tensor<16xf32>
  %1 = sdy.reshard %0 <@m, [{}]> : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// CHECK-LABEL: @reshard_used_twice
// CHECK-COUNT-2: sdy.reshard
func.func @reshard_used_twice(%t: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = sdy.reshard %t <@m, [{"x"}]> : tensor<16xf32>
  %1 = sdy.reshard %0 <@m, [{}]> : tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}

// An earlier reshard of the same value that places it the same way is reused; openness and
// priorities do not count.
// CHECK-LABEL: @reshard_reused
// CHECK-SAME:  (%[[T:.*]]: tensor<16xf32>)
// CHECK-NEXT:  %[[R:.*]] = sdy.reshard %[[T]] <@m, [{"x"}]>
// CHECK-NEXT:  return %[[R]], %[[R]], %[[R]]
func.func @reshard_reused(%t: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %0 = sdy.reshard %t <@m, [{"x"}]> : tensor<16xf32>
  %1 = sdy.reshard %t <@m, [{"x"}]> : tensor<16xf32>
  %2 = sdy.reshard %t <@m, [{"x", ?}p1]> : tensor<16xf32>
  return %0, %1, %2 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}

// Unreduced axes change the value, and replicated ones are a promise.
// CHECK-LABEL: @reshard_not_reused
// CHECK-COUNT-3: sdy.reshard
func.func @reshard_not_reused(%t: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %0 = sdy.reshard %t <@m, [{}]> : tensor<16xf32>
  %1 = sdy.reshard %t <@m, [{}], unreduced={"x"}> : tensor<16xf32>
  %2 = sdy.reshard %t <@m, [{}], replicated={"x"}> : tensor<16xf32>
  return %0, %1, %2 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}

// One step may not change the kind of unreduced axes.
// CHECK-LABEL: @reshard_through_reduced
// CHECK-COUNT-2: sdy.reshard
func.func @reshard_through_reduced(%t: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"x"}>}) -> tensor<16xf32> {
  %0 = sdy.reshard %t <@m, [{}]> : tensor<16xf32>
  %1 = sdy.reshard %0 <@m, [{}], unreduced={"x"}> : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// Constraints and separate copies of constants survive.
// CHECK-LABEL: @kept
// CHECK-NEXT:  sdy.constant
// CHECK-NEXT:  sdy.constant
// CHECK-NEXT:  sdy.sharding_constraint
// CHECK-NEXT:  return
func.func @kept(%t: tensor<16xf32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %0 = sdy.constant dense<1> : tensor<4xi32>
  %1 = sdy.constant dense<1> : tensor<4xi32>
  %2 = sdy.sharding_constraint %t <@m, [{"x"}]> : tensor<16xf32>
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}
