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
#include "shardwise/runtime/RunningCollective.h"

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

class Permute final : public RunningCollective {
public:
  Permute(Communicator &communicator, std::span<const RankPair> pairs, const std::byte *input,
          int64_t bytes, std::byte *output)
      : RunningCollective(communicator, CollectiveKind::CollectivePermute, participants(pairs)),
        pairs(pairs.begin(), pairs.end()), source(sourceOf(communicator.rank(), pairs)),
        target(targetOf(communicator.rank(), pairs)), input(input), bytes(bytes), output(output) {}

private:
  Result<void> check() override {
    for (const Result<void> &checked :
         {checkDistinct(pairs, &RankPair::source, "source", communicator.size()),
          checkDistinct(pairs, &RankPair::target, "target", communicator.size())})
      if (!checked)
        return checked;
    // At once: peers read inputs only, and input and output do not overlap.
    if (!source && bytes > 0)
      std::memset(output, 0, static_cast<size_t>(bytes));
    if (source == communicator.rank())
      copyFrom(input);
    if (receives())
      traffic = {core::receivedBytes(kind, bytes, 1), 1};
    return {};
  }

  bool isAlone() const override {
    return !std::binary_search(group.begin(), group.end(), communicator.rank());
  }

  Publication shown() override { return showing(input, bytes); }

  Result<void> read(std::span<const Publication> peers) override {
    if (receives())
      copyFrom(peers[positionOf(*source, group)].input);
    return {};
  }

  Result<void> startMessages() override {
    round.emplace(messageGroup());
    if (target && *target != communicator.rank())
      if (Result<void> sent = round->send(positionOf(*target, group), input, denseRun(bytes, 1));
          !sent)
        return sent;
    return receives() ? round->receive(positionOf(*source, group), output, denseRun(bytes, 1))
                      : Result<void>();
  }
  Result<void> finishMessages() override { return round->finish(); }

  bool receives() const { return source && *source != communicator.rank(); }
  void copyFrom(const std::byte *from) const {
    if (bytes > 0)
      std::memcpy(output, from, static_cast<size_t>(bytes));
  }

  std::vector<RankPair> pairs;
  std::optional<Rank> source, target;
  const std::byte *input;
  int64_t bytes;
  std::byte *output;
  std::optional<MessageRound> round;
};

} // namespace

Result<Traffic> collectivePermute(Communicator &communicator, std::span<const RankPair> pairs,
                                  const std::byte *input, int64_t bytes, std::byte *output) {
  Permute collective(communicator, pairs, input, bytes, output);
  return runNow(collective);
}

Result<PendingCollective> startCollectivePermute(Communicator &communicator,
                                                 std::span<const RankPair> pairs,
                                                 const std::byte *input, int64_t bytes,
                                                 std::byte *output) {
  return startRunning(std::make_unique<Permute>(communicator, pairs, input, bytes, output));
}

} // namespace shardwise::runtime
