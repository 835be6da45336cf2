// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// all_reduce: every rank folds its share of the elements, then copies the others' shares. Every
// element is folded by one rank, in group order, so all ranks have the same bits. Example: 10
// elements on 4 ranks are shares of 3, 3, 3 and 1.
//
// Small tensors are folded whole by every rank, in the same order, which saves the barrier between
// the two steps.

#include "shardwise/runtime/CollectiveChecks.h"
#include "shardwise/runtime/FoldRuns.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace shardwise::runtime {
namespace {

/// Up to this size a barrier costs more than folding everything on every rank.
constexpr int64_t kDirectBytes = 2'048;

/// A range of elements that one rank folds.
struct Share {
  int64_t first;
  int64_t count;
};

Share shareOf(int64_t position, int64_t numRanks, int64_t numElements) {
  int64_t size = (numElements + numRanks - 1) / numRanks;
  int64_t first = std::min(numElements, position * size);
  return {first, std::min(size, numElements - first)};
}

/// Every rank folds everything. The result waits in a buffer of its own until nobody reads the
/// inputs any more, one of which may be the output.
Result<void> reduceDirectly(Communicator &communicator, RankGroup group, const Reducer &reducer,
                            std::span<const Publication> peers, int64_t numElements,
                            std::byte *output) {
  std::array<std::byte, kDirectBytes> result;
  if (numElements > 0)
    foldRun(reducer, peers, 0, numElements, result.data());
  Result<void> released = communicator.release(group);
  if (released && numElements > 0)
    std::memcpy(output, result.data(), static_cast<size_t>(numElements * reducer.elementBytes));
  return released;
}

/// Only the share's owner writes and reads that part of its input in the first step, so input and
/// output may be the same.
Result<void> reduceByShares(Communicator &communicator, RankGroup group, const Reducer &reducer,
                            std::span<const Publication> peers, int64_t numElements,
                            std::byte *output) {
  auto numRanks = static_cast<int64_t>(group.size());
  int64_t position = positionOf(communicator.rank(), group);
  Share own = shareOf(position, numRanks, numElements);
  if (own.count > 0)
    foldRun(reducer, peers, own.first, own.count, output + own.first * reducer.elementBytes);
  if (Result<void> met = communicator.barrier(group); !met)
    return met;
  for (int64_t i = 1; i < numRanks; ++i) {
    // Every rank begins with its successor, so that not all read from rank 0 at once.
    int64_t peer = (position + i) % numRanks;
    Share share = shareOf(peer, numRanks, numElements);
    if (share.count > 0) {
      int64_t offset = share.first * reducer.elementBytes;
      std::memcpy(output + offset, peers[peer].output + offset,
                  static_cast<size_t>(share.count * reducer.elementBytes));
    }
  }
  return communicator.release(group);
}

} // namespace

Result<Traffic> allReduce(Communicator &communicator, RankGroup group, const Reducer &reducer,
                          const std::byte *input, int64_t numElements, std::byte *output) {
  Publication own;
  own.collective = CollectiveKind::AllReduce;
  own.input = input;
  own.inputBytes = numElements * reducer.elementBytes;
  own.output = output;
  own.parameters = digest({}, {reducer.elementBytes});
  Result<std::span<const Publication>> peers = communicator.publish(group, own);
  if (!peers)
    return peers.error();
  auto run = own.inputBytes <= kDirectBytes ? reduceDirectly : reduceByShares;
  Result<void> done = run(communicator, group, reducer, *peers, numElements, output);
  if (!done)
    return done.error();
  auto numRanks = static_cast<int64_t>(group.size());
  return Traffic{core::receivedBytes(own.collective, own.inputBytes, numRanks), numRanks - 1};
}

} // namespace shardwise::runtime
