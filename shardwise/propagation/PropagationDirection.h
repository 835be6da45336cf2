// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Directions in which shardings may flow through an op, and how they combine.

#pragma once

#include <cstdint>

namespace shardwise::propagation {

/// Forward is from operands to results. A set of the two flows: values are bit masks, so union
/// and intersection are those of sets.
enum class PropagationDirection : uint8_t { None = 0, Forward = 1, Backward = 2, Both = 3 };

/// Returns the direction that allows what either allows: Forward with Backward gives Both.
constexpr PropagationDirection unite(PropagationDirection a, PropagationDirection b) {
  return static_cast<PropagationDirection>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}

/// Returns the direction that allows what both allow: Forward with Backward gives None.
constexpr PropagationDirection intersect(PropagationDirection a, PropagationDirection b) {
  return static_cast<PropagationDirection>(static_cast<uint8_t>(a) & static_cast<uint8_t>(b));
}

} // namespace shardwise::propagation
