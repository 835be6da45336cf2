// RUN: shardwise-opt %s -sdy-reshard-to-collectives="exchange count-hand-over" | FileCheck %s
// RUN: shardwise-opt %s -sdy-reshard-to-collectives="count-hand-over" | FileCheck %s --check-prefix=UNIFORM

// Without the option, only what every compiler has.
// UNIFORM-NOT: sdy.exchange

sdy.mesh @mesh = <["x"=2, "y"=4, "z"=3]>
sdy.mesh @order = <["x"=2, "y"=4, "z"=3], device_ids=[23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>

// A device has 32x16 and wants 16x32, of which it has a part or nothing.
// CHECK-LABEL: func @swap
func.func @swap(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<64x64xf32> {
  // CHECK-NEXT: sdy.exchange %arg0 out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<64x64xf32>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@mesh, [{"y"}, {"x"}]> : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// One exchange of partial sums, which are added up behind it.
// CHECK-LABEL: func @sum_and_swap
func.func @sum_and_swap(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}], unreduced={"z"}>}) -> tensor<64x64xf32> {
  // CHECK-NEXT: %[[MOVED:.*]] = sdy.exchange %arg0 out_sharding=<@mesh, [{"y"}, {"x"}], unreduced={"z"}> : tensor<64x64xf32>
  // CHECK-NEXT: sdy.all_reduce {"z"} %[[MOVED]] out_sharding=<@mesh, [{"y"}, {"x"}]>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@mesh, [{"y"}, {"x"}]> : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Partial sums may move, each among the devices that have partial sums of the same terms.
// CHECK-LABEL: func @partial
func.func @partial(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}], unreduced={"z"}>}) -> tensor<64x64xf32> {
  // CHECK-NEXT: sdy.exchange %arg0 out_sharding=<@mesh, [{"y"}, {"x"}], unreduced={"z"}> : tensor<64x64xf32>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@mesh, [{"y"}, {"x"}], unreduced={"z"}> : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// One collective at the bound is simpler.
// CHECK-LABEL: func @move
func.func @move(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<64x64xf32> {
  // CHECK-NEXT: sdy.all_to_all [{"x"}: 0->1]
  %0 = sdy.reshard %a <@mesh, [{}, {"x"}]> : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// It would save fewer bytes than its four messages cost.
// CHECK-LABEL: func @small
// CHECK-NOT: sdy.exchange
func.func @small(%a: tensor<6x6xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"z"}]>}) -> tensor<6x6xi8> {
  %0 = sdy.reshard %a <@mesh, [{"z"}, {"x"}]> : tensor<6x6xi8>
  return %0 : tensor<6x6xi8>
}

// CHECK-LABEL: func @uneven
func.func @uneven(%a: tensor<50x70xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"z"}]>}) -> tensor<50x70xf32> {
  // CHECK-NEXT: sdy.exchange %arg0 out_sharding=<@mesh, [{"z"}, {"y"}]> : tensor<50x70xf32>
  %0 = sdy.reshard %a <@mesh, [{"z"}, {"y"}]> : tensor<50x70xf32>
  return %0 : tensor<50x70xf32>
}

// CHECK-LABEL: func @other_order
func.func @other_order(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<64x64xf32> {
  // CHECK-NEXT: sdy.exchange %arg0 out_sharding=<@order, [{"y"}, {"x"}]> : tensor<64x64xf32>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@order, [{"y"}, {"x"}]> : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
