// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emission of a group as one thunk: loads, block code, stores. Example:
//
//     %s = add %a, %b : tensor<1000xf32>
//     %m = broadcast_in_dim %c, dims = [] : tensor<1000xf32>     from a scalar
//     %t = multiply %s, %m
//
// is one pass: a and b are loaded, c is spread over a block once, and only %t is stored, unless
// something else reads %s. Its values live in a register of the block program.
//
// Operands are loaded as cheaply as their kind allows: constants and scalars as splats, filled in
// once; iota counted per block; broadcasts read at their strides; all others dense, in place.

#include "shardwise/execute/lower/ElementwiseGroup.h"

#include "shardwise/execute/lower/BroadcastForm.h"
#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/FusedThunk.h"

#include <algorithm>
#include <map>
#include <set>

namespace shardwise::execute {

/// Builds the thunk of one group.
class GroupEmitter {
public:
  GroupEmitter(FunctionLowering &lowering, const ElementwiseGroup &group, int64_t count)
      : lowering(lowering), group(group), count(count), program(thunk->code.program) {
    thunk->count = count;
    for (const ElementwiseGroup::Member &member : group.members)
      ops.insert(member.op);
  }

  void run() {
    for (const ElementwiseGroup::Member &member : group.members)
      addMember(member);
    size_t numLoads = thunk->denses.size();
    std::vector<BufferId> writes;
    for (const ElementwiseGroup::Member &member : group.members) {
      mlir::Value value = member.op->getResult(0);
      if (!needsStore(value))
        continue;
      SlotId slot = slots[value];
      program.setExternal(slot);
      writes.push_back(lowering.define(value));
      thunk->denses.push_back({slot, writes.back()});
    }
    program.finish();
    thunk->scratch = lowering.scratch(thunk->scratchBytes());
    auto loads =
        std::vector(thunk->denses.begin(), thunk->denses.begin() + static_cast<int64_t>(numLoads));
    auto stores =
        std::vector(thunk->denses.begin() + static_cast<int64_t>(numLoads), thunk->denses.end());
    std::vector<BufferId> used = writes;
    used.push_back(thunk->scratch);
    // Nobody reads a result: the group is dropped.
    if (writes.empty())
      return;
    // The block program outlives the move: types and reads are needed for the reuse below.
    BlockProgram code = program;
    int64_t at = lowering.emit(std::move(thunk), reads, used);
    offerReuse(code, loads, stores, at);
  }

private:
  void addMember(const ElementwiseGroup::Member &member) {
    llvm::SmallVector<SlotId, 3> operands;
    for (mlir::Value operand : member.op->getOperands())
      operands.push_back(slotOf(lowering.resolve(operand)));
    const ElementInstruction &instruction = member.instruction;
    slots[member.op->getResult(0)] = addElementOp(program, instruction, operands);
  }

  SlotId slotOf(mlir::Value value) {
    auto found = slots.find(value);
    if (found != slots.end())
      return found->second;
    return slots[value] = addLoad(value);
  }

  SlotId addLoad(mlir::Value value) {
    TensorType type = typeOf(value);
    mlir::Operation *op = lowering.deferred.lookup(value);
    if (auto constant = llvm::dyn_cast_or_null<stablehlo::ConstantOp>(op))
      return thunk->code.addConstant(type.type, constantDataOf(constant.getValue())->bytes);
    if (auto iota = llvm::dyn_cast_or_null<stablehlo::IotaOp>(op)) {
      SlotId slot = program.addExternal(type.type);
      auto dim = static_cast<size_t>(iota.getIotaDimension());
      thunk->counted.push_back(
          {slot, {type.type, type.shape[dim], rowMajorStrides(type.shape)[dim]}});
      return slot;
    }
    if (std::optional<BroadcastForm> broadcast = broadcastFormOf(op))
      return addBroadcast(*broadcast, type);
    BufferId buffer = lowering.bufferOf(value);
    reads.push_back(buffer);
    // Ops with an implicit scalar: the predicate of select, the bounds of clamp.
    if (elementCount(type.shape) != count) {
      shared.insert(buffer);
      return thunk->code.addScalar(type.type, buffer);
    }
    SlotId slot = program.addExternal(type.type);
    thunk->denses.push_back({slot, buffer});
    return slot;
  }

