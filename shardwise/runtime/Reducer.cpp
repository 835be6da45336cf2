// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One loop per kind and storage type, picked once per collective. Elements are loaded to the type
// they are computed in, combined and rounded back, so that f16 and narrower round after every step:
// folding ranks one by one gives the same bits wherever the fold runs.
//
// Maximum and minimum are those of StableHLO (IEEE 754 maximum): NaN wins, and -0 is below +0.

#include "shardwise/runtime/Reducer.h"

#include "shardwise/core/Text.h"
#include "shardwise/runtime/StorageTypes.h"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>

namespace shardwise::runtime {
namespace {

using core::ReductionKind;

/// The type in which elements of storage type `T` are combined.
template <class T> struct ComputeType {
  using Type = T;
};
template <> struct ComputeType<Half> {
  using Type = float;
};
template <> struct ComputeType<BFloat16> {
  using Type = float;
};
template <DataType Type_> struct ComputeType<SmallFloat<Type_>> {
  using Type = float;
};
template <int Bits, bool IsSigned> struct ComputeType<SmallInteger<Bits, IsSigned>> {
  using Type = typename SmallInteger<Bits, IsSigned>::Byte;
};

template <class T> inline constexpr bool kIsComplex = false;
template <class T> inline constexpr bool kIsComplex<std::complex<T>> = true;

template <class T> T loadElement(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class T> bool hasNaN(std::complex<T> value) {
  return std::isnan(value.real()) || std::isnan(value.imag());
}

/// Lexicographic order by real part, then imaginary part.
template <class T> bool isLess(std::complex<T> a, std::complex<T> b) {
  return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
}

template <class T> std::complex<T> larger(std::complex<T> a, std::complex<T> b) {
  if (hasNaN(a) || hasNaN(b))
    return hasNaN(a) ? a : b;
  return isLess(a, b) ? b : a;
}

template <class T> std::complex<T> smaller(std::complex<T> a, std::complex<T> b) {
  if (hasNaN(a) || hasNaN(b))
    return hasNaN(a) ? a : b;
  return isLess(b, a) ? b : a;
}

template <class T> T larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? a : b;
    // Equal only as numbers: of two zeros the one without a sign is larger.
    if (a == b)
      return std::signbit(a) ? b : a;
  }
  return a > b ? a : b;
}

template <class T> T smaller(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? a : b;
    if (a == b)
      return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
}

/// Combines two elements in the type they are computed in.
template <ReductionKind Kind, class T> T combine(T a, T b) {
  if constexpr (Kind == ReductionKind::Max) {
    return larger(a, b);
  } else if constexpr (Kind == ReductionKind::Min) {
    return smaller(a, b);
  } else if constexpr (std::is_floating_point_v<T> || kIsComplex<T>) {
    static_assert(Kind == ReductionKind::Sum || Kind == ReductionKind::Product);
    return Kind == ReductionKind::Sum ? a + b : a * b;
  } else {
    // 64-bit unsigned arithmetic wraps without overflow, for narrow signed types too.
    auto wideA = static_cast<uint64_t>(a);
    auto wideB = static_cast<uint64_t>(b);
    switch (Kind) {
    case ReductionKind::Sum:
      return static_cast<T>(wideA + wideB);
    case ReductionKind::Product:
      return static_cast<T>(wideA * wideB);
    case ReductionKind::And:
      return static_cast<T>(wideA & wideB);
    case ReductionKind::Or:
      return static_cast<T>(wideA | wideB);
    case ReductionKind::Max:
    case ReductionKind::Min:
      break; // Above.
    }
    return a;
  }
}

template <ReductionKind Kind, class T>
void foldElements(std::byte *accumulator, const std::byte *operand, int64_t count) {
  using Compute = typename ComputeType<T>::Type;
  constexpr auto kBytes = static_cast<int64_t>(sizeof(T));
  for (int64_t i = 0; i < count; ++i) {
    // Through memcpy: a part of a buffer need not be aligned for its elements.
    auto a = static_cast<Compute>(loadElement<T>(accumulator + i * kBytes));
    auto b = static_cast<Compute>(loadElement<T>(operand + i * kBytes));
    T result(combine<Kind, Compute>(a, b));
    std::memcpy(accumulator + i * kBytes, &result, sizeof(T));
  }
}

using FoldFunction = void (*)(std::byte *, const std::byte *, int64_t);

/// The fold of `Kind` on `type`; null if there is none: bits are those of integers.
template <ReductionKind Kind> FoldFunction foldOf(DataType type) {
  constexpr bool isOnBits = Kind == ReductionKind::And || Kind == ReductionKind::Or;
  if (type == DataType::I1) {
    // On truth values sum and maximum are "or", product and minimum "and".
    constexpr bool isOr =
        Kind == ReductionKind::Sum || Kind == ReductionKind::Max || Kind == ReductionKind::Or;
    return &foldElements < isOr ? ReductionKind::Or : ReductionKind::And, uint8_t > ;
  }
  return withStorageType(type, [&]<class T>(T) -> FoldFunction {
    if constexpr (std::is_integral_v<T> || kIsSmallInteger<T>)
      return &foldElements<Kind, T>;
    else if constexpr (isOnBits)
      return nullptr;
    // The storage type of a complex type is that of its parts.
    else if constexpr (std::is_floating_point_v<T>)
      return isComplex(type) ? &foldElements<Kind, std::complex<T>> : &foldElements<Kind, T>;
    else
      return &foldElements<Kind, T>;
  });
}

/// From a value to a template argument, once per collective and not once per element.
FoldFunction foldOf(ReductionKind kind, DataType type) {
  switch (kind) {
  case ReductionKind::Sum:
    return foldOf<ReductionKind::Sum>(type);
  case ReductionKind::Product:
    return foldOf<ReductionKind::Product>(type);
  case ReductionKind::Max:
    return foldOf<ReductionKind::Max>(type);
  case ReductionKind::Min:
    return foldOf<ReductionKind::Min>(type);
  case ReductionKind::And:
    return foldOf<ReductionKind::And>(type);
  case ReductionKind::Or:
    break;
  }
  return foldOf<ReductionKind::Or>(type);
}

} // namespace

Result<Reducer> makeReducer(ReductionKind kind, DataType type) {
  FoldFunction fold = foldOf(kind, type);
  if (fold == nullptr) {
    return invalid(fmt::format("reduction \"{}\" is not defined on {}; expected an integer type or "
                               "i1",
                               core::toString(kind), toString(type)));
  }
  return Reducer{byteSize(type), fold};
}

} // namespace shardwise::runtime
