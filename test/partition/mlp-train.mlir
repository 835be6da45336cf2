// RUN: shardwise-opt %S/../../examples/mlp_train/model.mlir -shardwise-propagation-pipeline -shardwise-insert-partition-reshards=choose-placements=false -sdy-merge-reductions -sdy-reshard-to-collectives | FileCheck %s
//
// A training step on data=4, model=2, with placements as propagated: activations are reduced over
// the model axis, the loss and every gradient over the data axis, and nothing else moves.

// CHECK-NOT: sdy.reshard
// CHECK-NOT: sdy.all_gather
// CHECK-NOT: sdy.all_to_all
// CHECK-NOT: sdy.collective_permute
// CHECK: sdy.all_reduce {"model"} %{{.*}} out_sharding=<@mesh, [{"data"}, {}]> : tensor<16x16xf32>
// CHECK-NOT: sdy.all_{{gather|to_all}}
// CHECK: sdy.all_reduce {"data"} %{{.*}} out_sharding=<@mesh, []> : tensor<f32>
// CHECK-NOT: sdy.all_{{gather|to_all}}
// CHECK: sdy.all_reduce {"data"} %{{.*}} out_sharding=<@mesh, [{}]> : tensor<16xf32>
// CHECK-NOT: sdy.all_{{gather|to_all}}
// CHECK: sdy.all_reduce {"data"} %{{.*}} out_sharding=<@mesh, [{}, {"model"}]> : tensor<16x64xf32>
// CHECK-NOT: sdy.all_{{gather|to_all}}
// CHECK: sdy.all_reduce {"data"} %{{.*}} out_sharding=<@mesh, [{"model"}]> : tensor<64xf32>
// CHECK-NOT: sdy.all_{{gather|to_all}}
// CHECK: sdy.all_reduce {"data"} %{{.*}} out_sharding=<@mesh, [{"model"}, {}]> : tensor<64x32xf32>
// CHECK-NOT: sdy.{{all_reduce|all_gather|all_slice|all_to_all|collective_permute|reduce_scatter}}
