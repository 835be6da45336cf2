// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everybody tells the first rank, and that tells everybody: two messages for each other rank. With
// the few processes of a reshard of files, and one exchange for each 256 MiB that each of them
// moves, a tree would save nothing.
//
// It is a barrier, too: rank 0 sends only when it has heard all, so that nobody leaves before the
// last one has come. A rank that has failed never comes, and its communicator ends the waits of the
// others with its error; one that hangs is found by the communicator's time limit.

#include "shardwise/files/Ranks.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace shardwise::files {
namespace {

/// A text and the zero that ends it. All slots have one size, so that no lengths need be sent.
constexpr int64_t kSlotBytes = 256;
constexpr std::string_view kWhat = "a reshard of files";

runtime::MessageBox boxOf(int64_t bytes) {
  return {{bytes}, {1}, 1};
}

} // namespace

Result<void> Ranks::meet() {
  Result<std::vector<std::string>> texts = exchange("");
  return texts ? Result<void>() : texts.error();
}

Result<std::vector<std::string>> Ranks::exchange(const std::string &own) {
  assert(own.size() < kSlotBytes && "texts between ranks are short");
  if (size() == 1)
    return std::vector<std::string>{own};
  std::vector<std::byte> slots(static_cast<size_t>(size() * kSlotBytes));
  std::memcpy(slots.data() + rank() * kSlotBytes, own.data(), own.size());
  // All ranks make the same exchanges in the same order. The number is in the name of each message,
  // so that a rank that is one ahead is not mistaken, and errors tell which one was waited for.
  int64_t number = numExchanges++;
  std::vector<runtime::PendingMessage> pending;
  Result<void> done;
  auto start = [&](bool isSent, runtime::Rank peer, int64_t slot, int64_t count) {
    if (!done)
      return;
    std::byte *data = slots.data() + slot * kSlotBytes;
    runtime::MessageName name{peer, kWhat, number};
    Result<runtime::PendingMessage> message =
        isSent ? communicator->startSend(name, data, boxOf(count * kSlotBytes))
               : communicator->startReceive(name, data, boxOf(count * kSlotBytes));
    if (message)
      pending.push_back(*message);
    else
      done = message.error();
  };
  auto waitForAll = [&] {
    for (runtime::PendingMessage message : pending)
      if (done)
        done = communicator->wait(message);
    pending.clear();
  };
  // Nobody waits for a message that the other side has not started: rank 0 receives before it
  // sends, the others send before they receive.
  if (isFirst()) {
    for (runtime::Rank peer = 1; peer < size(); ++peer)
      start(/*isSent=*/false, peer, peer, 1);
    waitForAll();
    for (runtime::Rank peer = 1; peer < size(); ++peer)
      start(/*isSent=*/true, peer, 0, size());
  } else {
    start(/*isSent=*/true, 0, rank(), 1);
    waitForAll();
    start(/*isSent=*/false, 0, 0, size());
  }
  waitForAll();
  if (!done)
    return done.error();
  std::vector<std::string> texts;
  for (int64_t slot = 0; slot < size(); ++slot) {
    const char *text = reinterpret_cast<const char *>(slots.data() + slot * kSlotBytes);
    texts.emplace_back(text, ::strnlen(text, kSlotBytes));
  }
  return texts;
}

} // namespace shardwise::files
