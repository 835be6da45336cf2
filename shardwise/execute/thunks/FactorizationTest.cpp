// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors multiplied again, and solutions put in again: the residual says it all. What must not be
// read is NaN.

#include "shardwise/execute/thunks/Factorization.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>

namespace shardwise::execute {
namespace {

using runtime::DataType;
using Number = std::complex<double>;

/// A matrix of numbers that can be read and written in every element type.
class Matrix {
public:
  Matrix(DataType type, int64_t rows, int64_t columns, int64_t stride)
      : type(type), rows(rows), columns(columns), stride(stride),
        bytes(static_cast<size_t>(rows * stride * runtime::byteSize(type))) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < stride; ++j)
        set(i, j, std::numeric_limits<double>::quiet_NaN());
  }
  Matrix(DataType type, int64_t rows, int64_t columns) : Matrix(type, rows, columns, columns + 3) {}

  DenseMatrix view() { return {type, bytes.data(), stride}; }
  Number get(int64_t i, int64_t j) const {
    int64_t at = i * stride + j;
    switch (type) {
    case DataType::F32:
      return static_cast<double>(as<float>()[at]);
    case DataType::F64:
      return as<double>()[at];
    case DataType::C64:
      return Number(as<std::complex<float>>()[at]);
    default:
      return as<Number>()[at];
    }
  }
  void set(int64_t i, int64_t j, Number value) {
    int64_t at = i * stride + j;
    switch (type) {
    case DataType::F32:
      const_cast<float *>(as<float>())[at] = static_cast<float>(value.real());
      break;
    case DataType::F64:
      const_cast<double *>(as<double>())[at] = value.real();
      break;
    case DataType::C64:
      const_cast<std::complex<float> *>(as<std::complex<float>>())[at] = std::complex<float>(value);
      break;
    default:
      const_cast<Number *>(as<Number>())[at] = value;
    }
  }

  DataType type;
  int64_t rows, columns, stride;

private:
  template <class T> const T *as() const { return reinterpret_cast<const T *>(bytes.data()); }
  std::vector<std::byte> bytes;
};

double unitOf(DataType type) {
  return runtime::realPartType(type) == DataType::F32 ? 1.2e-7 : 2.3e-16;
}

/// Products of at most `terms` numbers of size one may be off by this.
double tolerance(DataType type, int64_t terms) {
  return 20 * unitOf(type) * (1 + std::sqrt(static_cast<double>(terms)));
}

class FactorizationTest : public ::testing::TestWithParam<DataType> {
protected:
  Number number() {
    double re = real(random);
    return runtime::isComplex(GetParam()) ? Number(re, real(random)) : Number(re);
  }

  std::mt19937 random{17};
  std::uniform_real_distribution<double> real{-1, 1};
};

TEST_P(FactorizationTest, solvesTriangles) {
  DataType type = GetParam();
  for (int64_t m : {1, 2, 31, 32, 33, 64, 101, 200})
    for (int64_t n : {1, 3, 64, 130})
      for (bool isLower : {false, true})
        for (bool isUnit : {false, true}) {
          Matrix a(type, m, m), x(type, m, n), b(type, m, n);
          for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < m; ++j)
              if (isLower ? j < i : j > i)
                a.set(i, j, number() / static_cast<double>(m));
              else if (i == j && !isUnit)
                a.set(i, i, number() + 3.0);
          for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) {
              b.set(i, j, number());
              x.set(i, j, b.get(i, j));
            }
          solveTriangular(a.view(), {isLower, isUnit}, m, x.view(), n);
          double worst = 0;
          for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) {
              Number sum = (isUnit ? Number(1) : a.get(i, i)) * x.get(i, j);
              for (int64_t k = isLower ? 0 : i + 1; k < (isLower ? i : m); ++k)
                sum += a.get(i, k) * x.get(k, j);
              double error = std::abs(sum - b.get(i, j));
              worst = std::isnan(error) ? error : std::max(worst, error);
            }
          EXPECT_LE(worst, tolerance(type, m)) << m << " " << n << " " << isLower << isUnit;
        }
}

