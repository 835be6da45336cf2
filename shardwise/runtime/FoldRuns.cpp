// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The accumulator is a block of its own, because the output may be one of the inputs.

#include "shardwise/runtime/FoldRuns.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace shardwise::runtime {

void foldRun(const Reducer &reducer, std::span<const Publication> peers, size_t tensor,
             int64_t first, int64_t count, std::byte *output) {
  constexpr int64_t kBlockBytes = 16'384;
  alignas(64) std::array<std::byte, kBlockBytes> block;
  int64_t elementBytes = reducer.elementBytes;
  int64_t blockElements = kBlockBytes / elementBytes;
  for (int64_t done = 0; done < count; done += blockElements) {
    int64_t numElements = std::min(blockElements, count - done);
    int64_t offset = (first + done) * elementBytes;
    auto numBytes = static_cast<size_t>(numElements * elementBytes);
    std::memcpy(block.data(), peers.front().tensor(tensor).input + offset, numBytes);
    for (const Publication &peer : peers.subspan(1))
      reducer.fold(block.data(), peer.tensor(tensor).input + offset, numElements);
    std::memcpy(output + done * elementBytes, block.data(), numBytes);
  }
}

} // namespace shardwise::runtime
