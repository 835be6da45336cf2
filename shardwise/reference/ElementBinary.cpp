// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binary element functions, as tables from op names to functions: on floats in double, rounded once
// to the type; on integers on 64 bits, cut to the width of the type, which makes their arithmetic
// wrap modulo two to the width; on i1, where add is "or" and multiply is "and".
//
// Division by zero and the like are not left open: x / 0 has all bits set, x % 0 is x, and shifts
// by the width or more leave zeros or copies of the sign. The compiled path computes the same.

#include "shardwise/reference/ElementFunction.h"
#include "shardwise/reference/SpecialFunctions.h"

#include "shardwise/runtime/SmallFloat.h"

#include <llvm/ADT/StringMap.h>

#include <cmath>
#include <limits>

namespace shardwise::reference {
namespace {

using RealFunction = double (*)(double, double);

/// IEEE-754-2019 maximum: NaN wins, with its sign, which comparisons in total order see; -0 is
/// below +0.
double maximumReal(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? a : b;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

/// The mirror image of the maximum: negation turns the order around, of zeros too, and the sign of
/// a NaN twice.
double minimumReal(double a, double b) {
  return -maximumReal(-a, -b);
}

const llvm::StringMap<RealFunction> &realFunctions() {
  static const llvm::StringMap<RealFunction> table = {
      {"stablehlo.add", [](double a, double b) { return a + b; }},
      {"stablehlo.subtract", [](double a, double b) { return a - b; }},
      {"stablehlo.multiply", [](double a, double b) { return a * b; }},
      {"stablehlo.divide", [](double a, double b) { return a / b; }},
      {"stablehlo.remainder", [](double a, double b) { return std::fmod(a, b); }},
      {"stablehlo.power", [](double a, double b) { return std::pow(a, b); }},
      {"stablehlo.maximum", maximumReal},
      {"stablehlo.minimum", minimumReal},
      {"stablehlo.atan2", [](double a, double b) { return std::atan2(a, b); }},
      {"chlo.polygamma", polygamma},
      {"chlo.zeta", hurwitzZeta},
  };
  return table;
}

using IntegerFunction = uint64_t (*)(const Scalar &, const Scalar &);

bool isSigned(const Scalar &x) {
  return x.numberClass() == NumberClass::Signed;
}

/// Truncates toward zero; x / 0 has all bits set; the smallest number over -1 is itself.
uint64_t divide(const Scalar &a, const Scalar &b) {
  if (b.bits() == 0)
    return ~uint64_t(0);
  if (!isSigned(a))
    return a.bits() / b.bits();
  // The processor traps on the smallest number over -1, so that quotient is a negation, which
  // wraps.
  return b.integer() == -1 ? 0 - a.bits() : static_cast<uint64_t>(a.integer() / b.integer());
}

/// Has the sign of the dividend; x % 0 is x.
uint64_t remainder(const Scalar &a, const Scalar &b) {
  if (b.bits() == 0)
    return a.bits();
  if (!isSigned(a))
    return a.bits() % b.bits();
  return b.integer() == -1 ? 0 : static_cast<uint64_t>(a.integer() % b.integer());
}

/// By repeated squaring, modulo 2^64. A negative exponent gives 0, but for the bases 1 and -1.
uint64_t power(const Scalar &a, const Scalar &b) {
  if (isSigned(a) && b.integer() < 0) {
    if (a.integer() == 1)
      return 1;
    if (a.integer() == -1)
      return static_cast<uint64_t>(b.bits() & 1 ? -1 : 1);
    return 0;
  }
  uint64_t result = 1;
  uint64_t base = a.bits();
  for (uint64_t exponent = b.bits(); exponent != 0; exponent >>= 1, base *= base)
    if (exponent & 1)
      result *= base;
  return result;
}

bool isLess(const Scalar &a, const Scalar &b) {
  return isSigned(a) ? a.integer() < b.integer() : a.bits() < b.bits();
}

/// A shift amount is read as unsigned in the width of the type.
uint64_t shiftAmount(const Scalar &x) {
  int width = bitWidthOf(x.type());
  return width == 64 ? x.bits() : x.bits() & ((uint64_t(1) << width) - 1);
}

uint64_t shiftLeft(const Scalar &a, const Scalar &b) {
  uint64_t amount = shiftAmount(b);
  return amount >= static_cast<uint64_t>(bitWidthOf(a.type())) ? 0 : a.bits() << amount;
}

uint64_t shiftRightLogical(const Scalar &a, const Scalar &b) {
  uint64_t amount = shiftAmount(b);
  return amount >= static_cast<uint64_t>(bitWidthOf(a.type())) ? 0 : shiftAmount(a) >> amount;
}

/// Copies the top bit of the type, for unsigned types too.
uint64_t shiftRightArithmetic(const Scalar &a, const Scalar &b) {
  int width = bitWidthOf(a.type());
  int64_t extended = static_cast<int64_t>(a.bits() << (64 - width)) >> (64 - width);
  uint64_t amount = shiftAmount(b);
  return static_cast<uint64_t>(extended >> (amount >= 63 ? 63 : amount));
}

uint64_t multiplyHigh(const Scalar &a, const Scalar &b) {
  int width = bitWidthOf(a.type());
  if (isSigned(a))
    return static_cast<uint64_t>((static_cast<__int128>(a.integer()) * b.integer()) >> width);
  return static_cast<uint64_t>((static_cast<unsigned __int128>(a.bits()) * b.bits()) >> width);
}

const llvm::StringMap<IntegerFunction> &integerFunctions() {
  using S = const Scalar &;
  static const llvm::StringMap<IntegerFunction> table = {
      {"stablehlo.add", [](S a, S b) { return a.bits() + b.bits(); }},
      {"stablehlo.subtract", [](S a, S b) { return a.bits() - b.bits(); }},
      {"stablehlo.multiply", [](S a, S b) { return a.bits() * b.bits(); }},
      {"stablehlo.divide", divide},
      {"stablehlo.remainder", remainder},
      {"stablehlo.power", power},
      {"stablehlo.maximum", [](S a, S b) { return isLess(a, b) ? b.bits() : a.bits(); }},
      {"stablehlo.minimum", [](S a, S b) { return isLess(b, a) ? b.bits() : a.bits(); }},
      {"stablehlo.and", [](S a, S b) { return a.bits() & b.bits(); }},
      {"stablehlo.or", [](S a, S b) { return a.bits() | b.bits(); }},
      {"stablehlo.xor", [](S a, S b) { return a.bits() ^ b.bits(); }},
      {"stablehlo.shift_left", shiftLeft},
      {"stablehlo.shift_right_logical", shiftRightLogical},
      {"stablehlo.shift_right_arithmetic", shiftRightArithmetic},
      {"chlo.mulhi", multiplyHigh},
  };
  return table;
}

/// i1 arithmetic is logic: the sum of two trues is true, not 0.
IntegerFunction onBool(llvm::StringRef name) {
  if (name == "stablehlo.add")
    return integerFunctions().lookup("stablehlo.or");
  return integerFunctions().lookup(name);
}

/// Some formats lack a sign, or -0; the neighbour is searched for among all 256 numbers.
Scalar nextSmallFloat(const Scalar &a, bool up) {
  const auto &values = runtime::smallFloatValues(a.type());
  double best = a.real();
  for (double value : values) {
    bool isBeyond = up ? value > a.real() : value < a.real();
    bool isNearer = best == a.real() || (up ? value < best : value > best);
    if (isBeyond && isNearer)
      best = value;
  }
  if (best == 0.0) // The sign of zero is that of the side it is reached from.
    best = std::copysign(0.0, a.real());
  return Scalar::ofReal(a.type(), best);
}

Scalar nextAfter(const Scalar &a, const Scalar &b) {
  if (std::isnan(a.real()) || std::isnan(b.real()) || a.real() == b.real())
    return std::isnan(a.real()) ? a : b;
  if (runtime::isSmallFloat(a.type()))
    return nextSmallFloat(a, b.real() > a.real());
  // The neighbour differs by one in the ordered integer image of the bits.
  HostTensor cell = tensorOf(a);
  uint64_t bits = 0;
  for (size_t i = 0; i < cell.bytes.size(); ++i)
    bits |= static_cast<uint64_t>(cell.bytes[i]) << (8 * i);
  uint64_t signBit = uint64_t(1) << (8 * cell.bytes.size() - 1);
  bool up = b.real() > a.real();
  // Bits of floats of one sign are ordered as the floats are: one up is one further from zero.
  if (a.real() == 0.0)
    bits = up ? 1 : signBit | 1;
  else
    bits += up == !(bits & signBit) ? 1 : ~uint64_t(0);
  for (size_t i = 0; i < cell.bytes.size(); ++i)
    cell.bytes[i] = static_cast<std::byte>(bits >> (8 * i));
  return load(cell, 0);
}

} // namespace

ElementFunction binaryFunctionOf(mlir::Operation &op) {
  std::string name = elementOpName(op);
  if (op.getNumOperands() != 2)
    return {};
  if (name == "chlo.next_after")
    return [](llvm::ArrayRef<Scalar> x) { return nextAfter(x[0], x[1]); };
  return binaryFunctionNamed(name);
}

ElementFunction binaryFunctionNamed(llvm::StringRef name) {
  RealFunction onReal = realFunctions().lookup(name);
  IntegerFunction onInteger = integerFunctions().lookup(name);
  IntegerFunction onBoolean = onBool(name);
  if (!onReal && !onInteger)
    return {};
  return [=](llvm::ArrayRef<Scalar> x) {
    DataType type = x[0].type();
    if (x[0].isFloat())
      return onReal ? Scalar::ofReal(type, onReal(x[0].real(), x[1].real())) : x[0];
    bool isBool = x[0].numberClass() == NumberClass::Bool;
    return Scalar::ofBits(type, (isBool ? onBoolean : onInteger)(x[0], x[1]));
  };
}

} // namespace shardwise::reference
