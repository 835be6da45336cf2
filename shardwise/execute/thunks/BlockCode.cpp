// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splats are filled in once, before the first block.

#include "shardwise/execute/thunks/BlockCode.h"

#include "shardwise/execute/thunks/StridedCopy.h"

namespace shardwise::execute {
namespace {

int64_t splatBytes(DataType type, int64_t length) {
  return (length * runtime::byteSize(type) + 63) / 64 * 64;
}

} // namespace

SlotId BlockCode::addConstant(DataType type, std::vector<std::byte> value) {
  SlotId slot = program.addExternal(type);
  splats.push_back({slot, std::move(value), -1});
  return slot;
}

SlotId BlockCode::addScalar(DataType type, BufferId buffer) {
  SlotId slot = program.addExternal(type);
  splats.push_back({slot, {}, buffer});
  return slot;
}

int64_t BlockCode::scratchBytes(int64_t length) const {
  int64_t bytes = program.scratchBytes(length);
  for (const Splat &splat : splats)
    bytes += splatBytes(program.typeOf(splat.slot), length);
  return bytes;
}

std::vector<void *> BlockCode::bind(const Frame &frame, std::byte *scratch, int64_t length) const {
  std::vector<void *> pointers(static_cast<size_t>(program.numSlots()), nullptr);
  program.bindScratch(pointers, scratch, length);
  std::byte *next = scratch + program.scratchBytes(length);
  for (const Splat &splat : splats) {
    DataType type = program.typeOf(splat.slot);
    const std::byte *value =
        splat.constant.empty() ? frame.at(splat.buffer) : splat.constant.data();
    fillElements(next, value, runtime::byteSize(type), length);
    pointers[splat.slot] = next;
    next += splatBytes(type, length);
  }
  return pointers;
}

} // namespace shardwise::execute
