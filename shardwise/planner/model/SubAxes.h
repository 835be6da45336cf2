// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common sub-axes of lists of axes: the largest parts of mesh axes of which every listed axis
// is a union.
//
// Common sub-axes do not overlap, so that lists of axes become lists of numbers: comparing,
// appending and removing suffixes need no algebra of overlapping parts. The planner calls them
// sub-axes for short; one may be a full axis.

#pragma once

#include "shardwise/core/Axis.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shardwise::planner {

/// Whether sub-axes are split further into their prime factors.
enum class AxisSplit { WhereNeeded, PrimeFactors };

/// Position in `SubAxes::all()`.
using SubAxisIndex = int32_t;

/// The sub-axes of a list of axes, major first.
using SubAxisIndices = std::vector<SubAxisIndex>;

/// Common sub-axes of a mesh. Parts of size 1 are left out: they cut nothing.
/// Example: axis "x" of size 8 used as "x":(1)2 and "x":(2)4 has sub-axes (1)2, (2)4.
class SubAxes {
public:
  /// Returns the sub-axes of all axes of `mesh` for `lists`; none if two axes cannot
  /// coexist (`core::canCoexist`).
  static std::optional<SubAxes> create(const core::Mesh &mesh,
                                       std::span<const std::span<const core::Axis>> lists,
                                       AxisSplit split = AxisSplit::WhereNeeded);

  /// In mesh order.
  const std::vector<core::Axis> &all() const { return subAxes; }
  const core::Axis &operator[](SubAxisIndex subAxis) const { return subAxes[subAxis]; }
  int32_t numSubAxes() const { return static_cast<int32_t>(subAxes.size()); }

  /// Appends the sub-axes of `axes`, major first, to `out`. Requires: `axes` are from the lists.
  void expand(std::span<const core::Axis> axes, SubAxisIndices &out) const;
  SubAxisIndices expand(std::span<const core::Axis> axes) const;

private:
  std::vector<core::Axis> subAxes;
};

} // namespace shardwise::planner
