// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading, writing and converting single elements. What makes conversion delicate is rounding: it
// must happen once. Floats are held as double, which is exact for every float type but rounds
// integers above 2^53; those are brought to their type without that step.

#include "shardwise/reference/Scalar.h"

#include "shardwise/runtime/HalfFloat.h"
#include "shardwise/runtime/SmallFloat.h"

#include <cmath>
#include <cstring>

namespace shardwise::reference {

using runtime::BFloat16;
using runtime::Half;

NumberClass classOf(DataType type) {
  if (runtime::isFloatingPoint(type))
    return NumberClass::Float;
  if (runtime::isComplex(type))
    return NumberClass::Complex;
  if (type == DataType::I1)
    return NumberClass::Bool;
  return runtime::isSignedInteger(type) ? NumberClass::Signed : NumberClass::Unsigned;
}

int bitWidthOf(DataType type) {
  return runtime::bitWidth(type);
}

Scalar Scalar::ofReal(DataType type, double value) {
  Scalar scalar;
  scalar.elementType = type;
  switch (type) {
  case DataType::F16:
    scalar.realValue = static_cast<double>(Half(value));
    break;
  case DataType::BF16:
    scalar.realValue = static_cast<double>(BFloat16(value));
    break;
  case DataType::F32:
    scalar.realValue = static_cast<double>(static_cast<float>(value));
    break;
  default:
    // The nearest of the 256 numbers of the type, by its table.
    scalar.realValue =
        runtime::isSmallFloat(type)
            ? runtime::smallFloatValues(
                  type)[runtime::doubleToSmallFloat(runtime::smallFloatFormat(type), value)]
            : value;
  }
  return scalar;
}

Scalar Scalar::ofComplex(DataType type, std::complex<double> value) {
  DataType part = runtime::realPartType(type);
  Scalar scalar = ofReal(part, value.real());
  if (type == part)
    return scalar;
  scalar.elementType = type;
  scalar.imagValue = ofReal(part, value.imag()).realValue;
  return scalar;
}

bool Scalar::isNaN() const {
  bool hasParts = isFloat() || isComplex();
  return hasParts && (std::isnan(realValue) || std::isnan(imagValue));
}

Scalar Scalar::ofBits(DataType type, uint64_t bits) {
  Scalar scalar;
  scalar.elementType = type;
  // Shifted to the top and back: the sign of the type's own width, or zeros, come in from the left.
  int unused = 64 - bitWidthOf(type);
  uint64_t shifted = bits << unused;
  scalar.bitsValue = classOf(type) == NumberClass::Signed
                         ? static_cast<uint64_t>(static_cast<int64_t>(shifted) >> unused)
                         : shifted >> unused;
  return scalar;
}

Scalar Scalar::ofInteger(DataType type, int64_t value) {
  return convert(ofBits(DataType::I64, static_cast<uint64_t>(value)), type);
}

namespace {

/// Truncates toward zero and saturates at the ends of `type`; NaN gives 0.
Scalar truncateReal(double value, DataType type) {
  if (std::isnan(value))
    return Scalar::ofBits(type, 0);
  bool isSigned = classOf(type) == NumberClass::Signed;
  int width = bitWidthOf(type);
  // Both ends are powers of two, hence exact: [low, high).
  double high = std::ldexp(1.0, isSigned ? width - 1 : width);
  double low = isSigned ? -high : 0.0;
  double truncated = std::trunc(value);
  // Saturated before the cast: casting a float that does not fit is undefined in C++.
  if (truncated >= high)
    return Scalar::ofBits(type, isSigned ? (uint64_t(1) << (width - 1)) - 1 : ~uint64_t(0));
  if (truncated <= low)
    return Scalar::ofBits(type, isSigned ? uint64_t(1) << (width - 1) : 0);
  return Scalar::ofBits(type, isSigned ? static_cast<uint64_t>(static_cast<int64_t>(truncated))
                                       : static_cast<uint64_t>(truncated));
}

/// Integer to float in one rounding: through double a 64-bit integer would round twice for f32.
Scalar realOfInteger(const Scalar &value, DataType type) {
  bool isSigned = value.numberClass() == NumberClass::Signed;
  // The compiler's conversion to float rounds once.
  if (type == DataType::F32)
    return Scalar::ofReal(type, isSigned ? static_cast<float>(value.integer())
                                         : static_cast<float>(value.bits()));
  bool isNegative = isSigned && value.integer() < 0;
  // 0 - bits, for the smallest number too, whose magnitude has no positive int64.
  uint64_t magnitude = isNegative ? 0 - value.bits() : value.bits();
  if (type != DataType::F64 && magnitude >> 53 != 0) {
    // Round to odd below 53 bits, so that the second rounding to 16 bits is the only one.
    uint64_t odd = (magnitude >> 12) | ((magnitude & 0xfff) != 0 ? 1 : 0);
    return Scalar::ofReal(type, (isNegative ? -4096.0 : 4096.0) * static_cast<double>(odd));
  }
  return Scalar::ofReal(type, isSigned ? static_cast<double>(value.integer())
                                       : static_cast<double>(value.bits()));
}

template <class T> T read(const std::byte *source) {
  T value;
  std::memcpy(&value, source, sizeof(T));
  return value;
}

} // namespace

Scalar convert(const Scalar &value, DataType type) {
  if (value.type() == type)
    return value;
  // Complex numbers first: to each other part by part; to others by the real part; from others with
  // imaginary part 0.
  if (value.isComplex() && runtime::isComplex(type))
    return Scalar::ofComplex(type, value.complex());
  if (value.isComplex())
    return convert(Scalar::ofReal(runtime::realPartType(value.type()), value.real()), type);
  if (runtime::isComplex(type))
    return Scalar::ofComplex(type, convert(value, runtime::realPartType(type)).real());
  if (type == DataType::I1)
    return Scalar::ofBool(value.isFloat() ? value.real() != 0.0 : value.bits() != 0);
  // The pairs that are left: float or integer (i1 too) to either.
  bool toFloat = classOf(type) == NumberClass::Float;
  if (value.isFloat())
    return toFloat ? Scalar::ofReal(type, value.real()) : truncateReal(value.real(), type);
  return toFloat ? realOfInteger(value, type) : Scalar::ofBits(type, value.bits());
}

Scalar load(const HostTensor &tensor, int64_t position) {
  DataType type = tensor.type;
  const std::byte *source = tensor.bytes.data() + position * runtime::byteSize(type);
  switch (type) {
  case DataType::F16:
    return Scalar::ofReal(type, static_cast<double>(Half::fromBits(read<uint16_t>(source))));
  case DataType::BF16:
    return Scalar::ofReal(type, static_cast<double>(BFloat16::fromBits(read<uint16_t>(source))));
  case DataType::F32:
    return Scalar::ofReal(type, read<float>(source));
  case DataType::F64:
    return Scalar::ofReal(type, read<double>(source));
  case DataType::C64:
    return Scalar::ofComplex(type, read<std::complex<float>>(source));
  case DataType::C128:
    return Scalar::ofComplex(type, read<std::complex<double>>(source));
  default:
    if (runtime::isSmallFloat(type))
      return Scalar::ofReal(type, runtime::smallFloatValues(type)[read<uint8_t>(source)]);
  }
  // Integers and i1: `ofBits` extends them by their type.
  switch (runtime::byteSize(type)) {
  case 1:
    return Scalar::ofBits(type, read<uint8_t>(source));
  case 2:
    return Scalar::ofBits(type, read<uint16_t>(source));
  case 4:
    return Scalar::ofBits(type, read<uint32_t>(source));
  default:
    return Scalar::ofBits(type, read<uint64_t>(source));
  }
}

void store(HostTensor &tensor, int64_t position, const Scalar &value) {
  std::byte *target = tensor.bytes.data() + position * runtime::byteSize(tensor.type);
  auto write = [&](auto bits) { std::memcpy(target, &bits, sizeof(bits)); };
  switch (tensor.type) {
  case DataType::F16:
    return write(Half(value.real()).bits);
  case DataType::BF16:
    return write(BFloat16(value.real()).bits);
  case DataType::F32:
    return write(static_cast<float>(value.real()));
  case DataType::F64:
    return write(value.real());
  case DataType::C64:
    return write(std::complex<float>(value.complex()));
  case DataType::C128:
    return write(value.complex());
  default:
    if (runtime::isSmallFloat(tensor.type))
      return write(
          runtime::doubleToSmallFloat(runtime::smallFloatFormat(tensor.type), value.real()));
  }
  switch (runtime::byteSize(tensor.type)) {
  case 1:
    return write(static_cast<uint8_t>(value.bits()));
  case 2:
    return write(static_cast<uint16_t>(value.bits()));
  case 4:
    return write(static_cast<uint32_t>(value.bits()));
  default:
    return write(value.bits());
  }
}

HostTensor tensorOf(const Scalar &value) {
  HostTensor tensor = HostTensor::zeros(value.type(), {});
  store(tensor, 0, value);
  return tensor;
}

} // namespace shardwise::reference