  SlotId addBroadcast(const BroadcastForm &broadcast, const TensorType &type) {
    mlir::Value source = lowering.resolve(broadcast.operand);
    // The shape before any renaming reshape is not the one that is broadcast.
    TensorType sourceType = typeOf(broadcast.operand);
    if (elementCount(sourceType.shape) == 1) {
      if (auto constant =
              llvm::dyn_cast_or_null<stablehlo::ConstantOp>(lowering.deferred.lookup(source)))
        return thunk->code.addConstant(type.type, constantDataOf(constant.getValue())->bytes);
      BufferId buffer = lowering.bufferOf(source);
      reads.push_back(buffer);
      shared.insert(buffer);
      return thunk->code.addScalar(type.type, buffer);
    }
    BufferId buffer = lowering.bufferOf(source);
    reads.push_back(buffer);
    shared.insert(buffer);
    SlotId slot = program.addExternal(type.type);
    thunk->broadcasts.push_back({slot, buffer,
                                 StridedReader(runtime::byteSize(type.type), type.shape,
                                               broadcast.strides(type.shape.size()))});
    return slot;
  }

  /// Whether anything but the ops of the group reads `value`, looking through renamings.
  bool needsStore(mlir::Value value) {
    for (mlir::Operation *user : value.getUsers()) {
      if (ops.contains(user))
        continue;
      bool isRenaming = user->getNumResults() == 1 &&
                        lowering.forwarded.count(user->getResult(0)) &&
                        lowering.resolve(user->getResult(0)) == lowering.resolve(value);
      if (!isRenaming || needsStore(user->getResult(0)))
        return true;
    }
    return false;
  }

  /// A result may overwrite an operand that dies here, if no later instruction of the block reads
  /// that operand.
  void offerReuse(const BlockProgram &code, const std::vector<FusedThunk::Dense> &loads,
                  const std::vector<FusedThunk::Dense> &stores, int64_t at) {
    std::map<BufferId, int64_t> lastRead;
    for (const FusedThunk::Dense &load : loads) {
      int64_t &last = lastRead.try_emplace(load.buffer, -1).first->second;
      last = std::max(last, code.lastReadAt(load.slot));
    }
    // What is read otherwise than block by block is never overwritten: later blocks of a broadcast
    // operand read the same elements again.
    std::set<BufferId> taken(shared.begin(), shared.end());
    for (const FusedThunk::Dense &store : stores)
      for (const FusedThunk::Dense &load : loads) {
        // Block b of the result lies over block b of the operand only if elements have one size;
        // else it would lie over blocks that are not read yet.
        bool isSameSize =
            runtime::byteSize(code.typeOf(store.slot)) == runtime::byteSize(code.typeOf(load.slot));
        // The same instruction may read and write: kernels work in place.
        bool isDone = lastRead[load.buffer] <= code.writtenAt(store.slot);
        if (isSameSize && isDone && taken.insert(load.buffer).second) {
          lowering.bufferPlan().mayReplace(store.buffer, load.buffer, at);
          break;
        }
      }
  }

  FunctionLowering &lowering;
  const ElementwiseGroup &group;
  int64_t count;
  std::unique_ptr<FusedThunk> thunk = std::make_unique<FusedThunk>();
  BlockProgram &program;
  llvm::SmallPtrSet<mlir::Operation *, 16> ops;
  llvm::DenseMap<mlir::Value, SlotId> slots;
  std::vector<BufferId> reads;
  std::set<BufferId> shared; // read as scalar or broadcast: never overwritten
};

void emitGroup(FunctionLowering &lowering, const ElementwiseGroup &group, int64_t count) {
  GroupEmitter(lowering, group, count).run();
}

} // namespace shardwise::execute
