// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From measured times of collectives to the figures of a link.

#pragma once

#include "shardwise/planner/model/Topology.h"

#include <cstdint>

namespace shardwise::planner {

/// What collectives over all of a group took, one of them each, start-up included. Each at least
/// what it takes: other work on a machine makes it longer.
struct CollectiveTimes {
  /// A permute, and an all_reduce, of next to nothing.
  double permuteSeconds = 0;
  double smallSeconds = 0;
  /// An all_reduce of `largeBytes` on each device.
  double largeSeconds = 0;
  int64_t largeBytes = 0;
};

/// The figures with which the model gives measured times.
struct FittedLink {
  double startSeconds = 0;
  Link link;
};

/// Returns the figures for a group of `numDevices`, at least 2, that are on one link. Times that
/// contradict each other, as those of a busy machine, give figures that a machine can have: no
/// latency, or a link that moves in half the time of the large collective at best.
///
/// Example: on 2 devices a permute is one round and an all_reduce two. Permutes in 3 us and
/// all_reduces in 5 us are a latency of 2 us and a start of 1 us.
FittedLink fitLink(int64_t numDevices, const CollectiveTimes &times);

} // namespace shardwise::planner
