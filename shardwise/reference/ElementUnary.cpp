// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unary element functions of stablehlo and chlo, as tables from op names to functions. Floats of
// all widths share one function in double, whose result is rounded once to the type; integers share
// one on 64 bits, whose result is cut to the width. What an op does not define on a class of
// numbers leaves the element as it is; the verifier refuses such programs.

#include "shardwise/reference/ElementFunction.h"

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/reference/SpecialFunctions.h"

#include <llvm/ADT/StringMap.h>

#include <bit>
#include <cmath>
#include <limits>

namespace shardwise::reference {
namespace {

using RealFunction = double (*)(double);

double signOf(double x) {
  // StableHLO, "sign": zeros keep their sign, NaN stays.
  return std::isnan(x) || x == 0.0 ? x : std::copysign(1.0, x);
}

/// Round to nearest, ties to even, whatever the current rounding mode is.
double roundEven(double x) {
  double below = std::floor(x);
  double distance = x - below;
  if (std::isnan(x) || std::isinf(x) || distance == 0.0)
    return x;
  bool isEven = std::fmod(below, 2.0) == 0.0;
  bool up = distance > 0.5 || (distance == 0.5 && !isEven);
  // -0.4 rounds to -0.
  return std::copysign(up ? below + 1.0 : below, x);
}

double logistic(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}
double reciprocalSqrt(double x) {
  return 1.0 / std::sqrt(x);
}
double square(double x) {
  return x * x;
}
double identity(double x) {
  return x;
}

const llvm::StringMap<RealFunction> &realFunctions() {
  static const llvm::StringMap<RealFunction> table = {
      {"stablehlo.abs", [](double x) { return std::fabs(x); }},
      {"stablehlo.negate", [](double x) { return -x; }},
      {"stablehlo.sign", signOf},
      {"stablehlo.ceil", [](double x) { return std::ceil(x); }},
      {"stablehlo.floor", [](double x) { return std::floor(x); }},
      {"stablehlo.round_nearest_afz", [](double x) { return std::round(x); }},
      {"stablehlo.round_nearest_even", roundEven},
      {"stablehlo.exponential", [](double x) { return std::exp(x); }},
      {"stablehlo.exponential_minus_one", [](double x) { return std::expm1(x); }},
      {"stablehlo.log", [](double x) { return std::log(x); }},
      {"stablehlo.log_plus_one", [](double x) { return std::log1p(x); }},
      {"stablehlo.logistic", logistic},
      {"stablehlo.sqrt", [](double x) { return std::sqrt(x); }},
      {"stablehlo.rsqrt", reciprocalSqrt},
      {"stablehlo.cbrt", [](double x) { return std::cbrt(x); }},
      {"stablehlo.sine", [](double x) { return std::sin(x); }},
      {"stablehlo.cosine", [](double x) { return std::cos(x); }},
      {"stablehlo.tan", [](double x) { return std::tan(x); }},
      {"stablehlo.tanh", [](double x) { return std::tanh(x); }},
      // Of real numbers; those of complex ones are in ElementComplex.cpp.
      {"stablehlo.real", identity},
      {"stablehlo.imag", [](double) { return 0.0; }},
      {"chlo.erf", [](double x) { return std::erf(x); }},
      {"chlo.erfc", [](double x) { return std::erfc(x); }},
      {"chlo.erf_inv", inverseErf},
      {"chlo.square", square},
      {"chlo.conj", identity},
      {"chlo.acos", [](double x) { return std::acos(x); }},
      {"chlo.acosh", [](double x) { return std::acosh(x); }},
      {"chlo.asin", [](double x) { return std::asin(x); }},
      {"chlo.asinh", [](double x) { return std::asinh(x); }},
      {"chlo.atan", [](double x) { return std::atan(x); }},
      {"chlo.atanh", [](double x) { return std::atanh(x); }},
      {"chlo.cosh", [](double x) { return std::cosh(x); }},
      {"chlo.sinh", [](double x) { return std::sinh(x); }},
      {"chlo.tan", [](double x) { return std::tan(x); }},
      {"chlo.lgamma", [](double x) { return std::lgamma(x); }},
      {"chlo.digamma", digamma},
      {"chlo.bessel_i1e", besselI1e},
  };
  return table;
}

using IntegerFunction = uint64_t (*)(const Scalar &);

/// The smallest number has no positive counterpart and stays: 0 - x wraps.
uint64_t absInteger(const Scalar &x) {
  return x.integer() < 0 ? 0 - x.bits() : x.bits();
}
uint64_t signInteger(const Scalar &x) {
  return static_cast<uint64_t>(x.integer() > 0 ? 1 : x.integer() < 0 ? -1 : 0);
}
/// The bits that belong to the type, without the extension.
uint64_t ownBits(const Scalar &x) {
  int width = bitWidthOf(x.type());
  return width == 64 ? x.bits() : x.bits() & ((uint64_t(1) << width) - 1);
}
uint64_t popcount(const Scalar &x) {
  return static_cast<uint64_t>(std::popcount(ownBits(x)));
}
/// Counted within the width of the type; zero gives the width.
uint64_t leadingZeros(const Scalar &x) {
  return static_cast<uint64_t>(std::countl_zero(ownBits(x)) - (64 - bitWidthOf(x.type())));
}

const llvm::StringMap<IntegerFunction> &integerFunctions() {
  static const llvm::StringMap<IntegerFunction> table = {
      {"stablehlo.abs", absInteger},
      {"stablehlo.negate", [](const Scalar &x) { return 0 - x.bits(); }},
      {"stablehlo.sign", signInteger},
      {"stablehlo.not", [](const Scalar &x) { return ~x.bits(); }},
      {"stablehlo.popcnt", popcount},
      {"stablehlo.count_leading_zeros", leadingZeros},
      {"chlo.square", [](const Scalar &x) { return x.bits() * x.bits(); }},
  };
  return table;
}

} // namespace

std::string elementOpName(mlir::Operation &op) {
  auto custom = llvm::dyn_cast<stablehlo::CustomCallOp>(op);
  llvm::StringRef target = custom ? custom.getCallTargetName() : "";
  if (target.consume_front("mhlo.") && op.getNumResults() == 1)
    return "chlo." + target.str();
  return op.getName().getStringRef().str();
}

ElementFunction unaryFunctionOf(mlir::Operation &op) {
  std::string name = elementOpName(op);
  if (op.getNumOperands() != 1)
    return {};
  RealFunction onReal = realFunctions().lookup(name);
  IntegerFunction onInteger = integerFunctions().lookup(name);
  if (!onReal && !onInteger)
    return {};
  // The class of numbers is that of the element, so one function serves all types.
  return [onReal, onInteger](llvm::ArrayRef<Scalar> x) {
    if (x[0].isFloat())
      return onReal ? Scalar::ofReal(x[0].type(), onReal(x[0].real())) : x[0];
    return onInteger ? Scalar::ofBits(x[0].type(), onInteger(x[0])) : x[0];
  };
}

} // namespace shardwise::reference
