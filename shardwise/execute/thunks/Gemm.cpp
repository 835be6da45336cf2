// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dispatch of matrix products by type: those that a BLAS library knows go to it, integers to the
// plain loops.
//
// Sums of f16, bf16 and 8-bit floats are made in f32: a sum of many products in 8 or 11 bits of
// mantissa would stop growing. Integers wrap modulo two to the width, so that signed and unsigned
// ones of a width have the same sums and need one instance only.

#include "shardwise/execute/thunks/Gemm.h"

#include "shardwise/execute/thunks/Conversion.h"
#include "shardwise/execute/thunks/RankWorkers.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

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
                int64_t cStride, ProductUse use) {
  multiply<T>(m, n, k, view<T>(a), view<T>(b), {static_cast<T *>(c), cStride, use});
}

template <class T>
void multiplyIntegers(int64_t m, int64_t n, int64_t k, MatrixBytes a, MatrixBytes b, void *c,
                      int64_t cStride, ProductUse use) {
  multiplyPlain<T>(m, n, k, view<T>(a), view<T>(b), {static_cast<T *>(c), cStride, use});
}

/// As `multiplyMatrices`, by this thread alone; rows of c are `cStride` elements apart.
void multiplyAlone(DataType sumType, int64_t m, int64_t n, int64_t k, MatrixBytes a, MatrixBytes b,
                   void *c, int64_t cStride, ProductUse use) {
  switch (sumType) {
  case DataType::F32:
    return multiplyAs<float>(m, n, k, a, b, c, cStride, use);
  case DataType::F64:
    return multiplyAs<double>(m, n, k, a, b, c, cStride, use);
  case DataType::C64:
    return multiplyAs<Complex<float>>(m, n, k, a, b, c, cStride, use);
  case DataType::C128:
    return multiplyAs<Complex<double>>(m, n, k, a, b, c, cStride, use);
  case DataType::I8:
    return multiplyIntegers<int8_t>(m, n, k, a, b, c, cStride, use);
  case DataType::I16:
    return multiplyIntegers<int16_t>(m, n, k, a, b, c, cStride, use);
  case DataType::I32:
    return multiplyIntegers<int32_t>(m, n, k, a, b, c, cStride, use);
  case DataType::I64:
    return multiplyIntegers<int64_t>(m, n, k, a, b, c, cStride, use);
  default:
    assert(false && "not a type sums are made in");
  }
}

/// Rows or columns that a kernel computes together: pieces are multiples of it.
constexpr int64_t kTile = 32;

} // namespace

double productNanoseconds(int64_t m, int64_t n, int64_t k) {
  // A core does some 100 operations in a nanosecond.
  return 0.02 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

void multiplyMatrices(DataType sumType, int64_t m, int64_t n, int64_t k, MatrixBytes a,
                      MatrixBytes b, void *c, ProductUse use, std::optional<int64_t> cStride) {
  int64_t stride = cStride.value_or(n);
  bool isByRows = m >= n;
  int64_t numPieces = piecesFor(productNanoseconds(m, n, k), std::max(m, n) / kTile);
  int64_t bytes = runtime::byteSize(sumType);
  runPieces(numPieces, [&](int64_t piece, int64_t) {
    auto [begin, end] = pieceRange(isByRows ? m : n, piece, numPieces, kTile);
    if (begin == end)
      return;
    MatrixBytes rows = a, columns = b;
    MatrixBytes &cut = isByRows ? rows : columns;
    cut.data = static_cast<const std::byte *>(cut.data) +
               begin * (isByRows ? a.rowStride : b.columnStride) * bytes;
    void *target = static_cast<std::byte *>(c) + begin * (isByRows ? stride : 1) * bytes;
    multiplyAlone(sumType, isByRows ? end - begin : m, isByRows ? n : end - begin, k, rows, columns,
                  target, stride, use);
  });
}

void subtractProduct(DataType type, int64_t m, int64_t n, int64_t k, MatrixBytes a, MatrixBytes b,
                     void *c, int64_t cStride) {
  switch (type) {
  case DataType::F32:
    return multiplyAs<float>(m, n, k, a, b, c, cStride, ProductUse::Subtract);
  case DataType::F64:
    return multiplyAs<double>(m, n, k, a, b, c, cStride, ProductUse::Subtract);
  case DataType::C64:
    return multiplyAs<Complex<float>>(m, n, k, a, b, c, cStride, ProductUse::Subtract);
  case DataType::C128:
    return multiplyAs<Complex<double>>(m, n, k, a, b, c, cStride, ProductUse::Subtract);
  default:
    assert(false && "not a type that matrices are factored in");
  }
}

} // namespace shardwise::execute
