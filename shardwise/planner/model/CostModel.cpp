// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modelled time of collectives over links of different speed.

#include "shardwise/planner/model/CostModel.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace shardwise::planner {
namespace {

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

double gatherSeconds(double localBytes, std::span<const LinkLevel> slowFirst) {
  double seconds = 0;
  for (const LinkLevel &level : slowFirst) {
    seconds += level.link.latencySeconds * static_cast<double>(numRounds(level.size)) +
               static_cast<double>(level.size - 1) * localBytes / level.link.bytesPerSecond;
    localBytes *= static_cast<double>(level.size);
  }
  return seconds;
}

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
