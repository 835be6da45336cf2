// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the buffers of a frame are, and sequences.

#include "shardwise/execute/thunks/Thunk.h"

namespace shardwise::execute {

Frame::Frame(const CompiledFunction &function, std::byte *arena,
             std::span<const std::byte *const> arguments, RankContext &context)
    : rank(context) {
  pointers.reserve(function.buffers.size());
  for (const Buffer &buffer : function.buffers) {
    switch (buffer.kind) {
    case BufferKind::Temporary:
      pointers.push_back(arena + buffer.offset);
      break;
    // Thunks write to temporaries only, so the constness of the other two is kept.
    case BufferKind::Argument:
      pointers.push_back(const_cast<std::byte *>(arguments[buffer.offset]));
      break;
    case BufferKind::Constant:
      pointers.push_back(const_cast<std::byte *>(function.constants[buffer.offset].data()));
      break;
    }
  }
}

Result<void> runSequence(const Sequence &sequence, Frame &frame) {
  for (const std::unique_ptr<Thunk> &thunk : sequence)
    if (Result<void> done = thunk->run(frame); !done)
      return done;
  return {};
}

} // namespace shardwise::execute
