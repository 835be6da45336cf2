// RUN: shardwise-opt %s -shardwise-insert-partition-reshards=choose-placements=false | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// The carried value keeps the sharding of the loop's result; the weights, which the loop does not
// change, are gathered once in front of it.
// CHECK-LABEL: func @loop
func.func @loop(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  // CHECK: %[[W:.*]] = sdy.reshard %arg1 <@mesh, [{}, {}]>
  // CHECK: %[[LOOP:.*]]:2 = stablehlo.while(%[[I:.*]] = %{{.*}}, %[[CARRIED:.*]] = %arg0)
  // CHECK: do {
  // CHECK-NOT: sdy.reshard
  // CHECK: stablehlo.dot_general %[[CARRIED]], %[[W]]
  // CHECK: stablehlo.return
  // CHECK: sdy.reshard %[[LOOP]]#1 <@mesh, [{}, {}]>
  %0:2 = stablehlo.while(%i = %c, %carried = %a) : tensor<i32>, tensor<8x8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}, {}]>]>}
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.dot_general %carried, %w, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}

// What a branch needs is moved inside the branch.
// CHECK-LABEL: func @branches
func.func @branches(%i: tensor<i32>, %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  // CHECK: "stablehlo.case"(%arg0)
  // CHECK: sdy.reshard %arg1 <@mesh, [{"y"}]>
  // CHECK: stablehlo.return
  // CHECK: stablehlo.negate
  // CHECK: sdy.reshard %{{.*}} <@mesh, [{"y"}]>
  // CHECK: stablehlo.return
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<8xf32>
  }, {
    %1 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func @manual
func.func @manual(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK: %[[IN:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}, {"y"}]>
  // CHECK: sdy.manual_computation(%[[IN]])
  // CHECK: %[[SIN:.*]] = stablehlo.sine
  // CHECK: %[[OUT:.*]] = sdy.reshard %[[SIN]] <@mesh, [{}, {}]>
  // CHECK: sdy.return %[[OUT]]
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    %1 = stablehlo.sine %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
