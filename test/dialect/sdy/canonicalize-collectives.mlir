// RUN: shardwise-opt %s -canonicalize | FileCheck %s

sdy.mesh @m = <["x"=2, "y"=4, "z"=2]>

// CHECK-LABEL: @empty_lists
// CHECK-SAME:  (%[[T:.*]]: tensor<16x32xf32>
// CHECK-NEXT:  return %[[T]], %[[T]], %[[T]], %[[T]]
func.func @empty_lists(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>})
    -> (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>) {
  %0 = sdy.all_gather [{}, {}] %t out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  %1 = sdy.all_slice [{}, {}] %t out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  %2 = sdy.all_reduce {} %t out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  %3 = sdy.reduce_scatter [{}, {}] %t out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  return %0, %1, %2, %3 : tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>
}

// The gather has no effects declared, so it stays.
// CHECK-LABEL: @slice_of_gather
// CHECK-SAME:  (%[[T:.*]]: tensor<16x32xf32>
// CHECK:       sdy.all_gather
// CHECK:       return %[[T]]
func.func @slice_of_gather(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) -> tensor<16x32xf32> {
  %0 = sdy.all_gather [{"y"}, {}] %t out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  %1 = sdy.all_slice [{"y"}, {}] %0 out_sharding=<@m, [{"x", "y"}, {}]> : tensor<16x32xf32>
  return %1 : tensor<16x32xf32>
}

// CHECK-LABEL: @permute_to_same
// CHECK-SAME:  (%[[T:.*]]: tensor<16x32xf32>
// CHECK-NEXT:  return %[[T]]
func.func @permute_to_same(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<16x32xf32> {
  %0 = sdy.collective_permute %t out_sharding=<@m, [{"x", ?}, {?}]> : tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// CHECK-LABEL: @exchange_to_same
// CHECK-SAME:  (%[[T:.*]]: tensor<16x32xf32>
// CHECK-NEXT:  %[[R:.*]] = sdy.exchange %[[T]] out_sharding=<@m, [{"y"}, {}]>
// CHECK-NEXT:  return %[[T]], %[[R]]
func.func @exchange_to_same(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<16x32xf32>, tensor<16x32xf32>) {
  %0 = sdy.exchange %t out_sharding=<@m, [{"x", ?}, {?}]> : tensor<16x32xf32>
  %1 = sdy.exchange %t out_sharding=<@m, [{"y"}, {}]> : tensor<16x32xf32>
  return %0, %1 : tensor<16x32xf32>, tensor<16x32xf32>
}

// CHECK-LABEL: @unused_all_to_all
// CHECK-NEXT:  return
func.func @unused_all_to_all(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = sdy.all_to_all [{"x"}: 0->1] %t out_sharding=<@m, [{}, {"x"}]> : tensor<16x32xf32>
  return
}

// CHECK-LABEL: @all_to_all_chain
// CHECK-SAME:  (%[[T:.*]]: tensor<8x8x8x8xf32>
// CHECK-NEXT:  %[[R:.*]] = sdy.all_to_all [{"x"}: 0->1, {"y"}: 2->3] %[[T]] out_sharding=<@m, [{}, {"x"}, {}, {"y"}]>
// CHECK-NEXT:  return %[[R]]
func.func @all_to_all_chain(%t: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}, {}]>}) -> tensor<8x8x8x8xf32> {
  %0 = sdy.all_to_all [{"y"}: 2->3] %t out_sharding=<@m, [{"x"}, {}, {}, {"y"}]> : tensor<8x8x8x8xf32>
  %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@m, [{}, {"x"}, {}, {"y"}]> : tensor<8x8x8x8xf32>
  return %1 : tensor<8x8x8x8xf32>
}

// Dimension 1 takes part in both: one operation cannot say this.
// CHECK-LABEL: @all_to_all_same_dim
// CHECK-COUNT-2: sdy.all_to_all
func.func @all_to_all_same_dim(%t: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}) -> tensor<8x8x8xf32> {
  %0 = sdy.all_to_all [{"x"}: 0->1] %t out_sharding=<@m, [{}, {"x"}, {}]> : tensor<8x8x8xf32>
  %1 = sdy.all_to_all [{"x"}: 1->2] %0 out_sharding=<@m, [{}, {}, {"x"}]> : tensor<8x8x8xf32>
  return %1 : tensor<8x8x8xf32>
}

