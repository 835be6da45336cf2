// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each block: pointers of dense values move on, broadcasts and iotas are filled in, the code runs.

#include "shardwise/execute/thunks/FusedThunk.h"

#include "shardwise/execute/thunks/RankWorkers.h"

#include <fmt/format.h>

#include <cstring>

namespace shardwise::execute {

Result<void> FusedThunk::run(Frame &frame) const {
  // An instruction takes some 0.1 ns for an element.
  double nanoseconds = 0.1 * static_cast<double>(count * code.program.numInstructions());
  int64_t numPieces = piecesFor(nanoseconds, count / kBlockLength);
  runPieces(numPieces, [&](int64_t piece, int64_t worker) {
    auto [begin, end] = pieceRange(count, piece, numPieces, kBlockLength);
    if (begin >= end)
      return;
    WorkerScratch memory(worker, frame.at(scratch), scratchBytes());
    runRange(frame, begin, end, memory.data());
  });
  return {};
}

void FusedThunk::runRange(const Frame &frame, int64_t first, int64_t last, std::byte *base) const {
  int64_t length = blockLength();
  std::vector<void *> pointers = code.bind(frame, base, length);
  std::byte *loaded = base + code.scratchBytes(length);
  for (int64_t begin = first; begin < last; begin += length) {
    int64_t size = std::min(length, last - begin);
    for (const Dense &dense : denses)
      pointers[dense.slot] = frame.at(dense.buffer) + begin * elementBytes(dense.slot);
    std::byte *next = loaded;
    for (const Broadcast &load : broadcasts) {
      pointers[load.slot] =
          const_cast<void *>(load.reader.read(frame.at(load.buffer), begin, size, next));
      next += loadBytes(load.slot, length);
    }
    for (const Counted &load : counted) {
      load.iota.fill(next, begin, size);
      pointers[load.slot] = next;
      next += loadBytes(load.slot, length);
    }
    code.program.run(pointers, size);
  }
}

std::string FusedThunk::name() const {
  return fmt::format("fused {} ops x {}", code.program.numInstructions(), count);
}

std::optional<std::vector<BufferId>> FusedThunk::operandsOf(BufferId result) const {
  std::vector<BufferId> operands;
  auto addIn = [&](const auto &list, SlotId source) {
    for (const auto &one : list)
      if (one.slot == source && one.buffer >= 0)
        operands.push_back(one.buffer);
  };
  for (const Dense &store : denses) {
    if (store.buffer != result || code.program.writtenAt(store.slot) < 0)
      continue;
    for (SlotId source : code.program.sourcesOf(store.slot)) {
      addIn(denses, source);
      addIn(broadcasts, source);
      addIn(code.splats, source);
    }
  }
  return operands;
}

std::optional<std::vector<std::byte>> FusedThunk::valueOn(RankNumber, BufferId result,
                                                          const KnownOperands &operands) const {
  if (count != 1)
    return std::nullopt;
  // An element for each slot. What other results are computed from may be anything.
  constexpr int64_t kLargestElement = 16;
  auto numSlots = static_cast<size_t>(code.program.numSlots());
  std::vector<std::byte> elements(numSlots * kLargestElement);
  std::vector<void *> pointers;
  for (size_t slot = 0; slot < numSlots; ++slot)
    pointers.push_back(elements.data() + slot * kLargestElement);
  std::vector<BufferId> needed = *operandsOf(result);
  bool areAllKnown = true;
  auto load = [&](const auto &list) {
    for (const auto &one : list) {
      const std::byte *value = one.buffer < 0 ? nullptr : operands(one.buffer);
      if (value)
        std::memcpy(pointers[one.slot], value, static_cast<size_t>(elementBytes(one.slot)));
      else if (std::find(needed.begin(), needed.end(), one.buffer) != needed.end())
        areAllKnown = false;
    }
  };
  load(denses);
  load(broadcasts);
  load(code.splats);
  if (!areAllKnown)
    return std::nullopt;
  for (const Splat &splat : code.splats)
    if (!splat.constant.empty())
      std::memcpy(pointers[splat.slot], splat.constant.data(), splat.constant.size());
  for (const Counted &load : counted)
    load.iota.fill(static_cast<std::byte *>(pointers[load.slot]), 0, 1);
  code.program.run(pointers, 1);
  for (const Dense &store : denses)
    if (store.buffer == result && code.program.writtenAt(store.slot) >= 0) {
      auto *begin = static_cast<const std::byte *>(pointers[store.slot]);
      return std::vector(begin, begin + elementBytes(store.slot));
    }
  return std::nullopt;
}

int64_t FusedThunk::scratchBytes() const {
  int64_t length = blockLength();
  int64_t bytes = code.scratchBytes(length);
  for (const Broadcast &load : broadcasts)
    bytes += loadBytes(load.slot, length);
  for (const Counted &load : counted)
    bytes += loadBytes(load.slot, length);
  return bytes;
}

} // namespace shardwise::execute
