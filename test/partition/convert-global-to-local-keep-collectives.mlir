// RUN: shardwise-opt %s -sdy-convert-global-to-local=keep-collectives | FileCheck %s
// Both passes do what the conversion does alone.
// RUN: shardwise-opt %s -sdy-convert-global-to-local=keep-collectives -shardwise-lower-local-collectives -cse | FileCheck %s --check-prefix=BOTH
// RUN: shardwise-opt %s -sdy-convert-global-to-local -cse | FileCheck %s --check-prefix=BOTH

sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @d2 = <[], device_ids=[2]>

// CHECK-LABEL: func @moves
// CHECK-SAME: %arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
// BOTH-LABEL: func @moves
func.func @moves(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
  // CHECK-NEXT: %0 = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"y"}, {}]> {sdy.in_sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} : tensor<4x4xf32>
  // BOTH: stablehlo.collective_permute
  %0 = sdy.collective_permute %a out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x4xf32>
  // CHECK-NEXT: %1 = stablehlo.negate %0 : tensor<4x4xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<8x4xf32>
  // CHECK-NEXT: %2 = sdy.all_to_all [{"y"}: 0->1] %1 out_sharding=<@mesh, [{}, {"y"}]> {sdy.in_sharding = #sdy.sharding<@mesh, [{"y"}, {}]>} : (tensor<4x4xf32>) -> tensor<8x2xf32>
  // BOTH: stablehlo.all_to_all
  %2 = sdy.all_to_all [{"y"}: 0->1] %1 out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// An argument without sharding counts as whole.
// CHECK-LABEL: func @padded
// BOTH-LABEL: func @padded
func.func @padded(%a: tensor<7xf32>) -> (tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK-NEXT: %0 = sdy.all_slice [{"x"}] %arg0 out_sharding=<@mesh, [{"x"}]> {sdy.in_sharding = #sdy.sharding<@mesh, [{}]>, shardwise.global_type = tensor<7xf32>} : (tensor<7xf32>) -> tensor<4xf32>
  // BOTH: stablehlo.pad
  // BOTH: stablehlo.dynamic_slice
  %0 = sdy.all_slice [{"x"}] %a out_sharding=<@mesh, [{"x"}]> : tensor<7xf32>
  return %0 : tensor<7xf32>
}

// What both convolutions read of neighbours is one part, whoever asks for it.
// CHECK-LABEL: func @intervals
// CHECK: %0 = sdy.fetch_interval %arg0 dims=[1] starts=[-1] steps=[8] in_sharding=<@mesh, [{}, {"x"}, {}]> : (tensor<1x8x1xf32>) -> tensor<1x10x1xf32>
// CHECK-NEXT: stablehlo.convolution(%0, %arg1)
// CHECK: %2 = sdy.fetch_interval %arg0 dims=[1] starts=[-2] steps=[8] in_sharding=<@mesh, [{}, {"x"}, {}]> : (tensor<1x8x1xf32>) -> tensor<1x12x1xf32>
// BOTH-LABEL: func @intervals
// BOTH-COUNT-2: stablehlo.collective_permute
// BOTH-NOT: stablehlo.collective_permute
// BOTH: return
func.func @intervals(%a: tensor<1x16x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %f: tensor<3x1x1xf32>, %g: tensor<5x1x1xf32>)
    -> (tensor<1x16x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, tensor<1x16x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
  %0 = stablehlo.convolution(%a, %f) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<1x16x1xf32>, tensor<3x1x1xf32>) -> tensor<1x16x1xf32>
  %1 = stablehlo.convolution(%a, %g) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<1x16x1xf32>, tensor<5x1x1xf32>) -> tensor<1x16x1xf32>
  return %0, %1 : tensor<1x16x1xf32>, tensor<1x16x1xf32>
}

// CHECK-LABEL: func @from_one_device
// CHECK: %0 = sdy.reshard %arg0 <@mesh, [{}]> {sdy.in_sharding = #sdy.sharding<@d2, []>} : tensor<8xf32>
// CHECK-NEXT: %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> {sdy.in_sharding = #sdy.sharding<@mesh, [{}]>} : (tensor<8xf32>) -> tensor<4xf32>
// BOTH-LABEL: func @from_one_device
// BOTH: stablehlo.collective_broadcast
// BOTH: stablehlo.dynamic_slice
func.func @from_one_device(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@d2, []>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = sdy.reshard %a <@mesh, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Of 16 rows in blocks of 4 the first ten are wanted, in blocks of 3: the last device wants one of three.
// CHECK-LABEL: func @unwanted
// CHECK: sdy.fetch_interval %arg0 dims=[0] starts=[0] steps=[3] in_sharding=<@mesh, [{"x", "y"}, {}]> {shardwise.unwanted = array<i64: 6>} : (tensor<4x4xf32>) -> tensor<3x4xf32>
// BOTH-LABEL: func @unwanted
// BOTH: "stablehlo.collective_permute"
// BOTH-SAME{LITERAL}: source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]>
// BOTH-SAME: (tensor<2x4xf32>) -> tensor<2x4xf32>
func.func @unwanted(%a: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> (tensor<10x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) {
  %0 = stablehlo.slice %a [0:10, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<10x4xf32>
  return %0 : tensor<10x4xf32>
}
