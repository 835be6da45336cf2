// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Substitution and elimination along rows: every inner loop runs over neighbouring elements. Each
// step subtracts a multiple of one row from another.
//
// A solve takes a piece of columns at a time, so that a row of sums stays in registers, and four
// rows of them together: first everything that is already solved is subtracted from the four,
// reading each solved row once, then the 4 x 4 triangle among them is solved.

#include "shardwise/execute/kernels/MatrixKernels.h"

#include "shardwise/execute/kernels/ElementStorage.h"

#include <algorithm>
#include <cmath>

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {
namespace {

/// Rows are solved in pieces of 256 bytes, which stay in registers while terms are subtracted.
template <class T> inline constexpr int64_t kPiece = 256 / static_cast<int64_t>(sizeof(T));

/// row[j] -= factor * other[j].
template <class T> inline void subtractMultiple(T *row, T factor, const T *other, int64_t count) {
  SHARDWISE_INDEPENDENT_LOOP
  for (int64_t j = 0; j < count; ++j)
    row[j] = row[j] - factor * other[j];
}

/// Rows solved together: each row of x that is subtracted is read once for all.
constexpr int64_t kRows = 4;

/// Solves for a piece of columns, from row `first` on, `kRows` rows at a time as long as there are
/// that many. Returns the number of rows solved.
template <class T>
inline int64_t solveRowsTogether(const T *a, int64_t aStride, int64_t m, T *x, int64_t xStride,
                                 bool isLower, bool isUnit) {
  constexpr int64_t kWidth = kPiece<T>;
  int64_t solved = 0;
  for (; solved + kRows <= m; solved += kRows) {
    int64_t i = isLower ? solved : m - solved - kRows;
    int64_t begin = isLower ? 0 : i + kRows;
    int64_t end = isLower ? i : m;
    T sums[kRows][kWidth];
    for (int64_t r = 0; r < kRows; ++r)
      for (int64_t j = 0; j < kWidth; ++j)
        sums[r][j] = x[(i + r) * xStride + j];
    for (int64_t k = begin; k < end; ++k)
      for (int64_t r = 0; r < kRows; ++r)
        subtractMultiple(sums[r], a[(i + r) * aStride + k], x + k * xStride, kWidth);
    // What is left is a triangle of these rows.
    for (int64_t step = 0; step < kRows; ++step) {
      int64_t r = isLower ? step : kRows - 1 - step;
      const T *row = a + (i + r) * aStride + i;
      for (int64_t other = 0; other < kRows; ++other)
        if (isLower ? other < r : other > r)
          subtractMultiple(sums[r], row[other], sums[other], kWidth);
      for (int64_t j = 0; j < kWidth; ++j)
        sums[r][j] = isUnit ? sums[r][j] : sums[r][j] / row[r];
    }
    for (int64_t r = 0; r < kRows; ++r)
      for (int64_t j = 0; j < kWidth; ++j)
        x[(i + r) * xStride + j] = sums[r][j];
  }
  return solved;
}

/// Solves for `width` columns; `kWidth` is that number where it is known, else 0.
template <class T, int64_t kWidth>
inline void solvePiece(const T *a, int64_t aStride, int64_t m, T *x, int64_t xStride, int64_t width,
                       bool isLower, bool isUnit) {
  int64_t count = kWidth > 0 ? kWidth : width;
  T sums[kPiece<T>];
  int64_t solved = 0;
  if constexpr (kWidth > 0)
    solved = solveRowsTogether(a, aStride, m, x, xStride, isLower, isUnit);
  for (int64_t step = solved; step < m; ++step) {
    int64_t i = isLower ? step : m - 1 - step;
    int64_t begin = isLower ? 0 : i + 1;
    int64_t end = isLower ? i : m;
    T *row = x + i * xStride;
    for (int64_t j = 0; j < count; ++j)
      sums[j] = row[j];
    for (int64_t k = begin; k < end; ++k)
      subtractMultiple(sums, a[i * aStride + k], x + k * xStride, count);
    T diagonal = a[i * aStride + i];
    for (int64_t j = 0; j < count; ++j)
      row[j] = isUnit ? sums[j] : sums[j] / diagonal;
  }
}

template <class T>
SHARDWISE_KERNEL void solve(const void *a, int64_t aStride, int64_t m, void *x, int64_t xStride,
                            int64_t n, bool isLower, bool isUnit) {
  const auto *triangle = static_cast<const T *>(a);
  auto *columns = static_cast<T *>(x);
  int64_t j = 0;
  for (; j + kPiece<T> <= n; j += kPiece<T>)
    solvePiece<T, kPiece<T>>(triangle, aStride, m, columns + j, xStride, 0, isLower, isUnit);
  if (j < n)
    solvePiece<T, 0>(triangle, aStride, m, columns + j, xStride, n - j, isLower, isUnit);
}

template <class T> inline T squareRoot(T x) {
  return std::sqrt(x);
}
/// Only of real numbers: diagonals of Hermitian matrices.
template <class T> inline Complex<T> squareRoot(Complex<T> x) {
  return {std::sqrt(x.re), 0};
}

template <class T> SHARDWISE_KERNEL void factorUpper(void *matrix, int64_t stride, int64_t n) {
  auto *a = static_cast<T *>(matrix);
  for (int64_t i = 0; i < n; ++i) {
    T *row = a + i * stride;
    // The root of a negative number is NaN, which spreads to all that is computed from here on.
    row[i] = squareRoot(realPart(row[i]));
    for (int64_t j = i + 1; j < n; ++j)
      row[j] = row[j] / row[i];
    for (int64_t k = i + 1; k < n; ++k)
      subtractMultiple(a + k * stride + k, conjugate(row[k]), row + k, n - k);
  }
}

template <class T> inline T magnitude(T x) {
  return std::fabs(x);
}
/// As LAPACK compares pivots: cheaper than the modulus.
template <class T> inline T magnitude(Complex<T> x) {
  return std::fabs(x.re) + std::fabs(x.im);
}

template <class T>
SHARDWISE_KERNEL void factorPanel(void *matrix, int64_t stride, int64_t m, int64_t n,
                                  int32_t *pivots) {
  auto *a = static_cast<T *>(matrix);
  for (int64_t j = 0; j < n; ++j) {
    // The largest element of the column below: it is divided by, so that no multiplier is much
    // above 1 and errors grow slowly.
    int64_t best = j;
    for (int64_t i = j + 1; i < m; ++i)
      if (magnitude(a[i * stride + j]) > magnitude(a[best * stride + j]))
        best = i;
    pivots[j] = static_cast<int32_t>(best);
    T *row = a + j * stride;
    // Of the panel only; the caller swaps the rest of the rows.
    if (best != j)
      std::swap_ranges(row, row + n, a + best * stride);
    if (row[j] == T(0)) // Singular: nothing to eliminate with.
      continue;
    for (int64_t i = j + 1; i < m; ++i) {
      T *other = a + i * stride;
      other[j] = other[j] / row[j];
      subtractMultiple(other + j + 1, other[j], row + j + 1, n - j - 1);
    }
  }
}

template <class T>
SHARDWISE_KERNEL void transpose(const void *matrix, int64_t stride, int64_t m, int64_t n,
                                void *result, int64_t resultStride, bool isConjugated) {
  const auto *a = static_cast<const T *>(matrix);
  auto *to = static_cast<T *>(result);
  // Tiles of a few cache lines each way.
  constexpr int64_t kTile = 16;
  for (int64_t i0 = 0; i0 < m; i0 += kTile)
    for (int64_t j0 = 0; j0 < n; j0 += kTile)
      for (int64_t j = j0; j < std::min(j0 + kTile, n); ++j)
        for (int64_t i = i0; i < std::min(i0 + kTile, m); ++i) {
          T element = a[i * stride + j];
          to[j * resultStride + i] = isConjugated ? conjugate(element) : element;
        }
}

template <class T>
constexpr MatrixKernels kMatrixKernels = {&solve<T>, &factorUpper<T>, &factorPanel<T>,
                                          &transpose<T>};

} // namespace

const MatrixKernels *findMatrix(DataType type) {
  switch (type) {
  case DataType::F32:
    return &kMatrixKernels<float>;
  case DataType::F64:
    return &kMatrixKernels<double>;
  case DataType::C64:
    return &kMatrixKernels<Complex<float>>;
  case DataType::C128:
    return &kMatrixKernels<Complex<double>>;
  default:
    return nullptr;
  }
}

} // namespace SHARDWISE_ISA
} // namespace shardwise::execute
