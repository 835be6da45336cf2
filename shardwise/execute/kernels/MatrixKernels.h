// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Triangular solves and factorisations of small row-major matrices: the bottom of the recursions in
// Factorization.h, which do all larger work by matrix products.

#pragma once

#include "shardwise/runtime/DataType.h"

#include <cstdint>

namespace shardwise::execute {

/// Kernels on elements of one type. Matrices are row-major; `stride` is the distance of rows in
/// elements.
struct MatrixKernels {
  /// x := inverse(a) x for a triangular m x m matrix and x of m x n. Reads the chosen triangle, and
  /// takes the diagonal as ones if `isUnit`.
  void (*solve)(const void *a, int64_t aStride, int64_t m, void *x, int64_t xStride, int64_t n,
                bool isLower, bool isUnit);
  /// Replaces the upper triangle of an n x n matrix by U with a = U^H U. What has no such factor
  /// gets NaN.
  void (*factorUpper)(void *a, int64_t stride, int64_t n);
  /// Replaces an m x n matrix, n <= m, by its LU factors with partial pivoting; `pivots[j]` is the
  /// row that was swapped with row j.
  void (*factorPanel)(void *a, int64_t stride, int64_t m, int64_t n, int32_t *pivots);
  /// Writes the transpose of an m x n matrix, conjugated if asked for.
  void (*transpose)(const void *a, int64_t stride, int64_t m, int64_t n, void *result,
                    int64_t resultStride, bool isConjugated);
};

/// Returns the kernels for f32, f64 and the complex types of them; null for any other type.
const MatrixKernels *findMatrixKernels(runtime::DataType type);

} // namespace shardwise::execute
