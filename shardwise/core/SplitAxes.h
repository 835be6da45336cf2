// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handing the axes of a dimension out, major to minor, and splitting an axis where a size ends. It
// is how a dimension's axes go to its factors, and how a list is cut to what divides a dimension.

#pragma once

#include "shardwise/core/Axis.h"

#include <cstdint>
#include <numeric>
#include <span>

namespace shardwise::core {

/// The axes of a list that have not been taken yet. The first may be partly taken. Keeps a view of
/// the list.
class RemainingAxes {
public:
  explicit RemainingAxes(std::span<const Axis> axes) : axes(axes) {
    if (!axes.empty())
      front = axes[0];
  }

  bool isEmpty() const { return axes.empty(); }
  /// Size of what is left of the first axis. Requires that something is left.
  int64_t frontSize() const { return front.size; }

  /// Moves the major part of size `size` of the first axis to `out`.
  /// Requires: `size` divides `frontSize()`.
  void take(int64_t size, AxisList &out) {
    if (size == front.size)
      return takeFront(out);
    out.push_back({front.index, front.preSize, size});
    front.preSize *= size;
    front.size /= size;
  }

  /// Moves what is left of the first axis to `out`.
  void takeFront(AxisList &out) {
    out.push_back(front);
    axes = axes.subspan(1);
    if (!axes.empty())
      front = axes[0];
  }

  /// Moves everything to `out`, neighbours merged with each other but not with what is there.
  void takeAll(AxisList &out) {
    for (size_t begin = out.size(); !isEmpty();) {
      takeFront(out);
      if (out.size() - begin >= 2 && canMerge(out[out.size() - 2], out.back())) {
        Axis merged = merge(out[out.size() - 2], out.back());
        out.pop_back();
        out.back() = merged;
      }
    }
  }

  void dropAll() { axes = {}; }

private:
  std::span<const Axis> axes;
  Axis front;
};

/// Moves axes to `out` as long as they divide `size`, splitting the one where the greatest common
/// divisor ends; returns what is left of the size. Axes of size 1 divide everything, and everything
/// divides a size of 0.
/// Example: x=4, y=6 of size 8 gives {"x", "y":(1)2} and leaves 1; of size 12, {"x", "y":(1)3}.
inline int64_t takeDividing(int64_t size, RemainingAxes &remaining, AxisList &out) {
  while (!remaining.isEmpty()) {
    int64_t front = remaining.frontSize();
    int64_t common = std::gcd(size, front);
    if (front != 1 && common <= 1)
      break;
    remaining.take(common, out);
    size /= common;
  }
  return size;
}

} // namespace shardwise::core
