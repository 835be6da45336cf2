// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// broadcast: every rank copies from the first of its group.

#include "shardwise/runtime/CollectiveChecks.h"
#include "shardwise/runtime/RunningCollective.h"

#include <cstring>

namespace shardwise::runtime {
namespace {

class Broadcast final : public RunningCollective {
public:
  Broadcast(Communicator &communicator, RankGroup group, const std::byte *input, int64_t bytes,
            std::byte *output)
      : RunningCollective(communicator, CollectiveKind::CollectiveBroadcast, group), input(input),
        bytes(bytes), output(output) {}

private:
  Result<void> check() override {
    if (!group.empty() && group.front() != communicator.rank())
      traffic = {core::receivedBytes(kind, bytes, numRanks()), 1};
    return {};
  }

  Publication shown() override { return showing(input, bytes); }

  Result<void> read(std::span<const Publication> peers) override {
    copyFrom(peers.front().input);
    return {};
  }

  Result<void> startMessages() override {
    round.emplace(messageGroup());
    if (position() > 0)
      return round->receive(0, output, denseRun(bytes, 1));
    for (int64_t peer = 1; peer < numRanks(); ++peer)
      if (Result<void> started = round->send(peer, input, denseRun(bytes, 1)); !started)
        return started;
    return {};
  }

  Result<void> finishMessages() override {
    if (position() == 0)
      copyFrom(input);
    return round->finish();
  }

  /// Of no bytes, pointers may be null, which memcpy must not get.
  void copyFrom(const std::byte *source) const {
    if (bytes > 0)
      std::memcpy(output, source, static_cast<size_t>(bytes));
  }

  const std::byte *input;
  int64_t bytes;
  std::byte *output;
  std::optional<MessageRound> round;
};

} // namespace

Result<Traffic> broadcast(Communicator &communicator, RankGroup group, const std::byte *input,
                          int64_t bytes, std::byte *output) {
  Broadcast collective(communicator, group, input, bytes, output);
  return runNow(collective);
}

Result<PendingCollective> startBroadcast(Communicator &communicator, RankGroup group,
                                         const std::byte *input, int64_t bytes, std::byte *output) {
  return startRunning(std::make_unique<Broadcast>(communicator, group, input, bytes, output));
}

} // namespace shardwise::runtime
