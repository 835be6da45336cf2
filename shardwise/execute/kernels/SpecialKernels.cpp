// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions beyond the C library: derivatives of log gamma, the Hurwitz zeta function, a Bessel
// function, neighbours of floats, upper halves of products. Computed in double and rounded once.

#include "shardwise/execute/kernels/ElementStorage.h"
#include "shardwise/runtime/SmallInteger.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = 3.14159265358979323846;

/// B(2k) for k = 1..12.
constexpr double kBernoulli[] = {
    1.0 / 6, -1.0 / 30,     1.0 / 42,      -1.0 / 30,       5.0 / 66,       -691.0 / 2730,
    7.0 / 6, -3617.0 / 510, 43867.0 / 798, -174611.0 / 330, 854513.0 / 138, -236364091.0 / 2730};

/// The positive root of digamma, and what is left of it behind the last place of a double.
constexpr double kDigammaRoot = 1.4616321449683622;
constexpr double kDigammaRootRest = 9.549995429965697e-17;
/// (-1)^(k+1) zeta(k + 1, root) for k = 1..20: the Taylor series of digamma there.
constexpr double kDigammaAtRoot[] = {
    0.9676722454476214,    -0.44276316898359214,   0.2584997609556512,    -0.16394270544240658,
    0.10782405069126239,   -0.07219956125645476,   0.048804288164143145,  -0.033161126474847376,
    0.022597648232218125,  -0.015424765904948968,  0.010538791616612182,  -0.007204534386356875,
    0.004926781395729858,  -0.0033698016554393317, 0.00230512632673493,   -0.0015769367714301987,
    0.0010788252019162975, -0.000738070938996006,  0.0005049532658346026, -0.0003454680251063082};

/// Near its root, where the terms of the other way cancel: those of 0.07 would have an error of
/// 2^-53 of 1. Twenty terms are exact to double precision within 0.2.
double digammaNearRoot(double distance) {
  double sum = 0;
  for (size_t k = std::size(kDigammaAtRoot); k > 0; --k)
    sum = (sum + kDigammaAtRoot[k - 1]) * distance;
  return sum;
}

/// Recurrence up to 10, then the asymptotic series ln x - 1/(2x) - sum B(2k) / (2k x^2k);
/// reflection for negative arguments.
double digamma(double x) {
  if (double distance = (x - kDigammaRoot) - kDigammaRootRest; std::fabs(distance) < 0.2)
    return digammaNearRoot(distance);
  if (x <= 0 && x == std::floor(x))
    return kNaN;
  if (x < 0) {
    // The tangent has period 1 in x; the remainder keeps it exact for large arguments.
    double fraction = x - std::floor(x);
    return digamma(1 - x) - kPi / std::tan(kPi * fraction);
  }
  double shift = 0;
  for (; x < 10; x += 1)
    shift += 1 / x;
  // For x >= 10 eight terms of the series are exact to double precision.
  double inverse = 1 / (x * x);
  double power = inverse;
  double series = 0;
  for (int k = 1; k <= 8; ++k, power *= inverse)
    series += kBernoulli[k - 1] / (2 * k) * power;
  return std::log(x) - 0.5 / x - series - shift;
}

/// sum over n >= 0 of (q + n)^-x by Euler and Maclaurin: ten terms, the integral of the rest, and
/// corrections by Bernoulli numbers.
double zeta(double x, double q) {
  if (std::isnan(x) || std::isnan(q) || x < 1)
    return kNaN;
  if (x == 1)
    return kInfinity;
  if (q <= 0) {
    if (q == std::floor(q))
      return kInfinity; // One term is 1/0.
    if (x != std::floor(x))
      return kNaN; // Powers of negative numbers.
  }
  constexpr double kTerms = 10;
  double sum = 0;
  double at = q;
  for (double term = 0; term < kTerms || at <= kTerms; ++term, at += 1) {
    double value = std::pow(at, -x);
    sum += value;
    // Far out on either side nothing more can be seen.
    if (at > 0 && std::fabs(value) < std::fabs(sum) * 1e-17)
      return sum;
    if (term > 1e6)
      return kNaN; // Starts too far below zero to be summed.
  }
  double power = std::pow(at, -x);
  if (power == 0)
    return sum;
  sum += power * at / (x - 1) + 0.5 * power;
  // x (x+1) ... (x+2k-2) / ((2k)! at^(2k-1)) times at^-x, by which B(2k) is weighted.
  double factor = x / at * power;
  for (int k = 1; k <= 12; ++k) {
    double factorial = (2.0 * k) * (2.0 * k - 1);
    factor /= factorial;
    double correction = kBernoulli[k - 1] * factor;
    sum += correction;
    if (std::fabs(correction) < std::fabs(sum) * 1e-17)
      break;
    factor *= (x + 2 * k - 1) * (x + 2 * k) / (at * at);
  }
  return sum;
}

