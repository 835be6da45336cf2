// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scratch assignment and the loop over instructions.

#include "shardwise/execute/thunks/BlockProgram.h"

#include <algorithm>
#include <cassert>

namespace shardwise::execute {

SlotId BlockProgram::addExternal(DataType type) {
  slots.push_back({type, /*isExternal=*/true});
  return static_cast<SlotId>(slots.size()) - 1;
}

SlotId BlockProgram::addInstruction(ElementKernel kernel, DataType resultType,
                                    std::span<const SlotId> operands,
                                    const KernelArguments &arguments) {
  assert(kernel && operands.size() <= 3 && "kernels take one to three operands");
  Instruction instruction = {kernel, arguments, 0, {0, 0, 0}, operands.size()};
  int64_t number = numInstructions();
  for (size_t i = 0; i < operands.size(); ++i) {
    instruction.operands[i] = operands[i];
    slots[operands[i]].lastReader = number;
  }
  slots.push_back({resultType, /*isExternal=*/false, number});
  instruction.result = static_cast<SlotId>(slots.size()) - 1;
  instructions.push_back(instruction);
  return instruction.result;
}

std::vector<SlotId> BlockProgram::sourcesOf(SlotId slot) const {
  std::vector<SlotId> sources;
  std::vector<SlotId> open = {slot};
  std::vector<bool> isSeen(slots.size(), false);
  while (!open.empty()) {
    SlotId next = open.back();
    open.pop_back();
    if (isSeen[next])
      continue;
    isSeen[next] = true;
    if (slots[next].writer < 0) {
      sources.push_back(next);
      continue;
    }
    const Instruction &instruction = instructions[slots[next].writer];
    open.insert(open.end(), instruction.operands, instruction.operands + instruction.numOperands);
  }
  return sources;
}

void BlockProgram::finish() {
  // Linear scan: a register is free again after the last reader of its value. A result may take
  // the register of an operand that dies at the same instruction: kernels work in place, but only
  // between elements of one size.
  std::vector<std::vector<SlotId>> dyingAt(instructions.size());
  for (size_t slot = 0; slot < slots.size(); ++slot)
    if (!slots[slot].isExternal && slots[slot].lastReader >= 0)
      dyingAt[slots[slot].lastReader].push_back(static_cast<SlotId>(slot));
  std::vector<int64_t> freeRegisters;
  for (size_t number = 0; number < instructions.size(); ++number) {
    Slot &result = slots[instructions[number].result];
    std::vector<int64_t> freeLater;
    for (SlotId dying : dyingAt[number]) {
      bool isSameSize = runtime::byteSize(slots[dying].type) == runtime::byteSize(result.type);
      (isSameSize ? freeRegisters : freeLater).push_back(slots[dying].scratchRegister);
    }
    if (!result.isExternal) {
      if (freeRegisters.empty())
        freeRegisters.push_back(numRegisters++);
      result.scratchRegister = freeRegisters.back();
      freeRegisters.pop_back();
      if (result.lastReader < 0)
        freeLater.push_back(result.scratchRegister);
    }
    freeRegisters.insert(freeRegisters.end(), freeLater.begin(), freeLater.end());
  }
}

/// Bytes of a register: one size fits the values of all types, so that any value can take any
/// register.
int64_t BlockProgram::registerBytes(int64_t length) const {
  int64_t largest = 1;
  for (const Slot &slot : slots)
    if (!slot.isExternal)
      largest = std::max(largest, runtime::byteSize(slot.type));
  return (length * largest + 63) / 64 * 64;
}

int64_t BlockProgram::scratchBytes(int64_t length) const {
  return numRegisters * registerBytes(length);
}

void BlockProgram::bindScratch(std::span<void *> pointers, std::byte *scratch,
                               int64_t length) const {
  int64_t bytes = registerBytes(length);
  for (size_t slot = 0; slot < slots.size(); ++slot)
    if (!slots[slot].isExternal)
      pointers[slot] = scratch + slots[slot].scratchRegister * bytes;
}

void BlockProgram::run(std::span<void *const> pointers, int64_t count) const {
  for (const Instruction &instruction : instructions) {
    const void *operands[3] = {pointers[instruction.operands[0]], pointers[instruction.operands[1]],
                               pointers[instruction.operands[2]]};
    instruction.kernel(pointers[instruction.result], operands, count, instruction.arguments);
  }
}

} // namespace shardwise::execute
