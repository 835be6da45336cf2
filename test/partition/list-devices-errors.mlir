// RUN: shardwise-opt %s -split-input-file -verify-diagnostics -shardwise-list-devices

// expected-error @below {{is no per-device program: expected mhlo.num_partitions = N and mhlo.num_replicas = 1; run sdy-convert-global-to-local first}}
module @no_counts {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}

// -----

// expected-error @below {{is no per-device program}}
module @replicas attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32} {
}

// -----

module @no_such_device attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{names device 2, but the program is for 2}}
    %0 = "stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module @groups_of_others attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<12xf32> {
    // expected-error @below {{'stablehlo.all_gather' op}}
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<12xf32>
    return %0 : tensor<12xf32>
  }
}