/// The n-th derivative of digamma: (-1)^(n+1) n! zeta(n + 1, x).
double polygamma(double n, double x) {
  if (n == 0)
    return digamma(x);
  if (n < 0 || n != std::floor(n))
    return kNaN;
  double magnitude = std::tgamma(n + 1) * zeta(n + 1, x);
  return std::fmod(n, 2.0) == 0 ? -magnitude : magnitude;
}

/// exp(-|x|) I1(x): the power series, whose terms have one sign, or the asymptotic one.
double besselI1e(double x) {
  double magnitude = std::fabs(x);
  double result = 0;
  // Up to 30 the power series, in which nothing cancels; beyond, the asymptotic one, whose terms
  // are below 1e-17 before they grow again.
  if (magnitude <= 30) {
    double square = 0.25 * magnitude * magnitude;
    double term = 0.5 * magnitude;
    for (double k = 1; term > result * 1e-17; ++k) {
      result += term;
      term *= square / (k * (k + 1));
    }
    result *= std::exp(-magnitude);
  } else if (std::isinf(magnitude)) {
    result = 0;
  } else {
    double term = 1;
    for (double k = 1; std::fabs(term) > 1e-17 && k < 60; ++k) {
      result += term;
      term *= -(4 - (2 * k - 1) * (2 * k - 1)) / (8 * k * magnitude);
    }
    result /= std::sqrt(2 * kPi * magnitude);
  }
  if (std::isnan(x))
    return x;
  return std::copysign(result, x);
}

struct DigammaFunction {
  static double apply(double x) { return digamma(x); }
};
struct BesselI1eFunction {
  static double apply(double x) { return besselI1e(x); }
};
struct PolygammaFunction {
  static double apply(double n, double x) { return polygamma(n, x); }
};
struct ZetaFunction {
  static double apply(double x, double q) { return zeta(x, q); }
};

template <class T, class F>
SHARDWISE_KERNEL void unaryInDouble(void *result, const void *const *operands, int64_t count,
                                    const KernelArguments &) {
  auto *out = static_cast<T *>(result);
  const auto *a = static_cast<const T *>(operands[0]);
  for (int64_t i = 0; i < count; ++i)
    out[i] = T(F::apply(static_cast<double>(a[i])));
}

template <class T, class F>
SHARDWISE_KERNEL void binaryInDouble(void *result, const void *const *operands, int64_t count,
                                     const KernelArguments &) {
  auto *out = static_cast<T *>(result);
  const auto *a = static_cast<const T *>(operands[0]);
  const auto *b = static_cast<const T *>(operands[1]);
  for (int64_t i = 0; i < count; ++i)
    out[i] = T(F::apply(static_cast<double>(a[i]), static_cast<double>(b[i])));
}

/// The neighbour of each element on the side of the other, in the bits: floats of one sign are
/// ordered as their bits are.
template <class T, class Bits>
SHARDWISE_KERNEL void nextAfterLoop(void *result, const void *const *operands, int64_t count,
                                    const KernelArguments &) {
  auto *out = static_cast<Bits *>(result);
  const auto *from = static_cast<const T *>(operands[0]);
  const auto *to = static_cast<const T *>(operands[1]);
  constexpr Bits kSign = Bits(Bits(1) << (8 * sizeof(Bits) - 1));
  for (int64_t i = 0; i < count; ++i) {
    auto x = widen(from[i]);
    auto y = widen(to[i]);
    auto bits = std::bit_cast<Bits>(from[i]);
    if (x != x || y != y)
      bits = std::bit_cast<Bits>(T(x + y));
    else if (x == y)
      bits = std::bit_cast<Bits>(to[i]);
    // The smallest number of the other's sign: zero is where the order of the bits turns.
    else if (x == 0)
      bits = static_cast<Bits>((y < 0 ? kSign : Bits(0)) | Bits(1));
    else
      // Away from zero the bits grow, towards it they shrink, for either sign.
      bits = static_cast<Bits>((x < y) == (x > 0) ? bits + 1 : bits - 1);
    out[i] = bits;
  }
}

template <class T>
SHARDWISE_KERNEL void multiplyHighLoop(void *result, const void *const *operands, int64_t count,
                                       const KernelArguments &) {
  // The type of the whole product: twice the width, or 64 bits where that has room.
  using Wide =
      std::conditional_t<sizeof(T) == 8,
                         std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
                         std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
  auto *out = static_cast<T *>(result);
  const auto *a = static_cast<const T *>(operands[0]);
  const auto *b = static_cast<const T *>(operands[1]);
  for (int64_t i = 0; i < count; ++i)
    out[i] = static_cast<T>((static_cast<Wide>(a[i]) * static_cast<Wide>(b[i])) >> (8 * sizeof(T)));
}

