// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who writes what to an output that several ranks have in one place. No two write to one byte, not
// even the same value: that would be a data race. Example: of 4 ranks, 1 and 3 have one output; 1
// brings there what comes from 0 and 2, and 3 what comes from 1 and 3.

#pragma once

#include "shardwise/runtime/Communicator.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace shardwise::runtime {

/// Which peers' parts a rank brings to an output: those whose position is `turn` modulo `count`.
struct OutputTurn {
  int64_t turn = 0, count = 0;

  bool isFor(int64_t peer) const { return peer % count == turn; }
};

/// The turn of the rank at `position` among those that have the output of tensor `number` in the
/// same place.
inline OutputTurn turnOf(std::span<const Publication> peers, size_t number, int64_t position) {
  OutputTurn found;
  const std::byte *output = peers[position].tensor(number).output;
  for (int64_t peer = 0; peer < std::ssize(peers); ++peer)
    if (peer == position || peers[peer].tensor(number).output == output) {
      found.turn = peer < position ? found.turn + 1 : found.turn;
      ++found.count;
    }
  return found;
}

} // namespace shardwise::runtime
