// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of what collectives do to shardings, and what follows from it: groups and aligned cuts.
//
// A collective is applied in two parts. The first is arithmetic on axis lists: it fails only where
// the result is not defined, as when an axis to remove is not at the end of its list. The second
// asks whether the axes are free for such a use. The parts are apart because an IR verifier knows
// both shardings and has the result checked on its own: it compares the arithmetic with what the
// op states, and needs the second part only where the result cannot show the mistake.
//
// Example, on the mesh <["x"=4, "y"=2]>: all_slice [{"y"}, {}] takes [{"x"}, {}] to
// [{"x", "y"}, {}]. On [{"x"}, {"y"}] the arithmetic gives [{"x", "y"}, {"y"}]; that "y" would cut
// two dimensions is found by the second part.

#include "shardwise/core/Collective.h"

#include "shardwise/core/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace shardwise::core {
namespace {

using Reason = CollectiveError::Reason;
using Fault = std::optional<CollectiveError>;

int64_t ceilDiv(int64_t number, int64_t divisor) {
  return (number + divisor - 1) / divisor;
}

/// Whether `dimAxes` leave their dimensions; else they are appended.
bool removesAxes(CollectiveKind kind) {
  return kind == CollectiveKind::AllGather || kind == CollectiveKind::ShardedToUnreduced;
}

std::span<const Axis> asList(const Axis &axis) {
  return {&axis, 1};
}

//===----------------------------------------------------------------------===//
// Arithmetic on lists
//===----------------------------------------------------------------------===//

void append(Sharding &sharding, int64_t dim, const AxisList &axes) {
  for (const Axis &axis : axes)
    appendOrMerge(sharding.dims[dim].axes, axis);
}

/// Takes `axes` off the minor end of `dim`, the last one first.
Fault remove(Sharding &sharding, int64_t dim, const AxisList &axes) {
  AxisList &list = sharding.dims[dim].axes;
  for (size_t i = axes.size(); i-- > 0;) {
    std::optional<AxisList> rest = removeSuffix(list, asList(axes[i]));
    if (!rest)
      return CollectiveError{Reason::NotMinorEnd, dim, axes[i]};
    list = std::move(*rest);
  }
  return std::nullopt;
}

/// Kinds whose axes are one list per dimension.
Fault applyPerDim(Sharding &sharding, const Collective &collective) {
  if (collective.dimAxes.size() != sharding.dims.size())
    return CollectiveError{Reason::NumAxisLists};
  for (size_t dim = 0; dim < sharding.dims.size(); ++dim) {
    const AxisList &axes = collective.dimAxes[dim];
    auto index = static_cast<int64_t>(dim);
    if (!removesAxes(collective.kind))
      append(sharding, index, axes);
    else if (Fault fault = remove(sharding, index, axes))
      return fault;
  }
  return std::nullopt;
}

/// Dimensions exist, and none is source of two moves, or source and target.
Fault checkDims(const std::vector<AxisMove> &moves, int64_t rank) {
  std::vector<bool> isSource(rank, false);
  for (const AxisMove &move : moves) {
    for (int64_t dim : {move.sourceDim, move.targetDim})
      if (dim < 0 || dim >= rank)
        return CollectiveError{Reason::NoSuchDim, dim};
    if (isSource[move.sourceDim])
      return CollectiveError{Reason::DimUsedTwice, move.sourceDim};
    isSource[move.sourceDim] = true;
  }
  for (const AxisMove &move : moves)
    if (isSource[move.targetDim])
      return CollectiveError{Reason::DimUsedTwice, move.targetDim};
  return std::nullopt;
}

/// Moves in the order given. Sources and targets being apart, any order gives the same result
/// but for what two moves append to one target.
Fault applyMoves(Sharding &sharding, const std::vector<AxisMove> &moves) {
  if (Fault fault = checkDims(moves, static_cast<int64_t>(sharding.dims.size())))
    return fault;
  for (const AxisMove &move : moves) {
    if (Fault fault = remove(sharding, move.sourceDim, move.axes))
      return fault;
    append(sharding, move.targetDim, move.axes);
  }
  return std::nullopt;
}

/// The axes that leave dimension `dim`, in the order of the moves.
AxisList axesFrom(const std::vector<AxisMove> &moves, int64_t dim) {
  AxisList axes;
  for (const AxisMove &move : moves)
    if (move.sourceDim == dim)
      axes.insert(axes.end(), move.axes.begin(), move.axes.end());
  return axes;
}

/// With a local transpose what leaves a dimension must be a suffix, in any order: devices first put
/// the blocks of their buffer in the order in which they are to be sent. Example: from [{"x", "y"},
/// {}, {}], moves {"x"}: 0->1 and {"y"}: 0->2 give [{}, {"x"}, {"y"}]. Taken one after the other,
/// {"x"} would not be at the end of its list.
Fault applyTransposedMoves(Sharding &sharding, const std::vector<AxisMove> &moves) {
  auto rank = static_cast<int64_t>(sharding.dims.size());
  std::vector<bool> isTarget(rank, false);
  for (const AxisMove &move : moves) {
    for (int64_t dim : {move.sourceDim, move.targetDim})
      if (dim < 0 || dim >= rank)
        return CollectiveError{Reason::NoSuchDim, dim};
    isTarget[move.targetDim] = true;
  }
  for (int64_t dim = 0; dim < rank; ++dim) {
    AxisList taken = axesFrom(moves, dim);
    if (taken.empty())
      continue;
    if (isTarget[dim])
      return CollectiveError{Reason::DimUsedTwice, dim};
    AxisList &list = sharding.dims[dim].axes;
    AxisList kept = setDifference(list, taken);
    // Parts of an axis may have been merged in the list, so that elements of the two lists need not
    // correspond: what is kept is a prefix, and the sizes say that nothing else was taken.
    bool isSuffix =
        isPrefixOf(kept, list) && shardedSize(kept) * shardedSize(taken) == shardedSize(list);
    if (!isSuffix)
      return CollectiveError{Reason::NotMinorEnd, dim, taken.front()};
    list = std::move(kept);
  }
  for (const AxisMove &move : moves)
    append(sharding, move.targetDim, move.axes);
  return std::nullopt;
}

/// Kinds that state the sharding after them.
Fault applyStated(Sharding &sharding, const Collective &collective) {
  const Sharding &after = collective.after;
  if (after.dims.size() != sharding.dims.size())
    return CollectiveError{Reason::Rank};
  for (size_t dim = 0; dim < after.dims.size(); ++dim)
    if (collective.kind == CollectiveKind::CollectivePermute &&
        shardedSize(sharding.dims[dim].axes) != shardedSize(after.dims[dim].axes))
      return CollectiveError{Reason::BlockCount, static_cast<int64_t>(dim)};
  sharding = after;
  return std::nullopt;
}

void makeUnreduced(Sharding &sharding, const AxisList &axes) {
  AxisList unreduced = std::move(sharding.unreduced);
  unreduced.insert(unreduced.end(), axes.begin(), axes.end());
  sharding.unreduced = sortAndMerge(std::move(unreduced));
}

//===----------------------------------------------------------------------===//
// Use of axes
//===----------------------------------------------------------------------===//

/// Fails if one of `axes` is in `used`.
Fault checkUnused(std::span<const Axis> axes, std::span<const Axis> used, Reason reason,
                  int64_t dim = 0) {
  for (const Axis &axis : axes)
    if (overlaps(used, asList(axis)))
      return CollectiveError{reason, dim, axis};
  return std::nullopt;
}

/// Fails if one of `axes` is not unreduced, or only in part.
Fault checkReduced(std::span<const Axis> axes, const AxisList &unreduced, int64_t dim = 0) {
  for (const Axis &axis : axes)
    if (!setDifference(asList(axis), unreduced).empty())
      return CollectiveError{Reason::IsNotUnreduced, dim, axis};
  return std::nullopt;
}

/// What AllSlice and ReduceScatter append to one dimension after the other.
Fault checkAppended(const Collective &collective, const Sharding &before) {
  AxisList cutting = dimensionAxes(before);
  AxisList unreduced = before.unreduced;
  for (size_t i = 0; i < collective.dimAxes.size(); ++i) {
    auto dim = static_cast<int64_t>(i);
    for (const Axis &axis : collective.dimAxes[i]) {
      if (collective.kind == CollectiveKind::ReduceScatter) {
        if (Fault fault = checkReduced(asList(axis), unreduced, dim))
          return fault;
        unreduced = setDifference(unreduced, asList(axis));
      }
      if (Fault fault = checkUnused(asList(axis), cutting, Reason::CutsDim, dim))
        return fault;
      if (Fault fault = checkUnused(asList(axis), unreduced, Reason::IsUnreduced, dim))
        return fault;
      cutting.push_back(axis);
    }
  }
  return std::nullopt;
}

/// Moves take axes from the tensor, so these can only clash with each other, or with what is
/// unreduced.
Fault checkMoved(const std::vector<AxisMove> &moves, const Sharding &before) {
  AxisList moved;
  for (const AxisMove &move : moves) {
    for (const Axis &axis : move.axes) {
      if (Fault fault = checkUnused(asList(axis), moved, Reason::CutsDim, move.targetDim))
        return fault;
      moved.push_back(axis);
    }
  }
  return checkUnused(moved, before.unreduced, Reason::IsUnreduced);
}

Fault checkAllReduce(const Collective &collective, const Sharding &before) {
  AxisList fixed = dimensionAxes(before);
  fixed.insert(fixed.end(), before.replicated.begin(), before.replicated.end());
  // An axis in another use is not unreduced either, but that says more.
  if (Fault fault = checkUnused(collective.reducedAxes, fixed, Reason::CutsDim))
    return fault;
  return checkReduced(collective.reducedAxes, before.unreduced);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string textOf(const std::vector<AxisList> &lists, const Mesh &mesh) {
  std::vector<std::string> parts;
  parts.reserve(lists.size());
  for (const AxisList &list : lists)
    parts.push_back(toString(list, mesh));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string textOf(const std::vector<AxisMove> &moves, const Mesh &mesh) {
  std::vector<std::string> parts;
  parts.reserve(moves.size());
  for (const AxisMove &move : moves) {
    parts.push_back(
        fmt::format("{}: {}->{}", toString(move.axes, mesh), move.sourceDim, move.targetDim));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

/// The axes as sdy writes them; empty for kinds without.
std::string operands(const Collective &collective, const Mesh &mesh) {
  switch (collective.kind) {
  case CollectiveKind::AllSlice:
  case CollectiveKind::AllGather:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::ShardedToUnreduced:
    return " " + textOf(collective.dimAxes, mesh);
  case CollectiveKind::AllToAll:
    return " " + textOf(collective.moves, mesh);
  case CollectiveKind::AllReduce:
  case CollectiveKind::ReplicatedToUnreduced:
    return " " + toString(collective.reducedAxes, mesh);
  case CollectiveKind::CollectivePermute:
  case CollectiveKind::Exchange:
  case CollectiveKind::CollectiveBroadcast:
  case CollectiveKind::RaggedAllToAll:
    break;
  }
  return "";
}

/// The axes that the collective writes for the dimension of `error`.
AxisList axesOf(const CollectiveError &error, const Collective &collective) {
  if (!collective.dimAxes.empty())
    return collective.dimAxes[error.dim];
  return collective.moves.empty() ? collective.reducedAxes : axesFrom(collective.moves, error.dim);
}

/// The fault in words, from the point of view of the one who wrote `collective`.
std::string describe(const CollectiveError &error, const Collective &collective,
                     const Sharding &before, const Mesh &mesh) {
  bool isMove = collective.kind == CollectiveKind::AllToAll;
  switch (error.reason) {
  case Reason::NumAxisLists:
    return "there must be one axis list per dimension";
  case Reason::NoSuchDim:
  case Reason::DimUsedTwice:
    if (!collective.localTranspose)
      return "dimensions must exist, and none may be source of two moves or source and target";
    if (error.reason == Reason::NoSuchDim)
      return "a move names a dimension that does not exist";
    return fmt::format("dimension {} both gives and receives axes", error.dim);
  case Reason::NotMinorEnd:
    return fmt::format("{} is not the minor end of dimension {}",
                       toString(axesOf(error, collective), mesh), error.dim);
  case Reason::Rank:
    return "the ranks differ";
  case Reason::BlockCount:
    return fmt::format("dimension {} has {} blocks before and {} after", error.dim,
                       shardedSize(before.dims[error.dim].axes),
                       shardedSize(collective.after.dims[error.dim].axes));
  case Reason::CutsDim:
  case Reason::IsUnreduced:
    if (collective.kind == CollectiveKind::AllReduce)
      return "a reduced axis is not unreduced";
    if (isMove)
      return "an axis is moved twice";
    return fmt::format("{} is in use already", toString(axesOf(error, collective), mesh));
  case Reason::IsNotUnreduced:
    if (collective.kind == CollectiveKind::AllReduce)
      return "a reduced axis is not unreduced";
    return fmt::format("{} is not unreduced", toString(axesOf(error, collective), mesh));
  case Reason::ChangesUnreduced:
    break;
  }
  return "unreduced axes must stay as they are";
}

} // namespace

std::string_view toString(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllSlice:
    return "all_slice";
  case CollectiveKind::AllGather:
    return "all_gather";
  case CollectiveKind::AllToAll:
    return "all_to_all";
  case CollectiveKind::CollectivePermute:
    return "collective_permute";
  case CollectiveKind::ReduceScatter:
    return "reduce_scatter";
  case CollectiveKind::AllReduce:
    return "all_reduce";
  case CollectiveKind::Exchange:
    return "exchange";
  case CollectiveKind::CollectiveBroadcast:
    return "collective_broadcast";
  case CollectiveKind::RaggedAllToAll:
    return "ragged_all_to_all";
  case CollectiveKind::ShardedToUnreduced:
    return "sharded_to_unreduced";
  case CollectiveKind::ReplicatedToUnreduced:
    return "replicated_to_unreduced";
  }
  return "";
}

std::string toString(const Collective &collective, const Mesh &mesh) {
  return fmt::format("{}{}{} -> {}", toString(collective.kind), operands(collective, mesh),
                     collective.localTranspose ? " with local transpose" : "",
                     toString(collective.after, mesh));
}

AxisList groupAxes(const Collective &collective) {
  AxisList axes = collective.reducedAxes;
  for (const AxisList &list : collective.dimAxes)
    axes.insert(axes.end(), list.begin(), list.end());
  for (const AxisMove &move : collective.moves)
    axes.insert(axes.end(), move.axes.begin(), move.axes.end());
  return axes;
}

int64_t groupSize(const Collective &collective) {
  return shardedSize(groupAxes(collective));
}

std::optional<CollectiveError> applyTo(Sharding &sharding, const Collective &collective) {
  switch (collective.kind) {
  case CollectiveKind::AllSlice:
  case CollectiveKind::AllGather:
    return applyPerDim(sharding, collective);
  case CollectiveKind::ReduceScatter:
    sharding.unreduced = setDifference(sharding.unreduced, groupAxes(collective));
    return applyPerDim(sharding, collective);
  case CollectiveKind::ShardedToUnreduced:
    if (Fault fault = applyPerDim(sharding, collective))
      return fault;
    makeUnreduced(sharding, groupAxes(collective));
    return std::nullopt;
  case CollectiveKind::AllToAll:
    return collective.localTranspose ? applyTransposedMoves(sharding, collective.moves)
                                     : applyMoves(sharding, collective.moves);
  case CollectiveKind::AllReduce:
    sharding.unreduced = setDifference(sharding.unreduced, collective.reducedAxes);
    return std::nullopt;
  case CollectiveKind::ReplicatedToUnreduced:
    makeUnreduced(sharding, collective.reducedAxes);
    return std::nullopt;
  case CollectiveKind::CollectivePermute:
  case CollectiveKind::Exchange:
    return applyStated(sharding, collective);
  case CollectiveKind::CollectiveBroadcast:
  case CollectiveKind::RaggedAllToAll:
    break;
  }
  return std::nullopt;
}

std::optional<CollectiveError> checkAxes(const Collective &collective, const Sharding &before) {
  switch (collective.kind) {
  case CollectiveKind::AllSlice:
  case CollectiveKind::ReduceScatter:
    return checkAppended(collective, before);
  case CollectiveKind::AllToAll:
    return checkMoved(collective.moves, before);
  case CollectiveKind::AllReduce:
    return checkAllReduce(collective, before);
  case CollectiveKind::ReplicatedToUnreduced:
    if (Fault fault = checkUnused(collective.reducedAxes, dimensionAxes(before), Reason::CutsDim))
      return fault;
    return checkUnused(collective.reducedAxes, before.unreduced, Reason::IsUnreduced);
  case CollectiveKind::CollectivePermute:
  case CollectiveKind::Exchange:
    if (collective.after.unreduced != before.unreduced)
      return CollectiveError{Reason::ChangesUnreduced};
    break;
  case CollectiveKind::AllGather:
  case CollectiveKind::ShardedToUnreduced:
  case CollectiveKind::CollectiveBroadcast:
  case CollectiveKind::RaggedAllToAll:
    break;
  }
  return std::nullopt;
}

Result<Sharding> apply(const Collective &collective, const Sharding &before, const Mesh &mesh) {
  Sharding result;
  result.unreduced = before.unreduced;
  result.reduction = before.reduction;
  result.dims.reserve(before.dims.size());
  for (const DimSharding &dim : before.dims)
    result.dims.push_back({dim.axes, true, std::nullopt});
  Fault fault = applyTo(result, collective);
  if (!fault)
    fault = checkAxes(collective, before);
  if (!fault)
    return result;
  return invalid(fmt::format("{} cannot follow {}: {}", toString(collective, mesh),
                             toString(before, mesh), describe(*fault, collective, before, mesh)));
}

bool isAlignedCut(int64_t size, int64_t blocks, int64_t parts) {
  int64_t blockSize = ceilDiv(size, blocks);
  return blocks == 1 || blockSize % parts == 0 || size <= blockSize;
}

bool isAligned(const Collective &collective, const Sharding &before, const Shape &shape) {
  // Blocks per dimension, as it goes: of two moves to one target, the second cuts finer blocks.
  std::vector<int64_t> blocks;
  for (const DimSharding &dim : before.dims)
    blocks.push_back(shardedSize(dim.axes));
  auto isAlignedAppend = [&](int64_t dim, const AxisList &axes) {
    int64_t parts = shardedSize(axes);
    bool isAligned = isAlignedCut(shape[dim], blocks[dim], parts);
    blocks[dim] *= parts;
    return isAligned;
  };
  auto isAlignedRemoval = [&](int64_t dim, const AxisList &axes) {
    int64_t parts = shardedSize(axes);
    blocks[dim] /= parts;
    return isAlignedCut(shape[dim], blocks[dim], parts);
  };
  for (size_t dim = 0; dim < collective.dimAxes.size(); ++dim) {
    const AxisList &axes = collective.dimAxes[dim];
    if (!(removesAxes(collective.kind) ? isAlignedRemoval(dim, axes) : isAlignedAppend(dim, axes)))
      return false;
  }
  return std::all_of(collective.moves.begin(), collective.moves.end(), [&](const AxisMove &move) {
    return isAlignedRemoval(move.sourceDim, move.axes) &&
           isAlignedAppend(move.targetDim, move.axes);
  });
}

int64_t sentBufferBytes(const Collective &collective, const Sharding &before, const Shape &shape,
                        int64_t elementBytes) {
  // What is sent has no padding of its own where a cut is even; else each part has the size of the
  // largest.
  // Blocks of the fine size, one for each part a block is cut into.
  Shape local = localShape(shape, before);
  std::vector<int64_t> parts(local.size(), 1);
  if (collective.kind == CollectiveKind::AllSlice ||
      collective.kind == CollectiveKind::ReduceScatter)
    for (size_t dim = 0; dim < collective.dimAxes.size(); ++dim)
      parts[dim] *= shardedSize(collective.dimAxes[dim]);
  for (const AxisMove &move : collective.moves)
    parts[move.targetDim] *= shardedSize(move.axes);
  for (size_t dim = 0; dim < local.size(); ++dim)
    local[dim] = ceilDiv(local[dim], parts[dim]) * parts[dim];
  return numElements(local) * elementBytes;
}

} // namespace shardwise::core
