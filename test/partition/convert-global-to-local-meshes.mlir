// RUN: shardwise-opt %s -sdy-convert-global-to-local | FileCheck %s
// RUN: shardwise-opt %s -sdy-convert-global-to-local -cse | FileCheck %s --check-prefix=EFFECT

sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @order = <["x"=2, "y"=2], device_ids=[2, 3, 1, 0]>
sdy.mesh @d1 = <[], device_ids=[1]>
sdy.mesh @d3 = <[], device_ids=[3]>

// The device with the block in the old order sends it to that in the new one, by target position.
// CHECK-LABEL: func @permute
func.func @permute(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@order, [{"x", "y"}]>}) {
  // CHECK: source_target_pairs = dense<{{\[}}[0, 2], [1, 3], [2, 1], [3, 0]]>
  %0 = sdy.collective_permute %a out_sharding=<@order, [{"x", "y"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Groups and offsets are those of the mesh that the op is on.
// CHECK-LABEL: func @on_their_meshes
func.func @on_their_meshes(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                           %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@order, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@order, [{"x", "y"}]>}) {
  // CHECK-DAG: stablehlo.constant dense<[3, 2, 0, 1]> : tensor<4xui32>
  // CHECK: all_gather"(%arg0) {{.*}}mesh = @mesh,
  // CHECK: all_gather"(%arg1) {{.*}}mesh = @order,
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@mesh, [{}]> : tensor<8xf32>
  %1 = sdy.all_gather [{"x"}] %b out_sharding=<@order, [{}]> : tensor<8xf32>
  // CHECK: stablehlo.dynamic_slice %arg1
  %2 = sdy.all_slice [{"y"}] %b out_sharding=<@order, [{"x", "y"}]> : tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// What is whole is in every order: nothing is sent.
// CHECK-LABEL: func @whole
func.func @whole(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@order, [{}]>}) {
  // CHECK-NEXT: return %arg0
  %0 = sdy.collective_permute %a out_sharding=<@order, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// One device computes, the others have zeros until they get its value.
// CHECK-LABEL: func @device
func.func @device(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@d3, []>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@d1, []>}) {
  // CHECK: %[[ID:.*]] = stablehlo.partition_id
  // CHECK: %[[WANTED:.*]] = stablehlo.constant dense<1> : tensor<ui32>
  // CHECK: %[[IS:.*]] = stablehlo.compare EQ, %[[ID]], %[[WANTED]]
  // CHECK: %[[THERE:.*]] = "stablehlo.if"(%[[IS]])
  // CHECK-NEXT: %[[NEG:.*]] = stablehlo.negate %arg0 : tensor<8xf32>
  // CHECK-NEXT: stablehlo.return %[[NEG]]
  // CHECK: %[[ZEROS:.*]] = stablehlo.constant dense<0.0
  // CHECK-NEXT: stablehlo.return %[[ZEROS]]
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>]>} : tensor<8xf32>
  // CHECK: %[[ALL:.*]] = "stablehlo.collective_broadcast"(%[[THERE]]) {{.*}}dense<{{\[}}[1, 0, 2, 3]]>
  // CHECK: %[[CUT:.*]] = stablehlo.dynamic_slice %[[ALL]]
  %1 = sdy.reshard %0 <@mesh, [{"x"}]> : tensor<8xf32>
  // CHECK: %[[OTHER:.*]] = "stablehlo.collective_broadcast"(%[[THERE]])
  %2 = sdy.reshard %0 <@d3, []> : tensor<8xf32>
  // CHECK: return %[[CUT]], %[[OTHER]], %[[THERE]]
  return %1, %2, %0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// EFFECT-LABEL: func @effect
func.func @effect(%a: tensor<8xf32>, %t: !stablehlo.token) -> !stablehlo.token {
  // EFFECT: "stablehlo.if"
  // EFFECT-NEXT: stablehlo.custom_call @print(%arg0)
  // EFFECT-NEXT: stablehlo.return
  stablehlo.custom_call @print(%a) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@d3, []>]>} : (tensor<8xf32>) -> ()
  // EFFECT: "stablehlo.if"
  // EFFECT-NEXT: custom_call @ask(%arg1, %arg0)
  // EFFECT: stablehlo.after_all
  %0:2 = stablehlo.custom_call @ask(%t, %a) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@d3, []>, <@d3, []>]>} : (!stablehlo.token, tensor<8xf32>) -> (!stablehlo.token, tensor<8xf32>)
  return %0#0 : !stablehlo.token
}

// A body is inside the branch with its op.
// CHECK-LABEL: func @body
func.func @body(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@d1, []>}) {
  // CHECK: "stablehlo.if"
  // CHECK-NEXT: stablehlo.while
  // CHECK-NOT: stablehlo.if
  // CHECK: stablehlo.negate
  %0 = stablehlo.while(%x = %a) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>]>}
  cond {
    %1 = sdy.constant dense<false> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.negate %x : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
