// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of two shardings, added up. Parts of one axis that cannot be cut further so that both are
// lists of the pieces, as "x":(1)2 and "x":(1)3 of "x"=6, count as the whole axis.
//
// Why axes of a common prefix drop out: they cut a dimension into coarse blocks, the same before
// and after, and what follows cuts within each. An element never leaves its coarse block, and
// devices that differ along these axes have different ones. This needs fine blocks to lie in coarse
// ones, which is so if sizes divide evenly: of 10 elements on {"x", "y"} = 2 x 3, blocks of 2, the
// third is [4, 6) and lies in both halves.

#include "shardwise/core/MovedAxes.h"

#include <algorithm>

namespace shardwise::core {
namespace {

void add(AxisList &moved, const Axis &axis, const Mesh &mesh) {
  bool coexists = std::all_of(moved.begin(), moved.end(), [&](const Axis &other) {
    return other.index != axis.index || canCoexist(other, axis);
  });
  if (!coexists) {
    std::erase_if(moved, [&](const Axis &other) { return other.index == axis.index; });
    moved.push_back(fullAxis(mesh, axis.index));
    return;
  }
  AxisList rest = setDifference({&axis, 1}, moved);
  moved.insert(moved.end(), rest.begin(), rest.end());
}

} // namespace

AxisList movedAxes(const Mesh &mesh, const Shape &shape, const Sharding &before,
                   const Sharding &after) {
  AxisList moved;
  for (size_t dim = 0; dim < before.dims.size(); ++dim) {
    const AxisList &from = before.dims[dim].axes;
    const AxisList &to = after.dims[dim].axes;
    bool isEven = shape[dim] % shardedSize(from) == 0 && shape[dim] % shardedSize(to) == 0;
    AxisList common = isEven || from == to ? commonPrefix(from, to) : AxisList{};
    for (const AxisList *list : {&from, &to})
      for (const Axis &axis : setDifference(*list, common))
        add(moved, axis, mesh);
  }
  return sortAndMerge(std::move(moved));
}

AxisList axesBeside(const Mesh &mesh, const AxisList &axes) {
  AxisList all;
  for (int64_t axis = 0; axis < mesh.numAxes(); ++axis)
    all.push_back(fullAxis(mesh, axis));
  return setDifference(all, axes);
}

} // namespace shardwise::core
