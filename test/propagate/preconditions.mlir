// RUN: shardwise-opt %s -split-input-file -sdy-user-priority-propagate -verify-diagnostics

// What propagation refuses, at the op.

func.func @dynamic(%a: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{has a result of type 'tensor<?x8xf32>', but propagation needs static shapes}}
  %0 = stablehlo.negate %a : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// Results of ops count, arguments do not.
func.func @dynamic_argument(%a: tensor<?x8xf32>) {
  return
}

// -----

func.func @tuple(%a: tensor<8x8xf32>) -> tuple<tensor<8x8xf32>> {
  // expected-error @+1 {{has a result of tuple type 'tuple<tensor<8x8xf32>>', which cannot be sharded}}
  %0 = stablehlo.tuple %a : tuple<tensor<8x8xf32>>
  return %0 : tuple<tensor<8x8xf32>>
}

// -----

// expected-error @+1 {{module has 2 functions and none is called @main; rename the one that is the program}}
module {
  func.func @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
    return %a : tensor<8x8xf32>
  }
  func.func @g(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
    return %a : tensor<8x8xf32>
  }
}

// -----

func.func @two_groups(%a: tensor<8x8xf32>) {
  sdy.sharding_group %a group_id=0 : tensor<8x8xf32>
  // expected-error @+1 {{puts a value of group 0 into group 1 as well; run sdy-sharding-group-import}}
  sdy.sharding_group %a group_id=1 : tensor<8x8xf32>
  return
}

// -----

func.func @shapes_in_a_group(%a: tensor<8x8xf32>, %b: tensor<8xf32>) {
  sdy.sharding_group %a group_id=0 : tensor<8x8xf32>
  // expected-error @+1 {{puts a value of type 'tensor<8xf32>' into group 0, which has a value of type 'tensor<8x8xf32>'; the shapes must be the same}}
  sdy.sharding_group %b group_id=0 : tensor<8xf32>
  return
}
