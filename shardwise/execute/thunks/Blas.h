// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products: OpenBLAS where it can be loaded and the address space is not limited, else own
// blocked kernels.

#pragma once

#include "shardwise/execute/kernels/ComplexNumber.h"

#include <cstdint>

namespace shardwise::execute {

/// A matrix as a product reads it: element (i, j) is at `data[i * rowStride + j * columnStride]`,
/// where one of the strides is 1.
template <class T> struct MatrixView {
  const T *data;
  int64_t rowStride;
  int64_t columnStride;
};

/// What becomes of a product.
enum class ProductUse : uint8_t {
  Store,    ///< c = a * b
  Add,      ///< c += a * b
  Subtract, ///< c -= a * b
};

/// Where a product goes: rows of `data` are `rowStride` elements apart.
template <class T> struct MatrixTarget {
  T *data;
  int64_t rowStride;
  ProductUse use = ProductUse::Store;
};

/// Stores, adds or subtracts `a * b` for a of m x k, b of k x n and c of m x n. k may be 0.
/// For T = float, double and Complex of them; this is cblas if a library was found, and the result
/// then depends on it.
template <class T>
void multiply(int64_t m, int64_t n, int64_t k, MatrixView<T> a, MatrixView<T> b, MatrixTarget<T> c);

/// The same without a library, for any number type; integers wrap modulo two to the width.
template <class T>
void multiplyPlain(int64_t m, int64_t n, int64_t k, MatrixView<T> a, MatrixView<T> b,
                   MatrixTarget<T> c);

/// Looks for a BLAS library, if that has not happened; the first product would else do it.
void loadBlas();

/// The name of the kernels of the BLAS library in use, or "built-in".
const char *blasName();

} // namespace shardwise::execute
