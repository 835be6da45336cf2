// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of packed matrices in the type sums are made in. dot_general and convolution bring their
// operands into this form.

#pragma once

#include "shardwise/execute/kernels/ElementKernels.h"
#include "shardwise/execute/thunks/Blas.h"

#include <optional>

namespace shardwise::execute {

/// Returns the type in which products with result type `type` are summed: f32 for f16 and bf16,
/// signed integers of the same width for unsigned (same bits), i32 for i1 (then "not zero"), the
/// wide type of narrow ones.
DataType sumTypeOf(DataType type);

/// A matrix in bytes, of a type that `sumTypeOf` returns.
struct MatrixBytes {
  const void *data;
  int64_t rowStride;
  int64_t columnStride;
};

/// What a product takes about, of floats by a library.
double productNanoseconds(int64_t m, int64_t n, int64_t k);

/// Stores or adds `a * b`, made in `sumType`, in the row-major c, whose rows are `cStride` elements
/// apart, n by default. The workers of the rank share out its rows or columns.
void multiplyMatrices(DataType sumType, int64_t m, int64_t n, int64_t k, MatrixBytes a,
                      MatrixBytes b, void *c, ProductUse use = ProductUse::Store,
                      std::optional<int64_t> cStride = std::nullopt);

/// Computes `c -= a * b` in f32, f64 or a complex type; rows of c are `cStride` elements apart.
void subtractProduct(DataType type, int64_t m, int64_t n, int64_t k, MatrixBytes a, MatrixBytes b,
                     void *c, int64_t cStride);

} // namespace shardwise::execute
