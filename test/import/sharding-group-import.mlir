// RUN: shardwise-opt %s -split-input-file -sdy-sharding-group-import -verify-diagnostics | FileCheck %s

// Groups 7 and 9 share a value.
// CHECK-LABEL: func.func @unite
func.func @unite(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<4xf32>) {
  // CHECK: sdy.sharding_group %arg0 group_id=0
  // CHECK-NEXT: sdy.sharding_group %arg1 group_id=0
  // CHECK-NEXT: sdy.sharding_group %arg2 group_id=1
  // CHECK-NEXT: return
  sdy.sharding_group %a group_id=7 : tensor<8xf32>
  sdy.sharding_group %a group_id=9 : tensor<8xf32>
  sdy.sharding_group %b group_id=9 : tensor<8xf32>
  sdy.sharding_group %c group_id=12 : tensor<4xf32>
  return
}

// -----

func.func @shapes(%a: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-note @+1 {{the group has a value of type 'tensor<8xf32>' here}}
  sdy.sharding_group %a group_id=0 : tensor<8xf32>
  // expected-error @+1 {{whose values must all have the same shape}}
  sdy.sharding_group %b group_id=0 : tensor<4xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @border(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note @+1 {{the other member is here}}
  sdy.sharding_group %x group_id=0 : tensor<8xf32>
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{}], replicated={"a"}>] out_shardings=[<@mesh, [{}], replicated={"a"}>] manual_axes={"a"} (%y: tensor<8xf32>) {
    // expected-error @+1 {{cannot cross the border of a manual computation}}
    sdy.sharding_group %y group_id=0 : tensor<8xf32>
    sdy.return %y : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Any number can be an id, also the largest and the smallest.
// CHECK-LABEL: func.func @extreme_ids
func.func @extreme_ids(%a: tensor<8xf32>, %b: tensor<8xf32>) {
  // CHECK: sdy.sharding_group %arg0 group_id=0
  // CHECK-NEXT: sdy.sharding_group %arg1 group_id=1
  sdy.sharding_group %a group_id=9223372036854775807 : tensor<8xf32>
  sdy.sharding_group %b group_id=-9223372036854775808 : tensor<8xf32>
  return
}

// -----

// Values unite their groups in the order in which they first occur in one: %a leads 7 to 100, then %b both to
// 120, which is younger than 110.
// CHECK-LABEL: func.func @order_of_values
func.func @order_of_values(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<4xf32>) {
  // CHECK-NEXT: sdy.sharding_group %arg0 group_id=1
  // CHECK-NEXT: sdy.sharding_group %arg2 group_id=0
  // CHECK-NEXT: sdy.sharding_group %arg1 group_id=1
  // CHECK-NEXT: return
  sdy.sharding_group %a group_id=100 : tensor<8xf32>
  sdy.sharding_group %c group_id=110 : tensor<4xf32>
  sdy.sharding_group %b group_id=120 : tensor<8xf32>
  sdy.sharding_group %b group_id=7 : tensor<8xf32>
  sdy.sharding_group %a group_id=7 : tensor<8xf32>
  return
}
