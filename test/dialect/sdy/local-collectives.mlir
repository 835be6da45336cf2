// RUN: shardwise-opt %s | shardwise-opt | FileCheck %s
// RUN: shardwise-opt %s -canonicalize | FileCheck %s

// Collectives of per-device programs.

sdy.mesh @m = <["x"=2, "y"=3]>
sdy.mesh @order = <["x"=2, "y"=3], device_ids=[5, 4, 3, 2, 1, 0]>
sdy.mesh @d2 = <[], device_ids=[2]>
sdy.mesh @d3 = <[], device_ids=[3]>

// CHECK-LABEL: func @even
func.func @even(%a: tensor<4x6xf32>) -> tensor<8x2xf32> {
  // CHECK-NEXT: %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@m, [{}, {}]> {sdy.in_sharding = #sdy.sharding<@m, [{"x"}, {}]>} : (tensor<4x6xf32>) -> tensor<8x6xf32>
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@m, [{}, {}]> {sdy.in_sharding = #sdy.sharding<@m, [{"x"}, {}]>} : (tensor<4x6xf32>) -> tensor<8x6xf32>
  // What global ones do is not folded into one of another type.
  // CHECK-NEXT: %1 = sdy.all_slice [{}, {"y"}] %0 out_sharding=<@m, [{}, {"y"}]> {sdy.in_sharding = #sdy.sharding<@m, [{}, {}]>} : (tensor<8x6xf32>) -> tensor<8x2xf32>
  %1 = sdy.all_slice [{}, {"y"}] %0 out_sharding=<@m, [{}, {"y"}]> {sdy.in_sharding = #sdy.sharding<@m, [{}, {}]>} : (tensor<8x6xf32>) -> tensor<8x2xf32>
  // CHECK-NEXT: %2 = sdy.all_reduce max {"x"} %1 out_sharding=<@m, [{}, {"y"}]> {sdy.in_sharding = #sdy.sharding<@m, [{}, {"y"}], unreduced=max{"x"}>} : tensor<8x2xf32>
  %2 = sdy.all_reduce max {"x"} %1 out_sharding=<@m, [{}, {"y"}]> {sdy.in_sharding = #sdy.sharding<@m, [{}, {"y"}], unreduced=max{"x"}>} : tensor<8x2xf32>
  // CHECK-NEXT: %3 = sdy.collective_permute %2 out_sharding=<@order, [{}, {"y"}]> {sdy.in_sharding = #sdy.sharding<@m, [{}, {"y"}]>} : tensor<8x2xf32>
  %3 = sdy.collective_permute %2 out_sharding=<@order, [{}, {"y"}]> {sdy.in_sharding = #sdy.sharding<@m, [{}, {"y"}]>} : tensor<8x2xf32>
  return %3 : tensor<8x2xf32>
}

// CHECK-LABEL: func @padded
func.func @padded(%a: tensor<3xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %0 = sdy.all_gather [{"y"}] %arg0 out_sharding=<@m, [{}]> {sdy.in_sharding = #sdy.sharding<@m, [{"y"}]>, shardwise.global_type = tensor<7xf32>} : (tensor<3xf32>) -> tensor<7xf32>
  %0 = sdy.all_gather [{"y"}] %a out_sharding=<@m, [{}]> {sdy.in_sharding = #sdy.sharding<@m, [{"y"}]>, shardwise.global_type = tensor<7xf32>} : (tensor<3xf32>) -> tensor<7xf32>
  // CHECK-NEXT: sdy.all_slice {{.*}} : (tensor<7xf32>) -> tensor<4xf32>
  %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@m, [{"x"}]> {sdy.in_sharding = #sdy.sharding<@m, [{}]>, shardwise.global_type = tensor<7xf32>} : (tensor<7xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Parts of 10 rows in halves and thirds, and of 6 columns in thirds and halves.
// CHECK-LABEL: func @exchange
func.func @exchange(%a: tensor<5x2xf32>) -> tensor<4x3xf32> {
  // CHECK-NEXT: %0 = sdy.exchange %arg0 out_sharding=<@m, [{"y"}, {"x"}]> {sdy.in_sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>, shardwise.global_type = tensor<10x6xf32>} : (tensor<5x2xf32>) -> tensor<4x3xf32>
  %0 = sdy.exchange %a out_sharding=<@m, [{"y"}, {"x"}]> {sdy.in_sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>, shardwise.global_type = tensor<10x6xf32>} : (tensor<5x2xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: func @from_one_device
func.func @from_one_device(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %0 = sdy.reshard %arg0 <@m, [{}]> {sdy.in_sharding = #sdy.sharding<@d2, []>} : tensor<8xf32>
  %0 = sdy.reshard %a <@m, [{}]> {sdy.in_sharding = #sdy.sharding<@d2, []>} : tensor<8xf32>
  // From another device, it is another value.
  // CHECK-NEXT: %1 = sdy.reshard %arg0 <@m, [{}]> {sdy.in_sharding = #sdy.sharding<@d3, []>} : tensor<8xf32>
  %1 = sdy.reshard %a <@m, [{}]> {sdy.in_sharding = #sdy.sharding<@d3, []>} : tensor<8xf32>
  // CHECK-NEXT: %2 = sdy.reshard %1 <@m, [{}]> {sdy.in_sharding = #sdy.sharding<@d2, []>} : tensor<8xf32>
  %2 = sdy.reshard %1 <@m, [{}]> {sdy.in_sharding = #sdy.sharding<@d2, []>} : tensor<8xf32>
  // CHECK-NEXT: stablehlo.add %0, %2
  %3 = stablehlo.add %0, %2 : tensor<8xf32>
  return %3 : tensor<8xf32>
}

// CHECK-LABEL: func @intervals
func.func @intervals(%a: tensor<4x2xf32>, %outside: tensor<f32>) -> (tensor<6x2xf32>, tensor<6x5xf32>, tensor<3x2xf32>) {
  // CHECK-NEXT: %0 = sdy.fetch_interval %arg0 dims=[0] starts=[-1] steps=[4] in_sharding=<@m, [{"x"}, {"y"}]> : (tensor<4x2xf32>) -> tensor<6x2xf32>
  %0 = sdy.fetch_interval %a dims=[0] starts=[-1] steps=[4] in_sharding=<@m, [{"x"}, {"y"}]> : (tensor<4x2xf32>) -> tensor<6x2xf32>
  // CHECK-NEXT: %1 = sdy.fetch_interval %arg0 outside=%arg1 dims=[0, 1] starts=[-1, 4] steps=[4, -2] in_sharding=<@m, [{"x"}, {"y"}]> : (tensor<4x2xf32>, tensor<f32>) -> tensor<6x5xf32>
  %1 = sdy.fetch_interval %a outside=%outside dims=[0, 1] starts=[-1, 4] steps=[4, -2] in_sharding=<@m, [{"x"}, {"y"}]> : (tensor<4x2xf32>, tensor<f32>) -> tensor<6x5xf32>
  // CHECK-NEXT: %2 = sdy.fetch_interval %arg0 dims=[0] starts=[1] steps=[3] divisors=[2] in_sharding=<@m, [{"x"}, {"y"}]> : (tensor<4x2xf32>) -> tensor<3x2xf32>
  %2 = sdy.fetch_interval %a dims=[0] starts=[1] steps=[3] divisors=[2] in_sharding=<@m, [{"x"}, {"y"}]> : (tensor<4x2xf32>) -> tensor<3x2xf32>
  return %0, %1, %2 : tensor<6x2xf32>, tensor<6x5xf32>, tensor<3x2xf32>
}
