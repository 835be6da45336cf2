// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element functions on complex numbers, and between them and their parts. Computed in double and
// rounded once per part.

#include "shardwise/reference/ElementFunction.h"

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/reference/ElementTypes.h"

#include <llvm/ADT/StringMap.h>

#include <cmath>
#include <complex>
#include <limits>

namespace shardwise::reference {
namespace {

using Complex = std::complex<double>;
using UnaryFunction = Complex (*)(Complex);
using BinaryFunction = Complex (*)(Complex, Complex);

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool hasNaN(Complex x) {
  return std::isnan(x.real()) || std::isnan(x.imag());
}

/// x / |x|; 0 for 0, and NaN in both parts if one is NaN.
Complex signOf(Complex x) {
  if (hasNaN(x))
    return {kNaN, kNaN};
  return x == 0.0 ? x : x / std::abs(x);
}

/// e^x - 1 without cancellation near 0: with e^a cos b - 1 = expm1(a) cos b - 2 sin(b/2)^2.
Complex expMinusOne(Complex x) {
  if (x.imag() == 0) // An infinite factor must not meet the sine of 0.
    return {std::expm1(x.real()), x.imag()};
  double sine = std::sin(x.imag() / 2);
  return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * sine * sine,
          std::exp(x.real()) * std::sin(x.imag())};
}

/// log(1 + x) without cancellation near 0: |1 + x|^2 = 1 + (2a + a^2 + b^2).
Complex logPlusOne(Complex x) {
  double a = x.real();
  double b = x.imag();
  double excess = a * (2 + a) + b * b;
  double magnitude =
      std::fabs(excess) < 0.5 ? 0.5 * std::log1p(excess) : std::log(std::hypot(1 + a, b));
  return {magnitude, std::atan2(b, 1 + a)};
}

/// The principal root: a third of the angle.
Complex cubeRoot(Complex x) {
  return std::polar(std::cbrt(std::abs(x)), std::arg(x) / 3);
}

Complex reciprocalSqrt(Complex x) {
  return x == 0.0 ? Complex(std::numeric_limits<double>::infinity(), kNaN) : 1.0 / std::sqrt(x);
}

/// (re - im)(re + im) keeps more digits than re^2 - im^2.
Complex square(Complex x) {
  return {(x.real() - x.imag()) * (x.real() + x.imag()), 2 * x.real() * x.imag()};
}

const llvm::StringMap<UnaryFunction> &unaryFunctions() {
  static const llvm::StringMap<UnaryFunction> table = {
      {"stablehlo.negate", [](Complex x) { return -x; }},
      {"stablehlo.sign", signOf},
      {"stablehlo.exponential", [](Complex x) { return std::exp(x); }},
      {"stablehlo.exponential_minus_one", expMinusOne},
      {"stablehlo.log", [](Complex x) { return std::log(x); }},
      {"stablehlo.log_plus_one", logPlusOne},
      {"stablehlo.logistic", [](Complex x) { return 1.0 / (1.0 + std::exp(-x)); }},
      {"stablehlo.sqrt", [](Complex x) { return std::sqrt(x); }},
      {"stablehlo.rsqrt", reciprocalSqrt},
      {"stablehlo.cbrt", cubeRoot},
      {"stablehlo.sine", [](Complex x) { return std::sin(x); }},
      {"stablehlo.cosine", [](Complex x) { return std::cos(x); }},
      {"stablehlo.tan", [](Complex x) { return std::tan(x); }},
      {"stablehlo.tanh", [](Complex x) { return std::tanh(x); }},
      {"chlo.square", square},
      {"chlo.conj", [](Complex x) { return std::conj(x); }},
      {"chlo.acos", [](Complex x) { return std::acos(x); }},
      {"chlo.acosh", [](Complex x) { return std::acosh(x); }},
      {"chlo.asin", [](Complex x) { return std::asin(x); }},
      {"chlo.asinh", [](Complex x) { return std::asinh(x); }},
      {"chlo.atan", [](Complex x) { return std::atan(x); }},
      {"chlo.atanh", [](Complex x) { return std::atanh(x); }},
      {"chlo.cosh", [](Complex x) { return std::cosh(x); }},
      {"chlo.sinh", [](Complex x) { return std::sinh(x); }},
      {"chlo.tan", [](Complex x) { return std::tan(x); }},
  };
  return table;
}

/// 0^y is 1 for y = 0 and 0 for y with a positive real part.
Complex power(Complex x, Complex y) {
  if (x == 0.0 && (y == 0.0 || y.real() > 0))
    return y == 0.0 ? 1.0 : 0.0;
  return std::pow(x, y);
}

/// The angle of (x, y), continued to complex arguments: -i log((x + iy) / sqrt(x^2 + y^2)).
Complex angleOf(Complex y, Complex x) {
  constexpr Complex kI(0, 1);
  return -kI * std::log((x + kI * y) / std::sqrt(x * x + y * y));
}

const llvm::StringMap<BinaryFunction> &binaryFunctions() {
  static const llvm::StringMap<BinaryFunction> table = {
      {"stablehlo.add", [](Complex a, Complex b) { return a + b; }},
      {"stablehlo.subtract", [](Complex a, Complex b) { return a - b; }},
      {"stablehlo.multiply", [](Complex a, Complex b) { return a * b; }},
      {"stablehlo.divide", [](Complex a, Complex b) { return a / b; }},
      {"stablehlo.power", power},
      {"stablehlo.atan2", angleOf},
  };
  return table;
}

/// The larger or smaller one in lexicographic order; NaN wins.
Scalar extremum(const Scalar &a, const Scalar &b, bool isMaximum) {
  if (a.isNaN() || b.isNaN())
    return a.isNaN() ? a : b;
  return orderOf(a, b) == (isMaximum ? -1 : 1) ? b : a;
}

Scalar partOf(const Scalar &x, double part) {
  return Scalar::ofReal(runtime::realPartType(x.type()), part);
}

bool isOnComplex(mlir::Operation &op) {
  if (op.getNumOperands() == 0)
    return false;
  std::optional<DataType> type = elementTypeOf(op.getOperand(0).getType());
  return type && runtime::isComplex(*type);
}

} // namespace

