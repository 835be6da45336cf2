// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// broadcast: every rank copies from the first of its group.

#include "shardwise/runtime/CollectiveChecks.h"
#include "shardwise/runtime/MessageCollectives.h"

#include <cstring>

namespace shardwise::runtime {

Result<Traffic> broadcast(Communicator &communicator, RankGroup group, const std::byte *input,
                          int64_t bytes, std::byte *output) {
  Traffic traffic;
  if (!group.empty() && group.front() != communicator.rank())
    traffic = {core::receivedBytes(CollectiveKind::CollectiveBroadcast, bytes,
                                   static_cast<int64_t>(group.size())),
               1};
  if (!communicator.canMeet(group)) {
    Result<void> done = messages::broadcast(communicator, group, input, bytes, output);
    return done ? Result<Traffic>(traffic) : done.error();
  }
  Publication own;
  own.collective = CollectiveKind::CollectiveBroadcast;
  own.input = input;
  own.inputBytes = bytes;
  Result<std::span<const Publication>> peers = communicator.publish(group, own);
  if (!peers)
    return peers.error();
  if (bytes > 0)
    std::memcpy(output, peers->front().input, static_cast<size_t>(bytes));
  if (Result<void> released = communicator.release(group); !released)
    return released.error();
  return traffic;
}

} // namespace shardwise::runtime