TEST_P(FactorizationTest, choleskyFactorsMultiplyToTheMatrix) {
  DataType type = GetParam();
  for (int64_t n : {1, 2, 5, 32, 33, 64, 100, 257}) {
    // Hermitian with a dominant diagonal; only the upper triangle is given.
    Matrix a(type, n, n), u(type, n, n);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = i; j < n; ++j) {
        a.set(i, j, i == j ? Number(2) : number() / static_cast<double>(n));
        u.set(i, j, a.get(i, j));
      }
    std::vector<std::byte> scratch(
        static_cast<size_t>(choleskyScratchElements(n) * runtime::byteSize(type)));
    factorCholesky(u.view(), n, scratch.data());
    double worst = 0;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = i; j < n; ++j) {
        Number sum = 0;
        for (int64_t k = 0; k <= i; ++k)
          sum += std::conj(u.get(k, i)) * u.get(k, j);
        double error = std::abs(sum - a.get(i, j));
        worst = std::isnan(error) ? error : std::max(worst, error);
      }
    EXPECT_LE(worst, tolerance(type, n)) << n;
  }
}

TEST_P(FactorizationTest, choleskyOfAnIndefiniteMatrixIsNaN) {
  constexpr int64_t kN = 70;
  Matrix a(GetParam(), kN, kN);
  for (int64_t i = 0; i < kN; ++i)
    for (int64_t j = i; j < kN; ++j)
      a.set(i, j, i == j ? (i == 40 ? -1.0 : 1.0) : 0.0);
  std::vector<std::byte> scratch(
      static_cast<size_t>(choleskyScratchElements(kN) * runtime::byteSize(GetParam())));
  factorCholesky(a.view(), kN, scratch.data());
  EXPECT_EQ(a.get(39, 39).real(), 1.0);
  EXPECT_TRUE(std::isnan(a.get(40, 40).real()));
  EXPECT_TRUE(std::isnan(a.get(40, 69).real()));
}

TEST_P(FactorizationTest, luFactorsMultiplyToThePermutedMatrix) {
  DataType type = GetParam();
  for (auto [m, n] :
       {std::pair<int64_t, int64_t>{1, 1}, {4, 4}, {33, 33}, {100, 40}, {40, 100}, {129, 129}}) {
    Matrix a(type, m, n), lu(type, m, n);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        a.set(i, j, number());
        lu.set(i, j, a.get(i, j));
      }
    int64_t count = std::min(m, n);
    std::vector<int32_t> pivots(static_cast<size_t>(count));
    factorLU(lu.view(), m, n, pivots.data());
    std::vector<int64_t> order(static_cast<size_t>(m));
    for (int64_t i = 0; i < m; ++i)
      order[i] = i;
    for (int64_t i = 0; i < count; ++i) {
      ASSERT_GE(pivots[i], i);
      ASSERT_LT(pivots[i], m);
      std::swap(order[i], order[pivots[i]]);
    }
    double worst = 0;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        Number sum = 0;
        for (int64_t k = 0; k <= std::min({i, j, count - 1}); ++k)
          sum += (k == i ? Number(1) : lu.get(i, k)) * lu.get(k, j);
        double error = std::abs(sum - a.get(order[i], j));
        worst = std::isnan(error) ? error : std::max(worst, error);
        if (j < i) { // Pivoting keeps the multipliers small.
          double size = runtime::isComplex(type) ? std::sqrt(2.0) : 1.0;
          EXPECT_LE(std::abs(lu.get(i, j)), size * (1 + 1e-5));
        }
      }
    EXPECT_LE(worst, 10 * tolerance(type, m)) << m << "x" << n;
  }
}

TEST_P(FactorizationTest, luOfASingularMatrixHasAZeroPivot) {
  Matrix a(GetParam(), 3, 3);
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 3; ++j)
      a.set(i, j, 1.0);
  int32_t pivots[3];
  factorLU(a.view(), 3, 3, pivots);
  EXPECT_EQ(a.get(0, 2), Number(1));
  EXPECT_EQ(a.get(1, 1), Number(0));
  EXPECT_EQ(a.get(2, 2), Number(0));
}

INSTANTIATE_TEST_SUITE_P(Types, FactorizationTest,
                         ::testing::Values(DataType::F32, DataType::F64, DataType::C64,
                                           DataType::C128),
                         [](const auto &info) {
                           return (runtime::isComplex(info.param) ? "c" : "f") +
                                  std::to_string(8 * runtime::byteSize(info.param));
                         });

} // namespace
} // namespace shardwise::execute
