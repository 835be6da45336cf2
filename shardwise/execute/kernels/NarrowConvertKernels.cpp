// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversion between the types that arithmetic is not done in (8-bit floats, integers of 2 and 4
// bits), or that are pairs (complex), and one wide type each. Conversion.h chains them.
//
//     8-bit floats    to f32; from f32, and from f64, as f32 in between would round twice
//     2 and 4 bits    to and from 8-bit integers, as which they lie; from f32 and f64, saturating
//     complex         to and from their real type, and to each other

#include "shardwise/execute/kernels/ElementStorage.h"
#include "shardwise/runtime/SmallFloat.h"
#include "shardwise/runtime/SmallInteger.h"

#include <algorithm>
#include <cmath>

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {
namespace {

/// `F::apply(element)` from one storage type to another.
template <class To, class From, class F>
SHARDWISE_KERNEL void loop(void *result, const void *const *operands, int64_t count,
                           const KernelArguments &) {
  auto *out = static_cast<To *>(result);
  const auto *in = static_cast<const From *>(operands[0]);
  for (int64_t i = 0; i < count; ++i)
    out[i] = F::apply(in[i]);
}

template <DataType Type> struct FromSmallFloat {
  static float apply(uint8_t bits) {
    runtime::SmallFloat<Type> value;
    value.bits = bits;
    return static_cast<float>(value);
  }
};
template <DataType Type> struct ToSmallFloat {
  template <class T> static uint8_t apply(T value) {
    return runtime::SmallFloat<Type>(static_cast<double>(value)).bits;
  }
};

template <DataType Type> ElementKernel findSmallFloat(DataType from, DataType to) {
  if (from == Type && to == DataType::F32)
    return &loop<float, uint8_t, FromSmallFloat<Type>>;
  if (to == Type && from == DataType::F32)
    return &loop<uint8_t, float, ToSmallFloat<Type>>;
  if (to == Type && from == DataType::F64)
    return &loop<uint8_t, double, ToSmallFloat<Type>>;
  return nullptr;
}

/// Bytes that hold small integers are extended already.
template <class Small> struct ToSmallInteger {
  using Byte = typename Small::Byte;

  static Byte apply(Byte wide) { return Small(wide).value; }
  /// Truncates and saturates; NaN gives 0.
  template <class T> static Byte saturate(T value) {
    constexpr bool kIsSigned = std::is_signed_v<Byte>;
    // The bits of the type, from its largest pattern.
    constexpr int kLargest = Bits::kLargest;
    constexpr int kSmallest = kIsSigned ? -kLargest - 1 : 0;
    if (std::isnan(value))
      return 0;
    return static_cast<Byte>(std::clamp(static_cast<double>(std::trunc(value)),
                                        static_cast<double>(kSmallest),
                                        static_cast<double>(kLargest)));
  }
  static Byte apply(float value) { return saturate(value); }
  static Byte apply(double value) { return saturate(value); }

private:
  template <class> struct BitsOf;
  template <int N, bool IsSigned> struct BitsOf<runtime::SmallInteger<N, IsSigned>> {
    static constexpr int kLargest = (1 << (IsSigned ? N - 1 : N)) - 1;
  };
  using Bits = BitsOf<Small>;
};

struct KeepByte {
  template <class T> static T apply(T value) { return value; }
};

template <class Small> ElementKernel findSmallInteger(DataType type, DataType from, DataType to) {
  using Byte = typename Small::Byte;
  DataType wide = dataTypeOf<Byte>();
  if (from == type && to == wide)
    return &loop<Byte, Byte, KeepByte>;
  if (to != type)
    return nullptr;
  if (from == wide)
    return &loop<Byte, Byte, ToSmallInteger<Small>>;
  if (from == DataType::F32)
    return &loop<Byte, float, ToSmallInteger<Small>>;
  if (from == DataType::F64)
    return &loop<Byte, double, ToSmallInteger<Small>>;
  return nullptr;
}

struct ToRealPart {
  template <class T> static T apply(Complex<T> value) { return value.re; }
};
struct ToComplex {
  template <class T> static Complex<T> apply(T value) { return value; }
};
struct ToSingle {
  static Complex<float> apply(Complex<double> x) {
    return {static_cast<float>(x.re), static_cast<float>(x.im)};
  }
};
struct ToDouble {
  static Complex<double> apply(Complex<float> x) {
    return {static_cast<double>(x.re), static_cast<double>(x.im)};
  }
};

ElementKernel findComplex(DataType from, DataType to) {
  if (from == DataType::C64 && to == DataType::F32)
    return &loop<float, Complex<float>, ToRealPart>;
  if (from == DataType::C128 && to == DataType::F64)
    return &loop<double, Complex<double>, ToRealPart>;
  if (from == DataType::F32 && to == DataType::C64)
    return &loop<Complex<float>, float, ToComplex>;
  if (from == DataType::F64 && to == DataType::C128)
    return &loop<Complex<double>, double, ToComplex>;
  if (from == DataType::C128 && to == DataType::C64)
    return &loop<Complex<float>, Complex<double>, ToSingle>;
  if (from == DataType::C64 && to == DataType::C128)
    return &loop<Complex<double>, Complex<float>, ToDouble>;
  return nullptr;
}

template <DataType... Types> ElementKernel findSmallFloats(DataType from, DataType to) {
  ElementKernel found = nullptr;
  ((found = found ? found : findSmallFloat<Types>(from, to)), ...);
  return found;
}

} // namespace

ElementKernel findNarrowConvertKernel(DataType from, DataType to) {
  // The narrow or complex one of both types decides; the other is a plain one, or complex too.
  for (DataType type : {from, to}) {
    if (runtime::isComplex(type))
      return findComplex(from, to);
    if (runtime::isSmallFloat(type))
      return findSmallFloats<DataType::F8E4M3, DataType::F8E4M3FN, DataType::F8E4M3FNUZ,
                             DataType::F8E4M3B11FNUZ, DataType::F8E5M2, DataType::F8E5M2FNUZ,
                             DataType::F8E3M4, DataType::F8E8M0FNU>(from, to);
    switch (type) {
    case DataType::I2:
      return findSmallInteger<runtime::Int2>(type, from, to);
    case DataType::I4:
      return findSmallInteger<runtime::Int4>(type, from, to);
    case DataType::U2:
      return findSmallInteger<runtime::UInt2>(type, from, to);
    case DataType::U4:
      return findSmallInteger<runtime::UInt4>(type, from, to);
    default:
      break;
    }
  }
  return nullptr;
}

} // namespace SHARDWISE_ISA
} // namespace shardwise::execute
