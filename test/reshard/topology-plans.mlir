// Collectives for a machine with a slow axis: an axis that nobody named shares what the slow one has to bring.
// RUN: shardwise-opt %s -sdy-reshard-to-collectives | FileCheck %s --check-prefix=BYTES
// RUN: shardwise-opt %s -sdy-reshard-to-collectives=topology=%S/Inputs/slow-axis.json | FileCheck %s --check-prefix=TIME

sdy.mesh @mesh = <["far"=2, "near"=4]>

// BYTES-LABEL: func @a_large_value_is_gathered
// BYTES: sdy.all_gather [{"far"}, {}] %arg0
// BYTES-NEXT: return
// TIME-LABEL: func @a_large_value_is_gathered
// TIME-NEXT: sdy.all_slice [{}, {"near"}] %arg0
// TIME-NEXT: sdy.all_gather [{"far"}, {"near"}]
// TIME-NEXT: return
func.func @a_large_value_is_gathered(
    %a: tensor<512x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"far"}, {}]>}) -> tensor<512x512xf32> {
  %0 = sdy.reshard %a <@mesh, [{}, {}]> : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// Of a small one the latency decides.
// TIME-LABEL: func @a_small_value_is_gathered
// TIME-NEXT: sdy.all_gather [{"far"}, {}] %arg0
// TIME-NEXT: return
func.func @a_small_value_is_gathered(
    %a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"far"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.reshard %a <@mesh, [{}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
