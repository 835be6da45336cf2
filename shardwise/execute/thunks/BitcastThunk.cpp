// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bits go through a small store: read per element of the source, written per element of the target.

#include "shardwise/execute/thunks/BitcastThunk.h"

#include <algorithm>

namespace shardwise::execute {

Result<void> BitcastThunk::run(Frame &frame) const {
  const auto *read = frame.as<uint8_t>(source);
  auto *written = frame.as<uint8_t>(target);
  // Bits of a byte that count; types of more bits use all of each of their bytes.
  int readBits = std::min(8, runtime::bitWidth(from));
  int writtenBits = std::min(8, runtime::bitWidth(to));
  bool isSigned = runtime::isSignedInteger(to);
  unsigned held = 0;
  int numHeld = 0;
  for (int64_t done = 0; done < numBits; done += writtenBits) {
    while (numHeld < writtenBits) {
      held |= (*read++ & ((1U << readBits) - 1)) << numHeld;
      numHeld += readBits;
    }
    unsigned value = held & ((1U << writtenBits) - 1);
    held >>= writtenBits;
    numHeld -= writtenBits;
    if (isSigned && writtenBits < 8 && (value >> (writtenBits - 1)) != 0)
      value |= ~0U << writtenBits; // Small integers lie with their sign extended.
    *written++ = static_cast<uint8_t>(value);
  }
  return {};
}

} // namespace shardwise::execute
