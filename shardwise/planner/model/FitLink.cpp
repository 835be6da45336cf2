// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model of a collective is  start + rounds * latency + bytes / bandwidth.
//   1. Two collectives of next to nothing have other numbers of rounds: their difference is that of
//      the rounds, and what is left of the permute the start.
//   2. What a large one takes longer than a small one, it moves its bytes.
// A difference of measured times may be anything, where each was made longer by something else. So
// it is bounded by what it is a part of: a latency by the permute, which has one round, and what
// moves by the large collective, of which it is most.

#include "shardwise/planner/model/FitLink.h"

#include "shardwise/planner/model/CostModel.h"

#include <algorithm>

namespace shardwise::planner {

FittedLink fitLink(int64_t numDevices, const CollectiveTimes &times) {
  // What the model makes of a link in an all_reduce.
  auto modelled = [&](Link link, int64_t bytes) {
    LinkLevel level{numDevices, link};
    return collectiveSeconds(CollectiveKind::AllReduce, bytes, {&level, 1});
  };
  constexpr double kNoTime = 1e30;
  double rounds = modelled({1, kNoTime}, 4);
  FittedLink fitted;
  fitted.link.latencySeconds =
      std::clamp((times.smallSeconds - times.permuteSeconds) / std::max(rounds - 1, 1.0), 0.0,
                 times.permuteSeconds);
  fitted.startSeconds = times.permuteSeconds - fitted.link.latencySeconds;
  double moving = std::max(times.largeSeconds - times.smallSeconds, times.largeSeconds / 2);
  fitted.link.bytesPerSecond = modelled({0, 1}, times.largeBytes) / moving;
  return fitted;
}

} // namespace shardwise::planner
