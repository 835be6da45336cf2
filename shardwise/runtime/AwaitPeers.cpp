// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A message of one byte to and from each. What comes from a peer is behind its earlier messages, as
// those of two ranks stay in order on their connection.

#include "shardwise/runtime/AwaitPeers.h"

#include <vector>

namespace shardwise::runtime {

Result<void> awaitPeers(Communicator &communicator, std::span<const MessageName> names) {
  const std::byte sign{};
  std::vector<std::byte> signs(names.size());
  std::vector<PendingMessage> messages;
  for (size_t i = 0; i < names.size(); ++i) {
    for (Result<PendingMessage> started :
         {communicator.startReceive(names[i], &signs[i], {{1}, {1}, 1}, nullptr),
          communicator.startSend(names[i], &sign, {{1}, {1}, 1})}) {
      if (!started)
        return started.error();
      messages.push_back(*started);
    }
  }
  for (PendingMessage message : messages)
    if (Result<void> done = communicator.wait(message); !done)
      return done;
  return {};
}

} // namespace shardwise::runtime
