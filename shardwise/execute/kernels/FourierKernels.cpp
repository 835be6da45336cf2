// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Butterflies of radix 2, 3, 4, 5 and of any small odd radix, and the moves around them.
//
// A pass (Stockham) takes the line as [radix, rest, stride], transforms along the first dimension,
// and writes it as [rest, radix, stride]:
//
//     y[p, k, q] = w(p, k) * sum over j of x[j, p, q] * exp(-2 pi i j k / radix)
//
// with the twiddle factor w of FourierPlan. Reading and writing in different orders sorts the line
// on the way: after the last pass the result is in natural order, without a bit reversal, at the
// price of a second array. Length 8 by radices 4 and 2, for example, is [4, 2, 1], then [2, 1, 4].
//
// All lanes of a row lie together, and so do the `stride` rows of a position: inner loops run over
// stride * lanes neighbours and need no shuffles, which a transform of a single line would.

#include "shardwise/execute/kernels/FourierKernels.h"

#include "shardwise/execute/kernels/ComplexNumber.h"
#include "shardwise/execute/kernels/ElementStorage.h"

#include <algorithm>

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {
namespace {

/// A split array of known type, and rows of it.
template <class T> struct Parts {
  T *re;
  T *im;

  Parts operator+(int64_t offset) const { return {re + offset, im + offset}; }
  Complex<std::remove_const_t<T>> operator[](int64_t i) const { return {re[i], im[i]}; }
  void set(int64_t i, Complex<T> value) const {
    re[i] = value.re;
    im[i] = value.im;
  }
};

/// The array with its type.
template <class T> Parts<const T> parts(ConstSplitArray array) {
  return {static_cast<const T *>(array.re), static_cast<const T *>(array.im)};
}
template <class T> Parts<T> parts(SplitArray array) {
  return {static_cast<T *>(array.re), static_cast<T *>(array.im)};
}

/// Multiplies by -i: a swap of the parts and a change of sign, no multiplication.
template <class T> inline Complex<T> turn(Complex<T> x) {
  return {x.im, -x.re};
}
template <class T> inline Complex<T> scaled(T factor, Complex<T> x) {
  return {factor * x.re, factor * x.im};
}

/// Transforms the `radix` values at `x` in place.
template <class T> struct Butterfly2 {
  static constexpr int64_t kRadix = 2;
  static void apply(Complex<T> *x) {
    Complex<T> sum = x[0] + x[1];
    x[1] = x[0] - x[1];
    x[0] = sum;
  }
};

template <class T> struct Butterfly3 {
  static constexpr int64_t kRadix = 3;
  static void apply(Complex<T> *x) {
    // exp(-2 pi i / 3) = -1/2 - i sine, and its conjugate: both outputs share the sums.
    constexpr T kSine = T(0.866025403784438646763723170752936L);
    Complex<T> sum = x[1] + x[2];
    Complex<T> side = turn(scaled(kSine, x[1] - x[2]));
    Complex<T> middle = x[0] - scaled(T(0.5), sum);
    x[0] = x[0] + sum;
    x[1] = middle + side;
    x[2] = middle - side;
  }
};

template <class T> struct Butterfly4 {
  static constexpr int64_t kRadix = 4;
  static void apply(Complex<T> *x) {
    // Two steps of radix 2; the only factor is -i.
    Complex<T> evenSum = x[0] + x[2];
    Complex<T> evenDifference = x[0] - x[2];
    Complex<T> oddSum = x[1] + x[3];
    Complex<T> oddDifference = turn(x[1] - x[3]);
    x[0] = evenSum + oddSum;
    x[1] = evenDifference + oddDifference;
    x[2] = evenSum - oddSum;
    x[3] = evenDifference - oddDifference;
  }
};

template <class T> struct Butterfly5 {
  static constexpr int64_t kRadix = 5;
  static void apply(Complex<T> *x) {
    // Cosines and sines of 72 and 144 degrees. Outputs k and 5 - k are conjugate in the factors:
    // they share `middle`, and differ in the sign of `side`.
    constexpr T kCosine1 = T(0.309016994374947424102293417182819L);
    constexpr T kCosine2 = T(-0.809016994374947424102293417182819L);
    constexpr T kSine1 = T(0.951056516295153572116439333379382L);
    constexpr T kSine2 = T(0.587785252292473129168705954639073L);
    Complex<T> sum1 = x[1] + x[4];
    Complex<T> sum2 = x[2] + x[3];
    Complex<T> difference1 = x[1] - x[4];
    Complex<T> difference2 = x[2] - x[3];
    Complex<T> middle1 = x[0] + scaled(kCosine1, sum1) + scaled(kCosine2, sum2);
    Complex<T> middle2 = x[0] + scaled(kCosine2, sum1) + scaled(kCosine1, sum2);
    Complex<T> side1 = turn(scaled(kSine1, difference1) + scaled(kSine2, difference2));
    Complex<T> side2 = turn(scaled(kSine2, difference1) - scaled(kSine1, difference2));
    x[0] = x[0] + sum1 + sum2;
    x[1] = middle1 + side1;
    x[2] = middle2 + side2;
    x[3] = middle2 - side2;
    x[4] = middle1 - side1;
  }
};

/// One pass by a butterfly of known radix, whose loops over `kRadix` are unrolled.
template <class T, template <class> class Butterfly>
void passOf(const FourierPass &pass, int64_t lanes, Parts<const T> source, Parts<T> target) {
  constexpr int64_t kRadix = Butterfly<T>::kRadix;
  int64_t width = pass.stride * lanes;
  int64_t step = pass.rest * width;
  Parts<const T> twiddles = parts<T>(pass.twiddles);
  for (int64_t p = 0; p < pass.rest; ++p) {
    // The same for all elements of a position, hence outside of the loop over them.
    Complex<T> factors[kRadix];
    for (int64_t k = 1; k < kRadix; ++k)
      factors[k] = twiddles[p * (kRadix - 1) + k - 1];
    const T *fromRe = source.re + p * width;
    const T *fromIm = source.im + p * width;
    T *toRe = target.re + p * kRadix * width;
    T *toIm = target.im + p * kRadix * width;
    SHARDWISE_INDEPENDENT_LOOP
    for (int64_t q = 0; q < width; ++q) {
      Complex<T> x[kRadix];
      for (int64_t j = 0; j < kRadix; ++j)
        x[j] = {fromRe[q + j * step], fromIm[q + j * step]};
      Butterfly<T>::apply(x);
      toRe[q] = x[0].re;
      toIm[q] = x[0].im;
      for (int64_t k = 1; k < kRadix; ++k) {
        Complex<T> value = x[k] * factors[k];
        toRe[q + k * width] = value.re;
        toIm[q + k * width] = value.im;
      }
    }
  }
}

/// Any radix, by the definition: radix^2 products, which is bearable for 7, 11 and 13.
template <class T>
void passOfAny(const FourierPass &pass, int64_t lanes, Parts<const T> source, Parts<T> target) {
  int64_t radix = pass.radix;
  int64_t width = pass.stride * lanes;
  int64_t step = pass.rest * width;
  Parts<const T> twiddles = parts<T>(pass.twiddles);
  Parts<const T> roots = parts<T>(pass.roots);
  for (int64_t p = 0; p < pass.rest; ++p)
    for (int64_t k = 0; k < radix; ++k) {
      Parts<const T> from = source + p * width;
      Parts<T> to = target + (p * radix + k) * width;
      Complex<T> twiddle = k == 0 ? Complex<T>(1) : twiddles[p * (radix - 1) + k - 1];
      for (int64_t j = 0; j < radix; ++j) {
        Complex<T> factor = twiddle * roots[j * k % radix];
        const T *re = from.re + j * step;
        const T *im = from.im + j * step;
        // The sum is kept in the target, so that it needs no memory of its own.
        bool isFirst = j == 0;
        SHARDWISE_INDEPENDENT_LOOP
        for (int64_t q = 0; q < width; ++q) {
          T sumRe = isFirst ? T(0) : to.re[q];
          T sumIm = isFirst ? T(0) : to.im[q];
          to.re[q] = sumRe + (re[q] * factor.re - im[q] * factor.im);
          to.im[q] = sumIm + (re[q] * factor.im + im[q] * factor.re);
        }
      }
    }
}

template <class T>
SHARDWISE_KERNEL void pass(const FourierPass &pass, int64_t lanes, ConstSplitArray source,
                           SplitArray target) {
  Parts<const T> from = parts<T>(source);
  Parts<T> to = parts<T>(target);
  switch (pass.radix) {
  case 2:
    return passOf<T, Butterfly2>(pass, lanes, from, to);
  case 3:
    return passOf<T, Butterfly3>(pass, lanes, from, to);
  case 4:
    return passOf<T, Butterfly4>(pass, lanes, from, to);
  case 5:
    return passOf<T, Butterfly5>(pass, lanes, from, to);
  default:
    return passOfAny<T>(pass, lanes, from, to);
  }
}

template <class T>
SHARDWISE_KERNEL void scaleRows(SplitArray values, ConstSplitArray factors, int64_t rows,
                                int64_t lanes, bool isConjugated) {
  Parts<T> to = parts<T>(values);
  Parts<const T> by = parts<T>(factors);
  T sign = isConjugated ? T(-1) : T(1);
  // One line: the factors are neighbours, and the loop runs over them. Several: each factor is for
  // a row, and the loop runs over its lanes.
  if (lanes == 1) {
    SHARDWISE_INDEPENDENT_LOOP
    for (int64_t i = 0; i < rows; ++i) {
      Complex<T> factor = {by.re[i], sign * by.im[i]};
      to.set(i, to[i] * factor);
    }
    return;
  }
  for (int64_t i = 0; i < rows; ++i) {
    Complex<T> factor = {by.re[i], sign * by.im[i]};
    SHARDWISE_INDEPENDENT_LOOP
    for (int64_t at = i * lanes; at < (i + 1) * lanes; ++at)
      to.set(at, to[at] * factor);
  }
}

template <class T>
SHARDWISE_KERNEL void twiddle(SplitArray values, ConstSplitArray factors, int64_t factorLanes,
                              ConstSplitArray rowFactors, int64_t rowStride, int64_t rows,
                              int64_t lanes) {
  Parts<const T> perRow = parts<T>(rowFactors);
  for (int64_t i = 0; i < rows; ++i) {
    Parts<T> to = parts<T>(values) + i * lanes;
    Parts<const T> by = parts<T>(factors) + i * factorLanes;
    Complex<T> factor = perRow[i * rowStride];
    SHARDWISE_INDEPENDENT_LOOP
    for (int64_t lane = 0; lane < lanes; ++lane)
      to.set(lane, to[lane] * (by[lane] * factor));
  }
}

/// Tiles of this many lines and elements stay in the level-1 cache while they are turned.
constexpr int64_t kTile = 16;

/// Calls `visit(element, lane)` in an order that is kind to both sides. The array always has lanes
/// as neighbours. Where the tensor has them as neighbours too, plain rows will do; where it has the
/// elements of a line as neighbours, this is a transpose, done in tiles.
template <class F> inline void forTiles(int64_t count, int64_t lanes, bool isDenseAlong, F visit) {
  if (!isDenseAlong) {
    for (int64_t j = 0; j < count; ++j) {
      SHARDWISE_INDEPENDENT_LOOP
      for (int64_t l = 0; l < lanes; ++l)
        visit(j, l);
    }
    return;
  }
  for (int64_t j0 = 0; j0 < count; j0 += kTile)
    for (int64_t l = 0; l < lanes; ++l)
      for (int64_t j = j0; j < std::min(j0 + kTile, count); ++j)
        visit(j, l);
}

template <class T>
SHARDWISE_KERNEL void load(const void *source, int64_t elementStride, int64_t lineStride,
                           int64_t count, int64_t lanes, SplitArray target) {
  const auto *from = static_cast<const Complex<T> *>(source);
  Parts<T> to = parts<T>(target);
  forTiles(count, lanes, elementStride <= lineStride, [&](int64_t j, int64_t l) {
    to.set(j * lanes + l, from[j * elementStride + l * lineStride]);
  });
}

template <class T>
SHARDWISE_KERNEL void store(ConstSplitArray source, int64_t count, int64_t lanes, void *target,
                            int64_t elementStride, int64_t lineStride, double factor) {
  Parts<const T> from = parts<T>(source);
  auto *to = static_cast<Complex<T> *>(target);
  auto scale = static_cast<T>(factor);
  forTiles(count, lanes, elementStride <= lineStride, [&](int64_t j, int64_t l) {
    to[j * elementStride + l * lineStride] = scaled(scale, from[j * lanes + l]);
  });
}

template <class T>
SHARDWISE_KERNEL void loadReal(const void *source, int64_t elementStride, int64_t lineStride,
                               int64_t count, int64_t lanes, SplitArray target) {
  const auto *from = static_cast<const T *>(source);
  Parts<T> to = parts<T>(target);
  forTiles(count, lanes, elementStride <= lineStride, [&](int64_t j, int64_t l) {
    to.set(j * lanes + l, {from[j * elementStride + l * lineStride], 0});
  });
}

template <class T>
SHARDWISE_KERNEL void storeReal(ConstSplitArray source, int64_t count, int64_t lanes, void *target,
                                int64_t elementStride, int64_t lineStride, double factor) {
  Parts<const T> from = parts<T>(source);
  auto *to = static_cast<T *>(target);
  auto scale = static_cast<T>(factor);
  forTiles(count, lanes, elementStride <= lineStride, [&](int64_t j, int64_t l) {
    to[j * elementStride + l * lineStride] = scale * from.re[j * lanes + l];
  });
}

template <class T>
SHARDWISE_KERNEL void transpose(const void *source, int64_t stride, int64_t rows, int64_t columns,
                                void *target) {
  const auto *from = static_cast<const T *>(source);
  auto *to = static_cast<T *>(target);
  for (int64_t c0 = 0; c0 < columns; c0 += kTile)
    for (int64_t c = c0; c < std::min(c0 + kTile, columns); ++c)
      for (int64_t r = 0; r < rows; ++r)
        to[c * rows + r] = from[r * stride + c];
}

template <class T>
SHARDWISE_KERNEL void copyRows(const void *source, int64_t sourceStride, int64_t rows,
                               int64_t lanes, void *target, int64_t targetStride) {
  const auto *from = static_cast<const T *>(source);
  auto *to = static_cast<T *>(target);
  for (int64_t row = 0; row < rows; ++row) {
    SHARDWISE_INDEPENDENT_LOOP
    for (int64_t lane = 0; lane < lanes; ++lane)
      to[row * targetStride + lane] = from[row * sourceStride + lane];
  }
}

template <class T>
SHARDWISE_KERNEL void unpackReal(ConstSplitArray z, int64_t half, int64_t lanes,
                                 ConstSplitArray roots, SplitArray spectrum) {
  Parts<const T> from = parts<T>(z);
  Parts<T> to = parts<T>(spectrum);
  Parts<const T> factors = parts<T>(roots);
  for (int64_t k = 0; k <= half; ++k) {
    Complex<T> factor = factors[k];
    Parts<const T> row = from + k % half * lanes;
    Parts<const T> mirrorRow = from + (half - k) % half * lanes;
    SHARDWISE_INDEPENDENT_LOOP
    for (int64_t l = 0; l < lanes; ++l) {
      Complex<T> here = row[l];
      Complex<T> mirror = conjugate(mirrorRow[l]);
      // X[k] = E[k] + root[k] O[k]; the factor -i of O = (Z - conj Z') / 2i is `turn`. See
      // LineTransform.cpp.
      Complex<T> odd = turn((here - mirror) * factor);
      to.set(k * lanes + l, scaled(T(0.5), here + mirror + odd));
    }
  }
}

template <class T>
SHARDWISE_KERNEL void packReal(ConstSplitArray spectrum, int64_t half, int64_t lanes,
                               ConstSplitArray roots, SplitArray z) {
  Parts<const T> from = parts<T>(spectrum);
  Parts<T> to = parts<T>(z);
  Parts<const T> factors = parts<T>(roots);
  // The ends of the spectrum of a real line are real; what stands in their imaginary parts is
  // ignored.
  auto at = [&](int64_t k, int64_t l) {
    Complex<T> value = from[k * lanes + l];
    return k == 0 || k == half ? Complex<T>(value.re) : value;
  };
  for (int64_t k = 0; k < half; ++k)
    for (int64_t l = 0; l < lanes; ++l) {
      Complex<T> here = at(k, l);
      Complex<T> mirror = conjugate(at(half - k, l));
      Complex<T> odd = (here - mirror) * conjugate(factors[k]);
      // Z[k] = E[k] + i O[k].
      to.set(k * lanes + l, scaled(T(0.5), here + mirror + Complex<T>(-odd.im, odd.re)));
    }
}

template <class T>
SHARDWISE_KERNEL void mirror(SplitArray spectrum, int64_t length, int64_t lanes) {
  Parts<T> values = parts<T>(spectrum);
  // As in `packReal`: the first entry is real, and so is the middle one of an even length.
  std::fill_n(values.im, lanes, T(0));
  if (length % 2 == 0)
    std::fill_n(values.im + length / 2 * lanes, lanes, T(0));
  for (int64_t k = length / 2 + 1; k < length; ++k)
    for (int64_t l = 0; l < lanes; ++l)
      values.set(k * lanes + l, conjugate(values[(length - k) * lanes + l]));
}

template <class T>
constexpr FourierKernels kFourierKernels = {
    &pass<T>,      &scaleRows<T>, &twiddle<T>,  &load<T>,       &store<T>,    &loadReal<T>,
    &storeReal<T>, &transpose<T>, &copyRows<T>, &unpackReal<T>, &packReal<T>, &mirror<T>};

} // namespace

const FourierKernels *findFourier(DataType type) {
  switch (type) {
  case DataType::F32:
    return &kFourierKernels<float>;
  case DataType::F64:
    return &kFourierKernels<double>;
  default:
    return nullptr;
  }
}

} // namespace SHARDWISE_ISA
} // namespace shardwise::execute
