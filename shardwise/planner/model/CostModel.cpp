// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modelled time of collectives over links of different speed.
//
// Latency plus bytes over bandwidth, level by level: a group that spans links of several speeds
// runs a collective on each level in turn, so that what crosses the slow level is as little as can
// be. The formulas of all kinds follow from those of two, all_gather and all_to_all.

#include "shardwise/planner/model/CostModel.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace shardwise::planner {
namespace {

/// Sum of p - 1 over the prime factors p: 12 = 2 * 2 * 3 has 1 + 1 + 2 rounds. Additive over the
/// parts of a group, so that a group costs the same however its axes are split.
int64_t numRounds(int64_t size) {
  int64_t rounds = 0;
  for (int64_t factor = 2; factor * factor <= size; ++factor)
    for (; size % factor == 0; size /= factor)
      rounds += factor - 1;
  return size > 1 ? rounds + size - 1 : rounds;
}

bool isSlower(const LinkLevel &a, const LinkLevel &b) {
  return a.link.bytesPerSecond < b.link.bytesPerSecond;
}

/// The buffer is smallest at first, so the slow levels come first. Example, 2 slow by 4 fast
/// devices of L bytes: L over the slow link, then 3 * 2L over the fast ones.
double gatherSeconds(double localBytes, std::span<const LinkLevel> slowFirst) {
  double seconds = 0;
  for (const LinkLevel &level : slowFirst) {
    seconds += level.link.latencySeconds * static_cast<double>(numRounds(level.size)) +
               static_cast<double>(level.size - 1) * localBytes / level.link.bytesPerSecond;
    localBytes *= static_cast<double>(level.size);
  }
  return seconds;
}

/// To a peer goes 1/devices of the buffer, over the slowest level on which the two differ. Levels
/// are taken from the fastest: at each, the peers that differ there and anywhere on the faster
/// ones.
double allToAllSeconds(double localBytes, std::span<const LinkLevel> slowFirst) {
  double devices = 1;
  for (const LinkLevel &level : slowFirst)
    devices *= static_cast<double>(level.size);
  double seconds = 0;
  double faster = 1;
  for (auto level = slowFirst.rbegin(); level != slowFirst.rend(); ++level) {
    double peers = static_cast<double>(level->size - 1) * faster;
    seconds +=
        peers * (level->link.latencySeconds + localBytes / devices / level->link.bytesPerSecond);
    faster *= static_cast<double>(level->size);
  }
  return seconds;
}

} // namespace

double collectiveSeconds(CollectiveKind kind, int64_t localBytes, std::span<const LinkLevel> levels,
                         int64_t messages) {
  if (kind == CollectiveKind::AllSlice || localBytes == 0 || levels.empty())
    return 0;
  std::vector<LinkLevel> slowFirst(levels.begin(), levels.end());
  std::stable_sort(slowFirst.begin(), slowFirst.end(), isSlower);
  return sortedCollectiveSeconds(kind, localBytes, slowFirst, messages);
}

double sortedCollectiveSeconds(CollectiveKind kind, int64_t localBytes,
                               std::span<const LinkLevel> slowFirst, int64_t messages) {
  if (kind == CollectiveKind::AllSlice || localBytes == 0 || slowFirst.empty())
    return 0;
  auto bytes = static_cast<double>(localBytes);
  double devices = 1;
  double latency = 0;
  for (const LinkLevel &level : slowFirst) {
    devices *= static_cast<double>(level.size);
    latency = std::max(latency, level.link.latencySeconds);
  }
  switch (kind) {
  case CollectiveKind::AllSlice:
  case CollectiveKind::ShardedToUnreduced:
  case CollectiveKind::ReplicatedToUnreduced:
    return 0;
  case CollectiveKind::AllGather:
    return gatherSeconds(bytes, slowFirst);
  case CollectiveKind::ReduceScatter:
    // The gather back in time: slow levels last means slow levels first backwards.
    return gatherSeconds(bytes / devices, slowFirst);
  case CollectiveKind::AllReduce:
    return 2 * gatherSeconds(bytes / devices, slowFirst);
  case CollectiveKind::AllToAll:
    return allToAllSeconds(bytes, slowFirst);
  case CollectiveKind::CollectivePermute:
  case CollectiveKind::Exchange:
  case CollectiveKind::CollectiveBroadcast:
  case CollectiveKind::RaggedAllToAll:
    return static_cast<double>(messages) * latency + bytes / slowFirst.front().link.bytesPerSecond;
  }
  return 0;
}

int64_t blocksMet(int64_t haveSize, int64_t wantSize, int64_t numHave) {
  if (haveSize == 0 || wantSize == 0)
    return 0;
  int64_t rest = wantSize - std::gcd(haveSize, wantSize);
  return std::min(numHave, (rest + haveSize - 1) / haveSize + 1);
}

} // namespace shardwise::planner
