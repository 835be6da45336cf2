// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the buffers of a frame are, and sequences.

#include "shardwise/execute/thunks/Thunk.h"

#include "shardwise/execute/thunks/RunThunk.h"

#include <algorithm>

namespace shardwise::execute {
namespace {

bool areLocal(const Sequence &sequence) {
  return std::all_of(sequence.begin(), sequence.end(),
                     [](const std::unique_ptr<Thunk> &thunk) { return thunk->isLocal(); });
}

} // namespace

bool Thunk::isLocal() const {
  std::vector<const Sequence *> sequences = parts();
  return std::all_of(sequences.begin(), sequences.end(),
                     [](const Sequence *sequence) { return areLocal(*sequence); });
}

std::optional<std::vector<BufferId>> Thunk::operandsOf(BufferId) const {
  return std::nullopt;
}

std::optional<std::vector<std::byte>> Thunk::valueOn(RankNumber, BufferId,
                                                     const KnownOperands &) const {
  return std::nullopt;
}

std::optional<RankClasses> Thunk::resultClasses(const RankClasses &) const {
  return std::nullopt;
}

std::optional<JointResults> Thunk::jointResults(int64_t) const {
  return std::nullopt;
}

bool CompiledFunction::isLocal() const {
  return areLocal(body);
}

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
    if (Result<void> done = runThunk(*thunk, frame); !done)
      return done;
  return {};
}

} // namespace shardwise::execute
