// RUN: shardwise-opt %s -split-input-file -sdy-reshard-to-collectives | FileCheck %s

// Dimensions that do not divide: cuts may cross block boundaries, so that no suffix of a list has
// to be gathered for the whole of it.

// Eight elements in 32 blocks.
sdy.mesh @mesh = <["x"=4, "y"=2, "z"=4]>

// CHECK-LABEL: func @fewElements
func.func @fewElements(%a: tensor<16x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "z", "x"}, {}]>}) -> tensor<16x8x8xf32> {
  // CHECK-NEXT: %[[X:.*]] = sdy.all_to_all [{"x"}: 1->0] %arg0 out_sharding=<@mesh, [{"x"}, {"y", "z"}, {}]>
  // CHECK-NEXT: %[[Z:.*]] = sdy.all_to_all [{"z"}: 1->2] %[[X]] out_sharding=<@mesh, [{"x"}, {"y"}, {"z"}]>
  // CHECK-NEXT: %[[Y:.*]] = sdy.all_to_all [{"y"}: 1->0] %[[Z]] out_sharding=<@mesh, [{"x", "y"}, {}, {"z"}]>
  // CHECK-NEXT: return %[[Y]]
  %0 = sdy.reshard %a <@mesh, [{"x", "y"}, {}, {"z"}]> : tensor<16x8x8xf32>
  return %0 : tensor<16x8x8xf32>
}

// -----

// One collective is written as one, aligned or not: blocks of 5 rows and of 2.
sdy.mesh @mesh = <["a"=2, "b"=3]>

// CHECK-LABEL: func @slice
func.func @slice(%a: tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<10xf32> {
  // CHECK-NEXT: sdy.all_slice [{"b"}] %arg0 out_sharding=<@mesh, [{"a", "b"}]>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@mesh, [{"a", "b"}]> : tensor<10xf32>
  return %0 : tensor<10xf32>
}

// CHECK-LABEL: func @gather
func.func @gather(%a: tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}) -> tensor<10xf32> {
  // CHECK-NEXT: sdy.all_gather [{"b"}] %arg0 out_sharding=<@mesh, [{"a"}]>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@mesh, [{"a"}]> : tensor<10xf32>
  return %0 : tensor<10xf32>
}

// CHECK-LABEL: func @move
func.func @move(%a: tensor<10x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}) -> tensor<10x7xf32> {
  // CHECK-NEXT: sdy.all_to_all [{"b"}: 0->1] %arg0 out_sharding=<@mesh, [{"a"}, {"b"}]>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@mesh, [{"a"}, {"b"}]> : tensor<10x7xf32>
  return %0 : tensor<10x7xf32>
}

// What one plain gather does is not taken apart to save an element.
// CHECK-LABEL: func @gatherAll
func.func @gatherAll(%a: tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> tensor<10xf32> {
  // CHECK-NEXT: sdy.all_gather [{"b"}] %arg0 out_sharding=<@mesh, [{}]>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@mesh, [{}]> : tensor<10xf32>
  return %0 : tensor<10xf32>
}

// -----

// Axes are cut so that block counts match for a permute.
sdy.mesh @mesh = <["x"=8, "y"=4, "z"=4]>

// CHECK-LABEL: func @cutAxis
func.func @cutAxis(%a: tensor<8x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<8x1xf32> {
  // CHECK-NEXT: %[[P:.*]] = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"z", "x":(4)2}, {"x":(1)4}]>
  // CHECK-NEXT: sdy.all_to_all [{"x":(4)2}: 0->1] %[[P]] out_sharding=<@mesh, [{"z"}, {"x"}]>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@mesh, [{"z"}, {"x"}]> : tensor<8x1xf32>
  return %0 : tensor<8x1xf32>
}
