// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// all_reduce: every rank folds its share of the elements, then copies the others' shares. Every
// element is folded by one rank, in group order, so all ranks have the same bits. Example: 10
// elements on 4 ranks are shares of 3, 3, 3 and 1.
//
// Of several tensors, the elements are counted through: a share is a run of some of the tensors.
// With tensors of 4 and 6 elements on 2 ranks, rank 0 folds all of the first and one of the second.
//
// Few elements are folded whole by every rank, in the same order, which saves the barrier between
// the two steps.
//
// Ranks that have their output in one place find their own shares there, and divide among them what
// is to be copied from others.

#include "shardwise/runtime/CollectiveChecks.h"
#include "shardwise/runtime/FoldRuns.h"
#include "shardwise/runtime/MessageCollectives.h"
#include "shardwise/runtime/OutputTurns.h"
#include "shardwise/runtime/ReductionShares.h"
#include "shardwise/runtime/RunningCollective.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace shardwise::runtime {
namespace {

class AllReduce final : public RunningCollective {
public:
  AllReduce(Communicator &communicator, RankGroup group, const Reducer &reducer,
            std::span<const ReducedTensor> tensors)
      : RunningCollective(communicator, CollectiveKind::AllReduce, group), reducer(reducer),
        tensors(tensors.begin(), tensors.end()) {}

private:
  Result<void> check() override {
    traffic.messages = numRanks() - 1;
    std::vector<int64_t> sizes;
    for (const ReducedTensor &tensor : tensors) {
      published.push_back({tensor.input, tensor.output});
      sizes.push_back(tensor.numElements);
      numElements += tensor.numElements;
      traffic.receivedBytes +=
          trafficOf(kind, tensor.numElements * reducer.elementBytes, numRanks()).receivedBytes;
    }
    parameters = digest(sizes, {reducer.elementBytes});
    return {};
  }

  Publication shown() override {
    Publication own;
    own.tensors = published;
    own.inputBytes = numElements * reducer.elementBytes;
    own.parameters = parameters;
    return own;
  }

  Result<void> read(std::span<const Publication> peers) override {
    isDirect = numElements * reducer.elementBytes <= kDirectBytes && !hasJointOutput(peers);
    if (!isDirect)
      return foldShares(peers);
    foldDirectly(peers);
    return {};
  }

  void afterRelease() override {
    if (!isDirect)
      return;
    const std::byte *next = results.data();
    forEachRun(tensors, {0, numElements}, [&](size_t tensor, int64_t, int64_t count) {
      std::memcpy(tensors[tensor].output, next, static_cast<size_t>(count * reducer.elementBytes));
      next += count * reducer.elementBytes;
    });
  }

  Result<void> startMessages() override {
    messages.emplace(messageGroup(), position(), reducer, tensors, parameters);
    return messages->start();
  }
  Result<void> finishMessages() override { return messages->finish(); }

  /// Whether ranks have an output in one place; all ranks see the same.
  bool hasJointOutput(std::span<const Publication> peers) const {
    for (size_t tensor = 0; tensor < tensors.size(); ++tensor)
      for (size_t a = 0; a < peers.size(); ++a)
        for (size_t b = 0; b < a; ++b)
          if (peers[a].tensor(tensor).output == peers[b].tensor(tensor).output)
            return true;
    return false;
  }

  /// Every rank folds everything. The results wait in a buffer of their own until nobody reads the
  /// inputs any more, one of which may be the output.
  void foldDirectly(std::span<const Publication> peers) {
    results.resize(static_cast<size_t>(numElements * reducer.elementBytes));
    std::byte *next = results.data();
    forEachRun(tensors, {0, numElements}, [&](size_t tensor, int64_t first, int64_t count) {
      foldRun(reducer, peers, tensor, first, count, next);
      next += count * reducer.elementBytes;
    });
  }

  Result<void> foldShares(std::span<const Publication> peers);

  const Reducer reducer;
  std::vector<ReducedTensor> tensors;
  int64_t numElements = 0;
  std::vector<PublishedTensor> published;
  uint64_t parameters = 0;
  std::optional<messages::AllReduce> messages;
  bool isDirect = false;
  std::vector<std::byte> results; ///< Of few elements.
};

/// Only the share's owner writes and reads that part of its inputs in the first step, so input and
/// output may be the same.
Result<void> AllReduce::foldShares(std::span<const Publication> peers) {
  int64_t own = position();
  forEachRun(tensors, shareOf(own, numRanks(), numElements),
             [&](size_t tensor, int64_t first, int64_t count) {
               foldRun(reducer, peers, tensor, first, count,
                       tensors[tensor].output + first * reducer.elementBytes);
             });
  if (Result<void> met = barrier(); !met)
    return met;
  std::vector<OutputTurn> turns;
  for (size_t tensor = 0; tensor < tensors.size(); ++tensor)
    turns.push_back(turnOf(peers, tensor, own));
  for (int64_t i = 1; i < numRanks(); ++i) {
    // Every rank begins with its successor, so that not all read from rank 0 at once.
    int64_t peer = (own + i) % numRanks();
    forEachRun(tensors, shareOf(peer, numRanks(), numElements),
               [&](size_t tensor, int64_t first, int64_t count) {
                 int64_t offset = first * reducer.elementBytes;
                 const std::byte *folded = peers[peer].tensor(tensor).output;
                 if (folded != tensors[tensor].output && turns[tensor].isFor(peer))
                   std::memcpy(tensors[tensor].output + offset, folded + offset,
                               static_cast<size_t>(count * reducer.elementBytes));
               });
  }
  return {};
}

} // namespace

Result<Traffic> allReduce(Communicator &communicator, RankGroup group, const Reducer &reducer,
                          const std::byte *input, int64_t numElements, std::byte *output) {
  ReducedTensor only{input, numElements, output};
  return allReduce(communicator, group, reducer, {&only, 1});
}

Result<Traffic> allReduce(Communicator &communicator, RankGroup group, const Reducer &reducer,
                          std::span<const ReducedTensor> tensors) {
  AllReduce collective(communicator, group, reducer, tensors);
  return runNow(collective);
}

Result<PendingCollective> startAllReduce(Communicator &communicator, RankGroup group,
                                         const Reducer &reducer,
                                         std::span<const ReducedTensor> tensors) {
  return startRunning(std::make_unique<AllReduce>(communicator, group, reducer, tensors));
}

} // namespace shardwise::runtime
