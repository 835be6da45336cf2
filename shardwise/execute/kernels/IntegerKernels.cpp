// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unary kernels on integers and i1. Arithmetic goes through the wrapping functions of
// BinaryFunctions.h: the smallest number has no positive counterpart, so its negation and absolute
// value are itself.

#include "shardwise/execute/kernels/BinaryFunctions.h"

#include <bit>

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {
namespace {

struct AbsFunction {
  template <class T> static T apply(T x) { return x < 0 ? SubtractFunction::apply(T(0), x) : x; }
};
struct NegateFunction {
  template <class T> static T apply(T x) { return SubtractFunction::apply(T(0), x); }
};
struct SignFunction {
  template <class T> static T apply(T x) {
    return x > 0 ? T(1) : (x < 0 ? static_cast<T>(-1) : T(0));
  }
};
struct NotFunction {
  static bool apply(bool x) { return !x; }
  template <class T> static T apply(T x) { return static_cast<T>(~x); }
};
struct PopulationCountFunction {
  template <class T> static T apply(T x) {
    return static_cast<T>(std::popcount(static_cast<std::make_unsigned_t<T>>(x)));
  }
};
struct CountLeadingZerosFunction {
  template <class T> static T apply(T x) {
    return static_cast<T>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(x)));
  }
};
struct SquareFunction {
  template <class T> static T apply(T x) { return MultiplyFunction::apply(x, x); }
};

template <class F, class Types = IntegerTypes> ElementKernel pick(DataType type) {
  return forType(Types(), type, []<class T>() -> ElementKernel { return &unaryLoop<T, F>; });
}

using IntegersAndBit =
    TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, Bit>;

} // namespace

ElementKernel findIntegerUnaryKernel(ElementOp op, DataType type) {
  switch (op) {
  case ElementOp::Abs:
    return pick<AbsFunction>(type);
  case ElementOp::Negate:
    return pick<NegateFunction>(type);
  case ElementOp::Sign:
    return pick<SignFunction>(type);
  case ElementOp::Not:
    return pick<NotFunction, IntegersAndBit>(type);
  case ElementOp::PopulationCount:
    return pick<PopulationCountFunction>(type);
  case ElementOp::CountLeadingZeros:
    return pick<CountLeadingZerosFunction>(type);
  case ElementOp::Square:
    return pick<SquareFunction>(type);
  default:
    return nullptr;
  }
}

} // namespace SHARDWISE_ISA
} // namespace shardwise::execute
