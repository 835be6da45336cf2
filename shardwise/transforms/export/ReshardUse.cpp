// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of resharding one use, by the numbers of the header. Whatever touches unreduced axes
// gets an op of its own, which says what is summed:
//   %0: [{"x"}], unreduced={"y"}, used as [{}], unreduced={"x"}
//   %1 = sdy.all_reduce {"y"} %0 out_sharding=<@mesh, [{"x"}]>
//   %2 = sdy.sharded_to_unreduced [{"x"}] %1 out_sharding=<@mesh, [{}], unreduced={"x"}>
// The all_reduce is first, so that what follows moves whole values. New unreduced axes are last,
// when the dimensions that keep axes are as the target has them (core/StepsToUnreduced.h).

#include "shardwise/transforms/export/ReshardUse.h"

#include "shardwise/core/StepsToUnreduced.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/transforms/export/AxisAttributes.h"

namespace shardwise::exporter {

using core::Axis;
using core::AxisList;
using sdy::TensorShardingAttr;

mlir::Value createAllReduce(mlir::OpBuilder &builder, mlir::Value value, AxisList axes,
                            core::ReductionKind kind, TensorShardingAttr outSharding,
                            const core::Mesh &mesh) {
  auto axesAttr = axisRefListOf(core::sortAndMerge(std::move(axes)), mesh, builder.getContext());
  return sdy::AllReduceOp::create(builder, value.getLoc(), value.getType(), value,
                                  sdy::toAttrKind(kind), axesAttr, outSharding);
}

namespace {

/// Puts the op of `collective`, one of the two that make axes unreduced, at `builder`.
mlir::Value createToUnreduced(mlir::OpBuilder &builder, mlir::Value value,
                              const core::Collective &collective, TensorShardingAttr outSharding,
                              const core::Mesh &mesh) {
  mlir::MLIRContext *context = builder.getContext();
  if (collective.kind == core::CollectiveKind::ReplicatedToUnreduced)
    return sdy::ReplicatedToUnreducedOp::create(
        builder, value.getLoc(), value.getType(), value,
        axisRefListOf(collective.reducedAxes, mesh, context), outSharding);
  return sdy::ShardedToUnreducedOp::create(builder, value.getLoc(), value.getType(), value,
                                           listsOf(collective.dimAxes, mesh, context), outSharding);
}

/// Carries one use from a sharding to another on the same mesh.
class Steps {
public:
  Steps(mlir::OpOperand &use, TensorShardingAttr source, mlir::OpBuilder &builder,
        sdy::MeshAttr meshAttr)
      : use(use), builder(builder), meshAttr(meshAttr), mesh(sdy::toCore(meshAttr)),
        meshRef(source.getMeshOrRef()), current(sdy::resolveVerified(source, meshAttr)) {}

  /// Step 1: `unreducedAfter` may stay unreduced.
  void allReduce(const AxisList &unreducedAfter) {
    AxisList removed = core::setDifference(current.unreduced, unreducedAfter);
    if (removed.empty())
      return;
    current.unreduced = core::setDifference(current.unreduced, removed);
    core::ReductionKind kind = current.reduction;
    if (current.unreduced.empty())
      current.reduction = core::ReductionKind::Sum;
    use.set(createAllReduce(builder, use.get(), removed, kind, toAttr(current), mesh));
  }

  /// Steps 2 and 3, to `target`, whose mesh has the same axes.
  void toUnreduced(TensorShardingAttr target, sdy::MeshAttr targetMesh) {
    std::optional<core::StepsToUnreduced> steps =
        core::stepsToUnreduced(current, sdy::resolveVerified(target, targetMesh));
    if (!steps)
      return;
    meshRef = target.getMeshOrRef();
    // In another order of devices every shard has to move, even if it is cut as before.
    if (targetMesh != meshAttr || !core::isSamePlacement(current, steps->moved))
      use.set(sdy::ReshardOp::create(builder, location(), type(), use.get(), toAttr(steps->moved)));
    for (const core::Collective &collective : steps->collectives)
      use.set(createToUnreduced(builder, use.get(), collective, toAttr(collective.after), mesh));
  }

private:
  mlir::Location location() const { return use.get().getLoc(); }
  mlir::Type type() const { return use.get().getType(); }
  TensorShardingAttr toAttr(const core::Sharding &sharding) const {
    return sdy::toAttr(meshRef, sharding, mesh);
  }

