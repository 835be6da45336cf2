// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a rank waits in, for the messages of others.

#pragma once

#include "shardwise/core/Collective.h"
#include "shardwise/runtime/Communicator.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace shardwise::runtime {

class LocalMeeting;

/// A short text that one thread writes and others read. Who reads while it changes may see a
/// mixture of two.
class SharedName {
public:
  void set(std::string_view text) {
    std::array<char, kBytes> bytes{};
    std::copy_n(text.begin(), std::min(text.size(), kBytes - 1), bytes.begin());
    for (size_t i = 0; i < words.size(); ++i) {
      uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i * sizeof(word), sizeof(word));
      words[i].store(word, std::memory_order_relaxed);
    }
  }
  std::string get() const {
    std::array<char, kBytes> bytes{};
    for (size_t i = 0; i < words.size(); ++i) {
      uint64_t word = words[i].load(std::memory_order_relaxed);
      std::memcpy(bytes.data() + i * sizeof(word), &word, sizeof(word));
    }
    bytes.back() = 0;
    return bytes.data();
  }

private:
  static constexpr size_t kBytes = 24;
  std::array<std::atomic<uint64_t>, kBytes / sizeof(uint64_t)> words{};
};

/// Written by its rank.
struct RankActivity {
  std::atomic<const LocalMeeting *> meeting{nullptr};
  std::atomic<CollectiveKind> collective{}; // Set before the meeting.
  /// The other end of the message that it waits for; -1 if none.
  std::atomic<Rank> peer{-1};
  std::atomic<bool> isReceiving{false}; // Set before the peer, as are the next two.
  std::atomic<int64_t> message{0};
  SharedName what;
  /// Collectives that it has started and not waited for.
  std::atomic<int32_t> numInFlight{0};

  void beginWait(const MessageName &name, bool receives) {
    isReceiving = receives;
    message = name.number;
    what.set(name.what);
    peer = name.peer;
  }
  void endWait() { peer = -1; }
};

} // namespace shardwise::runtime
