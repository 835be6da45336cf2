// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factorizations and triangular systems, for the ops and for the LAPACK custom calls of JAX.

#pragma once

#include "shardwise/reference/Operations.h"

namespace shardwise::reference {

/// Returns the Cholesky factor of each matrix: L with a = L L^H, or U with a = U^H U. Reads the
/// triangle it writes; the other is zero. A matrix that is not positive definite gives NaN.
HostTensor cholesky(const HostTensor &a, bool lower);

/// How a triangular matrix is read.
struct TriangularForm {
  bool leftSide = true; ///< op(a) x = b; else x op(a) = b.
  bool lower = true;
  bool unitDiagonal = false;
  bool transpose = false;
  bool conjugate = false; ///< Of the transposed matrix.
};

/// Solves for x; the other triangle of `a` is not read.
HostTensor triangularSolve(const HostTensor &a, const HostTensor &b, const TriangularForm &form);

/// As LAPACK's potrf: the factor in the chosen triangle, the other as given; and the order of the
/// first leading minor that is not positive, or 0. A matrix without a factor gives all NaN.
Results lapackCholesky(const HostTensor &a, bool lower, mlir::TypeRange types);

/// As LAPACK's getrf: L below the diagonal and U; the row exchanges, counted from 1; and the order
/// of the first zero pivot, or 0.
Results lapackLu(const HostTensor &a, mlir::TypeRange types);

/// Evaluates `lapack_*_ffi` custom calls; none if `op` is no such call with a known target.
/// Requires a call that `stablehlo::verifyKnownCall` accepts.
std::optional<Results> tryLapack(stablehlo::CustomCallOp op, Tensors operands);

} // namespace shardwise::reference
