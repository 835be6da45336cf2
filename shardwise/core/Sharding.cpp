// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks and simple queries of one sharding.
//
// A sharding as written is checked first and looked up only if nothing is wrong with it. The order
// of the checks is that of the sdy verifier, and the first that fails gives the message:
//   1. a maximal mesh takes nothing but the sharding without dimensions and axes;
//   2. the rank;
//   3. per dimension its priority, then its axes: known, not repeated, not to be merged;
//   4. the replicated axes, then the unreduced ones: in mesh order, then as in 3;
//   5. sub-axes, over all lists together: they fit, and no two overlap.

#include "shardwise/core/Sharding.h"

#include "shardwise/core/AxisChecks.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardwise::core {
namespace {

Result<void> checkDim(const WrittenDimSharding &dim, size_t index, AxisListChecker &checker) {
  if (dim.priority && *dim.priority < 0)
    return invalid(fmt::format("dim {} has a negative priority: {}", index, *dim.priority));
  // Nothing can ever propagate from or to such a dimension, so there is nothing to put in order.
  if (dim.priority && dim.isClosed && dim.axes.empty())
    return invalid(fmt::format("dim {} is empty and closed but has the priority p{}; drop the "
                               "priority or open the dimension",
                               index, *dim.priority));
  return checker.add(dim.axes);
}

Result<void> checkOrderedList(std::span<const AxisRef> axes, std::string_view name,
                              const Mesh &mesh, AxisListChecker &checker) {
  if (Result<void> checked = checkMeshOrder(axes, mesh, name); !checked)
    return checked;
  return checker.add(axes);
}

Result<void> check(const WrittenSharding &written, const Mesh &mesh, std::optional<int64_t> rank) {
  if (mesh.isMaximal()) {
    if (!written.dims.empty() || !written.replicated.empty() || !written.unreduced.empty())
      return invalid(fmt::format("a maximal sharding must be rank 0 without replicated or "
                                 "unreduced axes; its rank is {}",
                                 written.dims.size()));
    return {};
  }
  if (rank && *rank != static_cast<int64_t>(written.dims.size()))
    return invalid(
        fmt::format("sharding doesn't match tensor rank: {} != {}", written.dims.size(), *rank));
  // One checker for all lists: an axis can be used once in a sharding, whatever for.
  AxisListChecker checker(mesh);
  for (size_t i = 0; i < written.dims.size(); ++i)
    if (Result<void> checked = checkDim(written.dims[i], i, checker); !checked)
      return checked;
  if (auto checked = checkOrderedList(written.replicated, "replicated", mesh, checker); !checked)
    return checked;
  if (auto checked = checkOrderedList(written.unreduced, "unreduced", mesh, checker); !checked)
    return checked;
  return checker.checkSubAxes();
}

/// Requires that `refs` were checked.
AxisList lookUp(std::span<const AxisRef> refs, const Mesh &mesh) {
  AxisList axes;
  axes.reserve(refs.size());
  for (const AxisRef &ref : refs) {
    Axis axis = fullAxis(mesh, *mesh.axisIndexOrNull(ref.name));
    if (ref.subAxis) {
      axis.preSize = ref.subAxis->preSize;
      axis.size = ref.subAxis->size;
    }
    axes.push_back(axis);
  }
  return axes;
}

std::vector<AxisRef> toRefs(std::span<const Axis> axes, const Mesh &mesh) {
  std::vector<AxisRef> refs;
  refs.reserve(axes.size());
  for (const Axis &axis : axes)
    refs.push_back(toRef(axis, mesh));
  return refs;
}

Sharding emptySharding(int64_t rank, bool isClosed) {
  Sharding sharding;
  sharding.dims.resize(rank);
  for (DimSharding &dim : sharding.dims)
    dim.isClosed = isClosed;
  return sharding;
}

} // namespace

Sharding openSharding(int64_t rank) {
  return emptySharding(rank, /*isClosed=*/false);
}

Sharding replicatedSharding(int64_t rank) {
  return emptySharding(rank, /*isClosed=*/true);
}

Result<Sharding> resolve(const WrittenSharding &written, const Mesh &mesh,
                         std::optional<int64_t> rank) {
  if (Result<void> checked = check(written, mesh, rank); !checked)
    return checked.error();
  Sharding sharding;
  sharding.dims.reserve(written.dims.size());
  for (const WrittenDimSharding &dim : written.dims)
    sharding.dims.push_back({lookUp(dim.axes, mesh), dim.isClosed, dim.priority});
  sharding.replicated = lookUp(written.replicated, mesh);
  sharding.unreduced = lookUp(written.unreduced, mesh);
  sharding.reduction = written.reduction;
  return sharding;
}

WrittenSharding toWritten(const Sharding &sharding, const Mesh &mesh) {
  WrittenSharding written;
  written.dims.reserve(sharding.dims.size());
  for (const DimSharding &dim : sharding.dims)
    written.dims.push_back({toRefs(dim.axes, mesh), dim.isClosed, dim.priority});
  written.replicated = toRefs(sharding.replicated, mesh);
  written.unreduced = toRefs(sharding.unreduced, mesh);
  written.reduction = sharding.reduction;
  return written;
}

bool isFullyReplicated(const Sharding &sharding) {
  return std::all_of(sharding.dims.begin(), sharding.dims.end(),
                     [](const DimSharding &dim) { return dim.axes.empty(); });
}

AxisList dimensionAxes(const Sharding &sharding) {
  AxisList axes;
  for (const DimSharding &dim : sharding.dims)
    axes.insert(axes.end(), dim.axes.begin(), dim.axes.end());
  return axes;
}

bool isSamePlacement(const Sharding &a, const Sharding &b) {
  return a.unreduced == b.unreduced && (a.unreduced.empty() || a.reduction == b.reduction) &&
         std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(),
                    [](const DimSharding &x, const DimSharding &y) { return x.axes == y.axes; });
}

} // namespace shardwise::core
