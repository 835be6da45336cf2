// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LAPACK custom calls as JAX writes them: attributes are characters, in `backend_config` (typed
// FFI) or in the discardable `mhlo.backend_config`.

#include "shardwise/reference/LinearAlgebra.h"

#include "shardwise/dialect/stablehlo/CustomCallTargets.h"

namespace shardwise::reference {
std::optional<Results> tryLapack(stablehlo::CustomCallOp op, Tensors operands) {
  using stablehlo::lapackCharacter;
  llvm::StringRef target = op.getCallTargetName();
  if (!target.consume_front("lapack_s") && !target.consume_front("lapack_d"))
    return std::nullopt;
  bool lower = lapackCharacter(op, "uplo", 'L') == 'L';
  if (target == "potrf_ffi")
    return lapackCholesky(*operands[0], lower, op.getResultTypes());
  if (target == "getrf_ffi")
    return lapackLu(*operands[0], op.getResultTypes());
  if (target != "trsm_ffi")
    return std::nullopt;
  char transposition = lapackCharacter(op, "trans_x", 'N');
  TriangularForm form{.leftSide = lapackCharacter(op, "side", 'L') == 'L',
                      .lower = lower,
                      .unitDiagonal = lapackCharacter(op, "diag", 'N') == 'U',
                      .transpose = transposition != 'N',
                      .conjugate = transposition == 'C'};
  return Results{triangularSolve(*operands[0], *operands[1], form)};
}

} // namespace shardwise::reference
