// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The recursions; their products go to Blas.h.
//
// Each splits its matrix into quarters. A solve with a lower triangle, for example:
//
//     | L11     | | X1 |   | B1 |      X1 = L11 \ B1            half the problem
//     | L21 L22 | | X2 | = | B2 |      B2 -= L21 X1             a matrix product
//                                      X2 = L22 \ B2            half the problem
//
// The products are nearly all of the work: of n^3 operations only about n^2 times the size of a
// kernel are left to the kernels. LU goes by panels of columns instead, because the choice of a
// pivot needs whole columns.

#include "shardwise/execute/thunks/Factorization.h"

#include "shardwise/execute/kernels/MatrixKernels.h"
#include "shardwise/execute/thunks/Gemm.h"

#include <algorithm>
#include <cstring>

namespace shardwise::execute {
namespace {

/// Sizes up to these go to the kernels, whose rows then stay in the level-1 cache.
constexpr int64_t kSolveSize = 32;
constexpr int64_t kFactorSize = 32;
constexpr int64_t kPanelWidth = 32;
/// Squares up to this size are updated as a whole, though only a triangle of them counts.
constexpr int64_t kSquareSize = 128;

/// Where to halve: a multiple of the kernels' size.
int64_t halfOf(int64_t size, int64_t unit) {
  return (size / 2 + unit - 1) / unit * unit;
}

MatrixBytes plain(DenseMatrix matrix) {
  return {matrix.data, matrix.stride, 1};
}
/// c -= a * b.
void subtractProduct(DenseMatrix c, int64_t m, int64_t n, int64_t k, MatrixBytes a, MatrixBytes b) {
  if (m > 0 && n > 0 && k > 0)
    subtractProduct(c.type, m, n, k, a, b, c.data, c.stride);
}

/// Subtracts `left` times `right`, of n x k and k x n, from the upper triangle of c.
void subtractFromTriangle(DenseMatrix c, int64_t n, int64_t k, DenseMatrix left,
                          DenseMatrix right) {
  // What is below the diagonal of a small square is written too, which nobody reads: one product is
  // faster than several.
  if (n <= kSquareSize)
    return subtractProduct(c, n, n, k, plain(left), plain(right));
  int64_t half = halfOf(n, kFactorSize);
  int64_t rest = n - half;
  subtractFromTriangle(c, half, k, left, right);
  subtractProduct(c.from(0, half), half, rest, k, plain(left), plain(right.from(0, half)));
  subtractFromTriangle(c.from(half, half), rest, k, left.from(half, 0), right.from(0, half));
}

void swapRows(DenseMatrix a, int64_t one, int64_t other, int64_t begin, int64_t end) {
  if (one == other)
    return;
  int64_t bytes = runtime::byteSize(a.type) * (end - begin);
  std::byte *row = a.from(one, begin).data;
  std::swap_ranges(row, row + bytes, a.from(other, begin).data);
}

} // namespace

void solveTriangular(DenseMatrix a, Triangle triangle, int64_t m, DenseMatrix x, int64_t n) {
  if (n == 0 || m == 0)
    return;
  if (m <= kSolveSize)
    return findMatrixKernels(a.type)->solve(a.data, a.stride, m, x.data, x.stride, n,
                                            triangle.isLower, triangle.isUnit);
  int64_t half = halfOf(m, kSolveSize);
  DenseMatrix lowerX = x.from(half, 0);
  if (triangle.isLower) {
    solveTriangular(a, triangle, half, x, n);
    subtractProduct(lowerX, m - half, n, half, plain(a.from(half, 0)), plain(x));
    solveTriangular(a.from(half, half), triangle, m - half, lowerX, n);
  } else {
    solveTriangular(a.from(half, half), triangle, m - half, lowerX, n);
    subtractProduct(x, half, n, m - half, plain(a.from(0, half)), plain(lowerX));
    solveTriangular(a, triangle, half, x, n);
  }
}

int64_t choleskyScratchElements(int64_t n) {
  int64_t half = halfOf(n, kFactorSize);
  return n <= kFactorSize ? 0 : half * std::max(half, n - half);
}

void factorCholesky(DenseMatrix a, int64_t n, std::byte *scratch) {
  if (n <= kFactorSize) {
    if (n > 0)
      findMatrixKernels(a.type)->factorUpper(a.data, a.stride, n);
    return;
  }
  int64_t half = halfOf(n, kFactorSize);
  int64_t rest = n - half;
  DenseMatrix copy = {a.type, scratch, half};
  DenseMatrix right = a.from(0, half);
  DenseMatrix below = a.from(half, half);
  factorCholesky(a, half, scratch);
  // A12 = U11^H U12, and A22 - U12^H U12 is factored next.
  transposeMatrix(a, half, half, copy, /*isConjugated=*/true);
  solveTriangular(copy, {/*isLower=*/true, /*isUnit=*/false}, half, right, rest);
  transposeMatrix(right, half, rest, copy, /*isConjugated=*/true);
  subtractFromTriangle(below, rest, half, copy, right);
  factorCholesky(below, rest, scratch);
}

void factorLU(DenseMatrix a, int64_t m, int64_t n, int32_t *pivots) {
  int64_t numPivots = std::min(m, n);
  for (int64_t begin = 0; begin < numPivots; begin += kPanelWidth) {
    int64_t width = std::min(kPanelWidth, numPivots - begin);
    int64_t end = begin + width;
    DenseMatrix panel = a.from(begin, begin);
    findMatrixKernels(a.type)->factorPanel(panel.data, panel.stride, m - begin, width,
                                           pivots + begin);
    // The kernel counts pivots from the panel's first row, and swapped rows within the panel only.
    for (int64_t row = begin; row < end; ++row) {
      pivots[row] += static_cast<int32_t>(begin);
      swapRows(a, row, pivots[row], 0, begin);
      swapRows(a, row, pivots[row], end, n);
    }
    // U12 = L11 \ A12, then A22 -= L21 U12 is factored next.
    DenseMatrix right = a.from(begin, end);
    solveTriangular(panel, {/*isLower=*/true, /*isUnit=*/true}, width, right, n - end);
    subtractProduct(a.from(end, end), m - end, n - end, width, plain(a.from(end, begin)),
                    plain(right));
  }
}

void transposeMatrix(DenseMatrix a, int64_t m, int64_t n, DenseMatrix result, bool isConjugated) {
  findMatrixKernels(a.type)->transpose(a.data, a.stride, m, n, result.data, result.stride,
                                       isConjugated);
}

} // namespace shardwise::execute
