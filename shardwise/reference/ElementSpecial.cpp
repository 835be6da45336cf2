// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element functions with attributes or with operands of several types: compare, select, clamp,
// convert, reduce_precision, is_finite; and the two orders of elements that sort and top_k use too.
//
// Comparisons go by the order of two elements: -1, 0, 1, or 2 if they are unordered because one is
// NaN. Unordered is "not equal" and nothing else (IEEE 754).

#include "shardwise/reference/ElementFunction.h"

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/reference/ElementTypes.h"

#include <llvm/ADT/StringSwitch.h>

#include <bit>
#include <cmath>
#include <limits>

namespace shardwise::reference {
namespace {

using stablehlo::ComparisonDirection;

/// Whether a comparison is true of elements in that order.
bool holds(ComparisonDirection direction, int order) {
  if (order == 2)
    return direction == ComparisonDirection::NE;
  switch (direction) {
  case ComparisonDirection::EQ:
    return order == 0;
  case ComparisonDirection::NE:
    return order != 0;
  case ComparisonDirection::GE:
    return order >= 0;
  case ComparisonDirection::GT:
    return order > 0;
  case ComparisonDirection::LE:
    return order <= 0;
  case ComparisonDirection::LT:
    return order < 0;
  }
  return false;
}

ElementFunction compareFunction(stablehlo::CompareOp op) {
  ComparisonDirection direction = op.getComparisonDirection();
  bool isTotal = op.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
  return [direction, isTotal](llvm::ArrayRef<Scalar> x) {
    // Integers have one order only.
    bool useTotal = isTotal && x[0].isFloat();
    return Scalar::ofBool(
        holds(direction, useTotal ? totalOrderOf(x[0], x[1]) : orderOf(x[0], x[1])));
  };
}

/// minimum(maximum(x, low), high), so that low > high gives high and NaN anywhere wins.
Scalar clampElement(llvm::ArrayRef<Scalar> x) {
  for (const Scalar &value : x)
    if (value.isNaN())
      return value;
  const Scalar &raised = orderOf(x[1], x[0]) < 0 ? x[0] : x[1];
  return orderOf(raised, x[2]) > 0 ? x[2] : raised;
}

/// Rounds to `mantissaBits`, then pushes exponents outside `exponentBits` to infinity and zero.
/// Half goes to the neighbour whose last bit is zero. Without mantissa bits that is the last bit of
/// the exponent's field, whose bias is odd in every format: 3 = 1.5 * 2^1 becomes 2, 6 = 1.5 * 2^2
/// becomes 8.
double reducePrecision(double x, int exponentBits, int mantissaBits) {
  if (std::isnan(x))
    return mantissaBits > 0 ? x : std::numeric_limits<double>::infinity();
  if (std::isinf(x) || x == 0.0)
    return x;
  int exponent = 0;
  double fraction = std::frexp(std::fabs(x), &exponent); // in [0.5, 1)
  // A number with one bit before the point and `mantissaBits` after it, scaled to an integer;
  // scaling by powers of two is exact in double.
  double scaled = std::ldexp(fraction, mantissaBits + 1);
  double floor = std::floor(scaled);
  double rest = scaled - floor;
  // `fraction` is below 1, so x is between 2^(exponent - 1) and twice that.
  bool isOdd = mantissaBits > 0 ? std::fmod(floor, 2.0) == 1.0 : exponent % 2 != 0;
  if (rest > 0.5 || (rest == 0.5 && isOdd))
    floor += 1.0;
  double rounded = std::ldexp(floor, exponent - mantissaBits - 1);
  int bias = static_cast<int>((int64_t(1) << (exponentBits - 1)) - 1);
  // Rounding may have carried into the next power of two, so the exponent is looked at afterwards.
  // Numbers below the smallest normal one become zero: the reduced format has no subnormal numbers.
  std::frexp(rounded, &exponent);
  if (exponent - 1 > bias)
    rounded = std::numeric_limits<double>::infinity();
  else if (exponent - 1 < 1 - bias)
    rounded = 0.0;
  return std::copysign(rounded, x);
}

} // namespace

int orderOf(const Scalar &a, const Scalar &b) {
  auto three = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : 0; };
  if (a.isNaN() || b.isNaN())
    return 2;
  switch (a.numberClass()) {
  case NumberClass::Complex:
    return a.real() == b.real() ? three(a.imag(), b.imag()) : three(a.real(), b.real());
  case NumberClass::Float:
    return three(a.real(), b.real());
  case NumberClass::Signed:
    return three(a.integer(), b.integer());
  default:
    return three(a.bits(), b.bits());
  }
}

int totalOrderOf(const Scalar &a, const Scalar &b) {
  auto key = [](const Scalar &x) {
    // The order of the doubles is that of the type's own numbers. Negative ones count downwards: -0
    // is -1, just below +0.
    auto bits = std::bit_cast<int64_t>(x.real());
    return bits < 0 ? std::numeric_limits<int64_t>::min() - bits - 1 : bits;
  };
  int64_t x = key(a);
  int64_t y = key(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

ElementFunction specialFunctionOf(mlir::Operation &op) {
  if (auto compare = llvm::dyn_cast<stablehlo::CompareOp>(op))
    return compareFunction(compare);
  if (llvm::isa<stablehlo::SelectOp>(op))
    return [](llvm::ArrayRef<Scalar> x) { return x[0].isTrue() ? x[1] : x[2]; };
  if (llvm::isa<stablehlo::ClampOp>(op))
    return clampElement;
  if (llvm::isa<stablehlo::IsFiniteOp>(op))
    return [](llvm::ArrayRef<Scalar> x) { return Scalar::ofBool(std::isfinite(x[0].real())); };
  using Classify = bool (*)(double);
  Classify classify = llvm::StringSwitch<Classify>(op.getName().getStringRef())
                          .Case("chlo.is_inf", [](double x) { return std::isinf(x); })
                          .Case("chlo.is_pos_inf", [](double x) { return std::isinf(x) && x > 0; })
                          .Case("chlo.is_neg_inf", [](double x) { return std::isinf(x) && x < 0; })
                          .Default(nullptr);
  if (classify)
    return [classify](llvm::ArrayRef<Scalar> x) { return Scalar::ofBool(classify(x[0].real())); };
  if (auto reduce = llvm::dyn_cast<stablehlo::ReducePrecisionOp>(op)) {
    int exponentBits = static_cast<int>(std::min<uint32_t>(reduce.getExponentBits(), 11));
    int mantissaBits = static_cast<int>(std::min<uint32_t>(reduce.getMantissaBits(), 52));
    return [=](llvm::ArrayRef<Scalar> x) {
      return Scalar::ofReal(x[0].type(), reducePrecision(x[0].real(), exponentBits, mantissaBits));
    };
  }
  if (llvm::isa<stablehlo::ConvertOp>(op)) {
    std::optional<DataType> type = elementTypeOf(op.getResult(0).getType());
    if (type)
      return [type](llvm::ArrayRef<Scalar> x) { return convert(x[0], *type); };
  }
  return {};
}

ElementFunction elementFunctionOf(mlir::Operation &op) {
  for (auto part : {complexFunctionOf, unaryFunctionOf, binaryFunctionOf, specialFunctionOf})
    if (ElementFunction function = part(op))
      return function;
  return {};
}

} // namespace shardwise::reference
