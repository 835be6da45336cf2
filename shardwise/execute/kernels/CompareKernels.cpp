// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons, select, clamp and copy. Comparisons of floats are those of IEEE 754, where NaN is
// unordered: everything but "not equal" is false. In the total order, -NaN < -inf < ... < -0 < +0 <
// ... < NaN, floats compare as integers.

#include "shardwise/execute/kernels/BinaryFunctions.h"
#include "shardwise/execute/kernels/CompareFunctions.h"

#include <bit>

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {
namespace {

/// Integer image of a float's bits that is ordered as the total order: negative floats have their
/// magnitude bits flipped.
inline int64_t totalKey(float x) {
  auto bits = std::bit_cast<int32_t>(x);
  return bits < 0 ? bits ^ std::numeric_limits<int32_t>::max() : bits;
}
inline int64_t totalKey(double x) {
  auto bits = std::bit_cast<int64_t>(x);
  return bits < 0 ? bits ^ std::numeric_limits<int64_t>::max() : bits;
}

template <class F> struct TotalFunction {
  template <class T> static bool apply(T a, T b) { return F::apply(totalKey(a), totalKey(b)); }
};

template <class F> ElementKernel pick(DataType type) {
  return forType(PlainTypes(), ComplexTypes(), type,
                 []<class T>() -> ElementKernel { return &binaryLoop<T, Bit, F>; });
}

/// On floats the total order; integers have only one order.
template <class F> ElementKernel pickTotal(DataType type) {
  ElementKernel kernel = forType(FloatTypes(), type, []<class T>() -> ElementKernel {
    return &binaryLoop<T, Bit, TotalFunction<F>>;
  });
  return kernel ? kernel : pick<F>(type);
}

/// Copies whole elements, so that only the size matters.
template <class Raw>
SHARDWISE_KERNEL void selectLoop(void *result, const void *const *operands, int64_t count,
                                 const KernelArguments &) {
  auto *out = static_cast<Raw *>(result);
  const auto *which = static_cast<const uint8_t *>(operands[0]);
  const auto *a = static_cast<const Raw *>(operands[1]);
  const auto *b = static_cast<const Raw *>(operands[2]);
  SHARDWISE_INDEPENDENT_LOOP
  for (int64_t i = 0; i < count; ++i)
    out[i] = which[i] != 0 ? a[i] : b[i];
}

template <class Raw>
SHARDWISE_KERNEL void copyLoop(void *result, const void *const *operands, int64_t count,
                               const KernelArguments &) {
  auto *out = static_cast<Raw *>(result);
  const auto *in = static_cast<const Raw *>(operands[0]);
  SHARDWISE_INDEPENDENT_LOOP
  for (int64_t i = 0; i < count; ++i)
    out[i] = in[i];
}

/// Calls `visit` with a type of the size of `type`.
template <class Visit> ElementKernel forBytes(DataType type, Visit visit) {
  switch (runtime::byteSize(type)) {
  case 1:
    return visit.template operator()<uint8_t>();
  case 2:
    return visit.template operator()<uint16_t>();
  case 4:
    return visit.template operator()<uint32_t>();
  case 8:
    return visit.template operator()<uint64_t>();
  default:
    return visit.template operator()<Complex<double>>();
  }
}

template <class T>
SHARDWISE_KERNEL void clampLoop(void *result, const void *const *operands, int64_t count,
                                const KernelArguments &) {
  auto *out = static_cast<T *>(result);
  const auto *low = static_cast<const T *>(operands[0]);
  const auto *x = static_cast<const T *>(operands[1]);
  const auto *high = static_cast<const T *>(operands[2]);
  // minimum(maximum(x, low), high), as StableHLO has it: NaN anywhere wins, and low > high gives
  // high.
  SHARDWISE_INDEPENDENT_LOOP
  for (int64_t i = 0; i < count; ++i)
    out[i] = T(
        MinimumFunction::apply(MaximumFunction::apply(widen(x[i]), widen(low[i])), widen(high[i])));
}

} // namespace

ElementKernel findCompareKernel(ElementOp op, DataType type) {
  switch (op) {
  case ElementOp::Equal:
    return pick<EqualFunction>(type);
  case ElementOp::NotEqual:
    return pick<NotEqualFunction>(type);
  case ElementOp::GreaterEqual:
    return pick<GreaterEqualFunction>(type);
  case ElementOp::Greater:
    return pick<GreaterFunction>(type);
  case ElementOp::LessEqual:
    return pick<LessEqualFunction>(type);
  case ElementOp::Less:
    return pick<LessFunction>(type);
  case ElementOp::TotalEqual:
    return pickTotal<EqualFunction>(type);
  case ElementOp::TotalNotEqual:
    return pickTotal<NotEqualFunction>(type);
  case ElementOp::TotalGreaterEqual:
    return pickTotal<GreaterEqualFunction>(type);
  case ElementOp::TotalGreater:
    return pickTotal<GreaterFunction>(type);
  case ElementOp::TotalLessEqual:
    return pickTotal<LessEqualFunction>(type);
  case ElementOp::TotalLess:
    return pickTotal<LessFunction>(type);
  default:
    return nullptr;
  }
}

ElementKernel findTernaryKernel(ElementOp op, DataType type) {
  if (op == ElementOp::Clamp)
    return forType(PlainTypes(), ComplexTypes(), type,
                   []<class T>() -> ElementKernel { return &clampLoop<T>; });
  if (op == ElementOp::Select)
    return forBytes(type, []<class Raw>() -> ElementKernel { return &selectLoop<Raw>; });
  if (op == ElementOp::Copy)
    return forBytes(type, []<class Raw>() -> ElementKernel { return &copyLoop<Raw>; });
  return nullptr;
}

} // namespace SHARDWISE_ISA
} // namespace shardwise::execute
