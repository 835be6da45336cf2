// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binary kernels on all types: which functions are defined on which. On i1, sum and maximum are
// "or", product and minimum "and"; there is no difference or quotient of truth values.

#include "shardwise/execute/kernels/BinaryFunctions.h"

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {
namespace {

template <class F, class Types> ElementKernel pick(Types types, DataType type) {
  return forType(types, type, []<class T>() -> ElementKernel { return &binaryLoop<T, T, F>; });
}

using Bits = TypeList<Bit>;

template <class F> ElementKernel onNumbers(DataType type) {
  ElementKernel kernel = pick<F>(FloatTypes(), type);
  return kernel ? kernel : pick<F>(IntegerTypes(), type);
}

template <class F> ElementKernel onAll(DataType type) {
  ElementKernel kernel = onNumbers<F>(type);
  return kernel ? kernel : pick<F>(Bits(), type);
}

template <class F> ElementKernel onBits(DataType type) {
  ElementKernel kernel = pick<F>(IntegerTypes(), type);
  return kernel ? kernel : pick<F>(Bits(), type);
}

} // namespace

ElementKernel findBinaryKernel(ElementOp op, DataType type) {
  switch (op) {
  case ElementOp::Add:
    return onAll<AddFunction>(type);
  case ElementOp::Subtract:
    return onNumbers<SubtractFunction>(type);
  case ElementOp::Multiply:
    return onAll<MultiplyFunction>(type);
  case ElementOp::Divide:
    return onNumbers<DivideFunction>(type);
  case ElementOp::Remainder:
    return onNumbers<RemainderFunction>(type);
  case ElementOp::Power:
    return onNumbers<PowerFunction>(type);
  case ElementOp::Maximum:
    return onAll<MaximumFunction>(type);
  case ElementOp::Minimum:
    return onAll<MinimumFunction>(type);
  case ElementOp::Atan2:
    return pick<Atan2Function>(FloatTypes(), type);
  case ElementOp::And:
    return onBits<AndFunction>(type);
  case ElementOp::Or:
    return onBits<OrFunction>(type);
  case ElementOp::Xor:
    return onBits<XorFunction>(type);
  case ElementOp::ShiftLeft:
    return pick<ShiftLeftFunction>(IntegerTypes(), type);
  case ElementOp::ShiftRightLogical:
    return pick<ShiftRightLogicalFunction>(IntegerTypes(), type);
  case ElementOp::ShiftRightArithmetic:
    return pick<ShiftRightArithmeticFunction>(IntegerTypes(), type);
  default:
    return nullptr;
  }
}

} // namespace SHARDWISE_ISA
} // namespace shardwise::execute
