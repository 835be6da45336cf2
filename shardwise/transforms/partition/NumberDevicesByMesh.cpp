// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-number-devices-by-mesh. With <["x"=4], device_ids=[2, 0, 3, 1]> as the mesh of
// the program, device 2 is from now on called 0, device 0 is called 1:
//   1. the mesh becomes <["x"=4]>, every other one keeps its devices under their new names;
//   2. listed groups and pairs get the new names; groups over axes mean what they meant;
//   3. what is computed from `partition_id` expects the old names: a table gives them back.
// Of (3), that a position in the mesh is then looked up in a second table, is the price for one
// rule; programs of which this is true are rare.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/Collectives.h"
#include "shardwise/transforms/partition/CollectiveDevices.h"
#include "shardwise/transforms/partition/Passes.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

namespace shardwise::partition {

#define GEN_PASS_DEF_NUMBERDEVICESBYMESH
#include "shardwise/transforms/partition/Passes.h.inc"

namespace {

/// The new number of each device.
using NewNumbers = std::vector<int64_t>;

void renumber(sdy::MeshOp op, const NewNumbers &numbers) {
  const core::Mesh &mesh = sdy::toCore(op.getMesh());
  if (mesh.isEmpty())
    return;
  std::vector<core::DeviceId> ids;
  for (int64_t position = 0; position < mesh.numDevices(); ++position) {
    // Meshes that nothing uses may be of any devices.
    if (mesh.deviceAt(position) >= std::ssize(numbers))
      return;
    ids.push_back(numbers[mesh.deviceAt(position)]);
  }
  Result<core::Mesh> renumbered = core::Mesh::create(mesh.axes(), std::move(ids));
  if (renumbered.ok())
    op.setMeshAttr(sdy::toAttr(op.getContext(), std::move(*renumbered)));
  // What JAX writes beside it says the same with the old numbers.
  op->removeAttr("stablehlo.mesh");
}

/// Returns a list of numbers of devices under their new names; null if it is none. -1 fills rows.
mlir::Attribute renumbered(mlir::Attribute attribute, const NewNumbers &numbers) {
  auto list = mlir::dyn_cast_or_null<mlir::DenseIntElementsAttr>(attribute);
  if (!list)
    return {};
  llvm::SmallVector<int64_t> renamed;
  for (int64_t id : list.getValues<int64_t>())
    renamed.push_back(id >= 0 && id < std::ssize(numbers) ? numbers[id] : id);
  return mlir::DenseIntElementsAttr::get(list.getType(), llvm::ArrayRef<int64_t>(renamed));
}

class NumberDevicesByMeshPass : public impl::NumberDevicesByMeshBase<NumberDevicesByMeshPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    auto program = reshard::ShardedProgram::create(getOperation());
    if (failed(program))
      return signalPassFailure();
    const core::Mesh &mesh = program->mesh();
    if (mesh.deviceIds().empty())
      return;
    NewNumbers numbers(mesh.numDevices());
    for (int64_t position = 0; position < mesh.numDevices(); ++position)
      numbers[mesh.deviceAt(position)] = position;
    giveOldNumbersBack(mesh);
    getOperation().walk([&](mlir::Operation *op) {
      if (!stablehlo::collectiveKind(op))
        return;
      if (mlir::Attribute groups = renumbered(stablehlo::replicaGroupsOf(op), numbers))
        stablehlo::setReplicaGroups(op, groups);
      if (mlir::Attribute pairs = renumbered(op->getAttr("source_target_pairs"), numbers))
        op->setAttr("source_target_pairs", pairs);
    });
    // The last, as the program refers to its meshes.
    for (auto op : llvm::to_vector(getOperation().getOps<sdy::MeshOp>()))
      renumber(op, numbers);
  }

private:
  void giveOldNumbersBack(const core::Mesh &mesh) {
    auto type = mlir::RankedTensorType::get(
        {mesh.numDevices()},
        mlir::IntegerType::get(&getContext(), 32, mlir::IntegerType::Unsigned));
    llvm::SmallVector<uint32_t> ids(mesh.deviceIds().begin(), mesh.deviceIds().end());
    auto table = mlir::DenseElementsAttr::get(type, llvm::ArrayRef<uint32_t>(ids));
    getOperation().walk([&](stablehlo::PartitionIdOp op) {
      mlir::OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      mlir::Value number = elementAt(builder, op.getLoc(), table, op->getResult(0));
      mlir::Operation *lookUp = number.getDefiningOp()->getOperand(0).getDefiningOp();
      op->getResult(0).replaceAllUsesExcept(number, lookUp);
    });
  }
};

} // namespace

} // namespace shardwise::partition
