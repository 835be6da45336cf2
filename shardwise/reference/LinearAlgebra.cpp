// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cholesky, triangular_solve and the LAPACK custom calls of JAX, in double precision. Matrices are
// the two last dimensions; all others are batches.
//
// Textbook loops over single elements, one form each: a lower Cholesky factor, a solve a x = b, LU
// with row exchanges. Other forms are brought to these by transposition: an upper factor U of a is
// the adjoint of the lower factor of the adjoint of a, and x a = b is transpose(a) transpose(x) =
// transpose(b).

#include "shardwise/reference/LinearAlgebra.h"

#include "shardwise/reference/ElementTypes.h"
#include "shardwise/reference/IndexSpace.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace shardwise::reference {
namespace {

using Complex = std::complex<double>;

double conjugate(double x) {
  return x;
}
Complex conjugate(Complex x) {
  return std::conj(x);
}

/// One matrix in row-major order.
template <class T> struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<T> values;

  Matrix(int64_t rows, int64_t columns) : rows(rows), columns(columns), values(rows * columns) {}
  T &at(int64_t row, int64_t column) { return values[row * columns + column]; }
  const T &at(int64_t row, int64_t column) const { return values[row * columns + column]; }
};

template <class T> Matrix<T> transposed(const Matrix<T> &matrix, bool conjugated = false) {
  Matrix<T> result(matrix.columns, matrix.rows);
  for (int64_t row = 0; row < matrix.rows; ++row)
    for (int64_t column = 0; column < matrix.columns; ++column)
      result.at(column, row) =
          conjugated ? conjugate(matrix.at(row, column)) : matrix.at(row, column);
  return result;
}

template <class T> Matrix<T> readMatrix(const HostTensor &tensor, int64_t batch) {
  Matrix<T> matrix(tensor.shape[tensor.rank() - 2], tensor.shape.back());
  auto size = static_cast<int64_t>(matrix.values.size());
  for (int64_t i = 0; i < size; ++i) {
    Scalar value = load(tensor, batch * size + i);
    if constexpr (std::is_same_v<T, Complex>)
      matrix.values[i] = value.complex();
    else
      matrix.values[i] = value.real();
  }
  return matrix;
}

template <class T> void writeMatrix(HostTensor &tensor, int64_t batch, const Matrix<T> &matrix) {
  auto size = static_cast<int64_t>(matrix.values.size());
  for (int64_t i = 0; i < size; ++i)
    store(tensor, batch * size + i, Scalar::ofComplex(tensor.type, matrix.values[i]));
}

int64_t numBatches(const HostTensor &tensor) {
  return numElements(IndexRef(tensor.shape).drop_back(2));
}

/// Calls `visit(zero, batch)` for every matrix of `tensor`, where `zero` has the type to compute
/// in.
template <class Visit> void forEachMatrix(const HostTensor &tensor, Visit visit) {
  for (int64_t batch = 0; batch < numBatches(tensor); ++batch)
    if (runtime::isComplex(tensor.type))
      visit(Complex(), batch);
    else
      visit(double(), batch);
}

/// Replaces the lower triangle of Hermitian `a` by its Cholesky factor. Returns 0, or the order of
/// the first leading minor that is not positive; then the columns before it are done.
template <class T> int64_t factorizeLower(Matrix<T> &a) {
  for (int64_t column = 0; column < a.rows; ++column) {
    // a[c][c] = sum over k <= c of |l[c][k]|^2, solved for the last term.
    double pivot = std::real(a.at(column, column));
    for (int64_t k = 0; k < column; ++k)
      pivot -= std::norm(a.at(column, k));
    // NaN too.
    if (!(pivot > 0))
      return column + 1;
    pivot = std::sqrt(pivot);
    a.at(column, column) = pivot;
    for (int64_t row = column + 1; row < a.rows; ++row) {
      T rest = a.at(row, column);
      for (int64_t k = 0; k < column; ++k)
        rest -= a.at(row, k) * conjugate(a.at(column, k));
      a.at(row, column) = rest / pivot;
    }
  }
  return 0;
}

/// Solves a x = b in place of b, by substitution in the triangle of `a` that `lower` says.
template <class T>
void substitute(const Matrix<T> &a, Matrix<T> &b, bool lower, bool unitDiagonal) {
  for (int64_t step = 0; step < a.rows; ++step) {
    int64_t row = lower ? step : a.rows - 1 - step;
    for (int64_t column = 0; column < b.columns; ++column) {
      T rest = b.at(row, column);
      for (int64_t k = lower ? 0 : row + 1, end = lower ? row : a.rows; k < end; ++k)
        rest -= a.at(row, k) * b.at(k, column);
      b.at(row, column) = unitDiagonal ? rest : rest / a.at(row, row);
    }
  }
}

