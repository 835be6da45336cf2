// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The collectives of groups that cannot meet: every rank sends each peer what it needs.
//
// What goes where, the order of folds and the counted bytes are those of Collectives.h, so that a
// group gives the same bits wherever its ranks are. Parameters have been checked; what ranks must
// agree in comes as a digest.

#pragma once

#include "shardwise/runtime/Collectives.h"
#include "shardwise/runtime/Exchange.h"

#include <vector>

namespace shardwise::runtime {

/// The messages of one collective on one rank, all in flight together. Both ends start those
/// between them in the same order, and wait for them in it.
class MessageRound {
public:
  /// `step` numbers the rounds of a collective; `parameters` is a digest of what ranks must agree
  /// in.
  MessageRound(Communicator &communicator, CollectiveKind kind, int64_t step = 0,
               uint64_t parameters = 0)
      : communicator(communicator), kind(kind), step(step), parameters(parameters) {}

  Result<void> send(Rank peer, const std::byte *data, MessageBox box);
  Result<void> receive(Rank peer, std::byte *data, MessageBox box,
                       const Reducer *combine = nullptr);
  /// Waits for the receive that was started first of those not waited for.
  Result<void> waitForNext();
  /// Waits for all receives, then for all sends.
  Result<void> finish();

private:
  Result<void> remember(const Result<PendingMessage> &message,
                        std::vector<PendingMessage> &messages);

  Communicator &communicator;
  CollectiveKind kind;
  int64_t step;
  uint64_t parameters;
  std::vector<PendingMessage> sends;
  std::vector<PendingMessage> receives;
  size_t numReceived = 0;
};

/// A run of `count` elements.
MessageBox denseRun(int64_t count, int64_t elementBytes);

/// A dense row-major buffer's part: what `size` elements at `start` are.
struct BufferPart {
  MessageBox box;
  int64_t offset = 0; ///< In bytes.
};
BufferPart partOf(std::span<const int64_t> shape, std::span<const int64_t> start,
                  std::span<const int64_t> size, int64_t elementBytes);

namespace messages {

Result<void> allGather(Communicator &communicator, RankGroup group,
                       std::span<const GatheredTensor> tensors, int64_t dim, uint64_t parameters);
Result<void> allReduce(Communicator &communicator, RankGroup group, const Reducer &reducer,
                       std::span<const ReducedTensor> tensors, uint64_t parameters);
Result<void> reduceScatter(Communicator &communicator, RankGroup group, const Reducer &reducer,
                           const InputBuffer &input, int64_t dim, std::byte *output,
                           uint64_t parameters);
Result<void> allToAll(Communicator &communicator, RankGroup group, const InputBuffer &input,
                      int64_t splitDim, int64_t concatDim, std::byte *output, uint64_t parameters);
Result<void> broadcast(Communicator &communicator, RankGroup group, const std::byte *input,
                       int64_t bytes, std::byte *output);

/// The numbers that every rank has for this one, from as many numbers for each; in group order.
Result<std::vector<std::vector<int64_t>>>
exchangeNumbers(Communicator &communicator, RankGroup group, CollectiveKind kind, int64_t step,
                const std::vector<std::vector<int64_t>> &sent,
                const std::vector<int64_t> &receivedCounts);

} // namespace messages
} // namespace shardwise::runtime
