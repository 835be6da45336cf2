// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks are read and written in place.

#include "shardwise/execute/thunks/MapThunk.h"

#include <algorithm>

namespace shardwise::execute {

Result<void> MapThunk::run(Frame &frame) const {
  std::vector<void *> pointers = region.code.bind(frame, frame.at(scratch), kBlockLength);
  auto place = [&](SlotId slot, BufferId buffer, int64_t begin) {
    pointers[slot] = frame.at(buffer) + begin * runtime::byteSize(region.code.program.typeOf(slot));
  };
  for (int64_t begin = 0; begin < count; begin += kBlockLength) {
    for (size_t i = 0; i < inputs.size(); ++i)
      place(region.arguments[i], inputs[i], begin);
    place(region.results[0], result, begin);
    region.code.program.run(pointers, std::min(kBlockLength, count - begin));
  }
  return {};
}

} // namespace shardwise::execute
