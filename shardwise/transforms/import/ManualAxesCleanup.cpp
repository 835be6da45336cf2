// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-manual-axes-cleanup: every sharding of a manual computation mentions every part of
// every manual axis, and `manual_axes` are in the order of the mesh.
//   manual_axes={"b", "a"}, in_shardings=[<@m, [{"a":(2)2}]>]
// becomes, with sizes of 8,
//   manual_axes={"a", "b"}, in_shardings=[<@m, [{"a":(2)2}], replicated={"a":(1)2, "a":(4)2, "b"}>]
// The body was written for what the manual axes do to its arguments: those that a sharding does not
// use replicate the value. Propagation might still add such an axis to a dimension, and the body
// would get another local shape; an axis that is listed as replicated may not be added.
// The parts mentioned in dimensions, as unreduced and as replicated are taken out of an axis from
// major to minor. Of parts that cannot coexist, such as "a":(1)2 and "a":(3)2 of 12, the second
// leaves no rest that has a name, and what lies behind the first stays unmentioned.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/import/Passes.h"

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

  /// Adds the parts of manual axes that `sharding` does not have to its replicated axes, in the
  /// order of the mesh.
  static TensorShardingAttr mentionAll(TensorShardingAttr sharding,
                                       llvm::ArrayRef<mlir::StringAttr> manualAxes,
                                       mlir::Attribute meshRef, sdy::MeshAttr meshAttr) {
    const core::Mesh &mesh = sdy::toCore(meshAttr);
    core::Sharding resolved = sdy::resolveVerified(sharding, meshAttr);
    core::AxisList mentioned = core::dimensionAxes(resolved);
    llvm::append_range(mentioned, resolved.unreduced);
    llvm::append_range(mentioned, resolved.replicated);
    core::AxisList manual;
    for (mlir::StringAttr axis : manualAxes)
      manual.push_back(core::fullAxis(mesh, *mesh.axisIndexOrNull(axis.getValue())));
    core::AxisList missing = core::setDifference(manual, mentioned);
    if (missing.empty())
      return sharding;
    llvm::append_range(resolved.replicated, missing);
    resolved.replicated = core::sortAndMerge(std::move(resolved.replicated));
    return sdy::toAttr(meshRef, resolved, mesh);
  }
};

} // namespace
} // namespace shardwise::importer
