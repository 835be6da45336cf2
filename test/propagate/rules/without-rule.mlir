// RUN: shardwise-opt %s -sdy-populate-op-sharding-rules 2>/dev/null | FileCheck %s

// Ops through which shardings do not pass.

// CHECK-LABEL: func.func @bn_train(
// CHECK-NOT: sharding_rule
func.func @bn_train(%arg0: tensor<4x8x6xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) -> (tensor<4x8x6xf32>, tensor<8xf32>, tensor<8xf32>) {
  %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x8x6xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8x6xf32>, tensor<8xf32>, tensor<8xf32>)
  return %output, %batch_mean, %batch_var : tensor<4x8x6xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @bn_grad(
// CHECK-NOT: sharding_rule
func.func @bn_grad(%arg0: tensor<4x8x6xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<4x8x6xf32>) -> (tensor<4x8x6xf32>, tensor<8xf32>, tensor<8xf32>) {
  %grad_operand, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg2, %arg3, %arg4) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x8x6xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x6xf32>) -> (tensor<4x8x6xf32>, tensor<8xf32>, tensor<8xf32>)
  return %grad_operand, %grad_scale, %grad_offset : tensor<4x8x6xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @broadcast(
// CHECK-NOT: sharding_rule
func.func @broadcast(%arg0: tensor<8xf32>) -> tensor<4x3x8xf32> {
  %0 = stablehlo.broadcast %arg0, sizes = [4, 3] : (tensor<8xf32>) -> tensor<4x3x8xf32>
  return %0 : tensor<4x3x8xf32>
}

// CHECK-LABEL: func.func @rng(
// CHECK-NOT: sharding_rule
func.func @rng(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<2xi64>) -> tensor<4x8xf32> {
  %0 = stablehlo.rng %arg0, %arg1, %arg2, distribution =  UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @reshape_0x3_to_0(
// CHECK-NOT: sharding_rule
func.func @reshape_0x3_to_0(%arg0: tensor<0x3xf32>) -> tensor<0xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<0x3xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// CHECK-LABEL: func.func @reshape_5x0_to_0x7(
// CHECK-NOT: sharding_rule
func.func @reshape_5x0_to_0x7(%arg0: tensor<5x0xf32>) -> tensor<0x7xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<5x0xf32>) -> tensor<0x7xf32>
  return %0 : tensor<0x7xf32>
}

// CHECK-LABEL: func.func @cc_sdy_testonly(
// CHECK-NOT: sharding_rule
func.func @cc_sdy_testonly(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @sdy_testonly(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_tpu_custom_call(
// CHECK-NOT: sharding_rule
func.func @cc_tpu_custom_call(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @tpu_custom_call(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_xla_python_cpu_callback(
// CHECK-NOT: sharding_rule
func.func @cc_xla_python_cpu_callback(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @xla_python_cpu_callback(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_xla_debug_log(
// CHECK-NOT: sharding_rule
func.func @cc_xla_debug_log(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @xla.debug.Log(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_foo(
// CHECK-NOT: sharding_rule
func.func @cc_foo(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @foo(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_sharding(
// CHECK-NOT: sharding_rule
func.func @cc_sharding(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @Sharding(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_spmdfulltoshardshape(
// CHECK-NOT: sharding_rule
func.func @cc_spmdfulltoshardshape(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_mhlo_topk(
// CHECK-NOT: sharding_rule
func.func @cc_mhlo_topk(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @mhlo.topk_(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_topk(
// CHECK-NOT: sharding_rule
func.func @cc_topk(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @TopK(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_approxtopk(
// CHECK-NOT: sharding_rule
func.func @cc_approxtopk(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @ApproxTopK_(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_globaltolocal(
// CHECK-NOT: sharding_rule
func.func @cc_globaltolocal(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @GlobalToLocal(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_chlo_top_k(
// CHECK-NOT: sharding_rule
func.func @cc_chlo_top_k(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @chlo.top_k(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_mhlo_tan(
// CHECK-NOT: sharding_rule
func.func @cc_mhlo_tan(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @mhlo.tan(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_mhlo_acos(
// CHECK-NOT: sharding_rule
func.func @cc_mhlo_acos(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @mhlo.acos(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_mhlo_ragged_dot(
// CHECK-NOT: sharding_rule
func.func @cc_mhlo_ragged_dot(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @mhlo.ragged_dot(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_xla_sdy_funcresultsharding(
// CHECK-NOT: sharding_rule
func.func @cc_xla_sdy_funcresultsharding(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_padtostatic(
// CHECK-NOT: sharding_rule
func.func @cc_padtostatic(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @PadToStatic(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_slicetodynamic(
// CHECK-NOT: sharding_rule
func.func @cc_slicetodynamic(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @SliceToDynamic(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_inspectsharding_2(
// CHECK-NOT: sharding_rule
func.func @cc_inspectsharding_2(%arg0: tensor<4x8xf32>) {
  stablehlo.custom_call @InspectSharding(%arg0) {has_side_effect = true} : (tensor<4x8xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @map(
// CHECK-NOT: sharding_rule
func.func @map(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = "stablehlo.map"(%arg0) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%arg1: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @einsum(
// CHECK-NOT: sharding_rule
func.func @einsum(%arg0: tensor<4x8xf32>, %arg1: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.einsum %arg0, %arg1, config = "ij,jk->ik" : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @tis(
// CHECK-NOT: sharding_rule
func.func @tis(%arg0: tensor<4x8xf32>, %arg1: tensor<3xi32>) -> tensor<3x8xf32> {
  %0 = "stablehlo.torch_index_select"(%arg0, %arg1) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<4x8xf32>, tensor<3xi32>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// CHECK-LABEL: func.func @replica_id(
// CHECK-NOT: sharding_rule
func.func @replica_id() -> tensor<ui32> {
  %0 = stablehlo.replica_id : tensor<ui32>
  return %0 : tensor<ui32>
}

// CHECK-LABEL: func.func @partition_id(
// CHECK-NOT: sharding_rule
func.func @partition_id() -> tensor<ui32> {
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
}

// CHECK-LABEL: func.func @iota(
// CHECK-NOT: sharding_rule
func.func @iota() -> tensor<4x8xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @gds(
// CHECK-NOT: sharding_rule
func.func @gds(%arg0: tensor<4x8xf32>) -> tensor<i32> {
  %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<4x8xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// CHECK-LABEL: func.func @rds(
// CHECK-NOT: sharding_rule
func.func @rds(%arg0: tensor<4x8xf32>, %arg1: tensor<2xi32>, %arg2: tensor<2xi32>, %arg3: tensor<2xi32>) -> tensor<2x8xf32> {
  %0 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg2, %arg3 : (tensor<4x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// CHECK-LABEL: func.func @dyn_reshape(
// CHECK-NOT: sharding_rule
func.func @dyn_reshape(%arg0: tensor<4x8xf32>, %arg1: tensor<1xi32>) -> tensor<32xf32> {
  %0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// CHECK-LABEL: func.func @dyn_bid(
// CHECK-NOT: sharding_rule
func.func @dyn_bid(%arg0: tensor<8xf32>, %arg1: tensor<2xi32>) -> tensor<4x8xf32> {
  %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [1] : (tensor<8xf32>, tensor<2xi32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @dyn_iota(
// CHECK-NOT: sharding_rule
func.func @dyn_iota(%arg0: tensor<2xi32>) -> tensor<4x8xf32> {
  %0 = stablehlo.dynamic_iota %arg0, dim = 0 : (tensor<2xi32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @dyn_pad(
// CHECK-NOT: sharding_rule
func.func @dyn_pad(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>, %arg2: tensor<2xi32>, %arg3: tensor<2xi32>, %arg4: tensor<2xi32>) -> tensor<6x8xf32> {
  %0 = stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg3, %arg4 : (tensor<4x8xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}

// CHECK-LABEL: func.func @dyn_gather(
// CHECK-NOT: sharding_rule
func.func @dyn_gather(%arg0: tensor<10x4xf32>, %arg1: tensor<6x1xi64>, %arg2: tensor<2xi64>) -> tensor<6x4xf32> {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<10x4xf32>, tensor<6x1xi64>, tensor<2xi64>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// CHECK-LABEL: func.func @after_all(
// CHECK-NOT: sharding_rule
func.func @after_all(%arg0: !stablehlo.token) -> !stablehlo.token {
  %0 = stablehlo.after_all %arg0 : !stablehlo.token
  return %0 : !stablehlo.token
}
