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

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace shardwise::runtime {
namespace {

/// One all_reduce on one rank, between publish and release.
struct Reduction {
  Communicator &communicator;
  RankGroup group;
  const Reducer &reducer;
  std::span<const ReducedTensor> tensors;
  int64_t numElements;
  std::span<const Publication> peers;

  /// Whether ranks have an output in one place; all ranks see the same.
  bool hasJointOutput() const {
    for (size_t tensor = 0; tensor < tensors.size(); ++tensor)
      for (size_t a = 0; a < peers.size(); ++a)
        for (size_t b = 0; b < a; ++b)
          if (peers[a].tensor(tensor).output == peers[b].tensor(tensor).output)
            return true;
    return false;
  }

  /// Every rank folds everything. The results wait in a buffer of their own until nobody reads the
  /// inputs any more, one of which may be the output.
  Result<void> runDirectly() {
    alignas(64) std::array<std::byte, kDirectBytes> results;
    std::byte *next = results.data();
    forEachRun(tensors, {0, numElements}, [&](size_t tensor, int64_t first, int64_t count) {
      foldRun(reducer, peers, tensor, first, count, next);
      next += count * reducer.elementBytes;
    });
    if (Result<void> released = communicator.release(group); !released)
      return released;
    next = results.data();
    forEachRun(tensors, {0, numElements}, [&](size_t tensor, int64_t, int64_t count) {
      std::memcpy(tensors[tensor].output, next, static_cast<size_t>(count * reducer.elementBytes));
      next += count * reducer.elementBytes;
    });
    return {};
  }

  /// Only the share's owner writes and reads that part of its inputs in the first step, so input
  /// and output may be the same.
  Result<void> runByShares() {
    auto numRanks = static_cast<int64_t>(group.size());
    int64_t position = positionOf(communicator.rank(), group);
    forEachRun(tensors, shareOf(position, numRanks, numElements),
               [&](size_t tensor, int64_t first, int64_t count) {
                 foldRun(reducer, peers, tensor, first, count,
                         tensors[tensor].output + first * reducer.elementBytes);
               });
    if (Result<void> met = communicator.barrier(group); !met)
      return met;
    std::vector<OutputTurn> turns;
    for (size_t tensor = 0; tensor < tensors.size(); ++tensor)
      turns.push_back(turnOf(peers, tensor, position));
    for (int64_t i = 1; i < numRanks; ++i) {
      // Every rank begins with its successor, so that not all read from rank 0 at once.
      int64_t peer = (position + i) % numRanks;
      forEachRun(tensors, shareOf(peer, numRanks, numElements),
                 [&](size_t tensor, int64_t first, int64_t count) {
                   int64_t offset = first * reducer.elementBytes;
                   const std::byte *folded = peers[peer].tensor(tensor).output;
                   if (folded != tensors[tensor].output && turns[tensor].isFor(peer))
                     std::memcpy(tensors[tensor].output + offset, folded + offset,
                                 static_cast<size_t>(count * reducer.elementBytes));
                 });
    }
    return communicator.release(group);
  }
};

Result<void> reduceInMeeting(Communicator &communicator, RankGroup group, const Reducer &reducer,
                             std::span<const ReducedTensor> tensors, const Publication &own) {
  Result<std::span<const Publication>> peers = communicator.publish(group, own);
  if (!peers)
    return peers.error();
  Reduction reduction{communicator, group, reducer, tensors, own.inputBytes / reducer.elementBytes,
                      *peers};
  return own.inputBytes <= kDirectBytes && !reduction.hasJointOutput() ? reduction.runDirectly()
                                                                       : reduction.runByShares();
}

} // namespace

Result<Traffic> allReduce(Communicator &communicator, RankGroup group, const Reducer &reducer,
                          const std::byte *input, int64_t numElements, std::byte *output) {
  ReducedTensor only{input, numElements, output};
  return allReduce(communicator, group, reducer, {&only, 1});
}

Result<Traffic> allReduce(Communicator &communicator, RankGroup group, const Reducer &reducer,
                          std::span<const ReducedTensor> tensors) {
  auto numRanks = static_cast<int64_t>(group.size());
  Publication own;
  own.collective = CollectiveKind::AllReduce;
  std::vector<PublishedTensor> published;
  std::vector<int64_t> sizes;
  for (const ReducedTensor &tensor : tensors) {
    published.push_back({tensor.input, tensor.output});
    sizes.push_back(tensor.numElements);
    own.inputBytes += tensor.numElements * reducer.elementBytes;
  }
  own.tensors = published;
  own.parameters = digest(sizes, {reducer.elementBytes});
  Result<void> done =
      communicator.canMeet(group)
          ? reduceInMeeting(communicator, group, reducer, tensors, own)
          : messages::allReduce(communicator, group, reducer, tensors, own.parameters);
  if (!done)
    return done.error();
  Traffic traffic{0, numRanks - 1};
  for (int64_t numElements : sizes)
    traffic.receivedBytes +=
        core::receivedBytes(own.collective, numElements * reducer.elementBytes, numRanks);
  return traffic;
}

} // namespace shardwise::runtime
