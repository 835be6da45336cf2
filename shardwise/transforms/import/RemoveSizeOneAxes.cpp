// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-remove-size-one-axes.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/import/Passes.h"
#include "shardwise/transforms/import/ReplaceShardings.h"

namespace shardwise::transforms {

#define GEN_PASS_DEF_REMOVESIZEONEAXESPASS
#include "shardwise/transforms/import/Passes.h.inc"

namespace {

class RemoveSizeOneAxesPass : public impl::RemoveSizeOneAxesPassBase<RemoveSizeOneAxesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    bool changed = replaceShardings(getOperation(), [&](sdy::TensorShardingAttr sharding) {
      sdy::MeshAttr mesh = sdy::getMesh(sharding, symbols);
      if (!mesh)
        return sharding;
      core::WrittenSharding written = sdy::toCore(sharding);
      auto removeFrom = [&](std::vector<core::AxisRef> &axes) {
        axes = withoutSizeOne(axes, sdy::toCore(mesh));
      };
      for (core::WrittenDimSharding &dim : written.dims) {
        removeFrom(dim.axes);
        // Nothing is left whose turn could be waited for.
        if (dim.axes.empty() && dim.isClosed)
          dim.priority.reset();
      }
      removeFrom(written.replicated);
      removeFrom(written.unreduced);
      return sdy::toAttr(sharding.getMeshOrRef(), std::move(written));
    });
    if (!changed)
      markAllAnalysesPreserved();
  }

private:
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
} // namespace shardwise::transforms
