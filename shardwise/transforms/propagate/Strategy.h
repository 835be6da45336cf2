// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of the conflict resolution strategies, as options know them.

#pragma once

namespace shardwise::propagate {

/// Which rounds resolve conflicts.
enum class PropagationStrategy {
  Basic,               ///< Every tensor of an op agrees, or nothing happens.
  Aggressive,          ///< Every tensor by itself; the larger tensor wins.
  BasicThenAggressive, ///< A basic round, then an aggressive one.
};

} // namespace shardwise::propagate
