// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels on complex numbers. Arithmetic is done in the type itself; elementary functions are those
// of the C library in double, rounded once to the type.
//
// Where a formula would cancel, overflow or meet 0/0, a form of it that does not is used; each
// function says which. Maximum and minimum compare real parts, then imaginary parts, and NaN in
// either part wins.

#include "shardwise/execute/kernels/BinaryFunctions.h"
#include "shardwise/execute/kernels/ElementaryFunctions.h"

#include <cmath>
#include <complex>
#include <limits>

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {
namespace {

using Wide = std::complex<double>;

/// 1 / (1 + exp(-x)) without an overflow that turns into NaN: for negative real parts exp(x) / (1 +
/// exp(x)), where the exponential is small.
Wide logistic(Wide x) {
  if (x.real() < 0) {
    Wide small = std::exp(x);
    return small / (1.0 + small);
  }
  return 1.0 / (1.0 + std::exp(-x));
}

/// exp(x) - 1 without cancellation near 0: with x = a + bi the real part is expm1(a) cos b + (cos b
/// - 1), and cos b - 1 = -2 sin(b / 2)^2.
Wide exponentialMinusOne(Wide x) {
  double half = std::sin(0.5 * x.imag());
  double real = std::expm1(x.real());
  return {real * std::cos(x.imag()) - 2 * half * half, (real + 1) * std::sin(x.imag())};
}

/// log(1 + x): the angle, and the logarithm of |1 + x|.
Wide logPlusOne(Wide x) {
  double imaginary = std::atan2(x.imag(), 1 + x.real());
  double size = std::abs(x);
  if (size > 0.5)
    return {std::log(std::hypot(1 + x.real(), x.imag())), imaginary};
  // Half the log1p of |1 + x|^2 - 1, which is written so that it does not cancel near zero.
  return {0.5 * std::log1p(x.real() * (2 + x.real()) + x.imag() * x.imag()), imaginary};
}

/// The principal root: a third of the angle.
Wide cubeRoot(Wide x) {
  return std::polar(std::cbrt(std::abs(x)), std::arg(x) / 3);
}

/// x / |x|; 0 for 0, and NaN in both parts if one is NaN (StableHLO, "sign").
Wide sign(Wide x) {
  if (std::isnan(x.real()) || std::isnan(x.imag())) {
    double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan};
  }
  return x == 0.0 ? Wide(0) : x / std::abs(x);
}

/// exp(exponent * log(base)), but for the logarithm of 0: x^0 is 1, and 0^y is 0 for a positive
/// real part of y.
Wide power(Wide base, Wide exponent) {
  if (exponent == 0.0)
    return 1;
  if (base == 0.0 && exponent.real() > 0)
    return 0;
  return std::pow(base, exponent);
}

/// -i log((x + i y) / sqrt(x^2 + y^2)).
Wide atan2(Wide y, Wide x) {
  // Real operands have the real function: the formula is 0/0 at the origin.
  if (y.imag() == 0 && x.imag() == 0)
    return std::atan2(y.real(), x.real());
  constexpr Wide kI(0, 1);
  return -kI * std::log((x + kI * y) / std::sqrt(x * x + y * y));
}

SHARDWISE_UNARY_FUNCTION(Sign, sign(x))
SHARDWISE_UNARY_FUNCTION(Exponential, std::exp(x))
SHARDWISE_UNARY_FUNCTION(ExponentialMinusOne, exponentialMinusOne(x))
SHARDWISE_UNARY_FUNCTION(Log, std::log(x))
SHARDWISE_UNARY_FUNCTION(LogPlusOne, logPlusOne(x))
SHARDWISE_UNARY_FUNCTION(Logistic, logistic(x))
SHARDWISE_UNARY_FUNCTION(CubeRoot, cubeRoot(x))
SHARDWISE_UNARY_FUNCTION(HyperbolicTangent, std::tanh(x))

struct ComplexPowerFunction {
  static Wide apply(Wide a, Wide b) { return power(a, b); }
};
struct ComplexAtan2Function {
  static Wide apply(Wide a, Wide b) { return atan2(a, b); }
};

template <class T> inline Wide widen(Complex<T> x) {
  return {static_cast<double>(x.re), static_cast<double>(x.im)};
}
template <class T> inline Complex<T> narrow(Wide x) {
  return {static_cast<T>(x.real()), static_cast<T>(x.imag())};
}

template <class T, class F>
SHARDWISE_KERNEL void unaryInDouble(void *result, const void *const *operands, int64_t count,
                                    const KernelArguments &) {
  auto *out = static_cast<Complex<T> *>(result);
  const auto *a = static_cast<const Complex<T> *>(operands[0]);
  for (int64_t i = 0; i < count; ++i)
    out[i] = narrow<T>(F::apply(widen(a[i])));
}

template <class T, class F>
SHARDWISE_KERNEL void binaryInDouble(void *result, const void *const *operands, int64_t count,
                                     const KernelArguments &) {
  auto *out = static_cast<Complex<T> *>(result);
  const auto *a = static_cast<const Complex<T> *>(operands[0]);
  const auto *b = static_cast<const Complex<T> *>(operands[1]);
  for (int64_t i = 0; i < count; ++i)
    out[i] = narrow<T>(F::apply(widen(a[i]), widen(b[i])));
}

struct NegateFunction {
  template <class T> static T apply(T x) { return -x; }
};
struct ConjugateFunction {
  template <class T> static T apply(T x) { return conjugate(x); }
};
struct SquareFunction {
  template <class T> static Complex<T> apply(Complex<T> x) {
    // Keeps more digits than re^2 - im^2 where the parts are nearly equal.
    return {(x.re - x.im) * (x.re + x.im), 2 * x.re * x.im};
  }
};

struct RealFunction {
  template <class T> static T apply(Complex<T> x) { return x.re; }
};
struct ImaginaryFunction {
  template <class T> static T apply(Complex<T> x) { return x.im; }
};
/// By hypot, because squares of large parts overflow.
struct ModulusFunction {
  template <class T> static T apply(Complex<T> x) { return std::hypot(x.re, x.im); }
};

/// From complex numbers to real ones.
template <class T, class F>
SHARDWISE_KERNEL void partLoop(void *result, const void *const *operands, int64_t count,
                               const KernelArguments &) {
  auto *out = static_cast<T *>(result);
  const auto *a = static_cast<const Complex<T> *>(operands[0]);
  for (int64_t i = 0; i < count; ++i)
    out[i] = F::apply(a[i]);
}

template <class T>
SHARDWISE_KERNEL void makeLoop(void *result, const void *const *operands, int64_t count,
                               const KernelArguments &) {
  auto *out = static_cast<Complex<T> *>(result);
  const auto *re = static_cast<const T *>(operands[0]);
  const auto *im = static_cast<const T *>(operands[1]);
  for (int64_t i = 0; i < count; ++i)
    out[i] = {re[i], im[i]};
}

using Parts = TypeList<float, double>;

template <class F> ElementKernel inDouble(DataType part) {
  return forType(Parts(), part, []<class T>() -> ElementKernel { return &unaryInDouble<T, F>; });
}
template <class F> ElementKernel twoInDouble(DataType part) {
  return forType(Parts(), part, []<class T>() -> ElementKernel { return &binaryInDouble<T, F>; });
}
template <class F> ElementKernel unary(DataType part) {
  return forType(Parts(), part,
                 []<class T>() -> ElementKernel { return &unaryLoop<Complex<T>, F>; });
}
template <class F> ElementKernel binary(DataType part) {
  return forType(Parts(), part,
                 []<class T>() -> ElementKernel { return &binaryLoop<Complex<T>, Complex<T>, F>; });
}
template <class F> ElementKernel toPart(DataType part) {
  return forType(Parts(), part, []<class T>() -> ElementKernel { return &partLoop<T, F>; });
}

} // namespace

