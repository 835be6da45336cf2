// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program must satisfy before it is partitioned.

#include "shardwise/driver/CheckProgram.h"

#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace shardwise::driver {
namespace {

/// Gets a sharding, the type and the place of its value, and what the value is.
using ShardingVisitor =
    llvm::function_ref<void(sdy::TensorShardingAttr, Type, Location, StringRef)>;

/// Calls `visit` for every sharding that a user can write.
void forEachWrittenSharding(ModuleOp module, ShardingVisitor visit) {
  module.walk([&](Operation *op) {
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (auto sharding =
                function.getArgAttrOfType<sdy::TensorShardingAttr>(i, sdy::kShardingAttr))
          visit(sharding, function.getArgumentTypes()[i],
                function.isExternal() ? function.getLoc() : function.getArgument(i).getLoc(),
                ("argument " + Twine(i)).str());
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        if (auto sharding =
                function.getResultAttrOfType<sdy::TensorShardingAttr>(i, sdy::kShardingAttr))
          visit(sharding, function.getResultTypes()[i], function.getLoc(),
                ("result " + Twine(i)).str());
      return;
    }
    if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(op)) {
      visit(constraint.getSharding(), constraint.getType(), op->getLoc(), "the constrained value");
      return;
    }
    if (auto reshard = dyn_cast<sdy::ReshardOp>(op)) {
      visit(reshard.getSharding(), reshard.getType(), op->getLoc(), "the resharded value");
      return;
    }
    if (auto manual = dyn_cast<sdy::ManualComputationOp>(op)) {
      for (auto [i, sharding] : llvm::enumerate(manual.getInShardings().getShardings()))
        visit(sharding, manual->getOperand(i).getType(), op->getLoc(),
              ("operand " + Twine(i)).str());
      for (auto [i, sharding] : llvm::enumerate(manual.getOutShardings().getShardings()))
        visit(sharding, manual->getResult(i).getType(), op->getLoc(), ("result " + Twine(i)).str());
      return;
    }
    if (auto perValue = op->getAttrOfType<sdy::TensorShardingPerValueAttr>(sdy::kShardingAttr))
      for (auto [i, sharding] : llvm::enumerate(perValue.getShardings()))
        if (i < op->getNumResults())
          visit(sharding, op->getResult(i).getType(), op->getLoc(), ("result " + Twine(i)).str());
  });
}

LogicalResult checkEven(sdy::TensorShardingAttr attr, Type type, Location location, StringRef what,
                        const SymbolTable &symbols) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  sdy::MeshAttr meshAttr = sdy::getMesh(attr, symbols);
  if (!tensor || !meshAttr)
    return success();
  const core::Mesh &mesh = sdy::toCore(meshAttr);
  auto sharding = core::resolve(sdy::toCore(attr), mesh);
  if (!sharding)
    return success(); // The verifier has spoken already.
  bool even = true;
  for (auto [d, dim] : llvm::enumerate(sharding->dims)) {
    int64_t parts = core::shardedSize(dim.axes);
    int64_t size = tensor.getDimSize(d);
    if (size % parts == 0)
      continue;
    even = false;
    emitError(location) << what << " of type " << type << ": dimension " << d << " of size " << size
                        << " does not divide into " << parts << " equal shards over "
                        << core::toString(dim.axes, mesh) << "; pad the dimension to a multiple of "
                        << parts << " or shard it over fewer devices";
  }
  return success(even);
}

} // namespace

FailureOr<core::Mesh> programMesh(ModuleOp module, std::optional<int64_t> maxDevices) {
  SymbolTable symbols(module);
  std::optional<core::Mesh> found;
  Attribute foundAt;
  bool agree = true;
  forEachWrittenSharding(
      module, [&](sdy::TensorShardingAttr attr, Type, Location location, StringRef) {
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
        emitError(location) << "sharding on mesh <" << core::toString(mesh)
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

LogicalResult checkEvenShardings(ModuleOp module) {
  SymbolTable symbols(module);
  bool even = true;
  forEachWrittenSharding(
      module, [&](sdy::TensorShardingAttr attr, Type type, Location location, StringRef what) {
        even &= succeeded(checkEven(attr, type, location, what, symbols));
      });
  return success(even);
}

} // namespace shardwise::driver
