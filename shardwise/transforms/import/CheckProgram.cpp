// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program must satisfy before it is partitioned.

#include "shardwise/transforms/import/CheckProgram.h"

#include "shardwise/core/EvenSharding.h"
#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardwise::importer {
namespace {

/// A sharding that a user wrote, and where.
struct Written {
  sdy::TensorShardingAttr sharding;
  Type type;
  Location location;
  std::string what;
  Operation *op = nullptr;
  std::optional<int32_t> argument;
};

/// Calls `visit` for every sharding that a user can write.
void forEachWrittenSharding(ModuleOp module, llvm::function_ref<void(const Written &)> visit) {
  module.walk([&](Operation *op) {
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (auto sharding =
                function.getArgAttrOfType<sdy::TensorShardingAttr>(i, sdy::kShardingAttr))
          visit({sharding, function.getArgumentTypes()[i],
                 function.isExternal() ? function.getLoc() : function.getArgument(i).getLoc(),
                 ("argument " + Twine(i)).str(), op, i});
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        if (auto sharding =
                function.getResultAttrOfType<sdy::TensorShardingAttr>(i, sdy::kShardingAttr))
          visit({sharding,
                 function.getResultTypes()[i],
                 function.getLoc(),
                 ("result " + Twine(i)).str(),
                 op,
                 {}});
      return;
    }
    if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(op)) {
      visit({constraint.getSharding(),
             constraint.getType(),
             op->getLoc(),
             "the constrained value",
             op,
             {}});
      return;
    }
    if (auto reshard = dyn_cast<sdy::ReshardOp>(op)) {
      visit(
          {reshard.getSharding(), reshard.getType(), op->getLoc(), "the resharded value", op, {}});
      return;
    }
    if (auto manual = dyn_cast<sdy::ManualComputationOp>(op)) {
      for (auto [i, sharding] : llvm::enumerate(manual.getInShardings().getShardings()))
        visit({sharding,
               manual->getOperand(i).getType(),
               op->getLoc(),
               ("operand " + Twine(i)).str(),
               op,
               {}});
      for (auto [i, sharding] : llvm::enumerate(manual.getOutShardings().getShardings()))
        visit({sharding,
               manual->getResult(i).getType(),
               op->getLoc(),
               ("result " + Twine(i)).str(),
               op,
               {}});
      return;
    }
    if (auto perValue = op->getAttrOfType<sdy::TensorShardingPerValueAttr>(sdy::kShardingAttr))
      for (auto [i, sharding] : llvm::enumerate(perValue.getShardings()))
        if (i < op->getNumResults())
          visit({sharding,
                 op->getResult(i).getType(),
                 op->getLoc(),
                 ("result " + Twine(i)).str(),
                 op,
                 {}});
  });
}

void findUneven(const Written &written, const SymbolTable &symbols,
                std::vector<UnevenSharding> &found) {
  auto tensor = dyn_cast<RankedTensorType>(written.type);
  sdy::MeshAttr meshAttr = sdy::getMesh(written.sharding, symbols);
  if (!tensor || !meshAttr)
    return;
  const core::Mesh &mesh = sdy::toCore(meshAttr);
  auto sharding = core::resolve(sdy::toCore(written.sharding), mesh);
  if (!sharding)
    return; // The verifier has spoken already.
  std::optional<core::UnevenDim> uneven = core::unevenDim(tensor.getShape(), *sharding);
  for (; uneven; uneven = core::unevenDim(tensor.getShape(), *sharding, uneven->dim + 1)) {
    std::string message;
    llvm::raw_string_ostream(message)
        << written.what << " of type '" << written.type << "': dimension " << uneven->dim
        << " of size " << uneven->size << " does not divide into " << uneven->numParts
        << " equal shards over " << core::toString(sharding->dims[uneven->dim].axes, mesh)
        << "; pad the dimension to a multiple of " << uneven->numParts
        << " or shard it over fewer devices";
    found.push_back({written.location, written.op, written.argument, std::move(message)});
  }
}

} // namespace

