// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factorisations and solves, one matrix of the batch after the other, and what LAPACK says of each.
// The recursions know one form each (an upper Cholesky factor, a solve from the left); the other
// forms are brought to it by transposition, which costs n^2 beside the n^3 of the factorisation.
//
// A matrix without a factor: StableHLO leaves the result open, and it is all NaN here as in JAX. Of
// LAPACK's call, too, whose callers look at `info`, the order of the first leading minor that is
// not positive, and put NaN there themselves: how far it got depends on the order of the work.

#include "shardwise/execute/thunks/LinearAlgebraThunks.h"

#include "shardwise/execute/thunks/Conversion.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace shardwise::execute {
namespace {

/// Writes zeros below (or above) the diagonal.
void clearTriangle(DenseMatrix a, int64_t n, bool isBelow) {
  int64_t bytes = runtime::byteSize(a.type);
  for (int64_t i = 0; i < n; ++i) {
    int64_t begin = isBelow ? 0 : i + 1;
    int64_t end = isBelow ? i : n;
    if (begin < end)
      std::memset(a.from(i, begin).data, 0, static_cast<size_t>((end - begin) * bytes));
  }
}

/// Copies what is below (or above) the diagonal.
void copyTriangle(DenseMatrix source, DenseMatrix target, int64_t n, bool isBelow) {
  int64_t bytes = runtime::byteSize(source.type);
  for (int64_t i = 0; i < n; ++i) {
    int64_t begin = isBelow ? 0 : i + 1;
    int64_t end = isBelow ? i : n;
    copyBytes(target.from(i, begin).data, source.from(i, begin).data, (end - begin) * bytes);
  }
}

void fillNaN(DenseMatrix a, int64_t n) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  std::byte element[16];
  Conversion(DataType::F64, a.type).run(reinterpret_cast<const std::byte *>(&kNaN), element, 1);
  fillElements(a.data, element, runtime::byteSize(a.type), n * n);
}

/// Whether the diagonal element is a positive number; complex ones have no imaginary part.
bool isPositive(DenseMatrix element) {
  bool isDouble = runtime::realPartType(element.type) == DataType::F64;
  double value = 0;
  if (isDouble) {
    std::memcpy(&value, element.data, sizeof(double));
  } else {
    float narrow = 0;
    std::memcpy(&narrow, element.data, sizeof(float));
    value = static_cast<double>(narrow);
  }
  // False for NaN too, which is what the kernel leaves where it took the root of a negative number.
  return value > 0;
}

/// LAPACK's status: the order of the first leading minor that is not positive, or 0.
int32_t failureOf(DenseMatrix factor, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    if (!isPositive(factor.from(i, i)))
      return static_cast<int32_t>(i + 1);
  return 0;
}

bool isZero(DenseMatrix element) {
  // Both zeros: no bit but the sign is set.
  auto bytes = static_cast<size_t>(runtime::byteSize(element.type));
  bool isDouble = runtime::realPartType(element.type) == DataType::F64;
  size_t width = isDouble ? sizeof(double) : sizeof(float);
  for (size_t part = 0; part < bytes; part += width)
    for (size_t i = 0; i < width; ++i) {
      auto bits = std::to_integer<unsigned>(element.data[part + i]);
      if ((i + 1 == width ? bits & 0x7fU : bits) != 0)
        return false;
    }
  return true;
}

} // namespace

Result<void> CholeskyThunk::run(Frame &frame) const {
  int64_t n = batch.rows;
  std::byte *work = frame.at(scratch);
  DenseMatrix upper = {batch.type,
                       work + choleskyScratchElements(n) * runtime::byteSize(batch.type), n};
  for (int64_t index = 0; index < batch.count; ++index) {
    DenseMatrix source = batch.at(frame.at(input), index);
    DenseMatrix target = batch.at(frame.at(result), index);
    if (isLower) {
      // a = L L^H is U^H U for U = L^H, read from the triangle that is given.
      transposeMatrix(source, n, n, upper, /*isConjugated=*/true);
      factorCholesky(upper, n, work);
      transposeMatrix(upper, n, n, target, /*isConjugated=*/true);
    } else {
      copyBytes(target.data, source.data, batch.matrixBytes());
      factorCholesky(target, n, work);
    }
    finish(frame, index, source, target);
  }
  return {};
}

void CholeskyThunk::finish(Frame &frame, int64_t index, DenseMatrix source,
                           DenseMatrix target) const {
  int64_t n = batch.rows;
  int32_t failure = failureOf(target, n);
  if (info >= 0) {
    frame.as<int32_t>(info)[index] = failure;
    if (failure != 0)
      fillNaN(target, n);
    else
      copyTriangle(source, target, n, /*isBelow=*/!isLower);
    return;
  }
  if (failure != 0)
    fillNaN(target, n);
  clearTriangle(target, n, /*isBelow=*/!isLower);
}

Result<void> TriangularSolveThunk::run(Frame &frame) const {
  int64_t n = right.rows * right.columns / std::max<int64_t>(size(), 1);
  std::byte *factor = frame.at(scratch);
  std::byte *turned = factor + left.matrixBytes();
  for (int64_t index = 0; index < left.count; ++index) {
    DenseMatrix a = left.at(frame.at(matrix), index);
    DenseMatrix b = right.at(frame.at(values), index);
    DenseMatrix x = right.at(frame.at(result), index);
    Triangle used = triangle;
    // The solver only has a x = b. From the left a transposed matrix has to be turned first; from
    // the right x a = b is a^T x^T = b^T, so it is the plain matrix that is turned.
    if (isLeft ? transpose != Transpose::None : transpose == Transpose::None) {
      DenseMatrix other = {left.type, factor, size()};
      transposeMatrix(a, size(), size(), other, transpose == Transpose::Adjoint);
      used.isLower = !used.isLower;
      a = other;
    }
    if (isLeft) {
      if (x.data != b.data)
        copyBytes(x.data, b.data, right.matrixBytes());
      solveTriangular(a, used, size(), x, n);
    } else {
      // For x a^H = b the adjoint of the equation has `a` itself.
      bool isConjugated = transpose == Transpose::Adjoint;
      DenseMatrix columns = {right.type, turned, n};
      transposeMatrix(b, n, size(), columns, isConjugated);
      solveTriangular(a, used, size(), columns, n);
      transposeMatrix(columns, size(), n, x, isConjugated);
    }
  }
  return {};
}

Result<void> LUThunk::run(Frame &frame) const {
  int64_t numPivots = std::min(batch.rows, batch.columns);
  for (int64_t index = 0; index < batch.count; ++index) {
    DenseMatrix source = batch.at(frame.at(input), index);
    DenseMatrix target = batch.at(frame.at(result), index);
    if (source.data != target.data)
      copyBytes(target.data, source.data, batch.matrixBytes());
    int32_t *rows = frame.as<int32_t>(pivots) + index * numPivots;
    factorLU(target, batch.rows, batch.columns, rows);
    int32_t status = 0;
    // Downwards, so that the first zero pivot is what is left in `status`.
    for (int64_t j = numPivots; j-- > 0;) {
      ++rows[j];
      if (isZero(target.from(j, j)))
        status = static_cast<int32_t>(j + 1);
    }
    frame.as<int32_t>(info)[index] = status;
  }
  return {};
}

} // namespace shardwise::execute
