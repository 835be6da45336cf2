// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-manual-axes-cleanup: every sharding of a manual computation mentions every manual
// axis, and `manual_axes` are in the order of the mesh.
//   manual_axes={"b", "a"}, in_shardings=[<@m, [{"a"}]>]
// becomes
//   manual_axes={"a", "b"}, in_shardings=[<@m, [{"a"}], replicated={"b"}>]
// The body was written for what the manual axes do to its arguments: those that a sharding does not
// use replicate the value. Propagation might still add such an axis to a dimension, and the body
// would get another local shape; an axis that is listed as replicated may not be added.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/import/Passes.h"

#include "llvm/ADT/StringSet.h"

namespace shardwise::importer {

#define GEN_PASS_DEF_MANUALAXESCLEANUPPASS
#include "shardwise/transforms/import/Passes.h.inc"

namespace {

using sdy::TensorShardingAttr;

class ManualAxesCleanupPass : public impl::ManualAxesCleanupPassBase<ManualAxesCleanupPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    bool found = false;
    mlir::WalkResult result = getOperation().walk([&](sdy::ManualComputationOp op) {
      found = true;
      return mlir::failed(cleanUp(op, symbols)) ? mlir::WalkResult::interrupt()
                                                : mlir::WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    if (!found)
      markAllAnalysesPreserved();
  }

private:
  /// The mesh of the first sharding whose mesh has axes.
  static mlir::Attribute commonMesh(sdy::ManualComputationOp op, const mlir::SymbolTable &symbols) {
    for (sdy::TensorShardingPerValueAttr shardings :
         {op.getInShardingsAttr(), op.getOutShardingsAttr()})
      for (TensorShardingAttr sharding : shardings.getShardings())
        if (sdy::MeshAttr mesh = sdy::getMesh(sharding, symbols); mesh && !mesh.isEmpty())
          return sharding.getMeshOrRef();
    return {};
  }

  static mlir::LogicalResult cleanUp(sdy::ManualComputationOp op,
                                     const mlir::SymbolTable &symbols) {
    if (op.getManualAxes().empty())
      return mlir::success();
    // Axes are names; only a sharding says of which mesh.
    if (op.getInShardings().empty() && op.getOutShardings().empty()) {
      if (op.getBody().front().without_terminator().empty())
        return mlir::success();
      return op.emitOpError() << "has manual_axes but neither inputs nor outputs, so the mesh of "
                                 "the axes is unknown; remove manual_axes";
    }
    mlir::Attribute meshRef = commonMesh(op, symbols);
    sdy::MeshAttr mesh = meshRef ? sdy::getMesh(meshRef, symbols) : sdy::MeshAttr();
    if (!mesh)
      return mlir::success();
    // The verifier lets no other names pass.
    auto position = [&](mlir::StringAttr axis) {
      return sdy::toCore(mesh).axisIndexOrNull(axis.getValue()).value_or(0);
    };
    llvm::SmallVector<mlir::StringAttr> axes(op.getManualAxes().getAxes());
    llvm::sort(axes, [&](auto a, auto b) { return position(a) < position(b); });
    op.setManualAxesAttr(sdy::ManualAxesAttr::get(op.getContext(), axes));

    op.setInShardingsAttr(
        mentionAll(op.getInShardingsAttr(), op.getOperandTypes(), axes, meshRef, mesh));
    op.setOutShardingsAttr(
        mentionAll(op.getOutShardingsAttr(), op.getResultTypes(), axes, meshRef, mesh));
    return mlir::success();
  }

  /// The same for all values; tokens have no sharding that could mention anything.
  static sdy::TensorShardingPerValueAttr mentionAll(sdy::TensorShardingPerValueAttr shardings,
                                                    mlir::TypeRange types,
                                                    llvm::ArrayRef<mlir::StringAttr> manualAxes,
                                                    mlir::Attribute meshRef, sdy::MeshAttr mesh) {
    llvm::SmallVector<TensorShardingAttr> updated;
    for (auto [sharding, type] : llvm::zip_equal(shardings.getShardings(), types))
      updated.push_back(mlir::isa<mlir::ShapedType>(type)
                            ? mentionAll(sharding, manualAxes, meshRef, mesh)
                            : sharding);
    return sdy::TensorShardingPerValueAttr::get(shardings.getContext(), updated);
  }

  /// Adds the manual axes that `sharding` does not name to its replicated axes, in the order of the
  /// mesh. An axis that it names in part is left as it is.
  static TensorShardingAttr mentionAll(TensorShardingAttr sharding,
                                       llvm::ArrayRef<mlir::StringAttr> manualAxes,
                                       mlir::Attribute meshRef, sdy::MeshAttr meshAttr) {
    const core::Mesh &mesh = sdy::toCore(meshAttr);
    core::WrittenSharding written = sdy::toCore(sharding);
    llvm::StringSet<> named;
    auto name = [&](const std::vector<core::AxisRef> &axes) {
      for (const core::AxisRef &axis : axes)
        named.insert(axis.name);
    };
    for (const core::WrittenDimSharding &dim : written.dims)
      name(dim.axes);
    name(written.replicated);
    name(written.unreduced);
    core::AxisList replicated;
    for (mlir::StringAttr axis : manualAxes)
      if (!named.contains(axis))
        replicated.push_back(core::fullAxis(mesh, *mesh.axisIndexOrNull(axis.getValue())));
    if (replicated.empty())
      return sharding;
    for (const core::AxisRef &axis : written.replicated)
      if (auto resolved = core::resolve(axis, mesh))
        replicated.push_back(*resolved);
    written.replicated.clear();
    for (const core::Axis &axis : core::sortAndMerge(std::move(replicated)))
      written.replicated.push_back(core::toRef(axis, mesh));
    return sdy::toAttr(meshRef, std::move(written));
  }
};

} // namespace
} // namespace shardwise::importer
