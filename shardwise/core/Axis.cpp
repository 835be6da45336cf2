// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algebra of two parts of a mesh axis. Lists of them are in AxisLists.cpp.
//
// A part of an axis of size n is the interval [preSize, nextPreSize) of the divisor chain from 1
// to n. Two parts coexist if their four ends form such a chain together; then all operations are
// those of intervals.

#include "shardwise/core/Axis.h"

#include "shardwise/core/AxisChecks.h"

#include <algorithm>
#include <cassert>

namespace shardwise::core {
namespace {

/// Number of devices per step of `axis`'s coordinate: how far apart, in row-major positions, two
/// devices are that differ by one along it.
int64_t strideOf(const Axis &axis, const Mesh &mesh) {
  int64_t stride = mesh.axisSize(axis.index) / axis.nextPreSize();
  for (int64_t i = axis.index + 1; i < mesh.numAxes(); ++i)
    stride *= mesh.axisSize(i);
  return stride;
}

} // namespace

Axis fullAxis(const Mesh &mesh, int64_t index) {
  assert(index >= 0 && index < mesh.numAxes() && "no such axis in the mesh");
  return {static_cast<int32_t>(index), 1, mesh.axisSize(index)};
}

Result<Axis> resolve(const AxisRef &ref, const Mesh &mesh) {
  std::optional<int64_t> index = mesh.axisIndexOrNull(ref.name);
  if (!index)
    return unknownAxisError(ref.name, mesh);
  if (!ref.subAxis)
    return fullAxis(mesh, *index);
  if (Result<void> checked = checkSubAxis(ref, mesh.axisSize(*index)); !checked)
    return checked.error();
  return Axis{static_cast<int32_t>(*index), ref.subAxis->preSize, ref.subAxis->size};
}

AxisRef toRef(const Axis &axis, const Mesh &mesh) {
  AxisRef ref{mesh.axes()[axis.index].name, std::nullopt};
  if (!axis.isFull(mesh))
    ref.subAxis = SubAxis{axis.preSize, axis.size};
  return ref;
}

bool contains(const Axis &outer, const Axis &inner) {
  return outer.index == inner.index && outer.preSize <= inner.preSize &&
         inner.nextPreSize() <= outer.nextPreSize();
}

bool isPrefixOf(const Axis &prefix, const Axis &axis) {
  return contains(axis, prefix) && prefix.preSize == axis.preSize;
}

bool isStrictPrefixOf(const Axis &prefix, const Axis &axis) {
  return isPrefixOf(prefix, axis) && prefix.size != axis.size;
}

bool isSuffixOf(const Axis &suffix, const Axis &axis) {
  return contains(axis, suffix) && suffix.nextPreSize() == axis.nextPreSize();
}

bool overlaps(const Axis &a, const Axis &b) {
  // An axis of size 1 is an empty interval, yet it is the same axis twice.
  return a == b ||
         (a.index == b.index && a.preSize < b.nextPreSize() && b.preSize < a.nextPreSize());
}

bool canCoexist(const Axis &a, const Axis &b) {
  if (a.index != b.index)
    return true;
  // The chain of ends is low1, low2, high1, high2 if the parts overlap, else low1, high1, low2,
  // high2; each must divide the next. Within one part they do anyway.
  auto [low1, low2] = std::minmax(a.preSize, b.preSize);
  auto [high1, high2] = std::minmax({a.nextPreSize(), b.nextPreSize()});
  if (high1 > low2)
    return low2 % low1 == 0 && high1 % low2 == 0 && high2 % high1 == 0;
  return low2 % high1 == 0;
}

bool canMerge(const Axis &major, const Axis &minor) {
  // Nothing continues a full axis; only one of size 1 would pass the second test, with itself.
  return major.index == minor.index && major.nextPreSize() == minor.preSize && minor.size > 1;
}

Axis merge(const Axis &major, const Axis &minor) {
  assert(canMerge(major, minor) && "the axes are not neighbours");
  return {major.index, major.preSize, major.size * minor.size};
}

std::optional<Axis> overlap(const Axis &a, const Axis &b) {
  if (!overlaps(a, b) || !canCoexist(a, b))
    return std::nullopt;
  int64_t low = std::max(a.preSize, b.preSize);
  int64_t high = std::min(a.nextPreSize(), b.nextPreSize());
  return Axis{a.index, low, high / low};
}

std::optional<Axis> prefixWithoutOverlap(const Axis &axis, const Axis &other) {
  if (axis.index != other.index)
    return axis;
  if (!canCoexist(axis, other))
    return std::nullopt;
  if (!overlaps(axis, other))
    return axis;
  // `axis` begins inside `other`: no prefix is free.
  if (axis.preSize >= other.preSize)
    return std::nullopt;
  return Axis{axis.index, axis.preSize, other.preSize / axis.preSize};
}

std::optional<Axis> suffixWithoutOverlap(const Axis &axis, const Axis &other) {
  if (axis.index != other.index)
    return axis;
  if (!canCoexist(axis, other))
    return std::nullopt;
  if (!overlaps(axis, other))
    return axis;
  // `axis` ends inside `other`: no suffix is free.
  if (axis.nextPreSize() <= other.nextPreSize())
    return std::nullopt;
  return Axis{axis.index, other.nextPreSize(), axis.nextPreSize() / other.nextPreSize()};
}

std::optional<Axis> prefixWithoutOverlap(const Axis &axis, std::span<const Axis> others) {
  std::optional<Axis> prefix = axis;
  for (const Axis &other : others) {
    prefix = prefixWithoutOverlap(*prefix, other);
    if (!prefix)
      break;
  }
  return prefix;
}

std::optional<Axis> greatestCommonPrefix(const Axis &a, const Axis &b) {
  if (!canCoexist(a, b))
    return std::nullopt;
  if (isPrefixOf(a, b))
    return a;
  if (isPrefixOf(b, a))
    return b;
  return std::nullopt;
}

int64_t coordinateAlong(const Axis &axis, const Mesh &mesh, int64_t position) {
  return position / strideOf(axis, mesh) % axis.size;
}

int64_t coordinateAlong(std::span<const Axis> axes, const Mesh &mesh, int64_t position) {
  int64_t coordinate = 0;
  for (const Axis &axis : axes)
    coordinate = coordinate * axis.size + coordinateAlong(axis, mesh, position);
  return coordinate;
}

} // namespace shardwise::core
