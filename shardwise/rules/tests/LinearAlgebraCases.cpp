// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases of decompositions, solves, transforms and generators; of collectives; of custom calls and
// attached rules. SheetCases.h has the form of a case.
//
// A case is written by giving the op, with the arguments it needs, and its expected sheet: the
// rule, then what a device may do with its part of each factor. Most factors here are `whole`,
// which means that they must not be cut: the matrix of
//
//     ([i, j, k])->([i, j, k]) {i=2, j=3, k=3} need_replication={j, k}
//     i: local, j: whole, k: whole
//
// is needed whole by every device that decomposes it, and only the batch i can be shared. The kinds
// of the rule do not decide it alone: in `attachedRule` and its neighbours the rule calls a factor
// a reduction, or nothing special, and the op makes it whole.

#include "shardwise/rules/tests/SheetCases.h"

namespace shardwise::rules {

static const SheetCase kLinearAlgebra[] = {
    {"batchNormInference", "%a: tensor<2x3xf32>, %v: tensor<3xf32>",
     R"("stablehlo.batch_norm_inference"(%a, %v, %v, %v, %v) <{epsilon = 1.0e-3 : f32,
            feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>,
            tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>)",
     "([i, j], [j], [j], [j], [j])->([i, j]) {i=2, j=3}\ni: local, j: local"},
    {"cholesky", "%a: tensor<2x3x3xf32>", "stablehlo.cholesky %a, lower = true : tensor<2x3x3xf32>",
     "([i, j, k])->([i, j, k]) {i=2, j=3, k=3} need_replication={j, k}\n"
     "i: local, j: whole, k: whole"},
    {"triangularSolve", "%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>",
     R"("stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true,
            transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}>
        : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>)",
     "([i, j, l], [i, j, k])->([i, l, k]) {i=2, j=3, k=5, l=3} need_replication={j, k, l}\n"
     "i: local, j: whole, k: local, l: whole"},
    {"triangularSolveFromTheRight", "%a: tensor<2x3x3xf32>, %b: tensor<2x5x3xf32>",
     R"("stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true,
            transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}>
        : (tensor<2x3x3xf32>, tensor<2x5x3xf32>) -> tensor<2x5x3xf32>)",
     "([i, l, k], [i, j, k])->([i, j, l]) {i=2, j=5, k=3, l=3} need_replication={j, k, l}\n"
     "i: local, j: local, k: whole, l: whole"},
    {"fftOfLastDimension", "%a: tensor<4x8xcomplex<f32>>",
     "stablehlo.fft %a, type = FFT, length = [8]"
     " : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>",
     "([i, j])->([i, j]) {i=4, j=8} need_replication={j}\ni: local, j: whole"},
    {"generatorMakesAllBits", "%s: tensor<2xui64>",
     "stablehlo.rng_bit_generator %s, algorithm = THREE_FRY"
     " : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)",
     "([i])->([i], [j, k]) {i=2, j=3, k=5} need_replication={i} blocked_propagation={i}\n"
     "i: whole, j: whole, k: whole"},
    {"generatorWithAttachedRule", "%l: tensor<f32>, %s: tensor<1xi64>",
     "stablehlo.rng %l, %l, %s, distribution = UNIFORM {sdy.sharding_rule ="
     " #sdy.op_sharding_rule<([], [], [j])->([i]) {i=8, j=1}>}"
     " : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>",
     "([], [], [j])->([i]) {i=8, j=1}\ni: whole, j: whole"},
    {"allReduce", "%a: tensor<4x8xf32>",
     R"("stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %r = stablehlo.add %p, %q : tensor<f32>
          stablehlo.return %r : tensor<f32>
        }) : (tensor<4x8xf32>) -> tensor<4x8xf32>)",
     "([i, j])->([i, j]) {i=4, j=8}\ni: local, j: local"},
    {"allGather", "%a: tensor<4x8xf32>",
     R"("stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64,
            replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>
        : (tensor<4x8xf32>) -> tensor<4x16xf32>)",
     "([i, j])->([i, k]) {i=4, j=8, k=16} need_replication={j, k}\n"
     "i: local, j: whole, k: whole"},
    {"allToAll", "%a: tensor<4x8xf32>",
     R"("stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64,
            split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>
        : (tensor<4x8xf32>) -> tensor<2x16xf32>)",
     "([i, k])->([j, l]) {i=4, j=2, k=8, l=16} need_replication={i, j, k, l}\n"
     "i: whole, j: whole, k: whole, l: whole"},
    {"reduceScatter", "%a: tensor<4x8xf32>",
     R"("stablehlo.reduce_scatter"(%a) <{scatter_dimension = 1 : i64,
            replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %r = stablehlo.add %p, %q : tensor<f32>
          stablehlo.return %r : tensor<f32>
        }) : (tensor<4x8xf32>) -> tensor<4x4xf32>)",
     "([i, j])->([i, k]) {i=4, j=8, k=4} need_replication={j, k}\n"
     "i: local, j: whole, k: whole"},
    {"collectivePermute", "%a: tensor<8xf32>",
     R"("stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]>
            : tensor<1x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32>)",
     "([i])->([i]) {i=8}\ni: local"},
    {"collectiveBroadcast", "%a: tensor<8xf32>",
     R"("stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]>
            : tensor<1x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32>)",
     "([i])->([i]) {i=8}\ni: local"},
    {"crossReplicaSum", "%a: tensor<8xf32>",
     R"("stablehlo.cross-replica-sum"(%a) <{replica_groups = dense<[[0, 1]]>
            : tensor<1x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32>)",
     "([i])->([i]) {i=8}\ni: local"},
};

