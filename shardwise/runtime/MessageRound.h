// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The messages of one collective on one rank, all in flight together.

#pragma once

#include "shardwise/runtime/Communicator.h"

#include <span>
#include <vector>

namespace shardwise::runtime {

/// The group of a collective of messages, and the number that its messages have with each of it
/// (Communicator::beginMessages).
struct MessageGroup {
  Communicator &communicator;
  CollectiveKind kind;
  RankGroup ranks;
  std::span<const int64_t> numbers;

  int64_t size() const { return static_cast<int64_t>(ranks.size()); }
};

/// Messages that are started together. Both ends start those between them in the same order, and
/// wait for them in it. Peers are named by their position in the group.
class MessageRound {
public:
  /// `step` numbers the rounds of a collective; `parameters` is a digest of what ranks must agree
  /// in.
  explicit MessageRound(const MessageGroup &group, int64_t step = 0, uint64_t parameters = 0)
      : group(group), step(step), parameters(parameters) {}

  Result<void> send(int64_t peer, const std::byte *data, MessageBox box);
  Result<void> receive(int64_t peer, std::byte *data, MessageBox box,
                       const Reducer *combine = nullptr);
  /// Waits for the receive that was started first of those not waited for.
  Result<void> waitForNext();
  /// Waits for all receives, then for all sends.
  Result<void> finish();

private:
  MessageName nameWith(int64_t peer) const;
  static Result<void> remember(const Result<PendingMessage> &message,
                               std::vector<PendingMessage> &messages);

  MessageGroup group;
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

} // namespace shardwise::runtime
