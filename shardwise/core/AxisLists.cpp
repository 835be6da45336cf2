// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on lists of axes. See Axis.cpp for single ones.

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
    if (prefix != axis)
      break;
  }
  return result;
}

AxisList setDifference(std::span<const Axis> list, std::span<const Axis> others) {
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