FailureOr<core::Mesh> programMesh(ModuleOp module, std::optional<int64_t> maxDevices) {
  SymbolTable symbols(module);
  std::optional<core::Mesh> found;
  Attribute foundAt;
  bool agree = true;
  forEachWrittenSharding(module, [&](const Written &written) {
    sdy::TensorShardingAttr attr = written.sharding;
    sdy::MeshAttr meshAttr = sdy::getMesh(attr, symbols);
    if (!agree || !meshAttr || attr.getMeshOrRef() == foundAt)
      return;
    const core::Mesh &mesh = sdy::toCore(meshAttr);
    if (mesh.isEmpty())
      return;
    if (!found) {
      found = mesh;
      foundAt = attr.getMeshOrRef();
      return;
    }
    if (*found == mesh)
      return;
    agree = false;
    emitError(written.location) << "sharding on mesh <" << core::toString(mesh)
                                << "> in a program that uses mesh <" << core::toString(*found)
                                << ">; one program runs on one mesh";
  });
  if (!agree)
    return failure();
  // Without a sharding, propagation has nothing to go by, but the mesh still says how many devices
  // run the program.
  for (auto op : module.getOps<sdy::MeshOp>())
    if (!found && !sdy::toCore(op.getMesh()).axes().empty())
      found = sdy::toCore(op.getMesh());
  core::Mesh mesh = found.value_or(core::Mesh());
  if (!maxDevices || mesh.numDevices() <= *maxDevices)
    return mesh;

  Location location = module.getLoc();
  for (auto op : module.getOps<sdy::MeshOp>())
    if (sdy::toCore(op.getMesh()) == mesh)
      location = op.getLoc();
  emitError(location) << "mesh <" << core::toString(mesh) << "> has " << mesh.numDevices()
                      << " devices, but at most " << *maxDevices
                      << " are allowed (--devices); allow more or make the mesh smaller";
  return failure();
}

LogicalResult checkShardingForm(ModuleOp module) {
  if (!module.getOps<sdy::MeshOp>().empty())
    return success();
  auto check = [](Location location, DictionaryAttr attributes) -> LogicalResult {
    auto sharding = attributes ? attributes.getAs<StringAttr>("mhlo.sharding") : nullptr;
    // Without a list of devices every device has all of it.
    if (!sharding || !sharding.getValue().contains("devices="))
      return success();
    return emitError(location) << "sharding mhlo.sharding = " << sharding
                               << " is of the partitioner before Shardy; export with Shardy "
                                  "(jax.config.update(\"jax_use_shardy_partitioner\", True)), "
                                  "which writes sdy.sharding";
  };
  WalkResult walk = module.walk([&](Operation *op) {
    bool isKnown = succeeded(check(op->getLoc(), op->getDiscardableAttrDictionary()));
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      for (unsigned i = 0; isKnown && i < function.getNumArguments(); ++i)
        isKnown = succeeded(
            check(function.isExternal() ? function.getLoc() : function.getArgument(i).getLoc(),
                  function.getArgAttrDict(i)));
      for (unsigned i = 0; isKnown && i < function.getNumResults(); ++i)
        isKnown = succeeded(check(function.getLoc(), function.getResultAttrDict(i)));
    }
    return isKnown ? WalkResult::advance() : WalkResult::interrupt();
  });
  return success(!walk.wasInterrupted());
}

std::vector<UnevenSharding> unevenShardings(ModuleOp module) {
  SymbolTable symbols(module);
  std::vector<UnevenSharding> found;
  forEachWrittenSharding(module,
                         [&](const Written &written) { findUneven(written, symbols, found); });
  return found;
}

LogicalResult checkEvenShardings(ModuleOp module) {
  std::vector<UnevenSharding> uneven = unevenShardings(module);
  for (const UnevenSharding &sharding : uneven)
    emitError(sharding.location) << sharding.message;
  return success(uneven.empty());
}

} // namespace shardwise::importer
