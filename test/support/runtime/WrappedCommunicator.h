// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: a communicator that passes all on to another one, to be changed where a test wants it.

#pragma once

#include "shardwise/runtime/Communicator.h"

namespace shardwise::runtime::testing {

class WrappedCommunicator : public Communicator {
public:
  explicit WrappedCommunicator(Communicator &inner) : inner(inner) {}

  Rank rank() const override { return inner.rank(); }
  int64_t size() const override { return inner.size(); }
  bool canMeet(RankGroup group) const override { return inner.canMeet(group); }
  Result<PendingMeeting> publish(RankGroup group, const Publication &own) override {
    return inner.publish(group, own);
  }
  Result<std::span<const Publication>> meet(PendingMeeting meeting) override {
    return inner.meet(meeting);
  }
  Result<void> barrier(PendingMeeting meeting) override { return inner.barrier(meeting); }
  Result<void> release(PendingMeeting meeting) override { return inner.release(meeting); }
  Result<std::vector<int64_t>> beginMessages(RankGroup group) override {
    return inner.beginMessages(group);
  }
  void endMessages(RankGroup group, std::span<const int64_t> numbers) override {
    inner.endMessages(group, numbers);
  }
  Result<PendingMessage> startSend(const MessageName &name, const std::byte *data,
                                   MessageBox box) override {
    return inner.startSend(name, data, std::move(box));
  }
  Result<PendingMessage> startReceive(const MessageName &name, std::byte *data, MessageBox box,
                                      const Reducer *combine) override {
    return inner.startReceive(name, data, std::move(box), combine);
  }
  Result<void> wait(PendingMessage message) override { return inner.wait(message); }
  void abandon(const std::string &what) override { inner.abandon(what); }

protected:
  Communicator &inner;
};

/// Groups of several ranks have messages only, as if each rank were in a process of its own.
class MessagesOnly final : public WrappedCommunicator {
public:
  using WrappedCommunicator::WrappedCommunicator;
  bool canMeet(RankGroup group) const override { return group.size() < 2; }
};

} // namespace shardwise::runtime::testing
