// RUN: shardwise-opt %s -sdy-reshard-to-collectives | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2, "w"=8]>

// CHECK-LABEL: func @gather
func.func @gather(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_gather [{"y"}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {}]>
  %0 = sdy.reshard %a <@mesh, [{"x"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func @slice
func.func @slice(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_slice [{}, {"y"}] %arg0 out_sharding=<@mesh, [{"x"}, {"y"}]>
  %0 = sdy.reshard %a <@mesh, [{"x"}, {"y"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func @move
func.func @move(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_to_all [{"x"}: 0->1] %arg0 out_sharding=<@mesh, [{}, {"x"}]>
  %0 = sdy.reshard %a <@mesh, [{}, {"x"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func @swap
func.func @swap(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.collective_permute %arg0 out_sharding=<@mesh, [{"y"}, {"x"}]>
  %0 = sdy.reshard %a <@mesh, [{"y"}, {"x"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func @reduce
func.func @reduce(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced=max{"y"}>}) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  // CHECK: sdy.all_reduce max {"y"} %arg0 out_sharding=<@mesh, [{"x"}, {}]>
  %0 = sdy.reshard %a <@mesh, [{"x"}, {}]> : tensor<16x8xf32>
  // CHECK: sdy.reduce_scatter max [{}, {"y"}] %arg0 out_sharding=<@mesh, [{"x"}, {"y"}]>
  %1 = sdy.reshard %a <@mesh, [{"x"}, {"y"}]> : tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}

// CHECK-LABEL: func @subAxis
func.func @subAxis(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w"}, {}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_gather [{"w":(2)4}, {}] %arg0 out_sharding=<@mesh, [{"w":(1)2}, {}]>
  %0 = sdy.reshard %a <@mesh, [{"w":(1)2}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// Openness and reserved axes do not move anything.
// CHECK-LABEL: func @nothing
// CHECK-NEXT: return %arg0
func.func @nothing(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.reshard %a <@mesh, [{"x", ?}, {}], replicated={"y"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
