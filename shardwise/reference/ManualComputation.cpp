// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manual computations. The body runs on all devices of the mesh in lockstep:
//   1. Every device gets the block of each operand that the manual axes of its `in_sharding` give
//      it; along free axes values stay whole. Of a value that is to be unreduced along manual axes,
//      the first device has all and the others zeros if the parts are addends, else all have it.
//   2. Every op of the body runs for every device before the next op does.
//   3. The blocks of devices that differ along the manual axes only are put together as the
//      `out_sharding` says, parts along unreduced axes combined. Devices that hold the same block
//      ought to agree on it. Where they do not, the program does not say which counts: the first is
//      taken, with a warning.
// Example, with x=2 manual, y=2 free, and %a = [1, 2, 3, 4]:
//   %r = sdy.manual_computation(%a) in_shardings=[<@m, [{"x", "y"}]>]
//       out_shardings=[<@m, [{}], unreduced={"x"}>] manual_axes={"x"} (%l) { return %l }
//   %l   devices 0, 1: [1, 2]   2, 3: [3, 4]
//   %r   [1, 2] + [3, 4] for devices 0 and 2, the same for 1 and 3
// A computation in a computation cuts what each device has, and gives each its own result.

#include "shardwise/reference/BlockEvaluator.h"

#include "shardwise/core/ReplicaGroups.h"
#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/reference/Blocks.h"
#include "shardwise/reference/ElementTypes.h"

#include <mlir/IR/Diagnostics.h>

#include <map>

namespace shardwise::reference {
namespace {

/// The part of `sharding` on axes of `manual`.
core::Sharding manualPart(sdy::TensorShardingAttr sharding, sdy::ManualAxesAttr manual,
                          const core::Mesh &mesh) {
  core::Sharding part =
      sdy::resolveVerified(sharding, sdy::toAttr(sharding.getContext(), core::Mesh(mesh)));
  auto isFree = [&](const core::Axis &axis) {
    return !manual.contains(mesh.axes()[axis.index].name);
  };
  for (core::DimSharding &dim : part.dims)
    std::erase_if(dim.axes, isFree);
  std::erase_if(part.unreduced, isFree);
  return part;
}

} // namespace

mlir::FailureOr<core::Mesh> BlockEvaluator::meshOf(sdy::ManualComputationOp op) {
  const mlir::SymbolTable &table = symbols.getSymbolTable(op->getParentOfType<mlir::ModuleOp>());
  core::Mesh mesh = scope.mesh;
  for (sdy::TensorShardingPerValueAttr shardings :
       {op.getInShardingsAttr(), op.getOutShardingsAttr()})
    for (sdy::TensorShardingAttr sharding : shardings.getShardings())
      if (sdy::MeshAttr own = sdy::getMesh(sharding, table); own && !own.isEmpty())
        mesh = sdy::toCore(own);
  if (scope.computation && !scope.mesh.isEmpty() && mesh != scope.mesh) {
    mlir::InFlightDiagnostic error = op.emitOpError()
                                     << "is on mesh <" << core::toString(mesh)
                                     << ">, but the computation around it on <"
                                     << core::toString(scope.mesh) << ">; expected one mesh";
    error.attachNote(scope.computation->getLoc()) << "the computation around";
    return error;
  }
  for (mlir::StringAttr axis : op.getManualAxes().getAxes()) {
    if (!mesh.axisIndexOrNull(axis.getValue()))
      return op.emitOpError() << "has manual axis \"" << axis.getValue()
                              << "\", but no sharding with a mesh that has it";
    // Known to the verifier, but not where the computations are in different functions.
    if (scope.isManual(axis.getValue())) {
      mlir::InFlightDiagnostic error =
          op.emitOpError() << "has manual axis \"" << axis.getValue()
                           << "\", which is manual already where this function is called";
      error.attachNote(scope.computation->getLoc()) << "the computation around the call";
      return error;
    }
  }
  return mesh;
}

PerDevice BlockEvaluator::cut(const PerDevice &whole, const core::Sharding &manual) const {
  const core::AxisList blockAxes = core::dimensionAxes(manual);
  const bool hasAddends = manual.reduction == core::ReductionKind::Sum && !manual.unreduced.empty();
  if (blockAxes.empty() && !hasAddends)
    return whole;
  PerDevice blocks(scope.numDevices);
  // Devices with the same block of the same tensor share it; number -1 is a block of zeros.
  std::map<std::pair<const RuntimeValue *, int64_t>, TensorPtr> known;
  for (int64_t device : scope.active) {
    const TensorPtr &tensor = whole.on(device);
    int64_t position = scope.positionOf[device];
    bool isZero = hasAddends && core::coordinateAlong(manual.unreduced, scope.mesh, position) != 0;
    TensorPtr &block =
        known[{tensor.get(), isZero ? -1 : core::coordinateAlong(blockAxes, scope.mesh, position)}];
    if (!block) {
      core::Box box = core::shardBox(tensor->shape, manual, scope.mesh, position);
      block = shared(isZero ? HostTensor::zeros(tensor->type, box.size) : takeBox(*tensor, box));
    }
    blocks.set(device, block);
  }
  blocks.share(scope.active);
  return blocks;
}

mlir::FailureOr<PerDevice> BlockEvaluator::assemble(sdy::ManualComputationOp op, unsigned result,
                                                    const PerDevice &blocks,
                                                    const core::Sharding &manual) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(op->getResult(result).getType());
  const core::AxisList blockAxes = core::dimensionAxes(manual);
  // Parts are numbered by unreduced coordinate, then block.
  core::AxisList partAxes = manual.unreduced;
  partAxes.insert(partAxes.end(), blockAxes.begin(), blockAxes.end());
  const auto numBlocks = static_cast<size_t>(core::shardedSize(blockAxes));
  core::AxisList axes;
  for (mlir::StringAttr axis : op.getManualAxes().getAxes())
    axes.push_back(core::fullAxis(scope.mesh, *scope.mesh.axisIndexOrNull(axis.getValue())));

