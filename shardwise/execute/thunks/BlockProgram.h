// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Straight-line element-wise code over short blocks of elements: the body of a fused element-wise
// region and of reduction regions. Intermediate values of a block stay in cache and never take
// space in the arena.

#pragma once

#include "shardwise/execute/kernels/ElementKernels.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shardwise::execute {

/// Number of a value in a block program.
using SlotId = int32_t;

/// Elements computed per pass over the instructions. Ten f32 values of this length fill a 48 KiB
/// level-1 cache.
inline constexpr int64_t kBlockLength = 1024;

/// A list of kernel calls over numbered slots. A slot is *external* (its memory is given by the
/// caller for each block) or *internal* (in scratch memory, shared by values that do not live at
/// the same time).
///
/// Use: add slots and instructions, `setExternal` for results that go to memory, `finish` once.
/// Then, per run: `bindScratch`, and per block `run` with all external pointers set.
class BlockProgram {
public:
  SlotId addExternal(DataType type);
  /// Appends an instruction and returns the slot of its result.
  SlotId addInstruction(ElementKernel kernel, DataType resultType, std::span<const SlotId> operands,
                        const KernelArguments &arguments = {});
  /// Makes the result slot of an instruction external.
  void setExternal(SlotId slot) { slots[slot].isExternal = true; }
  /// Assigns scratch memory. Nothing may be added afterwards.
  void finish();

  int64_t numSlots() const { return static_cast<int64_t>(slots.size()); }
  int64_t numInstructions() const { return static_cast<int64_t>(instructions.size()); }
  DataType typeOf(SlotId slot) const { return slots[slot].type; }
  /// Number of the instruction that writes `slot` (-1 if none), or reads it last (-1 if none).
  int64_t writtenAt(SlotId slot) const { return slots[slot].writer; }
  int64_t lastReadAt(SlotId slot) const { return slots[slot].lastReader; }

  /// The slots that no instruction writes and that `slot` is computed from, each once.
  std::vector<SlotId> sourcesOf(SlotId slot) const;

  /// Bytes of scratch memory for blocks of at most `length` elements.
  int64_t scratchBytes(int64_t length) const;
  /// Sets the pointers of internal slots. `pointers` has one entry per slot.
  void bindScratch(std::span<void *> pointers, std::byte *scratch, int64_t length) const;
  /// Computes one block of `count` elements, at most the bound length.
  void run(std::span<void *const> pointers, int64_t count) const;

private:
  struct Slot {
    DataType type;
    bool isExternal;
    int64_t writer = -1;
    int64_t lastReader = -1;
    int64_t scratchRegister = -1;
  };
  struct Instruction {
    ElementKernel kernel;
    KernelArguments arguments;
    SlotId result;
    SlotId operands[3];
    size_t numOperands = 0;
  };

  int64_t registerBytes(int64_t length) const;

  std::vector<Slot> slots;
  std::vector<Instruction> instructions;
  int64_t numRegisters = 0;
};

} // namespace shardwise::execute
