// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far a tensor is from the one it should be.

#pragma once

#include "shardwise/runtime/HostTensor.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardwise::driver {

/// An element passes if |actual - expected| <= atol + rtol * |expected|; a complex one if both
/// parts do. Unset values depend on the element type: rtol is 1e-5 for f32, 1e-10 for f64, 2e-3 for
/// f16, 2e-2 for bf16, one unit in the last place for 8-bit floats and 0 for integers; atol is rtol
/// times the largest finite magnitude in `expected`.
struct Tolerance {
  std::optional<double> rtol;
  std::optional<double> atol;
  /// What is out of it is not wrong yet, but measured (Movement.h), before the wide one is asked:
  /// unset rtol is as narrow as most programs hold, 1e-6 for f32 and 2e-15 for f64.
  bool isFirstOfTwo = false;

  /// Whether somebody said how far elements may be apart.
  bool isGiven() const { return rtol || atol; }
};

/// Elements out of tolerance that pass all the same, since the program itself does not hold them
/// any better (Movement.h).
struct ExcusedElements {
  int64_t count = 0;
  /// The one whose error is the largest part of what it moves by, row-major.
  int64_t element = -1;
  double error = 0;
  double movement = 0;
};

/// Outcome of a comparison. NaN equals NaN, and infinities equal themselves.
struct TensorDifference {
  double maxAbsError = 0;
  /// Largest absolute error divided by the largest finite magnitude in `expected` (or the
  /// absolute error itself where that is 0): an element near zero does not blow it up.
  double maxRelError = 0;
  int64_t numFailing = 0;
  /// First element that does not pass, row-major; -1 if all do. For complex types the values are
  /// those of the part that does not.
  int64_t firstFailing = -1;
  double actualThere = 0;
  double expectedThere = 0;
  /// What the program itself moves by there; absent where that was not measured.
  std::optional<double> movementThere;
  /// It has several values there, and this is none of them.
  bool jumpsThere = false;
  ExcusedElements excused;

  bool passes() const { return numFailing == 0; }
};

/// What the type of `expected` and its magnitudes allow.
class ElementTolerance {
public:
  ElementTolerance(const runtime::HostTensor &expected, const Tolerance &tolerance);

  /// How far an element may be from `expected`; nothing if that is not finite.
  double allowed(double expected) const;
  /// The largest finite magnitude.
  double scale() const { return largest; }
  /// Whether only equal elements pass, of integers bit by bit.
  bool isExact() const { return rtol == 0 && atol == 0; }

private:
  double rtol;
  double largest;
  double atol;
};

/// Compares two tensors of equal type and shape. `failing`, if given, receives the elements that do
/// not pass, ascending.
TensorDifference compareTensors(const runtime::HostTensor &actual,
                                const runtime::HostTensor &expected, const Tolerance &tolerance,
                                std::vector<int64_t> *failing = nullptr);

} // namespace shardwise::driver
