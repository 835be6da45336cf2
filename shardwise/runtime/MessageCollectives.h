// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The collectives of groups that cannot meet: every rank sends each peer what it needs. Each is
// begun by `start...` and ended by `finish...`, between which its messages are on their way.
//
// What goes where, the order of folds and the counted bytes are those of Collectives.h, so that a
// group gives the same bits wherever its ranks are. Parameters have been checked; what ranks must
// agree in comes as a digest.

#pragma once

#include "shardwise/runtime/Collectives.h"
#include "shardwise/runtime/MessageRound.h"
#include "shardwise/runtime/ReductionShares.h"

#include <optional>
#include <vector>

namespace shardwise::runtime::messages {

/// all_gather of `tensors` along `dim`, by the rank at `position`.
Result<void> startAllGather(MessageRound &round, int64_t numRanks, int64_t position,
                            std::span<const GatheredTensor> tensors, int64_t dim);
Result<void> finishAllGather(MessageRound &round, int64_t numRanks, int64_t position,
                             std::span<const GatheredTensor> tensors, int64_t dim);

Result<void> startReduceScatter(MessageRound &round, int64_t numRanks, int64_t position,
                                const Reducer &reducer, const InputBuffer &input, int64_t dim,
                                std::byte *output);
Result<void> finishReduceScatter(MessageRound &round, int64_t numRanks, int64_t position,
                                 const Reducer &reducer, const InputBuffer &input, int64_t dim,
                                 std::byte *output);

Result<void> startAllToAll(MessageRound &round, int64_t numRanks, int64_t position,
                           const InputBuffer &input, int64_t splitDim, int64_t concatDim,
                           std::byte *output);
Result<void> finishAllToAll(MessageRound &round, int64_t numRanks, int64_t position,
                            const InputBuffer &input, int64_t splitDim, int64_t concatDim,
                            std::byte *output);

/// all_reduce on one rank (MessageAllReduce.cpp).
class AllReduce {
public:
  /// `tensors` and `reducer` stay until it has finished.
  AllReduce(const MessageGroup &group, int64_t position, const Reducer &reducer,
            std::span<const ReducedTensor> tensors, uint64_t parameters);

  Result<void> start();
  Result<void> finish();

private:
  int64_t numRanks() const { return group.size(); }
  int64_t bytesOf(int64_t count) const { return count * reducer.elementBytes; }
  MessageBox run(int64_t count) const { return denseRun(count, reducer.elementBytes); }
  bool isDirect() const { return bytesOf(numElements) <= kDirectBytes; }
  std::byte *valuesOf(int64_t peer) { return values.data() + peer * bytesOf(numElements); }

  Result<void> startDirectly();
  Result<void> finishDirectly();
  Result<void> startShares();
  Result<void> foldShare();
  Result<void> awaitSharesOfPeers();
  Result<void> gatherShares();
  template <class Visit> Result<void> forEachPeer(Visit visit) const;
  template <class Visit> Result<void> forEachRunOf(int64_t owner, Visit visit) const;

  MessageGroup group;
  int64_t position;
  const Reducer &reducer;
  std::span<const ReducedTensor> tensors;
  int64_t numElements = 0;
  uint64_t parameters;
  MessageRound round;
  /// Of few elements those of all ranks, row p of position p; else this rank's share of its own.
  std::vector<std::byte> values;
};

/// Numbers for each rank of a group: first all tell how many, if that is not known, then what.
class NumberRound {
public:
  NumberRound(const MessageGroup &group, int64_t step) : group(group), round(group, step) {}

  /// Sends `sent[p]` to the rank at position p, and receives `counts[p]` numbers from it.
  Result<void> start(std::vector<std::vector<int64_t>> sent, const std::vector<int64_t> &counts);
  /// What the ranks have for this one, in group order.
  Result<std::vector<std::vector<int64_t>>> finish();

private:
  MessageGroup group;
  MessageRound round;
  std::vector<std::vector<int64_t>> sent, received;
};

} // namespace shardwise::runtime::messages