  PerDevice wholes(scope.numDevices);
  std::map<std::vector<const RuntimeValue *>, TensorPtr> known;
  for (const core::ReplicaGroup &group : core::replicaGroups(scope.mesh, axes)) {
    std::vector<const RuntimeValue *> parts(core::shardedSize(partAxes));
    std::vector<int64_t> holders(parts.size());
    // Where there is one device, of any id, its number is 0.
    DeviceList devices = scope.numDevices == 1 ? DeviceList{0} : group;
    for (int64_t device : devices) {
      if (!scope.isHere(device))
        continue;
      auto part = core::coordinateAlong(partAxes, scope.mesh, scope.positionOf[device]);
      const RuntimeValue *block = blocks.on(device).get();
      if (!parts[part]) {
        parts[part] = block;
        holders[part] = device;
      } else if (parts[part] != block) {
        warnOfDifference(op, result, holders[part], device);
      }
    }
    if (llvm::none_of(parts, [](const RuntimeValue *part) { return part; }))
      continue; // All of it are elsewhere.
    if (mlir::failed(scope.checkMeeting(*op, devices)))
      return mlir::failure();
    TensorPtr &whole = known[parts];
    if (!whole && (partAxes.empty() || !type)) {
      whole = blocks.on(holders[0]);
    } else if (!whole) {
      HostTensor made = zerosOf(type);
      for (size_t block = 0; block < numBlocks; ++block) {
        llvm::SmallVector<const HostTensor *> addends;
        for (size_t part = block; part < parts.size(); part += numBlocks)
          addends.push_back(parts[part]);
        putBox(made,
               core::shardBox(made.shape, manual, scope.mesh, scope.positionOf[holders[block]]),
               combine(manual.reduction, addends));
      }
      whole = shared(std::move(made));
    }
    wholes.take(whole, devices, scope.numDevices);
  }
  wholes.share(scope.active);
  return wholes;
}

void BlockEvaluator::warnOfDifference(mlir::Operation *op, unsigned result, int64_t first,
                                      int64_t second) {
  if (!warned.insert(op).second)
    return;
  op->emitWarning() << "result " << result << ": devices " << first << " and " << second
                    << " differ in elements that both hold by the out_sharding; those of device "
                    << first
                    << " are taken. Combine the values in the body, or name in the out_sharding "
                       "the axes along which they differ";
}

mlir::LogicalResult BlockEvaluator::runManual(sdy::ManualComputationOp op) {
  mlir::FailureOr<core::Mesh> mesh = meshOf(op);
  if (mlir::failed(mesh))
    return mlir::failure();
  std::vector<std::string> axes;
  for (mlir::StringAttr axis : op.getManualAxes().getAxes())
    axes.push_back(axis.str());
  DeviceScope outer = scope;
  scope.enter(op, *mesh, std::move(axes));

  ValueList arguments;
  for (auto [operand, sharding] : llvm::zip(op.getOperands(), op.getInShardings().getShardings()))
    arguments.push_back(
        cut(values.find(operand)->second, manualPart(sharding, op.getManualAxesAttr(), *mesh)));
  ValueList blocks;
  if (mlir::failed(runBlock(op.getBody().front(), arguments, blocks)))
    return mlir::failure();
  ValueList results;
  for (auto [number, sharding] : llvm::enumerate(op.getOutShardings().getShardings())) {
    mlir::FailureOr<PerDevice> whole =
        assemble(op, number, blocks[number], manualPart(sharding, op.getManualAxesAttr(), *mesh));
    if (mlir::failed(whole))
      return mlir::failure();
    results.push_back(std::move(*whole));
  }
  forget(op.getBody());
  // Outside of all computations there is one device: all of the mesh have the same.
  if (outer.numDevices < scope.numDevices)
    for (auto [number, result] : llvm::enumerate(results)) {
      if (!result.isUniform())
        for (int64_t device : scope.active)
          if (result.on(device) != result.on(0))
            warnOfDifference(op, number, 0, device);
      result = TensorPtr(result.on(0));
    }
  scope = std::move(outer);
  defineAs(op.getResults(), std::move(results));
  return mlir::success();
}

} // namespace shardwise::reference
