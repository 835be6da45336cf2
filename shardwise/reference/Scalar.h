// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One tensor element, and its reading, writing and conversion. The evaluator computes on these,
// so that every operation is written once for all element types.

#pragma once

#include "shardwise/runtime/DataType.h"
#include "shardwise/runtime/HostTensor.h"

#include <complex>
#include <cstdint>

namespace shardwise::reference {

using runtime::DataType;
using runtime::HostTensor;

/// What arithmetic a type obeys.
enum class NumberClass { Bool, Signed, Unsigned, Float, Complex };

/// The class of the elements of `type`.
NumberClass classOf(DataType type);
/// Width in bits; 1 for i1.
int bitWidthOf(DataType type);

/// An element with its type. Floats are held as double, complex numbers as two of them: for the
/// basic operations and square root on f32 and narrower, computing in double and rounding once
/// equals computing in the type. Integers are held sign- or zero-extended in `bits`; i1 is 0 or 1.
class Scalar {
public:
  Scalar() = default;

  /// Returns `value` rounded to the float type `type` (nearest even).
  static Scalar ofReal(DataType type, double value);
  /// Returns `value` with each part rounded to those of the complex type `type`; the real part, if
  /// `type` is real.
  static Scalar ofComplex(DataType type, std::complex<double> value);
  /// Returns the low bits of `bits` as an element of integer type or i1.
  static Scalar ofBits(DataType type, uint64_t bits);
  static Scalar ofBool(bool value) { return ofBits(DataType::I1, value); }
  /// Returns the number `value` in any type: wrapped, rounded or compared with zero.
  static Scalar ofInteger(DataType type, int64_t value);

  DataType type() const { return elementType; }
  NumberClass numberClass() const { return classOf(elementType); }
  bool isFloat() const { return numberClass() == NumberClass::Float; }
  bool isComplex() const { return numberClass() == NumberClass::Complex; }

  /// Requires a float or complex type. Real numbers have the imaginary part 0.
  double real() const { return realValue; }
  double imag() const { return imagValue; }
  std::complex<double> complex() const { return {realValue, imagValue}; }
  /// Whether a float, or a part of a complex number, is NaN.
  bool isNaN() const;
  /// Requires an integer type or i1.
  uint64_t bits() const { return bitsValue; }
  int64_t integer() const { return static_cast<int64_t>(bitsValue); }
  bool isTrue() const { return bitsValue != 0; }

private:
  DataType elementType = DataType::I1;
  union {
    double realValue;
    uint64_t bitsValue = 0;
  };
  double imagValue = 0.0;
};

/// Converts as `stablehlo.convert`: integers keep their low bits, floats truncate toward zero and
/// saturate (NaN gives 0), anything but zero is true. Complex numbers lose their imaginary part.
Scalar convert(const Scalar &value, DataType type);

/// Reads element number `position` in row-major order.
Scalar load(const HostTensor &tensor, int64_t position);
/// Writes element number `position`. Requires a value of the tensor's class of numbers; a float is
/// rounded to its type.
void store(HostTensor &tensor, int64_t position, const Scalar &value);

/// Returns a rank-0 tensor holding `value`.
HostTensor tensorOf(const Scalar &value);

} // namespace shardwise::reference
