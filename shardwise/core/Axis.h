// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// References to mesh axes and to parts of them (sub-axes), and their algebra.
//
// There are two forms. `AxisRef` is what a user writes: a name and perhaps `:(pre)size`; it may
// name nothing. `Axis` is the same thing looked up in a mesh; algorithms use only this form.

#pragma once

#include "shardwise/core/Mesh.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardwise::core {

/// `(preSize)size`: the middle factor of an axis of size n seen as [preSize, size,
/// n/(preSize*size)].
struct SubAxis {
  int64_t preSize = 1;
  int64_t size = 1;

  bool operator==(const SubAxis &) const = default;
};

/// A mesh axis by name, as written: `"x"` or `"x":(2)4`. Not checked against a mesh.
struct AxisRef {
  std::string name;
  std::optional<SubAxis> subAxis;

  bool operator==(const AxisRef &) const = default;
};

/// A part of a mesh axis, resolved: axis number, and the factor `(preSize)size` of it. The full
/// axis of size n is `(1)n`, so no case in the algebra is special.
///
/// Invariant in a valid sharding: preSize >= 1, preSize * size divides the axis size.
struct Axis {
  int32_t index = 0;
  int64_t preSize = 1;
  int64_t size = 1;

  /// First position after this part: the pre-size of whatever follows it on the axis.
  int64_t nextPreSize() const { return preSize * size; }
  bool isFull(const Mesh &mesh) const { return size == mesh.axisSize(index); }

  /// Orders by mesh axis, then pre-size, then size.
  auto operator<=>(const Axis &) const = default;
};

/// Axes, most major first.
using AxisList = std::vector<Axis>;

/// Returns the full axis number `index` of `mesh`.
Axis fullAxis(const Mesh &mesh, int64_t index);
/// Looks `ref` up. Fails on an unknown name or on a sub-axis that does not fit the axis.
Result<Axis> resolve(const AxisRef &ref, const Mesh &mesh);
/// Returns `axis` as it is written: without the sub-axis part if it is the full axis.
AxisRef toRef(const Axis &axis, const Mesh &mesh);

// Relations. All are false, and all operations "no effect", between different mesh axes.

/// Whether every coordinate of `inner` can be read off `outer`.
bool contains(const Axis &outer, const Axis &inner);
/// Whether `prefix` is the major part of `axis` (or equal to it).
bool isPrefixOf(const Axis &prefix, const Axis &axis);
/// Whether `prefix` is a prefix of `axis` and not equal to it.
bool isStrictPrefixOf(const Axis &prefix, const Axis &axis);
/// Whether `suffix` is the minor part of `axis` (or equal to it).
bool isSuffixOf(const Axis &suffix, const Axis &axis);
/// Whether both share some part of a mesh axis.
bool overlaps(const Axis &a, const Axis &b);
/// Whether an axis can be cut so that both are unions of pieces.
/// Example on an axis of size 12: (1)2 and (2)3 can, (1)2 and (3)2 cannot.
bool canCoexist(const Axis &a, const Axis &b);
/// Whether `minor` continues `major` on the same mesh axis.
bool canMerge(const Axis &major, const Axis &minor);
/// Returns the union. Requires `canMerge(major, minor)`.
Axis merge(const Axis &major, const Axis &minor);

/// Returns the common part, if both overlap and can coexist.
std::optional<Axis> overlap(const Axis &a, const Axis &b);
/// Returns the longest prefix of `axis` that does not overlap `other`; none if that is empty or
/// the two cannot coexist. Example: (1)8 without (2)2 is (1)2.
std::optional<Axis> prefixWithoutOverlap(const Axis &axis, const Axis &other);
/// The same for suffixes.
std::optional<Axis> suffixWithoutOverlap(const Axis &axis, const Axis &other);
/// Folds `prefixWithoutOverlap` over `others`, stopping at none.
std::optional<Axis> prefixWithoutOverlap(const Axis &axis, std::span<const Axis> others);
/// Returns the longer common prefix of both, if one is a prefix of the other.
std::optional<Axis> greatestCommonPrefix(const Axis &a, const Axis &b);

// Lists.

/// Returns the number of parts `axes` cut a dimension into: the product of their sizes.
int64_t shardedSize(std::span<const Axis> axes);
/// Appends `axis`, merged into the last entry if it continues that one.
void appendOrMerge(AxisList &list, const Axis &axis);
/// Returns `axes` in mesh order with neighbours merged. Requires that they do not overlap.
AxisList sortAndMerge(AxisList axes);
/// Whether `prefix` can be expanded to `list`: equal, or all entries but the last are equal and
/// the last is a prefix of its counterpart.
bool isPrefixOf(std::span<const Axis> prefix, std::span<const Axis> list);
/// The same, and they are not equal.
bool isStrictPrefixOf(std::span<const Axis> prefix, std::span<const Axis> list);
/// Returns the longest list that is a prefix of both.
AxisList commonPrefix(std::span<const Axis> a, std::span<const Axis> b);
/// Cuts `list` before the first part that overlaps `others`.
AxisList truncateByOverlap(std::span<const Axis> list, std::span<const Axis> others);
/// Returns the parts of `list` that no entry of `others` covers, in order.
AxisList setDifference(std::span<const Axis> list, std::span<const Axis> others);
/// Whether an entry of `a` overlaps an entry of `b`.
bool overlaps(std::span<const Axis> a, std::span<const Axis> b);
/// Removes `suffix` from the minor end of `list`, splitting the last entry where needed. None if
/// `suffix` is not the minor part of `list`.
/// Example: {"x"} of size 8 without {"x":(2)4} is {"x":(1)2}.
std::optional<AxisList> removeSuffix(std::span<const Axis> list, std::span<const Axis> suffix);

/// Returns the coordinate along `axis` of the device at row-major `position` of `mesh`.
int64_t coordinateAlong(const Axis &axis, const Mesh &mesh, int64_t position);
/// Returns the mixed-radix number of the coordinates along `axes`, first axis most significant.
int64_t coordinateAlong(std::span<const Axis> axes, const Mesh &mesh, int64_t position);

} // namespace shardwise::core