static const SheetCase kCall[] = {
    {"targetThatIsPointwise", "%a: tensor<8xf32>",
     "stablehlo.custom_call @mhlo.erf(%a) : (tensor<8xf32>) -> tensor<8xf32>",
     "([i])->([i]) {i=8}\ni: local"},
    {"targetThatSearches", "%a: tensor<4x8xf32>",
     "stablehlo.custom_call @mhlo.topk(%a) : (tensor<4x8xf32>) -> (tensor<4x2xf32>, "
     "tensor<4x2xi32>)",
     "([i, j])->([i, j], [i, j]) {i=4, j=8} need_replication={j} blocked_propagation={j}\n"
     "i: local, j: whole"},
    {"targetThatDecomposes", "%a: tensor<2x4x3xf32>",
     "stablehlo.custom_call @Qr(%a) : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3xf32>)",
     "([i, j, k])->([i, j, k], [i, l]) {i=2, j=4, k=3, l=3} need_replication={j, k, l}\n"
     "i: local, j: whole, k: whole, l: whole"},
    {"targetOfOtherShape", "%a: tensor<8xf32>",
     "stablehlo.custom_call @Qr(%a) : (tensor<8xf32>) -> tensor<8xf32>", "unknown"},
    {"eighCutsBatches", "%a: tensor<2x4x4xf32>",
     "stablehlo.custom_call @Eigh(%a) : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, "
     "tensor<2x4xf32>)",
     "([i, j, k])->([i, j, k], [i, k]) {i=2, j=4, k=4}\ni: local, j: whole, k: whole"},
    {"choleskyTargetCutsBatches", "%a: tensor<2x4x4xf32>",
     "stablehlo.custom_call @Cholesky(%a) : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>",
     "([i, j, k])->([i, j, k]) {i=2, j=4, k=4}\ni: local, j: whole, k: whole"},
    {"invertedBlocksCutBatches", "%a: tensor<2x4x4xf32>",
     "stablehlo.custom_call @InvertDiagBlocksLowerTriangular(%a) : (tensor<2x4x4xf32>) -> "
     "tensor<2x4x4xf32>",
     "([i, j, k])->([i, j, k]) {i=2, j=4, k=4}\ni: local, j: whole, k: whole"},
    {"compactWyCutsBatches", "%a: tensor<2x4x4xf32>",
     "stablehlo.custom_call @CompactWyHelper(%a) : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>",
     "([i, j, k])->([i, j, k]) {i=2, j=4, k=4}\ni: local, j: whole, k: whole"},
    {"rotationKeepsItsDimension", "%a: tensor<2x4x4xf32>",
     "stablehlo.custom_call @_SPMDInternalOp_RotateRight(%a) {backend_config = "
     "\"dimension=1,amount=1\"} : "
     "(tensor<2x4x4xf32>) -> tensor<2x4x4xf32>",
     "([i, j, k])->([i, j, k]) {i=2, j=4, k=4}\ni: local, j: whole, k: local"},
    {"rotationOfUnknownDimension", "%a: tensor<4x4xf32>",
     "stablehlo.custom_call @_SPMDInternalOp_RotateRight(%a) : (tensor<4x4xf32>) -> "
     "tensor<4x4xf32>",
     "([i, j])->([i, j]) {i=4, j=4}\ni: whole, j: whole"},
    {"padOfAnotherSize", "%a: tensor<4x4xf32>",
     "stablehlo.custom_call @_SPMDInternalOp_MultiPad(%a) {backend_config = "
     "\"dimension=1,amount=1\"} : "
     "(tensor<4x4xf32>) -> tensor<4x6xf32>",
     "([i, j])->([i, j]) {i=4, j=6}\ni: whole, j: whole"},
    {"targetThatSendsRows", "%a: tensor<8x3xf32>, %o: tensor<16x3xf32>, %l: tensor<4xi32>",
     "stablehlo.custom_call @ragged_all_to_all(%a, %o, %l, %l, %l, %l) : (tensor<8x3xf32>, "
     "tensor<16x3xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> "
     "tensor<16x3xf32>",
     "([j, i], [k, i], [l], [l], [l], [l])->([k, i]) {i=3, j=8, k=16, l=4} "
     "need_replication={j, k, l}\ni: local, j: whole, k: whole, l: whole"},
    {"targetWithoutRule", "%a: tensor<8xf32>",
     "stablehlo.custom_call @tpu_custom_call(%a) : (tensor<8xf32>) -> tensor<8xf32>", "no rule"},
    {"targetNobodyKnows", "%a: tensor<8xf32>",
     "stablehlo.custom_call @own(%a) : (tensor<8xf32>) -> tensor<8xf32>", "unknown"},
    {"attachedRule", "%a: tensor<4x8xf32>",
     "stablehlo.custom_call @own(%a) {sdy.sharding_rule ="
     " #sdy.op_sharding_rule<([i, j])->([i]) {i=4, j=8} reduction={j}, custom>}"
     " : (tensor<4x8xf32>) -> tensor<4xf32>",
     "([i, j])->([i]) {i=4, j=8} reduction={j}, custom\ni: local, j: whole"},
    {"attachedRuleOfLapackCutsBatchesOnly", "%a: tensor<2x4x4xf32>",
     "stablehlo.custom_call @lapack_spotrf_ffi(%a) {sdy.sharding_rule ="
     " #sdy.op_sharding_rule<([i, j, k])->([i, j, l], [i]) {i=2, j=4, k=4, l=4}, custom>}"
     " : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2xi32>)",
     "([i, j, k])->([i, j, l], [i]) {i=2, j=4, k=4, l=4}, custom\n"
     "i: local, j: whole, k: whole, l: whole"},
    {"factorsOfOneSideAreWhole", "%a: tensor<4x8xf32>",
     "stablehlo.custom_call @own(%a) {sdy.sharding_rule ="
     " #sdy.op_sharding_rule<([i, j])->([i, k]) {i=4, j=8, k=2}, custom>}"
     " : (tensor<4x8xf32>) -> tensor<4x2xf32>",
     "([i, j])->([i, k]) {i=4, j=8, k=2}, custom\ni: local, j: whole, k: whole"},
    {"attachedRuleOfADot", "%a: tensor<4x8xf32>, %b: tensor<8x6xf32>",
     "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding_rule ="
     " #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}"
     " need_replication={i}>} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>",
     "([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k} need_replication={i}\n"
     "i: whole, j: local, k: partial(sum)\nlinear in 0 or 1"},
};

std::span<const SheetCase> linearAlgebraCases() {
  return kLinearAlgebra;
}
std::span<const SheetCase> callCases() {
  return kCall;
}

} // namespace shardwise::rules
