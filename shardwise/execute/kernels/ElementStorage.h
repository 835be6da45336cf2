// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Storage types of elements and the type each is computed in; dispatch from DataType to both.
// Included by kernel sources only.

#pragma once

#include "shardwise/execute/kernels/ComplexNumber.h"
#include "shardwise/execute/kernels/ElementKernels.h"
#include "shardwise/runtime/HalfFloat.h"

#include <cstdint>
#include <type_traits>

// Kernels are compiled once per instruction set, each in a namespace of its own, so that the linker
// cannot take the code of one for another. Flattening keeps shared inline functions (conversions of
// 16-bit floats, say) from becoming symbols that it could mix up.
#if !defined(SHARDWISE_ISA)
#define SHARDWISE_ISA baseline
#endif
#define SHARDWISE_KERNEL [[gnu::flatten]]

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {

using runtime::BFloat16;
using runtime::Half;

/// An i1 in memory: one byte, 0 or 1.
struct Bit {
  uint8_t value = 0;

  Bit() = default;
  explicit Bit(bool truth) : value(truth) {}
  explicit operator bool() const { return value != 0; }
};

/// The type arithmetic on a storage type is done in.
template <class T> struct ComputeOf {
  using type = T;
};
template <> struct ComputeOf<Half> {
  using type = float;
};
template <> struct ComputeOf<BFloat16> {
  using type = float;
};
template <> struct ComputeOf<Bit> {
  using type = bool;
};
template <class T> using Compute = typename ComputeOf<T>::type;

/// Returns `value` in the type that it is computed in.
template <class T> inline Compute<T> widen(T value) {
  return static_cast<Compute<T>>(value);
}

template <class T> inline constexpr bool kIsFloat = std::is_floating_point_v<Compute<T>>;

/// Storage types to choose from.
template <class... T> struct TypeList {};
using FloatTypes = TypeList<Half, BFloat16, float, double>;
using IntegerTypes =
    TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
/// All types but complex that kernels compute in.
using PlainTypes = TypeList<Half, BFloat16, float, double, int8_t, int16_t, int32_t, int64_t,
                            uint8_t, uint16_t, uint32_t, uint64_t, Bit>;
using ComplexTypes = TypeList<Complex<float>, Complex<double>>;

/// The data type whose elements are stored as `T`.
template <class T> constexpr DataType dataTypeOf() {
  if constexpr (std::is_same_v<T, Bit>)
    return DataType::I1;
  else if constexpr (std::is_same_v<T, int8_t>)
    return DataType::I8;
  else if constexpr (std::is_same_v<T, int16_t>)
    return DataType::I16;
  else if constexpr (std::is_same_v<T, int32_t>)
    return DataType::I32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return DataType::I64;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return DataType::U8;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return DataType::U16;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return DataType::U32;
  else if constexpr (std::is_same_v<T, uint64_t>)
    return DataType::U64;
  else if constexpr (std::is_same_v<T, Half>)
    return DataType::F16;
  else if constexpr (std::is_same_v<T, BFloat16>)
    return DataType::BF16;
  else if constexpr (std::is_same_v<T, float>)
    return DataType::F32;
  else if constexpr (std::is_same_v<T, Complex<float>>)
    return DataType::C64;
  else if constexpr (std::is_same_v<T, Complex<double>>)
    return DataType::C128;
  else
    return DataType::F64;
}

/// Calls `visit.template operator()<T>()` for the type in the list whose data type is `type`, and
/// returns its result; null if none is.
template <class Visit, class... T>
auto forType(TypeList<T...>, DataType type, Visit visit)
    -> decltype(visit.template operator()<float>()) {
  decltype(visit.template operator()<float>()) result = nullptr;
  auto tryType = [&]<class Candidate>() {
    if (dataTypeOf<Candidate>() == type)
      result = visit.template operator()<Candidate>();
  };
  (tryType.template operator()<T>(), ...);
  return result;
}

/// The same over two lists.
template <class First, class Second, class Visit>
auto forType(First first, Second second, DataType type, Visit visit)
    -> decltype(visit.template operator()<float>()) {
  auto result = forType(first, type, visit);
  return result ? result : forType(second, type, visit);
}

// Operands and result of a kernel are the same array or apart, so that loops vectorise as if apart.
#if defined(__clang__)
#define SHARDWISE_INDEPENDENT_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define SHARDWISE_INDEPENDENT_LOOP _Pragma("GCC ivdep")
#endif

/// `F::apply(a)` on every element.
template <class T, class F>
SHARDWISE_KERNEL void unaryLoop(void *result, const void *const *operands, int64_t count,
                                const KernelArguments &) {
  auto *out = static_cast<T *>(result);
  const auto *a = static_cast<const T *>(operands[0]);
  SHARDWISE_INDEPENDENT_LOOP
  for (int64_t i = 0; i < count; ++i)
    out[i] = T(F::apply(widen(a[i])));
}

/// `F::apply(a, b)` on every pair of elements.
template <class T, class R, class F>
SHARDWISE_KERNEL void binaryLoop(void *result, const void *const *operands, int64_t count,
                                 const KernelArguments &) {
  auto *out = static_cast<R *>(result);
  const auto *a = static_cast<const T *>(operands[0]);
  const auto *b = static_cast<const T *>(operands[1]);
  SHARDWISE_INDEPENDENT_LOOP
  for (int64_t i = 0; i < count; ++i)
    out[i] = R(F::apply(widen(a[i]), widen(b[i])));
}

// One source file per family; each returns null for ops it does not know.
ElementKernel findFloatUnaryKernel(ElementOp op, DataType type);
ElementKernel findIntegerUnaryKernel(ElementOp op, DataType type);
ElementKernel findBinaryKernel(ElementOp op, DataType type);
ElementKernel findSpecialKernel(ElementOp op, DataType type);
ElementKernel findCompareKernel(ElementOp op, DataType type);
ElementKernel findTernaryKernel(ElementOp op, DataType type);
ElementKernel findComplexKernel(ElementOp op, DataType type);
ElementKernel findConvertKernel(DataType from, DataType to);
ElementKernel findNarrowConvertKernel(DataType from, DataType to);
FoldKernel findFold(core::ReductionKind kind, DataType type);
ScanKernel findScan(core::ReductionKind kind, DataType type);
const MatrixKernels *findMatrix(DataType type);
const BatchNormKernels *findBatchNorm(DataType type);
int64_t batchNormScratch(const FeatureShape &shape);
const FourierKernels *findFourier(DataType type);
void (*findSelectRows(ElementOp keep, DataType type))(const SelectedRows &rows);

} // namespace SHARDWISE_ISA
} // namespace shardwise::execute