// CHECK-LABEL: @reduce_of_replicated
// CHECK-SAME:  (%[[T:.*]]: tensor<16x32xf32>
// CHECK:       return %[[T]]
func.func @reduce_of_replicated(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<16x32xf32> {
  %0 = sdy.replicated_to_unreduced {"y"} %t out_sharding=<@m, [{"x"}, {}], unreduced={"y"}> : tensor<16x32xf32>
  %1 = sdy.all_reduce {"y"} %0 out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  return %1 : tensor<16x32xf32>
}

// CHECK-LABEL: @reduce_of_sharded
// CHECK-SAME:  (%[[T:.*]]: tensor<16x32xf32>
// CHECK:       %[[G:.*]] = sdy.all_gather [{"y"}, {"x"}] %[[T]] out_sharding=<@m, [{}, {}]>
// CHECK-NEXT:  return %[[G]]
func.func @reduce_of_sharded(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) -> tensor<16x32xf32> {
  %0 = sdy.sharded_to_unreduced [{"y"}, {"x"}] %t out_sharding=<@m, [{}, {}], unreduced={"x", "y"}> : tensor<16x32xf32>
  %1 = sdy.all_reduce {"x", "y"} %0 out_sharding=<@m, [{}, {}]> : tensor<16x32xf32>
  return %1 : tensor<16x32xf32>
}

// CHECK-LABEL: @reduce_then_slice
// CHECK-SAME:  (%[[T:.*]]: tensor<16x32xf32>
// CHECK-NEXT:  %[[S:.*]] = sdy.reduce_scatter max [{"y"}, {}] %[[T]] out_sharding=<@m, [{"x", "y"}, {}]>
// CHECK-NEXT:  return %[[S]]
func.func @reduce_then_slice(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced=max{"y"}>}) -> tensor<16x32xf32> {
  %0 = sdy.all_reduce max {"y"} %t out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  %1 = sdy.all_slice [{"y"}, {}] %0 out_sharding=<@m, [{"x", "y"}, {}]> : tensor<16x32xf32>
  return %1 : tensor<16x32xf32>
}

// What is not reduced along is sliced afterwards.
// CHECK-LABEL: @reduce_then_slice_more
// CHECK-SAME:  (%[[T:.*]]: tensor<16x32xf32>
// CHECK-NEXT:  %[[S:.*]] = sdy.reduce_scatter [{"y"}, {}] %[[T]] out_sharding=<@m, [{"x", "y"}, {}]>
// CHECK-NEXT:  %[[A:.*]] = sdy.all_slice [{}, {"z"}] %[[S]] out_sharding=<@m, [{"x", "y"}, {"z"}]>
// CHECK-NEXT:  return %[[A]], %[[A]]
func.func @reduce_then_slice_more(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"y"}>}) -> (tensor<16x32xf32>, tensor<16x32xf32>) {
  %0 = sdy.all_reduce {"y"} %t out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  %1 = sdy.all_slice [{"y"}, {"z"}] %0 out_sharding=<@m, [{"x", "y"}, {"z"}]> : tensor<16x32xf32>
  %2 = sdy.all_slice [{"y"}, {"z"}] %0 out_sharding=<@m, [{"x", "y"}, {"z"}]> : tensor<16x32xf32>
  return %1, %2 : tensor<16x32xf32>, tensor<16x32xf32>
}

// CHECK-LABEL: @reduced_value_is_needed
// CHECK:       sdy.all_reduce
// CHECK-NEXT:  sdy.all_slice
func.func @reduced_value_is_needed(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"y"}>}) -> (tensor<16x32xf32>, tensor<16x32xf32>) {
  %0 = sdy.all_reduce {"y"} %t out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  %1 = sdy.all_slice [{"y"}, {}] %0 out_sharding=<@m, [{"x", "y"}, {}]> : tensor<16x32xf32>
  return %0, %1 : tensor<16x32xf32>, tensor<16x32xf32>
}
