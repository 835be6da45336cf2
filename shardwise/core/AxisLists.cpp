// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on lists of axes. See Axis.cpp for single ones.
//
// A list is major to minor. What two lists have in common is therefore a common prefix, and a list
// is shortened at its minor end. Both can happen inside an axis: with x=4, the common prefix of
// {"x"} and {"x":(1)2, "y"} is {"x":(1)2}.

#include "shardwise/core/Axis.h"

#include <algorithm>

namespace shardwise::core {

int64_t shardedSize(std::span<const Axis> axes) {
  int64_t size = 1;
  for (const Axis &axis : axes)
    size *= axis.size;
  return size;
}

void appendOrMerge(AxisList &list, const Axis &axis) {
  if (!list.empty() && canMerge(list.back(), axis))
    list.back() = merge(list.back(), axis);
  else
    list.push_back(axis);
}

AxisList sortAndMerge(AxisList axes) {
  std::sort(axes.begin(), axes.end());
  AxisList merged;
  merged.reserve(axes.size());
  for (const Axis &axis : axes)
    appendOrMerge(merged, axis);
  return merged;
}

bool isPrefixOf(std::span<const Axis> prefix, std::span<const Axis> list) {
  if (prefix.empty())
    return true;
  if (prefix.size() > list.size())
    return false;
  // Only the last entry may be shorter than its counterpart: with a shorter one before it, the
  // lists would go on with different axes.
  size_t last = prefix.size() - 1;
  return std::equal(prefix.begin(), prefix.begin() + last, list.begin()) &&
         isPrefixOf(prefix[last], list[last]);
}

bool isStrictPrefixOf(std::span<const Axis> prefix, std::span<const Axis> list) {
  if (!isPrefixOf(prefix, list))
    return false;
  return prefix.size() != list.size() || (!prefix.empty() && prefix.back() != list.back());
}

AxisList commonPrefix(std::span<const Axis> a, std::span<const Axis> b) {
  AxisList result;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] == b[i]) {
      result.push_back(a[i]);
      continue;
    }
    // From here on the lists differ, perhaps only in the minor part of this entry.
    if (std::optional<Axis> prefix = greatestCommonPrefix(a[i], b[i]))
      result.push_back(*prefix);
    break;
  }
  return result;
}

AxisList truncateByOverlap(std::span<const Axis> list, std::span<const Axis> others) {
  AxisList result;
  for (const Axis &axis : list) {
    std::optional<Axis> prefix = prefixWithoutOverlap(axis, others);
    if (prefix)
      result.push_back(*prefix);
    // With a part missing here, what follows would not continue a prefix of `list`.
    if (prefix != axis)
      break;
  }
  return result;
}

AxisList setDifference(std::span<const Axis> list, std::span<const Axis> others) {
  // In axis order: parts are then taken out of an entry from major to minor, and `rest` is always
  // what lies behind the last of them.
  AxisList sorted(others.begin(), others.end());
  std::sort(sorted.begin(), sorted.end());
  AxisList result;
  for (const Axis &axis : list) {
    std::optional<Axis> rest = axis;
    for (const Axis &other : sorted) {
      if (!overlaps(*rest, other))
        continue;
      if (std::optional<Axis> before = prefixWithoutOverlap(*rest, other))
        result.push_back(*before);
      rest = suffixWithoutOverlap(*rest, other);
      if (!rest)
        break;
    }
    if (rest)
      result.push_back(*rest);
  }
  return result;
}

bool overlaps(std::span<const Axis> a, std::span<const Axis> b) {
  return std::any_of(a.begin(), a.end(), [&](const Axis &axis) {
    return std::any_of(b.begin(), b.end(),
                       [&](const Axis &other) { return overlaps(axis, other); });
  });
}

std::optional<AxisList> removeSuffix(std::span<const Axis> list, std::span<const Axis> suffix) {
  // From the minor end. Several entries of `suffix` may come off one entry of `list`.
  AxisList result(list.begin(), list.end());
  for (size_t i = suffix.size(); i-- > 0;) {
    if (result.empty() || !isSuffixOf(suffix[i], result.back()))
      return std::nullopt;
    if (suffix[i] == result.back()) {
      result.pop_back();
      continue;
    }
    std::optional<Axis> rest = prefixWithoutOverlap(result.back(), suffix[i]);
    if (!rest)
      return std::nullopt;
    result.back() = *rest;
  }
  return result;
}

} // namespace shardwise::core
