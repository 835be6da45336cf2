// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the two ends of a message must mean alike, as it goes from process to process.

#pragma once

#include "shardwise/runtime/Communicator.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace shardwise::host {

/// A runtime::MessageName in bytes, with the size of the message.
struct WireName {
  int64_t number = 0;
  int64_t bytes = 0;
  uint64_t parameters = 0;
  int64_t collective = 0;
  std::array<char, 32> what{};

  WireName() = default;
  WireName(const runtime::MessageName &name, int64_t bytes)
      : number(name.number), bytes(bytes), parameters(name.parameters),
        collective(name.collective) {
    std::copy_n(name.what.begin(), std::min(name.what.size(), what.size() - 1), what.begin());
  }
  bool operator==(const WireName &) const = default;
};

} // namespace shardwise::host
