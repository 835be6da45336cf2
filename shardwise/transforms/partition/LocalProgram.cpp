// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the conversion to local shapes has to remember: types and shardings of values before it,
// coordinates per function, and what is to be replaced. Local forms ask for the former type of an
// operand by its value, so values must stay what they are until all forms are built; replacing,
// erasing and inlining wait for `finish`.

#include "shardwise/transforms/partition/LocalProgram.h"

#include "shardwise/core/ShardMap.h"
#include "shardwise/dialect/sdy/LocalCollectives.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/Collectives.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>

namespace shardwise::partition {

LocalProgram::LocalProgram(reshard::ShardedProgram &program, mlir::ModuleOp module)
    : program(program), context(module.getContext()) {
  // Collectives that users wrote have channels, too.
  module.walk([&](mlir::Operation *op) {
    if (stablehlo::collectiveKind(op))
      lastChannel = std::max(lastChannel, stablehlo::channelOf(op));
  });
}

mlir::RankedTensorType localType(mlir::RankedTensorType type, const core::Sharding &sharding) {
  return type.clone(core::localShape(core::Shape(type.getShape()), sharding));
}

void LocalProgram::makeLocal(mlir::Value value) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  if (!type || type.getRank() == 0)
    return;
  const core::Sharding &sharding = program.placementOf(value);
  // A partial value that is not cut keeps its type: every device has all of its shape.
  if (core::isFullyReplicated(sharding))
    return;
  cutValues[value] = {type, &sharding};
  value.setType(localType(type, sharding));
}

void LocalProgram::recordLike(mlir::Value value, mlir::Value like) {
  if (auto found = cutValues.find(like); found != cutValues.end())
    cutValues[value] = CutValue(found->second);
  if (sdy::TensorShardingAttr sharding = sdy::getSharding(like))
    sdy::setSharding(value, sharding);
}

core::AxisList LocalProgram::axesOf(mlir::Value value, int64_t dim) const {
  auto found = cutValues.find(value);
  return found == cutValues.end() ? core::AxisList() : found->second.sharding->dims[dim].axes;
}

mlir::RankedTensorType LocalProgram::globalType(mlir::Value value) const {
  auto found = cutValues.find(value);
  return found == cutValues.end() ? mlir::cast<mlir::RankedTensorType>(value.getType())
                                  : found->second.globalType;
}

void LocalProgram::recordFetches(mlir::Operation *op) {
  llvm::SmallVector<reshard::IntervalFetch> found = reshard::fetchesOf(op, program);
  if (!found.empty())
    fetches[op] = std::move(found);
}

llvm::ArrayRef<reshard::IntervalFetch> LocalProgram::fetchesOf(mlir::Operation *op) const {
  auto found = fetches.find(op);
  return found == fetches.end() ? llvm::ArrayRef<reshard::IntervalFetch>() : found->second;
}

mlir::Attribute LocalProgram::meshOf(mlir::Operation *op) const {
  // What gives the operand of a local collective says nothing of it any more.
  if (sdy::isLocalCollective(op)) {
    mlir::Attribute mesh = program.meshOf(sdy::getInSharding(op), op->getOperand(0).getType());
    if (mesh && !program.isOneDevice(mesh))
      return mesh;
  }
  for (mlir::ValueRange values :
       {mlir::ValueRange(op->getOperands()), mlir::ValueRange(op->getResults())})
    for (mlir::Value value : values)
      if (mlir::Attribute mesh = program.meshOf(value); mesh && !program.isOneDevice(mesh))
        return mesh;
  return program.meshSymbol();
}

DeviceCoordinates &LocalProgram::coordinatesAt(mlir::Operation *op) {
  auto function = op->getParentOfType<mlir::func::FuncOp>();
  mlir::Attribute mesh = meshOf(op);
  std::unique_ptr<DeviceCoordinates> &known = coordinates[{function, mesh}];
  if (!known)
    known = std::make_unique<DeviceCoordinates>(program.meshAt(mesh), function.getBody().front());
  return *known;
}

void LocalProgram::replaceInTheEnd(mlir::Value from, mlir::Value to, mlir::Operation *except) {
  replacements.push_back({from, to, except});
}

void LocalProgram::finish() {
  // Backwards: what replaces a value may itself have been replaced before, and then its new uses
  // are replaced in their turn. If it was replaced later, as the argument of a computation that an
  // inner one takes, that has been done by now.
  llvm::DenseMap<mlir::Value, mlir::Value> done;
  for (Replacement &replacement : llvm::reverse(replacements)) {
    mlir::Value to = replacement.to;
    for (auto later = done.find(to); later != done.end(); later = done.find(to))
      to = later->second;
    done[replacement.from] = to;
    if (replacement.except)
      replacement.from.replaceAllUsesExcept(to, replacement.except);
    else
      replacement.from.replaceAllUsesWith(to);
  }
  // Users were noted behind what they use, so they are erased before it.
  for (mlir::Operation *op : llvm::reverse(obsolete))
    op->erase();
  // Inner computations were noted first and go first; then the outer body has only plain ops.
  for (mlir::Operation *op : inlined) {
    mlir::Block &body = op->getRegion(0).front();
    body.getTerminator()->erase();
    op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations());
    op->erase();
  }
  replacements.clear();
  obsolete.clear();
  inlined.clear();
}

stablehlo::ChannelHandleAttr LocalProgram::nextChannel() {
  return stablehlo::ChannelHandleAttr::get(context, ++lastChannel, /*type=*/1);
}

stablehlo::ReplicaGroupMeshAxesAttr LocalProgram::groupsOver(const core::AxisList &axes,
                                                             mlir::Operation *op) const {
  llvm::SmallVector<stablehlo::AxisRefAttr> refs;
  for (const core::Axis &axis : axes) {
    core::AxisRef ref = core::toRef(axis, program.mesh());
    stablehlo::SubAxisInfoAttr part;
    if (ref.subAxis)
      part = stablehlo::SubAxisInfoAttr::get(context, ref.subAxis->preSize, ref.subAxis->size);
    refs.push_back(stablehlo::AxisRefAttr::get(context, ref.name, part));
  }
  return stablehlo::ReplicaGroupMeshAxesAttr::get(context, meshOf(op), refs);
}

} // namespace shardwise::partition
