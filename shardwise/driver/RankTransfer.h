// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes between two ranks.

#pragma once

#include "shardwise/runtime/Communicator.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shardwise::driver {

/// The messages between this rank and another one, each waited for before the next. Both ends make
/// one, of the same `what`, which outlives it, and take turns alike.
class RankTransfer {
public:
  RankTransfer(runtime::Communicator &communicator, runtime::Rank peer, std::string_view what)
      : communicator(communicator), peer(peer), what(what) {}

  Result<void> send(const void *data, int64_t bytes) {
    return finish(
        communicator.startSend(name(), static_cast<const std::byte *>(data), boxOf(bytes)));
  }
  Result<void> receive(void *data, int64_t bytes) {
    return finish(communicator.startReceive(name(), static_cast<std::byte *>(data), boxOf(bytes)));
  }

private:
  static runtime::MessageBox boxOf(int64_t bytes) { return {{bytes}, {1}, 1}; }
  runtime::MessageName name() { return {peer, what, number++}; }
  Result<void> finish(const Result<runtime::PendingMessage> &started) {
    return started ? communicator.wait(*started) : started.error();
  }

  runtime::Communicator &communicator;
  runtime::Rank peer;
  std::string_view what;
  int64_t number = 0;
};

} // namespace shardwise::driver
