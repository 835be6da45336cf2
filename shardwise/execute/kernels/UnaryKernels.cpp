// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unary kernels on floats. f16 and bf16 are computed in f32 and rounded once. Functions that
// programs use most (exp, log, tanh, erf) are polynomials that vectorise, see VectorMath.h; the
// others are those of the C library.

#include "shardwise/execute/kernels/ElementaryFunctions.h"
#include "shardwise/execute/kernels/VectorMath.h"

#include <cmath>
#include <limits>

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {
namespace {

// std::lgamma writes the sign to a global variable, which ranks would share.
inline float logGamma(float x) {
  int sign = 0;
  return ::lgammaf_r(x, &sign);
}
inline double logGamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

SHARDWISE_UNARY_FUNCTION(Abs, std::fabs(x))
SHARDWISE_UNARY_FUNCTION(Negate, -x)
SHARDWISE_UNARY_FUNCTION(Sign, x > 0 ? T(1) : (x < 0 ? T(-1) : x))
SHARDWISE_UNARY_FUNCTION(Ceil, std::ceil(x))
SHARDWISE_UNARY_FUNCTION(Floor, std::floor(x))
SHARDWISE_UNARY_FUNCTION(RoundAwayFromZero, std::round(x))
SHARDWISE_UNARY_FUNCTION(RoundToEven, std::nearbyint(x)) // The rounding mode is never changed.
SHARDWISE_UNARY_FUNCTION(Exponential, fastExp(x))
SHARDWISE_UNARY_FUNCTION(ExponentialMinusOne, std::expm1(x))
SHARDWISE_UNARY_FUNCTION(Log, fastLog(x))
SHARDWISE_UNARY_FUNCTION(LogPlusOne, std::log1p(x))
SHARDWISE_UNARY_FUNCTION(Logistic, T(1) / (T(1) + fastExp(-x)))
SHARDWISE_UNARY_FUNCTION(CubeRoot, std::cbrt(x))
SHARDWISE_UNARY_FUNCTION(HyperbolicTangent, fastTanh(x))
SHARDWISE_UNARY_FUNCTION(Erf, fastErf(x))
SHARDWISE_UNARY_FUNCTION(Erfc, fastErfc(x))
SHARDWISE_UNARY_FUNCTION(Square, x *x)
SHARDWISE_UNARY_FUNCTION(LogGamma, logGamma(x))
SHARDWISE_UNARY_FUNCTION(Zero, T(0))

/// M. Giles, "Approximating the erfinv function", 2010; double precision adds two Newton steps.
struct ErfInverseFunction {
  static float apply(float x) {
    static constexpr float kCentral[] = {2.81022636e-8F,  3.43273939e-7F, -3.5233877e-6F,
                                         -4.39150654e-6F, 2.1858087e-4F,  -1.25372503e-3F,
                                         -4.17768164e-3F, 0.246640727F,   1.50140941F};
    static constexpr float kTail[] = {-2.00214257e-4F, 1.00950558e-4F, 1.34934322e-3F,
                                      -3.67342844e-3F, 5.73950773e-3F, -7.6224613e-3F,
                                      9.43887047e-3F,  1.00167406F,    2.83297682F};
    if (std::fabs(x) == 1.0F)
      return std::copysign(std::numeric_limits<float>::infinity(), x);
    float w = -std::log1p(-x * x);
    bool isCentral = w < 5.0F;
    const float *coefficients = isCentral ? kCentral : kTail;
    float at = isCentral ? w - 2.5F : std::sqrt(w) - 3.0F;
    float polynomial = coefficients[0];
    for (int i = 1; i < 9; ++i)
      polynomial = polynomial * at + coefficients[i];
    return polynomial * x;
  }
  static double apply(double x) {
    if (std::fabs(x) >= 1.0)
      return std::fabs(x) > 1.0 ? std::numeric_limits<double>::quiet_NaN()
                                : std::copysign(std::numeric_limits<double>::infinity(), x);
    double magnitude = std::fabs(x);
    double y = apply(static_cast<float>(magnitude));
    if (!std::isfinite(y)) // Rounded to 1 in float.
      y = std::sqrt(-std::log(1.0 - magnitude));
    for (int step = 0; step < 4; ++step) {
      // The difference that does not cancel: near 0 it is erf's, near 1 erfc's.
      double excess = magnitude < 0.5 ? std::erf(y) - magnitude : (1.0 - magnitude) - std::erfc(y);
      y -= excess * 0.88622692545275801365 * std::exp(y * y);
    }
    return std::copysign(y, x);
  }
};

template <class T>
SHARDWISE_KERNEL void isFiniteLoop(void *result, const void *const *operands, int64_t count,
                                   const KernelArguments &) {
  auto *out = static_cast<Bit *>(result);
  const auto *a = static_cast<const T *>(operands[0]);
  for (int64_t i = 0; i < count; ++i)
    out[i] = Bit(std::isfinite(widen(a[i])));
}

/// Rounds in the image of the bits as a double: half to even at the kept mantissa, then exponents
/// outside the range become infinity or zero.
double reducePrecision(double x, int exponentBits, int mantissaBits) {
  if (std::isnan(x))
    return mantissaBits > 0 ? x : std::numeric_limits<double>::infinity();
  auto bits = std::bit_cast<uint64_t>(x);
  uint64_t sign = bits & (uint64_t(1) << 63);
  uint64_t magnitude = bits ^ sign;
  if (std::isinf(x))
    return x;
  int dropped = 52 - mantissaBits;
  // Half a unit less one, and one more if the kept part is odd: carries exactly where round-to-even
  // goes up. A carry out of the mantissa raises the exponent, which is right.
  if (dropped > 0) {
    uint64_t half = (uint64_t(1) << (dropped - 1)) - 1;
    magnitude += half + ((magnitude >> dropped) & 1);
    magnitude &= ~((uint64_t(1) << dropped) - 1);
  }
  int64_t bias = (int64_t(1) << (exponentBits - 1)) - 1;
  auto exponent = static_cast<int64_t>(magnitude >> 52) - 1023;
  // Numbers below the smallest normal one become zero: the reduced format has no subnormal numbers.
  if (exponent > bias)
    magnitude = uint64_t(0x7ff) << 52;
  else if (exponent < 1 - bias)
    magnitude = 0;
  return std::bit_cast<double>(sign | magnitude);
}

template <class T>
SHARDWISE_KERNEL void reducePrecisionLoop(void *result, const void *const *operands, int64_t count,
                                          const KernelArguments &arguments) {
  auto *out = static_cast<T *>(result);
  const auto *a = static_cast<const T *>(operands[0]);
  for (int64_t i = 0; i < count; ++i)
    out[i] = T(static_cast<Compute<T>>(reducePrecision(
        static_cast<double>(widen(a[i])), arguments.exponentBits, arguments.mantissaBits)));
}

template <class F> ElementKernel pick(DataType type) {
  return forType(FloatTypes(), type, []<class T>() -> ElementKernel { return &unaryLoop<T, F>; });
}

} // namespace

ElementKernel findFloatUnaryKernel(ElementOp op, DataType type) {
  switch (op) {
#define SHARDWISE_CASE(Name)                                                                       \
  case ElementOp::Name:                                                                            \
    return pick<Name##Function>(type);
    SHARDWISE_ELEMENTARY_FUNCTIONS(SHARDWISE_CASE)
    SHARDWISE_CASE(Abs)
    SHARDWISE_CASE(Negate)
    SHARDWISE_CASE(Ceil)
    SHARDWISE_CASE(Floor)
    SHARDWISE_CASE(RoundAwayFromZero)
    SHARDWISE_CASE(RoundToEven)
    SHARDWISE_CASE(Erf)
    SHARDWISE_CASE(Erfc)
    SHARDWISE_CASE(ErfInverse)
    SHARDWISE_CASE(Square)
    SHARDWISE_CASE(LogGamma)
    SHARDWISE_CASE(Zero)
#undef SHARDWISE_CASE
  case ElementOp::IsFinite:
    return forType(FloatTypes(), type, []<class T>() -> ElementKernel { return &isFiniteLoop<T>; });
  case ElementOp::ReducePrecision:
    return forType(FloatTypes(), type,
                   []<class T>() -> ElementKernel { return &reducePrecisionLoop<T>; });
  default:
    return nullptr;
  }
}

} // namespace SHARDWISE_ISA
} // namespace shardwise::execute
