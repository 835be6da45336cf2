// RUN: shardwise-opt %s -sdy-populate-op-sharding-rules 2>/dev/null | FileCheck %s
// RUN: shardwise-opt %s -sdy-populate-op-sharding-rules=conservative-propagation=true 2>/dev/null | FileCheck %s

// Custom calls, by name.

// CHECK-LABEL: func.func @cc_annotate_device_placement(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @cc_annotate_device_placement(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @annotate_device_placement(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_cholesky(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @cc_cholesky(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @Cholesky(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_compactwyhelper(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @cc_compactwyhelper(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @CompactWyHelper(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_inspectsharding(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @cc_inspectsharding(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @InspectSharding(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_invertdiagblockslowertriangular(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @cc_invertdiagblockslowertriangular(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @InvertDiagBlocksLowerTriangular(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_invertdiagblocksuppertriangular(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @cc_invertdiagblocksuppertriangular(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @InvertDiagBlocksUpperTriangular(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_layoutconstraint(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @cc_layoutconstraint(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @LayoutConstraint(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_mhlo_erf(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @cc_mhlo_erf(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @mhlo.erf(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_movetodevice(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @cc_movetodevice(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @MoveToDevice(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_movetohost(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @cc_movetohost(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @MoveToHost(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_x64splithigh(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @cc_x64splithigh(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @X64SplitHigh(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_x64splitlow(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @cc_x64splitlow(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @X64SplitLow(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_xla_megascale_provide_metadata(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @cc_xla_megascale_provide_metadata(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @xla.megascale.provide_metadata(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_spmdinternalop_multipad(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @cc_spmdinternalop_multipad(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @_SPMDInternalOp_MultiPad(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_spmdinternalop_rotateright(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @cc_spmdinternalop_rotateright(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @_SPMDInternalOp_RotateRight(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_spmdinternalop_multirotate(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @cc_spmdinternalop_multirotate(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @_SPMDInternalOp_MultiRotate(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_spmdinternalop_multislice(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @cc_spmdinternalop_multislice(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @_SPMDInternalOp_MultiSlice(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_spmdinternalop_wrap(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @cc_spmdinternalop_wrap(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @_SPMDInternalOp_Wrap(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_spmdinternalop_multipad_2(
// CHECK: #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=8}>
func.func @cc_spmdinternalop_multipad_2(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @_SPMDInternalOp_MultiPad(%arg0, %arg1) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_layoutconstraint_2(
// CHECK: #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
func.func @cc_layoutconstraint_2(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @LayoutConstraint(%arg0, %arg1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cc_mhlo_erf_2(
// CHECK: #sdy.op_sharding_rule<([])->([])>
func.func @cc_mhlo_erf_2(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @mhlo.erf(%arg0) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @cc_eigh(
// CHECK: #sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l], [i, j, l]) {i=2, j=3, k=5, l=5}>
func.func @cc_eigh(%arg0: tensor<2x3x5x5xf32>) -> (tensor<2x3x5x5xf32>, tensor<2x3x5xf32>) {
  %0:2 = stablehlo.custom_call @Eigh(%arg0) : (tensor<2x3x5x5xf32>) -> (tensor<2x3x5x5xf32>, tensor<2x3x5xf32>)
  return %0#0, %0#1 : tensor<2x3x5x5xf32>, tensor<2x3x5xf32>
}

// CHECK-LABEL: func.func @cc_eigh_2(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j], [j]) {i=5, j=5}>
func.func @cc_eigh_2(%arg0: tensor<5x5xf32>) -> (tensor<5x5xf32>, tensor<5xf32>) {
  %0:2 = stablehlo.custom_call @Eigh(%arg0) : (tensor<5x5xf32>) -> (tensor<5x5xf32>, tensor<5xf32>)
  return %0#0, %0#1 : tensor<5x5xf32>, tensor<5xf32>
}

// CHECK-LABEL: func.func @cc_qr(
// CHECK: #sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l], [i, j, m]) {i=2, j=3, k=5, l=4, m=4} need_replication={k, l, m}>
func.func @cc_qr(%arg0: tensor<2x3x5x4xf32>) -> (tensor<2x3x5x4xf32>, tensor<2x3x4xf32>) {
  %0:2 = stablehlo.custom_call @Qr(%arg0) : (tensor<2x3x5x4xf32>) -> (tensor<2x3x5x4xf32>, tensor<2x3x4xf32>)
  return %0#0, %0#1 : tensor<2x3x5x4xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @cc_qr_2(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j], [k]) {i=5, j=4, k=4} need_replication={i, j, k}>
func.func @cc_qr_2(%arg0: tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<4xf32>) {
  %0:2 = stablehlo.custom_call @Qr(%arg0) : (tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<5x4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @cc_qrdecompositionblock(
// CHECK: #sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l], [i, j, m]) {i=2, j=3, k=5, l=4, m=4} need_replication={k, l, m}>
func.func @cc_qrdecompositionblock(%arg0: tensor<2x3x5x4xf32>) -> (tensor<2x3x5x4xf32>, tensor<2x3x4xf32>) {
  %0:2 = stablehlo.custom_call @QrDecompositionBlock(%arg0) : (tensor<2x3x5x4xf32>) -> (tensor<2x3x5x4xf32>, tensor<2x3x4xf32>)
  return %0#0, %0#1 : tensor<2x3x5x4xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @cc_qrdecompositionblock_2(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j], [k]) {i=5, j=4, k=4} need_replication={i, j, k}>
func.func @cc_qrdecompositionblock_2(%arg0: tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<4xf32>) {
  %0:2 = stablehlo.custom_call @QrDecompositionBlock(%arg0) : (tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<5x4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @cc_productofelementaryhouseholderreflectors(
// CHECK: #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, j, k]) {i=2, j=5, k=4, l=4} need_replication={j, k, l}>
func.func @cc_productofelementaryhouseholderreflectors(%arg0: tensor<2x5x4xf32>, %arg1: tensor<2x4xf32>) -> tensor<2x5x4xf32> {
  %0 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%arg0, %arg1) : (tensor<2x5x4xf32>, tensor<2x4xf32>) -> tensor<2x5x4xf32>
  return %0 : tensor<2x5x4xf32>
}

// CHECK-LABEL: func.func @cc_mhlo_topk_2(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j], [i, j]) {i=4, j=8} need_replication={j} blocked_propagation={j}>
func.func @cc_mhlo_topk_2(%arg0: tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  %0:2 = stablehlo.custom_call @mhlo.topk(%arg0) {mhlo.attributes = {k = 2 : i64, largest = true}} : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %0#0, %0#1 : tensor<4x2xf32>, tensor<4x2xi32>
}

// CHECK-LABEL: func.func @cc_mhlo_topk_3(
// CHECK: #sdy.op_sharding_rule<([i])->([i], [i]) {i=8}>
func.func @cc_mhlo_topk_3(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi32>) {
  %0:2 = stablehlo.custom_call @mhlo.topk(%arg0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xi32>
}

// CHECK-LABEL: func.func @cc_approxtopk_2(
// CHECK: #sdy.op_sharding_rule<([i, j], [i, j], [], [])->([i, k], [i, k]) {i=4, j=8, k=2} need_replication={k} blocked_propagation={k}>
func.func @cc_approxtopk_2(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  %0:2 = stablehlo.custom_call @ApproxTopK(%arg0, %arg1, %arg2, %arg3) : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %0#0, %0#1 : tensor<4x2xf32>, tensor<4x2xi32>
}

// CHECK-LABEL: func.func @cc_approxtopk_3(
// CHECK: #sdy.op_sharding_rule<([i, j], [i, j], [], [])->([i, j], [i, j]) {i=4, j=8}>
func.func @cc_approxtopk_3(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) -> (tensor<4x8xf32>, tensor<4x8xi32>) {
  %0:2 = stablehlo.custom_call @ApproxTopK(%arg0, %arg1, %arg2, %arg3) : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<4x8xi32>
}

// CHECK-LABEL: func.func @cc_partialreduce(
// CHECK: #sdy.op_sharding_rule<([i, j], [i, j], [], [])->([i, k], [i, k]) {i=4, j=8, k=2} need_replication={k} blocked_propagation={k}>
func.func @cc_partialreduce(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  %0:2 = stablehlo.custom_call @PartialReduce(%arg0, %arg1, %arg2, %arg3) : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %0#0, %0#1 : tensor<4x2xf32>, tensor<4x2xi32>
}

// CHECK-LABEL: func.func @cc_partialreduce_2(
// CHECK: #sdy.op_sharding_rule<([i, j], [i, j], [], [])->([i, j], [i, j]) {i=4, j=8}>
func.func @cc_partialreduce_2(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) -> (tensor<4x8xf32>, tensor<4x8xi32>) {
  %0:2 = stablehlo.custom_call @PartialReduce(%arg0, %arg1, %arg2, %arg3) : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<4x8xi32>
}

// CHECK-LABEL: func.func @cc_x64combine(
// CHECK: #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
func.func @cc_x64combine(%arg0: tensor<4x8xui32>, %arg1: tensor<4x8xui32>) -> tensor<4x8xui64> {
  %0 = stablehlo.custom_call @X64Combine(%arg0, %arg1) : (tensor<4x8xui32>, tensor<4x8xui32>) -> tensor<4x8xui64>
  return %0 : tensor<4x8xui64>
}

// CHECK-LABEL: func.func @x64combine_rng(
// CHECK: #sdy.op_sharding_rule<([i], [i])->([i]) {i=2} need_replication={i} blocked_propagation={i}>
// CHECK: #sdy.op_sharding_rule<([i])->([i], [j]) {i=2, j=4} need_replication={i} blocked_propagation={i}>
func.func @x64combine_rng(%arg0: tensor<2xui32>, %arg1: tensor<2xui32>) -> tensor<4xui32> {
  %0 = stablehlo.custom_call @X64Combine(%arg0, %arg1) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui64>
  %output_state, %output = stablehlo.rng_bit_generator %0, algorithm =  DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  return %output : tensor<4xui32>
}
