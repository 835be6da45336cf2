// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device needs, and a profile of it: lowering as for a run, whose thunks nobody keeps.

#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/execute/MemoryProfile.h"
#include "shardwise/execute/lower/Lowering.h"

#include <mlir/IR/BuiltinTypes.h>

namespace shardwise::execute {
namespace {

/// An op of which nothing is known but its types.
class UnknownThunk : public Thunk {
public:
  Result<void> run(Frame &) const override { return invalid("an op that cannot be run"); }
  std::string name() const override { return "unknown"; }
};

/// Bytes of a tensor of any type; 0 for what is none.
int64_t bytesOf(mlir::Type type) {
  if (std::optional<TensorType> known = tensorTypeOf(type))
    return known->bytes();
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || !tensor.getElementType().isIntOrFloat())
    return 0;
  return (tensor.getNumElements() * tensor.getElementTypeBitWidth() + 7) / 8;
}

int64_t sumBytes(llvm::ArrayRef<mlir::Type> types) {
  int64_t bytes = 0;
  for (mlir::Type type : types)
    bytes += bytesOf(type);
  return bytes;
}

} // namespace

MemoryUse ModuleLowering::memoryOf(mlir::func::FuncOp entry,
                                   const CompiledFunction &compiled) const {
  MemoryUse memory;
  // The arena of main holds those of the functions it calls; constants are those of all functions.
  memory.argumentBytes = sumBytes(entry.getArgumentTypes());
  memory.resultBytes = sumBytes(entry.getResultTypes());
  memory.arenaBytes = compiled.deviceBytes;
  memory.constantBytes = tableBytes;
  for (const auto &function : functions)
    for (const std::vector<std::byte> &constant : function->constants)
      memory.constantBytes += static_cast<int64_t>(constant.size());
  return memory;
}

LogicalResult FunctionLowering::lowerUnknownOp(mlir::Operation &op) {
  std::vector<BufferId> reads = buffersOf(op.getOperands());
  std::vector<BufferId> writes;
  for (mlir::Value value : op.getResults()) {
    writes.push_back(plan.addTemporary(bytesOf(value.getType())));
    bind(value, writes.back());
  }
  emit(std::make_unique<UnknownThunk>(), reads, writes);
  return mlir::success();
}

/// Functions that are called are lowered before their callers end, so what the entry writes stays.
void FunctionLowering::writeProfile() {
  MemoryProfile &profile = *module.profile;
  profile.steps = std::move(steps);
  profile.steps.resize(plan.currentPosition());
  profile.buffers.clear();
  llvm::DenseMap<BufferId, size_t> indexOf;
  auto entryOf = [&](BufferId buffer) -> ProfiledBuffer * {
    BufferId root = plan.rootOf(buffer);
    if (plan.buffers()[root].kind != BufferKind::Temporary || plan.lastUse(root) < 0)
      return nullptr;
    auto [found, isNew] = indexOf.try_emplace(root, profile.buffers.size());
    if (isNew)
      profile.buffers.push_back({.bytes = BufferPlan::arenaBytesOf(plan.buffers()[root]),
                                 .first = plan.firstUse(root),
                                 .last = plan.lastUse(root)});
    return &profile.buffers[found->second];
  };
  for (BufferId id = 0; id < static_cast<BufferId>(plan.buffers().size()); ++id)
    entryOf(id);
  for (auto [buffer, value] : named)
    if (ProfiledBuffer *entry = entryOf(buffer))
      entry->values.push_back(value);
  for (BufferId buffer : result.results)
    if (ProfiledBuffer *entry = entryOf(buffer))
      entry->isResult = true;
}

mlir::FailureOr<MemoryProfile> profileMemory(mlir::ModuleOp localModule) {
  mlir::func::FuncOp entry = stablehlo::entryFunctionOrNull(localModule);
  if (!entry || entry.isExternal())
    return localModule.emitError()
           << "has no entry to compile; expected a function 'main' or one public function";
  MemoryProfile profile;
  ModuleLowering lowering(localModule, &profile);
  mlir::FailureOr<const CompiledFunction *> main = lowering.compiledFunction(entry, *entry);
  if (mlir::failed(main))
    return mlir::failure();
  profile.use = lowering.memoryOf(entry, **main);
  return profile;
}

} // namespace shardwise::execute
