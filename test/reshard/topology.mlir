// With a topology seconds decide: what goes over a slow axis is dear, however few bytes it is.
// RUN: shardwise-opt %s -split-input-file -shardwise-insert-partition-reshards -sdy-merge-reductions | FileCheck %s --check-prefixes=CHECK,BYTES
// RUN: shardwise-opt %s -split-input-file -shardwise-insert-partition-reshards=topology=default -sdy-merge-reductions=topology=default | FileCheck %s --check-prefixes=CHECK,BYTES
// RUN: shardwise-opt %s -split-input-file -shardwise-insert-partition-reshards=topology=%S/Inputs/slow-axis.json -sdy-merge-reductions=topology=%S/Inputs/slow-axis.json | FileCheck %s --check-prefixes=CHECK,TIME
// RUN: not shardwise-opt %s -shardwise-insert-partition-reshards=topology=%S/Inputs/none.json 2>&1 | FileCheck %s --check-prefix=MISSING

// MISSING: error: cannot read topology {{.*}}none.json: neither a file nor one of the presets default, tpu-v5e, tpu-v5p, h100-nvlink-ib, xla-cpu

sdy.mesh @mesh = <["far"=2, "near"=4]>

// Of two addends on different axes one has to move: the one over "far" receives 16 KiB, the other 24 KiB.
// CHECK-LABEL: func @the_cheaper_addend_moves
func.func @the_cheaper_addend_moves(
    %a: tensor<128x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"far"}, {}]>},
    %b: tensor<128x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"near"}, {}]>}) -> tensor<f32> {
  // BYTES: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"near"}, {}]>
  // BYTES: stablehlo.add %[[A]], %arg1
  // TIME: %[[B:.*]] = sdy.reshard %arg1 <@mesh, [{"far"}, {}]>
  // TIME: stablehlo.add %arg0, %[[B]]
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.add %a, %b : tensor<128x64xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<128x64xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
