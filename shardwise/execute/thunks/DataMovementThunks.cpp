// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies by kernels of their own; start indices are clamped.

#include "shardwise/execute/thunks/DataMovementThunks.h"

#include "shardwise/execute/thunks/IndexReader.h"

#include <algorithm>

namespace shardwise::execute {

Result<void> FillThunk::run(Frame &frame) const {
  fillElements(frame.at(target), value.data(), static_cast<int64_t>(value.size()), count);
  return {};
}

Result<void> IotaThunk::run(Frame &frame) const {
  iota.fill(frame.at(target), 0, count);
  return {};
}

Result<void> BroadcastThunk::run(Frame &frame) const {
  copy.run(frame.at(source), frame.at(target));
  return {};
}

Result<void> ConvertThunk::run(Frame &frame) const {
  conversion.run(frame.at(source), frame.at(target), count);
  return {};
}

Result<void> CopyThunk::run(Frame &frame) const {
  if (fill >= 0)
    fillElements(frame.at(target), frame.at(fill), elementBytes, count);
  for (const Part &part : parts)
    part.copy.run(frame.at(part.source), frame.at(target));
  return {};
}

int64_t DynamicStart::offset(const Frame &frame) const {
  int64_t total = 0;
  for (size_t dim = 0; dim < buffers.size(); ++dim)
    total += std::clamp<int64_t>(readIndex(frame.at(buffers[dim]), type, 0), 0, largest[dim]) *
             strides[dim];
  return total;
}

Result<void> DynamicSliceThunk::run(Frame &frame) const {
  if (copy.numElements() > 0)
    copy.run(frame.at(source) + start.offset(frame) * elementBytes, frame.at(target));
  return {};
}

Result<void> DynamicUpdateThunk::run(Frame &frame) const {
  if (frame.at(operand) != frame.at(target))
    copyBytes(frame.at(target), frame.at(operand), bytes);
  if (copy.numElements() > 0)
    copy.run(frame.at(update), frame.at(target) + start.offset(frame) * elementBytes);
  return {};
}

} // namespace shardwise::execute