/// Leading zeros within the width of a small integer, which lies extended in a byte.
template <class Small, int kBits>
SHARDWISE_KERNEL void smallLeadingZerosLoop(void *result, const void *const *operands,
                                            int64_t count, const KernelArguments &) {
  auto *out = static_cast<uint8_t *>(result);
  const auto *a = static_cast<const uint8_t *>(operands[0]);
  for (int64_t i = 0; i < count; ++i) {
    // To the top of the byte, which drops the extension; a zero gives 8 and is cut to the width.
    auto bits = static_cast<uint8_t>(a[i] << (8 - kBits));
    int zeros = std::min(std::countl_zero(bits), kBits);
    out[i] = static_cast<uint8_t>(Small(static_cast<uint8_t>(zeros)).value);
  }
}

template <class Small, int kBits>
SHARDWISE_KERNEL void smallMultiplyHighLoop(void *result, const void *const *operands,
                                            int64_t count, const KernelArguments &) {
  using Byte = typename Small::Byte;
  auto *out = static_cast<Byte *>(result);
  const auto *a = static_cast<const Byte *>(operands[0]);
  const auto *b = static_cast<const Byte *>(operands[1]);
  for (int64_t i = 0; i < count; ++i)
    out[i] = Small(static_cast<uint8_t>((int(a[i]) * int(b[i])) >> kBits)).value;
}

template <class Small, int kBits> ElementKernel onSmall(ElementOp op) {
  if (op == ElementOp::CountLeadingZeros)
    return &smallLeadingZerosLoop<Small, kBits>;
  return op == ElementOp::MultiplyHigh ? &smallMultiplyHighLoop<Small, kBits> : nullptr;
}

/// Functions that look at the width of a type.
ElementKernel findSmallIntegerKernel(ElementOp op, DataType type) {
  switch (type) {
  case DataType::I2:
    return onSmall<runtime::Int2, 2>(op);
  case DataType::I4:
    return onSmall<runtime::Int4, 4>(op);
  case DataType::U2:
    return onSmall<runtime::UInt2, 2>(op);
  case DataType::U4:
    return onSmall<runtime::UInt4, 4>(op);
  default:
    return nullptr;
  }
}

/// Whether an element is infinite, of one of the signs in `kPositive`, `kNegative`.
template <class T, bool kPositive, bool kNegative>
SHARDWISE_KERNEL void isInfiniteLoop(void *result, const void *const *operands, int64_t count,
                                     const KernelArguments &) {
  auto *out = static_cast<Bit *>(result);
  const auto *a = static_cast<const T *>(operands[0]);
  for (int64_t i = 0; i < count; ++i) {
    auto x = widen(a[i]);
    out[i] = Bit(std::isinf(x) && (x > 0 ? kPositive : kNegative));
  }
}

template <class F> ElementKernel unary(DataType type) {
  return forType(FloatTypes(), type,
                 []<class T>() -> ElementKernel { return &unaryInDouble<T, F>; });
}
template <class F> ElementKernel binary(DataType type) {
  return forType(FloatTypes(), type,
                 []<class T>() -> ElementKernel { return &binaryInDouble<T, F>; });
}
template <bool kPositive, bool kNegative> ElementKernel infinite(DataType type) {
  return forType(FloatTypes(), type, []<class T>() -> ElementKernel {
    return &isInfiniteLoop<T, kPositive, kNegative>;
  });
}

ElementKernel nextAfter(DataType type) {
  return forType(FloatTypes(), type, []<class T>() -> ElementKernel {
    using Bits = std::conditional_t<sizeof(T) == 2, uint16_t,
                                    std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
    return &nextAfterLoop<T, Bits>;
  });
}

} // namespace

ElementKernel findSpecialKernel(ElementOp op, DataType type) {
  if (ElementKernel kernel = findSmallIntegerKernel(op, type))
    return kernel;
  switch (op) {
  case ElementOp::Digamma:
    return unary<DigammaFunction>(type);
  case ElementOp::BesselI1e:
    return unary<BesselI1eFunction>(type);
  case ElementOp::Polygamma:
    return binary<PolygammaFunction>(type);
  case ElementOp::Zeta:
    return binary<ZetaFunction>(type);
  case ElementOp::NextAfter:
    return nextAfter(type);
  case ElementOp::MultiplyHigh:
    return forType(IntegerTypes(), type,
                   []<class T>() -> ElementKernel { return &multiplyHighLoop<T>; });
  case ElementOp::IsInfinite:
    return infinite<true, true>(type);
  case ElementOp::IsPositiveInfinite:
    return infinite<true, false>(type);
  case ElementOp::IsNegativeInfinite:
    return infinite<false, true>(type);
  default:
    return nullptr;
  }
}

} // namespace SHARDWISE_ISA
} // namespace shardwise::execute
