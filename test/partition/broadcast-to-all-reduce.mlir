// RUN: shardwise-opt %s -split-input-file -shardwise-broadcast-to-all-reduce | FileCheck %s

module attributes {mhlo.num_partitions = 4 : i32} {
// CHECK-LABEL: func @floats
func.func @floats(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-DAG: %[[ID:.*]] = stablehlo.partition_id
  // CHECK-DAG: %[[TWO:.*]] = stablehlo.constant dense<2> : tensor<ui32>
  // CHECK: %[[IS:.*]] = stablehlo.compare  EQ, %[[ID]], %[[TWO]]
  // CHECK: %[[BITS:.*]] = stablehlo.bitcast_convert %arg0 : (tensor<8xf32>) -> tensor<8xui32>
  // CHECK: %[[OWN:.*]] = stablehlo.select %[[IS]], %[[BITS]], %{{.*}} : tensor<i1>, tensor<8xui32>
  // CHECK: %[[SUM:.*]] = "stablehlo.all_reduce"(%[[OWN]]) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<{{\[\[}}2, 0, 1, 3]]> : tensor<1x4xi64>, use_global_device_ids}>
  // CHECK: stablehlo.add %{{.*}} : tensor<ui32>
  // CHECK: stablehlo.bitcast_convert %[[SUM]] : (tensor<8xui32>) -> tensor<8xf32>
  %0 = "stablehlo.collective_broadcast"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[2, 0, 1, 3]]> : tensor<1x4xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Two groups of four devices; then one, and two devices in none.
// CHECK-LABEL: func @groups
func.func @groups(%a: tensor<8xi1>) -> tensor<8xi1> {
  // CHECK: %[[TABLE:.*]] = stablehlo.constant dense<[true, false, false, true]> : tensor<4xi1>
  // CHECK: stablehlo.dynamic_slice %[[TABLE]]
  // CHECK: replica_groups = dense<{{\[\[}}0, 2], [3, 1]]> : tensor<2x2xi64>
  // CHECK: stablehlo.or %{{.*}} : tensor<i1>
  %0 = "stablehlo.collective_broadcast"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [3, 1]]> : tensor<2x2xi64>}> : (tensor<8xi1>) -> tensor<8xi1>
  // CHECK: replica_groups = dense<{{\[\[}}1, 2], [0, -1], [3, -1]]> : tensor<3x2xi64>
  %1 = "stablehlo.collective_broadcast"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[1, 2]]> : tensor<1x2xi64>}> : (tensor<8xi1>) -> tensor<8xi1>
  return %1 : tensor<8xi1>
}

// CHECK-LABEL: func @complex_numbers
func.func @complex_numbers(%a: tensor<complex<f64>>) -> tensor<complex<f64>> {
  // CHECK: stablehlo.real
  // CHECK: stablehlo.bitcast_convert %{{.*}} : (tensor<f64>) -> tensor<ui64>
  // CHECK: stablehlo.imag
  // CHECK: stablehlo.complex
  %0 = "stablehlo.collective_broadcast"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<complex<f64>>) -> tensor<complex<f64>>
  return %0 : tensor<complex<f64>>
}
}
