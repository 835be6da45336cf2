// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of resharding one use, by the numbers of the header. Whatever touches unreduced axes
// gets an op of its own, which says what is summed:
//   %0: [{"x"}], unreduced={"y"}, used as [{}], unreduced={"x"}
//   %1 = sdy.all_reduce {"y"} %0 out_sharding=<@mesh, [{"x"}]>
//   %2 = sdy.sharded_to_unreduced [{"x"}] %1 out_sharding=<@mesh, [{}], unreduced={"x"}>
// The all_reduce is first, so that what follows moves whole values. New unreduced axes are last,
// when the dimensions that keep axes are as the target has them.

#include "shardwise/transforms/export/ReshardUse.h"

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

  /// Steps 2 and 3 for a target that has unreduced axes which are new.
  void toUnreduced(const core::Sharding &target) {
    AxisList added = core::setDifference(target.unreduced, current.unreduced);
    std::vector<AxisList> staying = endsThatBecomeUnreduced(target, added);
    core::Sharding next = target;
    next.unreduced = current.unreduced;
    next.reduction = current.unreduced.empty() ? core::ReductionKind::Sum : current.reduction;
    // These dimensions wait for sharded_to_unreduced, which moves nothing: what a device has is its
    // part of the sum, and the rest of it is zero. A reshard would gather them.
    for (size_t d = 0; d < staying.size(); ++d)
      if (!staying[d].empty())
        next.dims[d] = current.dims[d];
    if (!core::isSamePlacement(current, next))
      use.set(sdy::ReshardOp::create(builder, location(), type(), use.get(), toAttr(next)));
    AxisList fromDims;
    for (const AxisList &axes : staying)
      fromDims.insert(fromDims.end(), axes.begin(), axes.end());
    AxisList fromReplicated = core::setDifference(added, fromDims);
    if (!fromReplicated.empty()) {
      next.unreduced.insert(next.unreduced.end(), fromReplicated.begin(), fromReplicated.end());
      next.unreduced = core::sortAndMerge(std::move(next.unreduced));
      next.reduction = target.reduction;
      use.set(sdy::ReplicatedToUnreducedOp::create(builder, location(), type(), use.get(),
                                                   axisRefListOf(fromReplicated, mesh, context()),
                                                   toAttr(next)));
    }
    if (!fromDims.empty())
      use.set(sdy::ShardedToUnreducedOp::create(builder, location(), type(), use.get(),
                                                listsOf(staying, mesh, context()), toAttr(target)));
  }

private:
  /// Per dimension, what follows the axes of `target` in the present one, if that is something and
  /// all of it becomes unreduced. Only ends can, since the axes before must go on cutting the
  /// dimension as they did. Example: `[{"x", "y"}]` to `[{"x"}], unreduced={"y"}`: {"y"}.
  std::vector<AxisList> endsThatBecomeUnreduced(const core::Sharding &target,
                                                const AxisList &added) const {
    std::vector<AxisList> ends(current.dims.size());
    for (size_t d = 0; d < ends.size(); ++d) {
      const AxisList &before = current.dims[d].axes;
      const AxisList &after = target.dims[d].axes;
      if (!core::isStrictPrefixOf(after, before))
        continue;
      AxisList end = core::setDifference(before, after);
      bool becomesUnreduced = llvm::all_of(end, [&](const Axis &axis) {
        return llvm::any_of(added, [&](const Axis &other) { return core::contains(other, axis); });
      });
      if (becomesUnreduced)
        ends[d] = std::move(end);
    }
    return ends;
  }

  mlir::MLIRContext *context() const { return builder.getContext(); }
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

void reshardUse(mlir::OpOperand &use, TensorShardingAttr target, ReshardExtent extent,
                mlir::OpBuilder &builder, const mlir::SymbolTable &symbols) {
  allReduceUse(use, target, builder, symbols);
  TensorShardingAttr source = sdy::getSharding(use.get());
  if (source && target && !sdy::toCore(target).unreduced.empty()) {
    sdy::MeshAttr mesh = meshOfUnreduced(source, target, symbols);
    core::Sharding resolved = mesh ? sdy::resolveVerified(target, mesh) : core::Sharding();
    if (mesh && !core::setDifference(resolved.unreduced, unreducedOf(source, mesh)).empty())
      return Steps(use, source, builder, mesh).toUnreduced(resolved);
  }
  if (extent == ReshardExtent::Unreduced || !needsReshard(source, target))
    return;
  if (!target)
    target = sdy::getReplicatedSharding(source.getMeshOrRef(), source.getRank());
  use.set(
      sdy::ReshardOp::create(builder, use.get().getLoc(), use.get().getType(), use.get(), target));
}

} // namespace shardwise::exporter
