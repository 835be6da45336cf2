// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far a tensor is from the one it should be.

#pragma once

#include "shardwise/runtime/HostTensor.h"

#include <cstdint>
#include <optional>

namespace shardwise::driver {

/// An element passes if |actual - expected| <= atol + rtol * |expected|; a complex one if both
/// parts do. Unset values depend on the element type: rtol is 1e-5 for f32, 1e-10 for f64, 2e-3 for
/// f16, 2e-2 for bf16, one unit in the last place for 8-bit floats and 0 for integers; atol is rtol
/// times the largest finite magnitude in `expected`.
struct Tolerance {
  std::optional<double> rtol;
  std::optional<double> atol;
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

  bool passes() const { return numFailing == 0; }
};

/// Compares two tensors of equal type and shape.
TensorDifference compareTensors(const runtime::HostTensor &actual,
                                const runtime::HostTensor &expected, const Tolerance &tolerance);

} // namespace shardwise::driver