ElementKernel findComplexKernel(ElementOp op, DataType type) {
  // Its operands are real, so it is looked up before anything that asks for a complex type.
  if (op == ElementOp::MakeComplex)
    return forType(Parts(), type, []<class T>() -> ElementKernel { return &makeLoop<T>; });
  if (!runtime::isComplex(type))
    return nullptr;
  DataType part = runtime::realPartType(type);
  switch (op) {
  case ElementOp::Abs:
    return toPart<ModulusFunction>(part);
  case ElementOp::Real:
    return toPart<RealFunction>(part);
  case ElementOp::Imaginary:
    return toPart<ImaginaryFunction>(part);
  case ElementOp::Negate:
    return unary<NegateFunction>(part);
  case ElementOp::Conjugate:
    return unary<ConjugateFunction>(part);
  case ElementOp::Square:
    return unary<SquareFunction>(part);
  case ElementOp::Add:
    return binary<AddFunction>(part);
  case ElementOp::Subtract:
    return binary<SubtractFunction>(part);
  case ElementOp::Multiply:
    return binary<MultiplyFunction>(part);
  case ElementOp::Divide:
    return binary<DivideFunction>(part);
  case ElementOp::Maximum:
    return binary<MaximumFunction>(part);
  case ElementOp::Minimum:
    return binary<MinimumFunction>(part);
  case ElementOp::Power:
    return twoInDouble<ComplexPowerFunction>(part);
  case ElementOp::Atan2:
    return twoInDouble<ComplexAtan2Function>(part);
#define SHARDWISE_CASE(Name)                                                                       \
  case ElementOp::Name:                                                                            \
    return inDouble<Name##Function>(part);
    SHARDWISE_ELEMENTARY_FUNCTIONS(SHARDWISE_CASE)
#undef SHARDWISE_CASE
  default:
    return nullptr;
  }
}

} // namespace SHARDWISE_ISA
} // namespace shardwise::execute
