// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two layouts. *Runs*: many neighbours belong to one feature (NCHW); a feature is finished while
// its elements are in cache. *Columns*: neighbours belong to different features (NHWC); the tensor
// is a matrix whose columns have one feature each, and everything is done row by row.
//
// Example of columns: 4x5x5x3 with feature_index 3 has a period of 3; rows of 21 periods, 63
// columns, are long enough to vectorise, and columns 0, 3, 6, ... belong to feature 0. Their
// moments are merged at the end.
//
// Sums of many elements are made in double, or in lanes of the type that are then added in double.
// A variance is never taken as mean of squares less square of the mean, which cancels where the
// mean is large: runs go over the elements twice, columns subtract a value near the mean first.

#include "shardwise/execute/kernels/BatchNormKernels.h"

#include "shardwise/execute/kernels/ElementStorage.h"

#include <algorithm>
#include <cmath>

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {
namespace {

/// Shorter runs are handled as columns.
constexpr int64_t kShortestRun = 32;
/// Columns are repeated up to this many, so that loops over a row are long enough to vectorise.
constexpr int64_t kShortestRow = 64;
constexpr int64_t kLanes = 32;

bool hasRuns(const FeatureShape &shape) {
  return shape.inner >= kShortestRun;
}

/// The tensor as rows of whole groups of [features, inner]; the last row may be shorter.
struct Columns {
  int64_t period, width, count;

  explicit Columns(const FeatureShape &shape)
      : period(shape.features * shape.inner),
        width(period * std::max<int64_t>(
                           1, std::min(kShortestRow / std::max<int64_t>(period, 1), shape.outer))),
        count(shape.elements()) {}

  int64_t featureOf(const FeatureShape &shape, int64_t column) const {
    return column % period / shape.inner;
  }
};

/// What is collected per feature: how many elements, and two sums over them.
struct Moments {
  double count = 0, mean = 0, squares = 0;

  /// T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae", 1979.
  void merge(const Moments &other) {
    if (other.count == 0)
      return;
    double total = count + other.count;
    double delta = other.mean - mean;
    mean += delta * (other.count / total);
    squares += other.squares + delta * delta * (count * other.count / total);
    count = total;
  }
};

/// Sums `term(i)` for i below `count`, in independent lanes so that the loop vectorises.
template <class F> double sumInLanes(int64_t count, F term) {
  using T = decltype(term(int64_t(0)));
  T lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] += term(i + lane);
  double total = 0;
  for (; i < count; ++i)
    total += static_cast<double>(term(i));
  for (T lane : lanes)
    total += static_cast<double>(lane);
  return total;
}

/// Calls `visit(first)` with the offset of every run of a feature.
template <class F> void forEachRun(const FeatureShape &shape, int64_t feature, F visit) {
  for (int64_t row = 0; row < shape.outer; ++row)
    visit((row * shape.features + feature) * shape.inner);
}

/// Twice over the elements of one feature: the mean, then the squares of what deviates from it. The
/// second time they come from the cache, if a feature fits.
template <class T> Moments momentsOfRuns(const FeatureShape &shape, const T *x, int64_t feature) {
  Moments moments;
  moments.count = static_cast<double>(shape.elementsPerFeature());
  forEachRun(shape, feature, [&](int64_t first) {
    const T *run = x + first;
    moments.mean += sumInLanes(shape.inner, [&](int64_t i) { return run[i]; });
  });
  moments.mean /= moments.count;
  T mean = static_cast<T>(moments.mean);
  double rest = 0; // The mean in T is not exact: the deviations do not quite sum to zero.
  forEachRun(shape, feature, [&](int64_t first) {
    const T *run = x + first;
    moments.squares += sumInLanes(shape.inner, [&](int64_t i) {
      T deviation = run[i] - mean;
      return deviation * deviation;
    });
  });
  rest = moments.mean - static_cast<double>(mean);
  // The sum of (x - mean_T)^2 exceeds that of (x - mean)^2 by count * rest^2.
  moments.squares = std::max(0.0, moments.squares - moments.count * rest * rest);
  return moments;
}

/// Once over all rows: sums of x - s and (x - s)^2 in double, where s is the first element of the
/// column; near the data, so that nothing cancels.
template <class T>
void sumColumns(const Columns &columns, const T *x, double *sums, double *squares) {
  std::fill_n(sums, columns.width, 0.0);
  std::fill_n(squares, columns.width, 0.0);
  for (int64_t begin = 0; begin < columns.count; begin += columns.width) {
    int64_t size = std::min(columns.width, columns.count - begin);
    const T *row = x + begin;
    SHARDWISE_INDEPENDENT_LOOP
    for (int64_t c = 0; c < size; ++c) {
      double value = static_cast<double>(row[c]) - static_cast<double>(x[c]);
      sums[c] += value;
      squares[c] += value * value;
    }
  }
}

/// Elements of column `column`.
int64_t lengthOf(const Columns &columns, int64_t column) {
  return columns.count / columns.width + (column < columns.count % columns.width ? 1 : 0);
}

/// out = (x - mean) * factor + offset.
template <class T> struct Affine {
  T mean, factor, offset;

  Affine() = default;
  Affine(T mean, T variance, T scale, T offset, double epsilon)
      : mean(mean), factor(static_cast<T>(static_cast<double>(scale) /
                                          std::sqrt(static_cast<double>(variance) + epsilon))),
        offset(offset) {}
};

template <class T>
void normalizeRuns(const FeatureShape &shape, const T *x, int64_t feature, Affine<T> affine,
                   T *out) {
  forEachRun(shape, feature, [&](int64_t first) {
    const T *from = x + first;
    T *to = out + first;
    SHARDWISE_INDEPENDENT_LOOP
    for (int64_t i = 0; i < shape.inner; ++i)
      to[i] = (from[i] - affine.mean) * affine.factor + affine.offset;
  });
}

/// `affineOf(feature)` gives the coefficients of a feature.
template <class T, class F>
void normalizeColumns(const FeatureShape &shape, const T *x, F affineOf, T *out, void *scratch) {
  Columns columns(shape);
  T *means = static_cast<T *>(scratch);
  T *factors = means + columns.width;
  T *offsets = factors + columns.width;
  for (int64_t c = 0; c < columns.width; ++c) {
    Affine<T> affine = affineOf(columns.featureOf(shape, c));
    means[c] = affine.mean;
    factors[c] = affine.factor;
    offsets[c] = affine.offset;
  }
  for (int64_t begin = 0; begin < columns.count; begin += columns.width) {
    int64_t size = std::min(columns.width, columns.count - begin);
    const T *from = x + begin;
    T *to = out + begin;
    SHARDWISE_INDEPENDENT_LOOP
    for (int64_t c = 0; c < size; ++c)
      to[c] = (from[c] - means[c]) * factors[c] + offsets[c];
  }
}

template <class T>
SHARDWISE_KERNEL void inference(const FeatureShape &shape, const void *x, const void *scale,
                                const void *offset, const void *mean, const void *variance,
                                double epsilon, void *out, void *scratch) {
  const auto *elements = static_cast<const T *>(x);
  auto *target = static_cast<T *>(out);
  auto affineOf = [&](int64_t f) {
    return Affine<T>(static_cast<const T *>(mean)[f], static_cast<const T *>(variance)[f],
                     static_cast<const T *>(scale)[f], static_cast<const T *>(offset)[f], epsilon);
  };
  if (!hasRuns(shape))
    return normalizeColumns(shape, elements, affineOf, target, scratch);
  for (int64_t f = 0; f < shape.features; ++f)
    normalizeRuns(shape, elements, f, affineOf(f), target);
}

template <class T>
SHARDWISE_KERNEL void training(const FeatureShape &shape, const void *x, const void *scale,
                               const void *offset, double epsilon, void *out, void *mean,
                               void *variance, void *scratch) {
  const auto *elements = static_cast<const T *>(x);
  auto *target = static_cast<T *>(out);
  auto *means = static_cast<T *>(mean);
  auto *variances = static_cast<T *>(variance);
  auto store = [&](int64_t f, const Moments &moments) {
    means[f] = static_cast<T>(moments.mean);
    variances[f] =
        static_cast<T>(moments.squares / static_cast<double>(shape.elementsPerFeature()));
  };
  auto affineOf = [&](int64_t f) {
    return Affine<T>(means[f], variances[f], static_cast<const T *>(scale)[f],
                     static_cast<const T *>(offset)[f], epsilon);
  };
  if (hasRuns(shape)) {
    for (int64_t f = 0; f < shape.features; ++f) {
      store(f, momentsOfRuns(shape, elements, f));
      normalizeRuns(shape, elements, f, affineOf(f), target);
    }
    return;
  }
  Columns columns(shape);
  auto *sums = static_cast<double *>(scratch);
  double *squares = sums + columns.width;
  sumColumns(columns, elements, sums, squares);
  for (int64_t f = 0; f < shape.features; ++f) {
    Moments total;
    for (int64_t group = f * shape.inner; group < columns.width; group += columns.period)
      for (int64_t c = group; c < group + shape.inner; ++c) {
        auto count = static_cast<double>(lengthOf(columns, c));
        if (count == 0)
          continue;
        // Back from sums of x - s: the mean is s + shifted, and the squares about it are less by
        // sums * shifted.
        double shifted = sums[c] / count;
        total.merge({count, static_cast<double>(elements[c]) + shifted,
                     std::max(0.0, squares[c] - sums[c] * shifted)});
      }
    // Without an element both are 0/0.
    if (total.count == 0)
      total.mean = total.squares = std::nan("");
    store(f, total);
  }
  normalizeColumns(shape, elements, affineOf, target, scratch);
}

/// Gradient of x: g * ofG + (x - mean) * ofX + constant.
template <class T> struct GradientTerms {
  T mean, ofG, ofX, constant;

  GradientTerms() = default;
  GradientTerms(double mean, double variance, double scale, double epsilon, double count,
                double sumG, double sumGX) {
    double deviation = std::sqrt(variance + epsilon);
    double factor = scale / deviation;
    this->mean = static_cast<T>(mean);
    // scale / (n d) * (n g - sum g - (x - mean) / d^2 * sum(g (x - mean))), where d^2 is the
    // variance plus epsilon, sorted by g, x - mean and what is constant.
    ofG = static_cast<T>(factor);
    ofX = static_cast<T>(-factor * sumGX / (count * (variance + epsilon)));
    constant = static_cast<T>(-factor * sumG / count);
  }
};

/// One feature after the other: its sums, then its gradient.
template <class T, class F>
void gradientOfRuns(const FeatureShape &shape, const T *x, const T *g, const T *means, F termsOf,
                    T *out) {
  for (int64_t f = 0; f < shape.features; ++f) {
    double sumG = 0;
    double sumGX = 0;
    forEachRun(shape, f, [&](int64_t first) {
      const T *elements = x + first;
      const T *gradients = g + first;
      sumG += sumInLanes(shape.inner, [&](int64_t i) { return gradients[i]; });
      sumGX += sumInLanes(shape.inner,
                          [&](int64_t i) { return gradients[i] * (elements[i] - means[f]); });
    });
    GradientTerms<T> terms = termsOf(f, sumG, sumGX);
    forEachRun(shape, f, [&](int64_t first) {
      SHARDWISE_INDEPENDENT_LOOP
      for (int64_t i = first; i < first + shape.inner; ++i)
        out[i] = g[i] * terms.ofG + (x[i] - terms.mean) * terms.ofX + terms.constant;
    });
  }
}

template <class T, class F>
void gradientOfColumns(const FeatureShape &shape, const T *x, const T *g, const T *means, F termsOf,
                       T *out, void *scratch) {
  Columns columns(shape);
  auto *sumsG = static_cast<double *>(scratch);
  double *sumsGX = sumsG + columns.width;
  T *meanOf = reinterpret_cast<T *>(sumsGX + columns.width);
  T *ofG = meanOf + columns.width;
  T *ofX = ofG + columns.width;
  T *constants = ofX + columns.width;
  std::fill_n(sumsG, columns.width, 0.0);
  std::fill_n(sumsGX, columns.width, 0.0);
  for (int64_t c = 0; c < columns.width; ++c)
    meanOf[c] = means[columns.featureOf(shape, c)];
  for (int64_t begin = 0; begin < columns.count; begin += columns.width) {
    int64_t size = std::min(columns.width, columns.count - begin);
    SHARDWISE_INDEPENDENT_LOOP
    for (int64_t c = 0; c < size; ++c) {
      T gradient = g[begin + c];
      sumsG[c] += static_cast<double>(gradient);
      sumsGX[c] += static_cast<double>(gradient * (x[begin + c] - meanOf[c]));
    }
  }
  for (int64_t f = 0; f < shape.features; ++f) {
    double sumG = 0;
    double sumGX = 0;
    auto forColumns = [&](auto visit) {
      for (int64_t group = f * shape.inner; group < columns.width; group += columns.period)
        for (int64_t c = group; c < group + shape.inner; ++c)
          visit(c);
    };
    forColumns([&](int64_t c) {
      sumG += sumsG[c];
      sumGX += sumsGX[c];
    });
    GradientTerms<T> terms = termsOf(f, sumG, sumGX);
    forColumns([&](int64_t c) {
      ofG[c] = terms.ofG;
      ofX[c] = terms.ofX;
      constants[c] = terms.constant;
    });
  }
  for (int64_t begin = 0; begin < columns.count; begin += columns.width) {
    int64_t size = std::min(columns.width, columns.count - begin);
    SHARDWISE_INDEPENDENT_LOOP
    for (int64_t c = 0; c < size; ++c)
      out[begin + c] = g[begin + c] * ofG[c] + (x[begin + c] - meanOf[c]) * ofX[c] + constants[c];
  }
}

template <class T>
SHARDWISE_KERNEL void gradient(const FeatureShape &shape, const void *x, const void *scale,
                               const void *mean, const void *variance, const void *g,
                               double epsilon, void *xGradient, void *scaleGradient,
                               void *offsetGradient, void *scratch) {
  const auto *elements = static_cast<const T *>(x);
  const auto *gradients = static_cast<const T *>(g);
  const auto *means = static_cast<const T *>(mean);
  auto *out = static_cast<T *>(xGradient);
  auto termsOf = [&](int64_t f, double sumG, double sumGX) {
    auto spread = static_cast<double>(static_cast<const T *>(variance)[f]);
    static_cast<T *>(scaleGradient)[f] = static_cast<T>(sumGX / std::sqrt(spread + epsilon));
    static_cast<T *>(offsetGradient)[f] = static_cast<T>(sumG);
    return GradientTerms<T>(static_cast<double>(means[f]), spread,
                            static_cast<double>(static_cast<const T *>(scale)[f]), epsilon,
                            static_cast<double>(shape.elementsPerFeature()), sumG, sumGX);
  };
  if (hasRuns(shape))
    gradientOfRuns(shape, elements, gradients, means, termsOf, out);
  else
    gradientOfColumns(shape, elements, gradients, means, termsOf, out, scratch);
}

template <class T>
constexpr BatchNormKernels kBatchNormKernels = {&inference<T>, &training<T>, &gradient<T>};

} // namespace

int64_t batchNormScratch(const FeatureShape &shape) {
  return hasRuns(shape) ? 0 : 6 * static_cast<int64_t>(sizeof(double)) * Columns(shape).width;
}

const BatchNormKernels *findBatchNorm(DataType type) {
  switch (type) {
  case DataType::F32:
    return &kBatchNormKernels<float>;
  case DataType::F64:
    return &kBatchNormKernels<double>;
  default:
    return nullptr;
  }
}

} // namespace SHARDWISE_ISA
} // namespace shardwise::execute
