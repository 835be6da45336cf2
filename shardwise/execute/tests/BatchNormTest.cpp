// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The batch normalisation kernels against the formulas, in both layouts.

#include "shardwise/execute/kernels/BatchNormKernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace shardwise::execute {
namespace {

constexpr double kEpsilon = 1e-3;

template <class T> class BatchNormTest : public ::testing::Test {
protected:
  using Values = std::vector<T>;

  static const BatchNormKernels &kernels() {
    return *findBatchNormKernels(std::is_same_v<T, float> ? runtime::DataType::F32
                                                          : runtime::DataType::F64);
  }

  Values random(int64_t count, double mean) {
    std::normal_distribution<double> normal(mean, 1.0);
    Values values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(static_cast<T>(normal(generator)));
    return values;
  }

  /// Calls `visit(position)` for all elements of a feature.
  template <class F> static void forFeature(const FeatureShape &shape, int64_t feature, F visit) {
    for (int64_t outer = 0; outer < shape.outer; ++outer)
      for (int64_t inner = 0; inner < shape.inner; ++inner)
        visit((outer * shape.features + feature) * shape.inner + inner);
  }

  void expectNear(T actual, double expected) {
    if (std::isnan(expected)) { // A mean of nothing.
      EXPECT_TRUE(std::isnan(actual));
      return;
    }
    double unit = std::is_same_v<T, float> ? 2e-6 : 1e-14;
    EXPECT_NEAR(static_cast<double>(actual), expected, 20 * unit * (1 + std::fabs(expected)));
  }

  void check(const FeatureShape &shape) {
    SCOPED_TRACE(std::to_string(shape.outer) + "x" + std::to_string(shape.features) + "x" +
                 std::to_string(shape.inner));
    int64_t count = shape.elements();
    Values x = random(count, 3), g = random(count, 0);
    Values scale = random(shape.features, 1), offset = random(shape.features, 0);
    Values out(x.size()), mean(scale.size()), variance(scale.size());
    std::vector<std::byte> scratch(static_cast<size_t>(batchNormScratchBytes(shape)));
    kernels().training(shape, x.data(), scale.data(), offset.data(), kEpsilon, out.data(),
                       mean.data(), variance.data(), scratch.data());
    Values inferred(x.size()), dx(x.size()), dscale(scale.size()), doffset(scale.size());
    kernels().inference(shape, x.data(), scale.data(), offset.data(), mean.data(), variance.data(),
                        kEpsilon, inferred.data(), scratch.data());
    kernels().gradient(shape, x.data(), scale.data(), mean.data(), variance.data(), g.data(),
                       kEpsilon, dx.data(), dscale.data(), doffset.data(), scratch.data());
    auto n = static_cast<double>(shape.elementsPerFeature());
    for (int64_t f = 0; f < shape.features; ++f) {
      double sum = 0, squares = 0, sumG = 0, sumGX = 0;
      forFeature(shape, f, [&](int64_t i) { sum += static_cast<double>(x[i]); });
      forFeature(shape, f, [&](int64_t i) {
        double centred = static_cast<double>(x[i]) - sum / n;
        squares += centred * centred;
        sumG += static_cast<double>(g[i]);
        sumGX += static_cast<double>(g[i]) * centred;
      });
      expectNear(mean[f], sum / n);
      expectNear(variance[f], squares / n);
      double deviation = std::sqrt(squares / n + kEpsilon);
      expectNear(dscale[f] / static_cast<T>(n), sumGX / deviation / n);
      expectNear(doffset[f] / static_cast<T>(n), sumG / n);
      forFeature(shape, f, [&](int64_t i) {
        double centred = static_cast<double>(x[i]) - sum / n;
        double expected =
            static_cast<double>(scale[f]) * centred / deviation + static_cast<double>(offset[f]);
        expectNear(out[i], expected);
        expectNear(inferred[i], expected);
        expectNear(dx[i], static_cast<double>(scale[f]) / (deviation * n) *
                              (n * static_cast<double>(g[i]) - sumG -
                               centred * sumGX / (squares / n + kEpsilon)));
      });
    }
  }

  std::mt19937 generator{5};
};

using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BatchNormTest, Types);

TYPED_TEST(BatchNormTest, runsAndColumns) {
  for (FeatureShape shape : std::vector<FeatureShape>{{4, 3, 49},
                                                      {1, 5, 1000},
                                                      {7, 1, 33},
                                                      {100, 3, 1},
                                                      {37, 70, 1},
                                                      {5, 4, 6},
                                                      {9, 1, 1},
                                                      {2, 2, 31},
                                                      {0, 3, 4},
                                                      {3, 0, 5}})
    this->check(shape);
}

} // namespace
} // namespace shardwise::execute