  mlir::OpOperand &use;
  mlir::OpBuilder &builder;
  sdy::MeshAttr meshAttr;
  const core::Mesh &mesh;
  mlir::Attribute meshRef;
  core::Sharding current;
};

/// The mesh of `source`, if its unreduced axes and those of `target` are parts of the same mesh;
/// null if they cannot be compared.
sdy::MeshAttr meshOfUnreduced(TensorShardingAttr source, TensorShardingAttr target,
                              const mlir::SymbolTable &symbols) {
  sdy::MeshAttr mesh = sdy::getMesh(source, symbols);
  if (!mesh || !target || target.getMeshOrRef() == source.getMeshOrRef())
    return mesh;
  sdy::MeshAttr other = sdy::getMesh(target, symbols);
  // Axes mean the same on meshes that differ in the order of devices only.
  bool isSame = other && sdy::toCore(mesh).equalsIgnoringDeviceIds(sdy::toCore(other));
  return isSame ? mesh : sdy::MeshAttr();
}

AxisList unreducedOf(TensorShardingAttr sharding, sdy::MeshAttr mesh) {
  return sharding ? sdy::resolveVerified(sharding, mesh).unreduced : AxisList();
}

bool needsReshard(TensorShardingAttr source, TensorShardingAttr target) {
  bool sourceIsWhole = !source || source.isFullyReplicated();
  bool targetIsWhole = !target || target.isFullyReplicated();
  if (sourceIsWhole && targetIsWhole)
    return false;
  return !source || !sdy::isEquivalent(source, target);
}

} // namespace

void allReduceUse(mlir::OpOperand &use, TensorShardingAttr target, mlir::OpBuilder &builder,
                  const mlir::SymbolTable &symbols) {
  TensorShardingAttr source = sdy::getSharding(use.get());
  if (!source || sdy::toCore(source).unreduced.empty())
    return;
  if (sdy::MeshAttr mesh = sdy::getMesh(source, symbols)) {
    // Axes of another mesh cannot stay unreduced, so all are combined.
    bool isSameMesh = meshOfUnreduced(source, target, symbols) == mesh;
    Steps(use, source, builder, mesh)
        .allReduce(isSameMesh ? unreducedOf(target, mesh) : AxisList());
  }
}

bool becomesUnreduced(TensorShardingAttr source, TensorShardingAttr target,
                      const mlir::SymbolTable &symbols) {
  if (!source || !target || sdy::toCore(target).unreduced.empty())
    return false;
  sdy::MeshAttr mesh = meshOfUnreduced(source, target, symbols);
  return mesh && !core::setDifference(unreducedOf(target, mesh), unreducedOf(source, mesh)).empty();
}

void reshardUse(mlir::OpOperand &use, TensorShardingAttr target, ReshardExtent extent,
                mlir::OpBuilder &builder, const mlir::SymbolTable &symbols) {
  allReduceUse(use, target, builder, symbols);
  TensorShardingAttr source = sdy::getSharding(use.get());
  if (becomesUnreduced(source, target, symbols))
    return Steps(use, source, builder, sdy::getMesh(source, symbols))
        .toUnreduced(target, sdy::getMesh(target, symbols));
  if (extent == ReshardExtent::Unreduced || !needsReshard(source, target))
    return;
  if (!target)
    target = sdy::getReplicatedSharding(source.getMeshOrRef(), source.getRank());
  use.set(
      sdy::ReshardOp::create(builder, use.get().getLoc(), use.get().getType(), use.get(), target));
}

} // namespace shardwise::exporter
