// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// collective_permute: the ranks that send to or receive from another one meet, in one group, at
// whose release every target has copied. Ranks in no pair, or paired with themselves only, are done
// without waiting.
//
// Example: pairs (0, 1), (1, 2), (3, 3) of 5 ranks. 0, 1 and 2 meet; 1 copies from 0, 2 from 1; 0
// has no source and gets zeros; 3 copies from itself and 4 gets zeros, both at once.
//
// All ranks pass the same pairs, so all compute the same group.

#include "shardwise/runtime/CollectiveChecks.h"
#include "shardwise/runtime/MessageCollectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace shardwise::runtime {
namespace {

/// Checks that all values of `field` are ranks and differ.
Result<void> checkDistinct(std::span<const RankPair> pairs, Rank RankPair::*field,
                           std::string_view what, int64_t size) {
  std::vector<Rank> ranks;
  ranks.reserve(pairs.size());
  for (const RankPair &pair : pairs)
    ranks.push_back(pair.*field);
  std::sort(ranks.begin(), ranks.end());
  auto twice = std::adjacent_find(ranks.begin(), ranks.end());
  if (twice != ranks.end()) {
    return invalid(
        fmt::format("collective_permute has {} {} twice; expected each once", what, *twice));
  }
  if (!ranks.empty() && (ranks.front() < 0 || ranks.back() >= size)) {
    return invalid(fmt::format("collective_permute has {} {}; expected 0 to {}", what,
                               ranks.front() < 0 ? ranks.front() : ranks.back(), size - 1));
  }
  return {};
}

/// Ranks in pairs of two different ranks, ascending.
std::vector<Rank> participants(std::span<const RankPair> pairs) {
  std::vector<Rank> ranks;
  for (const RankPair &pair : pairs) {
    if (pair.source != pair.target) {
      ranks.push_back(pair.source);
      ranks.push_back(pair.target);
    }
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

std::optional<Rank> sourceOf(Rank rank, std::span<const RankPair> pairs) {
  for (const RankPair &pair : pairs)
    if (pair.target == rank)
      return pair.source;
  return std::nullopt;
}

std::optional<Rank> targetOf(Rank rank, std::span<const RankPair> pairs) {
  for (const RankPair &pair : pairs)
    if (pair.source == rank)
      return pair.target;
  return std::nullopt;
}

/// The messages of a rank that is in a pair with another one.
Result<void> permuteByMessages(Communicator &communicator, std::optional<Rank> source,
                               std::optional<Rank> target, const std::byte *input, int64_t bytes,
                               std::byte *output) {
  MessageRound round(communicator, CollectiveKind::CollectivePermute);
  Rank own = communicator.rank();
  if (target && *target != own)
    if (Result<void> sent = round.send(*target, input, denseRun(bytes, 1)); !sent)
      return sent;
  if (source && *source != own)
    if (Result<void> started = round.receive(*source, output, denseRun(bytes, 1)); !started)
      return started;
  return round.finish();
}

void copyBytes(std::byte *output, const std::byte *input, int64_t bytes) {
  if (bytes > 0)
    std::memcpy(output, input, static_cast<size_t>(bytes));
}

} // namespace

Result<Traffic> collectivePermute(Communicator &communicator, std::span<const RankPair> pairs,
                                  const std::byte *input, int64_t bytes, std::byte *output) {
  for (const Result<void> &checked :
       {checkDistinct(pairs, &RankPair::source, "source", communicator.size()),
        checkDistinct(pairs, &RankPair::target, "target", communicator.size())}) {
    if (!checked)
      return checked.error();
  }
  Rank rank = communicator.rank();
  std::optional<Rank> source = sourceOf(rank, pairs);
  // Before the meeting: peers read inputs only, and input and output do not overlap.
  if (!source && bytes > 0)
    std::memset(output, 0, static_cast<size_t>(bytes));
  if (source == rank)
    copyBytes(output, input, bytes);
  std::vector<Rank> group = participants(pairs);
  if (!std::binary_search(group.begin(), group.end(), rank))
    return Traffic{};
  bool receives = source && *source != rank;
  Traffic traffic;
  if (receives)
    traffic = {core::receivedBytes(CollectiveKind::CollectivePermute, bytes, 1), 1};
  if (!communicator.canMeet(group)) {
    Result<void> done =
        permuteByMessages(communicator, source, targetOf(rank, pairs), input, bytes, output);
    return done ? Result<Traffic>(traffic) : done.error();
  }
  Publication own;
  own.collective = CollectiveKind::CollectivePermute;
  own.input = input;
  own.inputBytes = bytes;
  Result<std::span<const Publication>> peers = communicator.publish(group, own);
  if (!peers)
    return peers.error();
  if (receives)
    copyBytes(output, (*peers)[positionOf(*source, group)].input, bytes);
  if (Result<void> released = communicator.release(group); !released)
    return released.error();
  return traffic;
}

} // namespace shardwise::runtime