ElementFunction complexFunctionOf(mlir::Operation &op) {
  using Scalars = llvm::ArrayRef<Scalar>;
  if (llvm::isa<stablehlo::ComplexOp>(op)) {
    DataType type = elementTypeOf(op.getResult(0).getType()).value_or(DataType::C64);
    return [type](Scalars x) { return Scalar::ofComplex(type, {x[0].real(), x[1].real()}); };
  }
  if (!isOnComplex(op))
    return {};
  if (llvm::isa<stablehlo::RealOp>(op))
    return [](Scalars x) { return partOf(x[0], x[0].real()); };
  if (llvm::isa<stablehlo::ImagOp>(op))
    return [](Scalars x) { return partOf(x[0], x[0].imag()); };
  if (llvm::isa<stablehlo::AbsOp>(op))
    return [](Scalars x) { return partOf(x[0], std::abs(x[0].complex())); };
  if (llvm::isa<stablehlo::MaxOp, stablehlo::MinOp>(op)) {
    bool isMaximum = llvm::isa<stablehlo::MaxOp>(op);
    return [isMaximum](Scalars x) { return extremum(x[0], x[1], isMaximum); };
  }
  std::string name = elementOpName(op);
  if (UnaryFunction function = unaryFunctions().lookup(name))
    return
        [function](Scalars x) { return Scalar::ofComplex(x[0].type(), function(x[0].complex())); };
  if (BinaryFunction function = binaryFunctions().lookup(name))
    return [function](Scalars x) {
      return Scalar::ofComplex(x[0].type(), function(x[0].complex(), x[1].complex()));
    };
  return {};
}

} // namespace shardwise::reference
