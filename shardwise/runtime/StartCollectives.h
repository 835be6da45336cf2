// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives that are started, and waited for later: other work is done in between. What each
// does, counts and refuses is said in Collectives.h and Exchange.h; results have the same bits.
//
//     auto gathered = startAllGather(communicator, group, tensors, 0);
//     ...                                       compute, start further ones, wait for earlier ones
//     Result<Traffic> done = gathered->wait();                                the output is there
//
// Contract:
// - *Order.* Of the collectives that two ranks have in common, both start them in one order and
//   wait for them in one order, which may be another; when a rank waits is its own affair. As with
//   calls that do not return before they are done, what ranks wait for must not be a circle: A for
//   a collective with B, B for one with C, C for one with A. Programs that are the same on all
//   ranks keep this.
// - *Number.* A rank has at most kMostInFlight in flight; the start of a further one fails. Groups
//   may overlap, and several may be of one group: they never mix.
// - *Memory.* From start to wait inputs, and lists of RaggedSlices, stay as they are, and outputs
//   belong to the collective. An output that may be the input in a call may be here. Groups, shapes
//   and pairs are copied: they may be temporaries; so is the reducer, but not what it refers to.
// - *What happens when.* A start never waits for others. Ranks that can meet show their buffers;
//   all copies and folds are made within `wait`, which returns when no peer reads this rank's
//   memory any more. Ranks of several processes begin to send and receive: messages are on their
//   way meanwhile (of exchanges and ragged_all_to_all only who sends how much).
// - *Time.* A wait ends after the timeout of the communicator, counted from its own begin. The
//   error names the collective, its ranks, and what those who are missing do.
// - *Failure.* If a rank fails, also between start and wait, all others' starts and waits fail at
//   once. Destroying what was started and not waited for is such a failure: it returns when nobody
//   reads the buffers any more, so let it go before them; the run fails with its name.

#pragma once

#include "shardwise/runtime/Collectives.h"
#include "shardwise/runtime/Exchange.h"

#include <memory>

namespace shardwise::runtime {

class RunningCollective;

/// A collective that this rank has started. It must not outlive the communicator.
class [[nodiscard]] PendingCollective {
public:
  /// None.
  PendingCollective();
  explicit PendingCollective(std::unique_ptr<RunningCollective> running);
  PendingCollective(PendingCollective &&other) noexcept;
  PendingCollective &operator=(PendingCollective &&other) noexcept;
  /// Fails the run if it was not waited for.
  ~PendingCollective();

  /// Blocks until it is done, as a call that was not started would; to be called once.
  Result<Traffic> wait();

private:
  std::unique_ptr<RunningCollective> running;
};

Result<PendingCollective> startAllGather(Communicator &communicator, RankGroup group,
                                         std::span<const GatheredTensor> tensors, int64_t dim);

Result<PendingCollective> startAllReduce(Communicator &communicator, RankGroup group,
                                         const Reducer &reducer,
                                         std::span<const ReducedTensor> tensors);

Result<PendingCollective> startReduceScatter(Communicator &communicator, RankGroup group,
                                             const Reducer &reducer, const InputBuffer &input,
                                             int64_t dim, std::byte *output);

Result<PendingCollective> startAllToAll(Communicator &communicator, RankGroup group,
                                        const InputBuffer &input, int64_t splitDim,
                                        int64_t concatDim, std::byte *output);

Result<PendingCollective> startRaggedAllToAll(Communicator &communicator, RankGroup group,
                                              const InputBuffer &input, const RaggedSlices &slices,
                                              int64_t outputRows, std::byte *output);

Result<PendingCollective> startBroadcast(Communicator &communicator, RankGroup group,
                                         const std::byte *input, int64_t bytes, std::byte *output);

/// A rank that is in no pair with another one has its output when it has started.
Result<PendingCollective> startCollectivePermute(Communicator &communicator,
                                                 std::span<const RankPair> pairs,
                                                 const std::byte *input, int64_t bytes,
                                                 std::byte *output);

Result<PendingCollective> startExchange(Communicator &communicator, RankGroup group,
                                        const InputBuffer &input, const SentBoxes &sent,
                                        const OutputBuffer &output);

} // namespace shardwise::runtime
