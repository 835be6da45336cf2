// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dispatch of matrix products by type: those that a BLAS library knows go to it, integers to the
// plain loops.
//
// Sums of f16, bf16 and 8-bit floats are made in f32: a sum of many products in 8 or 11 bits of
// mantissa would stop growing. Integers wrap modulo two to the width, so that signed and unsigned
// ones of a width have the same sums and need one instance only.

#include "shardwise/execute/thunks/Gemm.h"

#include "shardwise/execute/thunks/Conversion.h"

#include <cassert>

namespace shardwise::execute {

DataType sumTypeOf(DataType type) {
  switch (wideType(type)) {
  case DataType::F16:
  case DataType::BF16:
    return DataType::F32;
  case DataType::U8:
    return DataType::I8;
  case DataType::U16:
    return DataType::I16;
  case DataType::U32:
    return DataType::I32;
  case DataType::U64:
    return DataType::I64;
  // Counts of trues, which become "any" when they are converted back. They cannot wrap to 0 before
  // 2^32 terms.
  case DataType::I1:
    return DataType::I32;
  default:
    return wideType(type);
  }
}

namespace {

template <class T> MatrixView<T> view(MatrixBytes matrix) {
  return {static_cast<const T *>(matrix.data), matrix.rowStride, matrix.columnStride};
}

/// Products of types that BLAS libraries have.
template <class T>
void multiplyAs(int64_t m, int64_t n, int64_t k, MatrixBytes a, MatrixBytes b, void *c,
                int64_t cStride, bool isSubtracted) {
  multiply<T>(m, n, k, view<T>(a), view<T>(b), {static_cast<T *>(c), cStride, isSubtracted});
}

template <class T>
void multiplyIntegers(int64_t m, int64_t n, int64_t k, MatrixBytes a, MatrixBytes b, void *c) {
  multiplyPlain<T>(m, n, k, view<T>(a), view<T>(b), {static_cast<T *>(c), n});
}

} // namespace

void multiplyMatrices(DataType sumType, int64_t m, int64_t n, int64_t k, MatrixBytes a,
                      MatrixBytes b, void *c) {
  switch (sumType) {
  case DataType::F32:
    return multiplyAs<float>(m, n, k, a, b, c, n, /*isSubtracted=*/false);
  case DataType::F64:
    return multiplyAs<double>(m, n, k, a, b, c, n, /*isSubtracted=*/false);
  case DataType::C64:
    return multiplyAs<Complex<float>>(m, n, k, a, b, c, n, /*isSubtracted=*/false);
  case DataType::C128:
    return multiplyAs<Complex<double>>(m, n, k, a, b, c, n, /*isSubtracted=*/false);
  case DataType::I8:
    return multiplyIntegers<int8_t>(m, n, k, a, b, c);
  case DataType::I16:
    return multiplyIntegers<int16_t>(m, n, k, a, b, c);
  case DataType::I32:
    return multiplyIntegers<int32_t>(m, n, k, a, b, c);
  case DataType::I64:
    return multiplyIntegers<int64_t>(m, n, k, a, b, c);
  default:
    assert(false && "not a type sums are made in");
  }
}

void subtractProduct(DataType type, int64_t m, int64_t n, int64_t k, MatrixBytes a, MatrixBytes b,
                     void *c, int64_t cStride) {
  switch (type) {
  case DataType::F32:
    return multiplyAs<float>(m, n, k, a, b, c, cStride, /*isSubtracted=*/true);
  case DataType::F64:
    return multiplyAs<double>(m, n, k, a, b, c, cStride, /*isSubtracted=*/true);
  case DataType::C64:
    return multiplyAs<Complex<float>>(m, n, k, a, b, c, cStride, /*isSubtracted=*/true);
  case DataType::C128:
    return multiplyAs<Complex<double>>(m, n, k, a, b, c, cStride, /*isSubtracted=*/true);
  default:
    assert(false && "not a type that matrices are factored in");
  }
}

} // namespace shardwise::execute
