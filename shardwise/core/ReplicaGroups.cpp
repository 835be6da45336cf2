// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A group is a set of offsets (the coordinates of its axes) added to a base (those of the rest of
// the mesh), so neither needs the other.
//
// Example: mesh <["x"=2, "y"=2]>, axes {"y"}. "x" is 2 positions apart, "y" 1: the offsets are 0,
// 1, the bases 0, 2, the groups {0, 1} and {2, 3}. All of it is in row-major positions of the mesh;
// the mesh turns them into device ids at the very end.

#include "shardwise/core/ReplicaGroups.h"

#include <algorithm>

namespace shardwise::core {
namespace {

/// Coordinates 0..size-1, `stride` positions apart.
struct Range {
  int64_t size;
  int64_t stride;
};

/// Returns the sums of one coordinate of each range, the last range varying fastest.
std::vector<int64_t> sums(std::span<const Range> ranges) {
  std::vector<int64_t> result = {0};
  for (const Range &range : ranges) {
    std::vector<int64_t> next;
    next.reserve(result.size() * range.size);
    for (int64_t base : result)
      for (int64_t i = 0; i < range.size; ++i)
        next.push_back(base + i * range.stride);
    result = std::move(next);
  }
  return result;
}

/// Strides of the mesh axes in row-major positions.
std::vector<int64_t> axisStrides(const Mesh &mesh) {
  std::vector<int64_t> strides(mesh.numAxes(), 1);
  for (int64_t i = mesh.numAxes() - 1; i > 0; --i)
    strides[i - 1] = strides[i] * mesh.axisSize(i);
  return strides;
}

std::vector<Range> rangesOf(const Mesh &mesh, std::span<const Axis> axes) {
  std::vector<int64_t> strides = axisStrides(mesh);
  std::vector<Range> ranges;
  ranges.reserve(axes.size());
  for (const Axis &axis : axes)
    ranges.push_back(
        {axis.size, mesh.axisSize(axis.index) / axis.nextPreSize() * strides[axis.index]});
  return ranges;
}

/// What `axes` leave of the mesh, in mesh order.
AxisList complement(const Mesh &mesh, std::span<const Axis> axes) {
  AxisList all;
  for (int64_t i = 0; i < mesh.numAxes(); ++i)
    all.push_back(fullAxis(mesh, i));
  return setDifference(all, axes);
}

} // namespace

std::vector<ReplicaGroup> replicaGroups(const Mesh &mesh, std::span<const Axis> axes) {
  std::vector<int64_t> bases = sums(rangesOf(mesh, complement(mesh, axes)));
  std::vector<int64_t> offsets = sums(rangesOf(mesh, axes));
  std::vector<ReplicaGroup> groups(bases.size());
  for (size_t i = 0; i < bases.size(); ++i) {
    groups[i].reserve(offsets.size());
    for (int64_t offset : offsets)
      groups[i].push_back(mesh.deviceAt(bases[i] + offset));
  }
  return groups;
}

ReplicaGroup replicaGroupOf(const Mesh &mesh, std::span<const Axis> axes, int64_t position) {
  // The device's position less its coordinates along `axes` is the base of its group.
  std::vector<Range> ranges = rangesOf(mesh, axes);
  int64_t base = position;
  for (const Range &range : ranges)
    base -= position / range.stride % range.size * range.stride;
  ReplicaGroup group = sums(ranges);
  for (DeviceId &member : group)
    member = mesh.deviceAt(base + member);
  return group;
}

} // namespace shardwise::core
