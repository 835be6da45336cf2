// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an element of an output may differ by because the program does not say more: its values in
// evaluations whose inputs and roundings were disturbed by one unit in the last place.

#pragma once

#include "shardwise/driver/CompareTensors.h"
#include "shardwise/runtime/HostTensor.h"

#include <cstdint>
#include <vector>

namespace shardwise::driver {

/// An element out of tolerance passes if its error is at most this many times what the program
/// itself moves it by: the largest of a few random movements is not the largest there is.
inline constexpr double kMovementFactor = 4;

/// The same for an element within the wide one of two tolerances: sums may have been taken in worse
/// orders than were tried.
inline constexpr double kMovementFactorWithin = 12;

/// Collects, for the elements of one comparison that are out of tolerance, what the disturbed
/// evaluations have there, and decides which pass.
///
/// *A float* moves by the largest distance of its disturbed values from the undisturbed one, and
/// passes if its error is at most `kMovementFactor` times that (`kMovementFactorWithin`). Where
/// these values lie in two bundles with a wide gap between them, wide in the tensor too, it jumps:
/// an angle at +-pi, the side of a comparison. Then it must be at one of the bundles, as near as
/// tolerance and the movement within a bundle say, and what lies between does not pass. *An integer
/// or boolean*, and a float that is not finite, must be equal to one of the values.
class Movement {
public:
  /// `failing` are the elements of `actual` out of tolerance from `expected`; `unpartitioned` is
  /// the undisturbed evaluation, which `expected` may be itself.
  Movement(const runtime::HostTensor &actual, const runtime::HostTensor &expected,
           const runtime::HostTensor &unpartitioned, const Tolerance &tolerance,
           std::vector<int64_t> failing);

  /// Takes another disturbed evaluation of the output.
  void add(const runtime::HostTensor &disturbed);
  /// Says in `difference` which of the elements pass. Returns how many of those that do not are far
  /// from what the evaluations gave: one or the other may jump later, many will not.
  int64_t judge(TensorDifference &difference) const;
  int64_t numElements() const { return std::ssize(failing); }

private:
  runtime::HostTensor gather(const runtime::HostTensor &tensor) const;

  std::vector<int64_t> failing;
  ElementTolerance tolerance;
  ElementTolerance wide; ///< The same where there is one tolerance.
  // Of the failing elements alone, in their order.
  runtime::HostTensor actual, expected;
  std::vector<runtime::HostTensor> values; ///< The undisturbed ones first.
};

} // namespace shardwise::driver
