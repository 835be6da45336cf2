// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Taking manual axes off, and putting them in front. With manual {"x"}:
//   [{"x", "y"}, {}], unreduced={"z"}   outside
//   [{"y"}, {}], unreduced={"z"}        inside

#include "shardwise/dialect/sdy/ManualAxes.h"

#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <iterator>

using namespace mlir;

namespace shardwise::sdy {

namespace {

/// Where the free axes of a dimension begin: manual axes come first. A list in which they do not is
/// invalid, and occurs only where sdy-manual-axes-cleanup did not run. No answer is right for it;
/// the binary search gives the same as Shardy's.
AxisRefs::const_iterator firstFree(const AxisRefs &axes, ManualAxesAttr manualAxes) {
  size_t begin = 0, end = axes.size();
  while (begin < end) {
    size_t middle = begin + (end - begin) / 2;
    if (manualAxes.contains(axes[middle].name))
      begin = middle + 1;
    else
      end = middle;
  }
  return axes.begin() + static_cast<std::ptrdiff_t>(begin);
}

void removeManual(AxisRefs &axes, ManualAxesAttr manualAxes) {
  llvm::erase_if(axes, [&](const core::AxisRef &axis) { return manualAxes.contains(axis.name); });
}

/// The manual axes of `global` followed by `axes`.
AxisRefs prependManual(const AxisRefs &axes, const AxisRefs &global, ManualAxesAttr manualAxes) {
  AxisRefs merged;
  for (const core::AxisRef &axis : global)
    if (manualAxes.contains(axis.name))
      merged.push_back(axis);
  merged.insert(merged.end(), axes.begin(), axes.end());
  return merged;
}

/// The same for the axes of a dimension.
AxisRefs prependManualOfDim(const AxisRefs &axes, const AxisRefs &global,
                            ManualAxesAttr manualAxes) {
  AxisRefs merged(global.begin(), firstFree(global, manualAxes));
  merged.insert(merged.end(), axes.begin(), axes.end());
  return merged;
}

/// Sorts by mesh axis. Stable: within one axis all are manual or all are free, and in order.
void sortByMeshAxis(AxisRefs &axes, MeshAttr mesh) {
  if (!mesh)
    return;
  AxisRefs sorted;
  for (const core::MeshAxis &meshAxis : toCore(mesh).axes())
    llvm::copy_if(axes, std::back_inserter(sorted),
                  [&](const core::AxisRef &axis) { return axis.name == meshAxis.name; });
  axes = std::move(sorted);
}

} // namespace

TensorShardingAttr withoutManualAxes(TensorShardingAttr sharding, ManualAxesAttr manualAxes) {
  if (manualAxes.empty())
    return sharding;
  core::WrittenSharding local = toCore(sharding);
  for (core::WrittenDimSharding &dim : local.dims) {
    dim.axes.erase(dim.axes.begin(), firstFree(dim.axes, manualAxes));
    // A closed dimension without axes may have no priority: it has nothing to propagate.
    if (dim.axes.empty() && dim.isClosed)
      dim.priority.reset();
  }
  removeManual(local.replicated, manualAxes);
  removeManual(local.unreduced, manualAxes);
  return toAttr(sharding.getMeshOrRef(), std::move(local));
}

TensorShardingAttr withManualAxesOf(TensorShardingAttr sharding, TensorShardingAttr global,
                                    ManualAxesAttr manualAxes, MeshAttr mesh) {
  if (manualAxes.empty())
    return sharding;
  core::WrittenSharding merged = toCore(sharding);
  const core::WrittenSharding &source = toCore(global);
  for (size_t i = 0; i < std::min(merged.dims.size(), source.dims.size()); ++i)
    merged.dims[i].axes = prependManualOfDim(merged.dims[i].axes, source.dims[i].axes, manualAxes);
  merged.replicated = prependManual(merged.replicated, source.replicated, manualAxes);
  merged.unreduced = prependManual(merged.unreduced, source.unreduced, manualAxes);
  sortByMeshAxis(merged.replicated, mesh);
  sortByMeshAxis(merged.unreduced, mesh);
  // All unreduced axes are then those of `global`, and so is the function that combines them.
  if (toCore(sharding).unreduced.empty())
    merged.reduction = source.reduction;
  return toAttr(sharding.getMeshOrRef(), std::move(merged));
}

bool isFullyManual(Operation *op) {
  llvm::SmallDenseSet<StringRef> manual;
  MeshAttr mesh;
  for (auto parent = op->getParentOfType<ManualComputationOp>(); parent;
       parent = parent->getParentOfType<ManualComputationOp>()) {
    for (StringAttr axis : parent.getManualAxes().getAxes())
      manual.insert(axis.getValue());
    for (TensorShardingPerValueAttr list : {parent.getInShardings(), parent.getOutShardings()})
      for (TensorShardingAttr sharding : list.getShardings())
        if (!mesh)
          mesh = getMesh(sharding, parent);
  }
  return mesh && llvm::all_of(toCore(mesh).axes(), [&](const core::MeshAxis &axis) {
           return manual.contains(axis.name);
         });
}

} // namespace shardwise::sdy
