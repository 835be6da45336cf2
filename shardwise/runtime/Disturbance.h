// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moving floats by units in the last place, at random: how a program is asked what its own rounding
// amounts to.

#pragma once

#include "shardwise/runtime/DataType.h"

#include <cstddef>
#include <cstdint>

namespace shardwise::runtime {

/// Whose numbers are disturbed: how much of a number's bits may be in use before it counts as
/// rounded. Of types of 16 bits and fewer only multiples of 1/4 count as exact.
enum class NumberOrigin : uint8_t {
  /// Inputs: those of up to a third of the bits (1, -3, 0.5) count as meant exactly, and whole
  /// numbers of up to two thirds (indices).
  Given,
  Computed ///< Results: those of up to two thirds (counts, positions) count as exact.
};

/// By how much to disturb.
struct Disturbance {
  uint64_t seed = 0;
  NumberOrigin origin = NumberOrigin::Computed;
  /// An element moves by 1 to `steps` steps, up or down.
  int64_t steps = 1;
  /// Low bits of the mantissa that are not in use; a step leaves them as they are.
  int unusedBits = 0;
};

/// Moves each of `count` elements of type `type`, both parts of complex ones. Zeros, infinities,
/// NaNs and numbers that count as exact stay, and no element changes its sign or leaves the finite
/// numbers; integers and booleans stay. The direction depends on the seed, the position and the
/// number alone: the same number computed twice at the same place moves the same way twice, as real
/// rounding would have it.
void disturb(DataType type, std::byte *elements, int64_t count, const Disturbance &disturbance);

} // namespace shardwise::runtime
