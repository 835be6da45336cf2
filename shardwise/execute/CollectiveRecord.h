// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run reports of its collectives.

#pragma once

#include "shardwise/core/Collective.h"

#include <cstdint>
#include <string>

namespace shardwise::execute {

/// What one collective op did on one rank, over all its executions in a run.
struct CollectiveRecord {
  core::CollectiveKind kind = core::CollectiveKind::AllReduce;
  /// Mesh axes as written, `{"x", "y":(1)2}`, or `groups of 4` if the groups are lists of ids;
  /// empty for permutations.
  std::string axes;
  int64_t count = 0;
  /// Tensors that took part, of which one execution can have several.
  int64_t tensors = 0;
  int64_t bytesReceived = 0;
};

} // namespace shardwise::execute
