// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of step effects, and what follows from it: group sizes and plain cuts.

#include "shardwise/planner/model/StepEffect.h"

#include "shardwise/core/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardwise::planner {
namespace {

using core::AxisList;
using core::Mesh;
using core::Sharding;

int64_t ceilDiv(int64_t number, int64_t divisor) {
  return (number + divisor - 1) / divisor;
}

Error rejected(const ReshardStep &step, const Sharding &before, const Mesh &mesh,
               std::string_view reason) {
  return invalid(fmt::format("{} cannot follow {}: {}", toString(step, mesh),
                             core::toString(before, mesh), reason));
}

/// Appends `axes` to dimension `dim`, if nothing there uses them.
bool append(Sharding &sharding, int64_t dim, const AxisList &axes) {
  for (const core::Axis &axis : axes) {
    for (const core::DimSharding &other : sharding.dims)
      if (core::overlaps(other.axes, {&axis, 1}))
        return false;
    if (core::overlaps(sharding.unreduced, {&axis, 1}))
      return false;
    core::appendOrMerge(sharding.dims[dim].axes, axis);
  }
  return true;
}

bool remove(Sharding &sharding, int64_t dim, const AxisList &axes) {
  std::optional<AxisList> rest = core::removeSuffix(sharding.dims[dim].axes, axes);
  if (rest)
    sharding.dims[dim].axes = std::move(*rest);
  return rest.has_value();
}

/// Takes `axes` out of the unreduced axes, if they all are there.
bool reduce(Sharding &sharding, const AxisList &axes) {
  for (const core::Axis &axis : axes)
    if (!core::setDifference({&axis, 1}, sharding.unreduced).empty())
      return false;
  sharding.unreduced = core::setDifference(sharding.unreduced, axes);
  return true;
}

/// Dimensions exist, and none is source of two moves, or source and target.
bool haveDistinctDims(const std::vector<AxisMove> &moves, int64_t rank) {
  std::vector<bool> isSource(rank, false);
  for (const AxisMove &move : moves) {
    bool exists = move.sourceDim >= 0 && move.sourceDim < rank && move.targetDim >= 0 &&
                  move.targetDim < rank;
    if (!exists || isSource[move.sourceDim])
      return false;
    isSource[move.sourceDim] = true;
  }
  return std::none_of(moves.begin(), moves.end(),
                      [&](const AxisMove &move) { return isSource[move.targetDim]; });
}

Result<Sharding> applyPerDim(const ReshardStep &step, const Sharding &before, const Mesh &mesh,
                             Sharding result) {
  if (step.dimAxes.size() != result.dims.size())
    return rejected(step, before, mesh, "there must be one axis list per dimension");
  for (size_t dim = 0; dim < result.dims.size(); ++dim) {
    const AxisList &axes = step.dimAxes[dim];
    if (step.kind == StepKind::AllGather) {
      if (!remove(result, dim, axes)) {
        return rejected(step, before, mesh,
                        fmt::format("{} is not the minor end of dimension {}",
                                    core::toString(axes, mesh), dim));
      }
      continue;
    }
    if (step.kind == StepKind::ReduceScatter && !reduce(result, axes)) {
      return rejected(step, before, mesh,
                      fmt::format("{} is not unreduced", core::toString(axes, mesh)));
    }
    if (!append(result, dim, axes)) {
      return rejected(step, before, mesh,
                      fmt::format("{} is in use already", core::toString(axes, mesh)));
    }
  }
  return result;
}

Result<Sharding> applyMoves(const ReshardStep &step, const Sharding &before, const Mesh &mesh,
                            Sharding result) {
  if (!haveDistinctDims(step.moves, static_cast<int64_t>(result.dims.size()))) {
    return rejected(
        step, before, mesh,
        "dimensions must exist, and none may be source of two moves or source and target");
  }
  for (const AxisMove &move : step.moves) {
    if (!remove(result, move.sourceDim, move.axes)) {
      return rejected(step, before, mesh,
                      fmt::format("{} is not the minor end of dimension {}",
                                  core::toString(move.axes, mesh), move.sourceDim));
    }
    if (!append(result, move.targetDim, move.axes))
      return rejected(step, before, mesh, "an axis is moved twice");
  }
  return result;
}

/// What a transposed all_to_all takes from each dimension: it must be a suffix, in any order.
Result<Sharding> applyTransposedMoves(const ReshardStep &step, const Sharding &before,
                                      const Mesh &mesh, Sharding result) {
  auto rank = static_cast<int64_t>(result.dims.size());
  std::vector<AxisList> taken(rank);
  std::vector<bool> isTarget(rank, false);
  for (const AxisMove &move : step.moves) {
    if (move.sourceDim < 0 || move.sourceDim >= rank || move.targetDim < 0 ||
        move.targetDim >= rank) {
      return rejected(step, before, mesh, "a move names a dimension that does not exist");
    }
    isTarget[move.targetDim] = true;
    AxisList &list = taken[move.sourceDim];
    list.insert(list.end(), move.axes.begin(), move.axes.end());
  }
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (taken[dim].empty())
      continue;
    if (isTarget[dim]) {
      return rejected(step, before, mesh,
                      fmt::format("dimension {} both gives and receives axes", dim));
    }
    AxisList kept = core::setDifference(result.dims[dim].axes, taken[dim]);
    bool isSuffix = core::isPrefixOf(kept, result.dims[dim].axes) &&
                    core::shardedSize(kept) * core::shardedSize(taken[dim]) ==
                        core::shardedSize(result.dims[dim].axes);
    if (!isSuffix) {
      return rejected(step, before, mesh,
                      fmt::format("{} is not the minor end of dimension {}",
                                  core::toString(taken[dim], mesh), dim));
    }
    result.dims[dim].axes = std::move(kept);
  }
  for (const AxisMove &move : step.moves)
    if (!append(result, move.targetDim, move.axes))
      return rejected(step, before, mesh, "an axis is moved twice");
  return result;
}

