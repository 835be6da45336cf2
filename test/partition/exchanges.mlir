// RUN: shardwise-opt %s -sdy-convert-global-to-local=keep-collectives | FileCheck %s
// RUN: shardwise-opt %s -sdy-convert-global-to-local=keep-collectives -shardwise-lower-local-collectives=keep-exchanges | FileCheck %s
// RUN: shardwise-opt %s -sdy-convert-global-to-local | FileCheck %s --check-prefix=ROUNDS

sdy.mesh @mesh = <["x"=2, "y"=3]>
sdy.mesh @order = <["x"=2, "y"=3], device_ids=[1, 2, 3, 4, 5, 0]>

// Shards of 6x4 become shards of 4x6.
// CHECK-LABEL: func @swap
// CHECK-NEXT: sdy.exchange %arg0 out_sharding=<@mesh, [{"y"}, {"x"}]> {sdy.in_sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>} : (tensor<6x4xf32>) -> tensor<4x6xf32>
// What a device keeps, then what it gets in each round, comes to its place.
// ROUNDS-LABEL: func @swap
// ROUNDS: stablehlo.dynamic_update_slice
// ROUNDS: "stablehlo.collective_permute"
// ROUNDS: stablehlo.dynamic_update_slice
// ROUNDS: return {{.*}} : tensor<4x6xf32>
func.func @swap(%a: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
  %0 = sdy.exchange %a out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<12x12xf32>
  return %0 : tensor<12x12xf32>
}

// CHECK-LABEL: func @uneven
// CHECK-NEXT: sdy.exchange %arg0 out_sharding=<@mesh, [{"y"}]> {sdy.in_sharding = #sdy.sharding<@mesh, [{"x"}]>, shardwise.global_type = tensor<10xi8>} : (tensor<5xi8>) -> tensor<4xi8>
// ROUNDS-LABEL: func @uneven
// ROUNDS: "stablehlo.collective_permute"
func.func @uneven(%a: tensor<10xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<10xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = sdy.exchange %a out_sharding=<@mesh, [{"y"}]> : tensor<10xi8>
  return %0 : tensor<10xi8>
}

// Whole shards in one round are one permute, and nothing is put together.
// CHECK-LABEL: func @to_order
// ROUNDS-LABEL: func @to_order
// ROUNDS-NOT: stablehlo.dynamic
// ROUNDS: "stablehlo.collective_permute"(%arg0) <{{.*}}source_target_pairs = dense<{{\[\[}}5, 0], [0, 1], [1, 2], [2, 3], [3, 4], [4, 5]]>
// ROUNDS-NEXT: return
func.func @to_order(%a: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> (tensor<12xf32> {sdy.sharding = #sdy.sharding<@order, [{"x", "y"}]>}) {
  %0 = sdy.exchange %a out_sharding=<@order, [{"x", "y"}]> : tensor<12xf32>
  return %0 : tensor<12xf32>
}

// What is planned once serves all exchanges that say the same; each permute has a channel of its own.
// CHECK-LABEL: func @twice
// ROUNDS-LABEL: func @twice
// ROUNDS: "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = [[CHANNEL:[0-9]+]], type = 1>, source_target_pairs = dense<[[PAIRS:.*]]> : tensor<6x2xi64>
// ROUNDS-NOT: handle = [[CHANNEL]],
// ROUNDS: "stablehlo.collective_permute"(%arg1) <{{.*}}source_target_pairs = dense<[[PAIRS]]> : tensor<6x2xi64>
// ROUNDS: "stablehlo.collective_permute"(%arg2) <{{.*}}source_target_pairs = dense<{{\[\[}}2, 1], [3, 2], [4, 3], [5, 4], [0, 5], [1, 0]]>
func.func @twice(%a: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %b: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %c: tensor<12xf32> {sdy.sharding = #sdy.sharding<@order, [{"x", "y"}]>}) -> (tensor<12xf32> {sdy.sharding = #sdy.sharding<@order, [{"x", "y"}]>}, tensor<12xf32> {sdy.sharding = #sdy.sharding<@order, [{"x", "y"}]>}, tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) {
  %0 = sdy.exchange %a out_sharding=<@order, [{"x", "y"}]> : tensor<12xf32>
  %1 = sdy.exchange %b out_sharding=<@order, [{"x", "y"}]> : tensor<12xf32>
  %2 = sdy.exchange %c out_sharding=<@mesh, [{"x", "y"}]> : tensor<12xf32>
  return %0, %1, %2 : tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
}

// CHECK-LABEL: func @empty
// ROUNDS-LABEL: func @empty
// ROUNDS-NOT: collective_permute
func.func @empty(%a: tensor<12x0xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<12x0xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %0 = sdy.exchange %a out_sharding=<@mesh, [{"y"}, {}]> : tensor<12x0xf32>
  return %0 : tensor<12x0xf32>
}