/// LU factorization in place with row exchanges; `pivots` receives, counted from 1, the row that
/// each row was exchanged with. Returns 0, or the order of the first zero pivot.
template <class T> int64_t factorizeLu(Matrix<T> &a, std::vector<int64_t> &pivots) {
  int64_t info = 0;
  for (int64_t step = 0; step < std::min(a.rows, a.columns); ++step) {
    // Partial pivoting: the largest element of the column below the diagonal.
    int64_t best = step;
    for (int64_t row = step + 1; row < a.rows; ++row)
      if (std::abs(a.at(row, step)) > std::abs(a.at(best, step)))
        best = row;
    pivots.push_back(best + 1);
    for (int64_t column = 0; column < a.columns; ++column)
      std::swap(a.at(step, column), a.at(best, column));
    if (a.at(step, step) == T(0)) {
      // LAPACK goes on after a zero pivot and reports the first.
      info = info == 0 ? step + 1 : info;
      continue;
    }
    for (int64_t row = step + 1; row < a.rows; ++row) {
      a.at(row, step) /= a.at(step, step);
      for (int64_t column = step + 1; column < a.columns; ++column)
        a.at(row, column) -= a.at(row, step) * a.at(step, column);
    }
  }
  return info;
}

/// Whether the element belongs to the strict triangle opposite to `lower`.
bool isOpposite(int64_t row, int64_t column, bool lower) {
  return lower ? column > row : column < row;
}

} // namespace

HostTensor cholesky(const HostTensor &a, bool lower) {
  HostTensor result = HostTensor::zeros(a.type, a.shape);
  forEachMatrix(a, [&](auto zero, int64_t batch) {
    auto matrix = readMatrix<decltype(zero)>(a, batch);
    if (!lower)
      matrix = transposed(matrix, true);
    bool failed = factorizeLower(matrix) != 0;
    for (int64_t row = 0; row < matrix.rows; ++row)
      for (int64_t column = 0; column < matrix.columns; ++column)
        if (isOpposite(row, column, true))
          matrix.at(row, column) = 0;
        else if (failed)
          matrix.at(row, column) = std::numeric_limits<double>::quiet_NaN();
    writeMatrix(result, batch, lower ? matrix : transposed(matrix, true));
  });
  return result;
}

HostTensor triangularSolve(const HostTensor &a, const HostTensor &b, const TriangularForm &form) {
  HostTensor result = HostTensor::zeros(b.type, b.shape);
  forEachMatrix(a, [&](auto zero, int64_t batch) {
    auto matrix = readMatrix<decltype(zero)>(a, batch);
    auto solution = readMatrix<decltype(zero)>(b, batch);
    bool lower = form.lower;
    if (form.transpose) {
      matrix = transposed(matrix, form.conjugate);
      lower = !lower;
    }
    if (form.leftSide) {
      substitute(matrix, solution, lower, form.unitDiagonal);
    } else { // x a = b is transpose(a) transpose(x) = transpose(b).
      auto turned = transposed(solution);
      substitute(transposed(matrix), turned, !lower, form.unitDiagonal);
      solution = transposed(turned);
    }
    writeMatrix(result, batch, solution);
  });
  return result;
}

Results lapackCholesky(const HostTensor &a, bool lower, mlir::TypeRange types) {
  Results results = {a, zerosOf(types[1])};
  forEachMatrix(a, [&](auto zero, int64_t batch) {
    auto matrix = readMatrix<decltype(zero)>(a, batch);
    auto factor = lower ? matrix : transposed(matrix, true);
    int64_t failure = factorizeLower(factor);
    store(results[1], batch, Scalar::ofInteger(results[1].type, failure));
    if (!lower)
      factor = transposed(factor, true);
    if (failure != 0)
      std::fill(matrix.values.begin(), matrix.values.end(),
                std::numeric_limits<double>::quiet_NaN());
    else // The other triangle keeps what was given.
      for (int64_t row = 0; row < matrix.rows; ++row)
        for (int64_t column = 0; column < matrix.columns; ++column)
          if (!isOpposite(row, column, lower))
            matrix.at(row, column) = factor.at(row, column);
    writeMatrix(results[0], batch, matrix);
  });
  return results;
}

Results lapackLu(const HostTensor &a, mlir::TypeRange types) {
  Results results = {a, zerosOf(types[1]), zerosOf(types[2])};
  forEachMatrix(a, [&](auto zero, int64_t batch) {
    auto matrix = readMatrix<decltype(zero)>(a, batch);
    std::vector<int64_t> pivots;
    int64_t info = factorizeLu(matrix, pivots);
    writeMatrix(results[0], batch, matrix);
    auto count = static_cast<int64_t>(pivots.size());
    for (int64_t i = 0; i < count; ++i)
      store(results[1], batch * count + i, Scalar::ofInteger(results[1].type, pivots[i]));
    store(results[2], batch, Scalar::ofInteger(results[2].type, info));
  });
  return results;
}

} // namespace shardwise::reference
