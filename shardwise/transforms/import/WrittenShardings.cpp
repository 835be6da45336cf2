// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/transforms/import/WrittenShardings.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace shardwise::importer {

static constexpr StringLiteral kMark = "shardwise.written_sharding";
static constexpr StringLiteral kUnwritten = "shardwise.unwritten_sharding";
/// Of an argument: the number of the result that takes its buffer over.
static constexpr StringLiteral kAliasedResult = "tf.aliasing_output";

/// Whether `op` is made anew where its result is needed, and merged with those that are alike:
/// constants and broadcasts of scalars.
static bool isMadeAnywhere(Operation *op) {
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op))
    return broadcast.getBroadcastDimensions().empty();
  return isa<stablehlo::ConstantOp, sdy::ConstantOp, stablehlo::IotaOp>(op);
}

/// Whether a sharding says nothing: `[{?}, {?}]`, or none.
static bool isUnwritten(sdy::TensorShardingAttr sharding) {
  auto isClosed = [](const core::WrittenDimSharding &dim) { return dim.isClosed; };
  return !sharding || (sharding.hasNoAxes() && llvm::none_of(sdy::toCore(sharding).dims, isClosed));
}

/// What steps of training hand on from one to the next has the same type as a result and as an
/// argument: it has to be where the next step takes it, so propagation's word counts, which puts
/// both in one place.
static void markUnwritten(func::FuncOp entry) {
  UnitAttr mark = UnitAttr::get(entry.getContext());
  llvm::DenseSet<int64_t> shared;
  llvm::DenseSet<Type> ofArguments, ofUnwrittenResults;
  SmallVector<unsigned> arguments, results;
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    ofArguments.insert(entry.getArgumentTypes()[i]);
    if (auto result = entry.getArgAttrOfType<IntegerAttr>(i, kAliasedResult))
      shared.insert(result.getInt());
    else if (isUnwritten(sdy::getFuncArgSharding(entry, i)))
      arguments.push_back(i);
  }
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (!shared.contains(i) && isUnwritten(sdy::getFuncResultSharding(entry, i))) {
      ofUnwrittenResults.insert(entry.getResultTypes()[i]);
      results.push_back(i);
    }
  for (unsigned i : arguments)
    if (!ofUnwrittenResults.contains(entry.getArgumentTypes()[i]))
      entry.setArgAttr(i, kUnwritten, mark);
  for (unsigned i : results)
    if (!ofArguments.contains(entry.getResultTypes()[i]))
      entry.setResultAttr(i, kUnwritten, mark);
}

void markWrittenShardings(ModuleOp module) {
  if (func::FuncOp entry = stablehlo::entryFunctionOrNull(module))
    markUnwritten(entry);
  auto isWritten = [](Value result) { return bool(sdy::getSharding(result)); };
  module.walk([&](Operation *op) {
    if (!isa<sdy::ShardingConstraintOp, sdy::ReshardOp>(op) && !isMadeAnywhere(op) &&
        llvm::any_of(op->getResults(), isWritten))
      op->setAttr(kMark, UnitAttr::get(module.getContext()));
  });
}

bool hasWrittenSharding(Operation *op) {
  return op->hasAttr(kMark);
}

bool isUnwrittenArgument(func::FuncOp function, unsigned index) {
  return function.getArgAttr(index, kUnwritten) != nullptr;
}

bool isUnwrittenResult(func::FuncOp function, unsigned index) {
  return function.getResultAttr(index, kUnwritten) != nullptr;
}

void removeWrittenMarks(ModuleOp module) {
  auto mark = StringAttr::get(module.getContext(), kMark);
  module.walk([&](Operation *op) { op->removeDiscardableAttr(mark); });
  for (auto function : module.getOps<func::FuncOp>()) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.removeArgAttr(i, kUnwritten);
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      function.removeResultAttr(i, StringAttr::get(module.getContext(), kUnwritten));
  }
}

} // namespace shardwise::importer
