// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emission of factorisations and solves, which StableHLO ops and LAPACK calls share.

#pragma once

#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/LinearAlgebraThunks.h"

namespace shardwise::execute {

/// Emits the factorisation of `operand`; LAPACK's status goes to `info` if that is not null.
void emitCholesky(FunctionLowering &lowering, mlir::Value operand, mlir::Value result,
                  mlir::Value info, bool isLower);

/// Which part of `a` is read, on which side of `x` it stands, and as what.
struct SolveOptions {
  Triangle triangle;
  bool isLeft = true;
  Transpose transpose = Transpose::None;
};

/// Emits the solve of op(a) x = b, or of x op(a) = b.
void emitSolve(FunctionLowering &lowering, mlir::Value a, mlir::Value b, mlir::Value result,
               const SolveOptions &options);

} // namespace shardwise::execute