Result<Sharding> applyStated(const ReshardStep &step, const Sharding &before, const Mesh &mesh) {
  if (step.after.dims.size() != before.dims.size())
    return rejected(step, before, mesh, "the ranks differ");
  if (step.after.unreduced != before.unreduced)
    return rejected(step, before, mesh, "unreduced axes must stay as they are");
  if (step.kind == StepKind::Exchange)
    return step.after;
  for (size_t dim = 0; dim < before.dims.size(); ++dim) {
    int64_t from = core::shardedSize(before.dims[dim].axes);
    int64_t to = core::shardedSize(step.after.dims[dim].axes);
    if (from != to) {
      return rejected(step, before, mesh,
                      fmt::format("dimension {} has {} blocks before and {} after", dim, from, to));
    }
  }
  return step.after;
}

} // namespace

Result<Sharding> apply(const ReshardStep &step, const Sharding &before, const Mesh &mesh) {
  Sharding result;
  result.unreduced = before.unreduced;
  result.reduction = before.reduction;
  result.dims.reserve(before.dims.size());
  for (const core::DimSharding &dim : before.dims)
    result.dims.push_back({dim.axes, true, std::nullopt});
  switch (step.kind) {
  case StepKind::AllSlice:
  case StepKind::AllGather:
  case StepKind::ReduceScatter:
    return applyPerDim(step, before, mesh, std::move(result));
  case StepKind::AllToAll:
    return step.localTranspose ? applyTransposedMoves(step, before, mesh, std::move(result))
                               : applyMoves(step, before, mesh, std::move(result));
  case StepKind::AllReduce:
    if (!reduce(result, step.reducedAxes))
      return rejected(step, before, mesh, "a reduced axis is not unreduced");
    return result;
  case StepKind::CollectivePermute:
  case StepKind::Exchange:
    break;
  }
  return applyStated(step, before, mesh);
}

bool isPlainCut(int64_t size, int64_t blocks, int64_t parts) {
  int64_t blockSize = ceilDiv(size, blocks);
  return blocks == 1 || blockSize % parts == 0 || size <= blockSize;
}

bool isPlainStep(const ReshardStep &step, const Sharding &before, const core::Shape &shape) {
  std::vector<int64_t> blocks;
  for (const core::DimSharding &dim : before.dims)
    blocks.push_back(core::shardedSize(dim.axes));
  auto isPlainAppend = [&](int64_t dim, const AxisList &axes) {
    int64_t parts = core::shardedSize(axes);
    bool isPlain = isPlainCut(shape[dim], blocks[dim], parts);
    blocks[dim] *= parts;
    return isPlain;
  };
  auto isPlainRemoval = [&](int64_t dim, const AxisList &axes) {
    int64_t parts = core::shardedSize(axes);
    blocks[dim] /= parts;
    return isPlainCut(shape[dim], blocks[dim], parts);
  };
  for (size_t dim = 0; dim < step.dimAxes.size(); ++dim) {
    bool isRemoval = step.kind == StepKind::AllGather;
    if (!(isRemoval ? isPlainRemoval(dim, step.dimAxes[dim])
                    : isPlainAppend(dim, step.dimAxes[dim]))) {
      return false;
    }
  }
  return std::all_of(step.moves.begin(), step.moves.end(), [&](const AxisMove &move) {
    return isPlainRemoval(move.sourceDim, move.axes) && isPlainAppend(move.targetDim, move.axes);
  });
}

core::AxisList groupAxes(const ReshardStep &step) {
  AxisList axes = step.reducedAxes;
  for (const AxisList &list : step.dimAxes)
    axes.insert(axes.end(), list.begin(), list.end());
  for (const AxisMove &move : step.moves)
    axes.insert(axes.end(), move.axes.begin(), move.axes.end());
  return axes;
}

int64_t groupSize(const ReshardStep &step) {
  return core::shardedSize(groupAxes(step));
}

int64_t sentBufferBytes(const ReshardStep &step, const Sharding &before, const core::Shape &shape,
                        int64_t elementBytes) {
  // Blocks of the fine size, one for each part a block is cut into.
  core::Shape local = core::localShape(shape, before);
  std::vector<int64_t> parts(local.size(), 1);
  if (step.kind == StepKind::AllSlice || step.kind == StepKind::ReduceScatter)
    for (size_t dim = 0; dim < step.dimAxes.size(); ++dim)
      parts[dim] *= core::shardedSize(step.dimAxes[dim]);
  for (const AxisMove &move : step.moves)
    parts[move.targetDim] *= core::shardedSize(move.axes);
  for (size_t dim = 0; dim < local.size(); ++dim)
    local[dim] = ceilDiv(local[dim], parts[dim]) * parts[dim];
  return core::numElements(local) * elementBytes;
}

} // namespace shardwise::planner
