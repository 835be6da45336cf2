// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Triangular solves, Cholesky and LU factors of single matrices. Each halves its problem until the
// kernels take over, so that nearly all work is done by matrix products.

#pragma once

#include "shardwise/runtime/DataType.h"

#include <cstddef>
#include <cstdint>

namespace shardwise::execute {

/// A row-major matrix of f32, f64 or the complex types of them; `stride` is the distance of rows in
/// elements.
struct DenseMatrix {
  runtime::DataType type = runtime::DataType::F32;
  std::byte *data = nullptr;
  int64_t stride = 0;

  /// The part that begins at (row, column).
  DenseMatrix from(int64_t row, int64_t column) const {
    return {type, data + (row * stride + column) * runtime::byteSize(type), stride};
  }
};

/// Which elements of a square matrix count.
struct Triangle {
  bool isLower = true;
  bool isUnit = false; ///< Its diagonal is all ones and not read.
};

/// x := inverse(a) x, in place, for a of m x m and x of m x n.
void solveTriangular(DenseMatrix a, Triangle triangle, int64_t m, DenseMatrix x, int64_t n);

/// Replaces the upper triangle of the n x n matrix `a` by U with a = U^H U; reads that triangle
/// only. What has no such factor gets NaN. `scratch` has `choleskyScratchElements(n)` elements.
void factorCholesky(DenseMatrix a, int64_t n, std::byte *scratch);
/// Scratch memory of `factorCholesky`, in elements.
int64_t choleskyScratchElements(int64_t n);

/// Writes the transpose of the m x n matrix `a` to `result`, conjugated if asked for.
void transposeMatrix(DenseMatrix a, int64_t m, int64_t n, DenseMatrix result, bool isConjugated);

/// Replaces the m x n matrix `a` by its LU factors with partial pivoting. Row j was swapped with
/// row `pivots[j]` >= j, for j below min(m, n).
void factorLU(DenseMatrix a, int64_t m, int64_t n, int32_t *pivots);

} // namespace shardwise::execute
