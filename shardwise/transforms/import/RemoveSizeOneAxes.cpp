// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-remove-size-one-axes. An axis of size 1 cuts nothing, but makes axis lists differ
// that mean the same: with x=1, `[{"x", "y"}]` and `[{"y"}]` put the same shards on the same
// devices, yet neither is a prefix of the other, so propagation would see a conflict.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingPlaces.h"
#include "shardwise/transforms/import/Passes.h"

namespace shardwise::importer {

#define GEN_PASS_DEF_REMOVESIZEONEAXESPASS
#include "shardwise/transforms/import/Passes.h.inc"

namespace {

class RemoveSizeOneAxesPass : public impl::RemoveSizeOneAxesPassBase<RemoveSizeOneAxesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    bool changed = sdy::replaceShardings(getOperation(), [&](sdy::TensorShardingAttr sharding) {
      sdy::MeshAttr mesh = sdy::getMesh(sharding, symbols);
      if (!mesh)
        return sharding;
      core::WrittenSharding written = sdy::toCore(sharding);
      auto removeFrom = [&](std::vector<core::AxisRef> &axes) {
        axes = withoutSizeOne(axes, sdy::toCore(mesh));
      };
      for (core::WrittenDimSharding &dim : written.dims) {
        removeFrom(dim.axes);
        // A priority says when axes may propagate; a closed dimension without any has none to wait.
        if (dim.axes.empty() && dim.isClosed)
          dim.priority.reset();
      }
      removeFrom(written.replicated);
      removeFrom(written.unreduced);
      return sdy::toAttr(sharding.getMeshOrRef(), std::move(written));
    });
    if (!changed)
      markAllAnalysesPreserved();
    else
      removeFromCollectives(symbols);
  }

private:
  /// The lists of a collective are the difference of its two shardings, and become that of the new
  /// ones. An all_reduce may name any axes that nothing uses, so its axes follow from no sharding,
  /// and it stays as it is.
  void removeFromCollectives(const mlir::SymbolTable &symbols) {
    llvm::SmallVector<mlir::Operation *> idle;
    getOperation().walk([&](sdy::CollectiveOpInterface collective) {
      mlir::Operation *op = collective;
      if (mlir::isa<sdy::AllReduceOp>(op))
        return;
      auto sharding = op->getAttrOfType<sdy::TensorShardingAttr>("out_sharding");
      sdy::MeshAttr mesh = sharding ? sdy::getMesh(sharding, symbols) : nullptr;
      if (!mesh)
        return;
      for (mlir::NamedAttribute attribute : op->getAttrDictionary())
        if (mlir::Attribute kept = withoutSizeOne(attribute.getValue(), sdy::toCore(mesh)))
          op->setAttr(attribute.getName(), kept);
        else
          idle.push_back(op);
    });
    for (mlir::Operation *op : idle) {
      // Nothing is left that it would do.
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    }
  }

  /// Returns `attribute` without axes of size 1; null if it may not be empty but is. Attributes
  /// that do not say what a collective does are returned as they are.
  static mlir::Attribute withoutSizeOne(mlir::Attribute attribute, const core::Mesh &mesh) {
    mlir::MLIRContext *context = attribute.getContext();
    if (auto lists = mlir::dyn_cast<sdy::ListOfAxisRefListsAttr>(attribute)) {
      sdy::AxisRefLists kept;
      for (const sdy::AxisRefs &axes : lists.getLists())
        kept.push_back(withoutSizeOne(axes, mesh));
      return sdy::ListOfAxisRefListsAttr::get(context, std::move(kept));
    }
    if (auto moves = mlir::dyn_cast<sdy::AllToAllParamListAttr>(attribute)) {
      sdy::AllToAllParams kept;
      for (sdy::AllToAllParam move : moves.getParams()) {
        move.axes = withoutSizeOne(move.axes, mesh);
        if (!move.axes.empty())
          kept.push_back(std::move(move));
      }
      return kept.empty() ? nullptr : sdy::AllToAllParamListAttr::get(context, std::move(kept));
    }
    if (auto list = mlir::dyn_cast<sdy::AxisRefListAttr>(attribute)) {
      sdy::AxisRefs kept = withoutSizeOne(list.getAxes(), mesh);
      return kept.empty() ? nullptr : sdy::AxisRefListAttr::get(context, std::move(kept));
    }
    return attribute;
  }

  /// Parts of an axis that become neighbours are written as one, as the verifier wants them.
  static std::vector<core::AxisRef> withoutSizeOne(const std::vector<core::AxisRef> &axes,
                                                   const core::Mesh &mesh) {
    std::vector<core::AxisRef> kept;
    for (const core::AxisRef &axis : axes) {
      auto index = mesh.axisIndexOrNull(axis.name);
      if (index && mesh.axisSize(*index) == 1)
        continue;
      if (!kept.empty() && kept.back().name == axis.name) {
        Result<core::Axis> major = core::resolve(kept.back(), mesh);
        Result<core::Axis> minor = core::resolve(axis, mesh);
        if (major && minor && core::canMerge(*major, *minor)) {
          kept.back() = core::toRef(core::merge(*major, *minor), mesh);
          continue;
        }
      }
      kept.push_back(axis);
    }
    return kept;
  }
};

} // namespace
} // namespace shardwise::importer
