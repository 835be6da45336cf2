// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts mesh axes into atoms: the largest pieces of which every axis of some lists is a union.
//
// Atoms do not overlap, so that lists of axes become lists of numbers: comparing, appending and
// removing suffixes need no sub-axis algebra.

#pragma once

#include "shardwise/core/Axis.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shardwise::planner {

/// Whether atoms are cut further into their prime factors.
enum class AtomCut { WhereNeeded, PrimeFactors };

/// Position in `AxisAtoms::atoms()`.
using AtomIndex = int32_t;

/// Atoms of a mesh. Pieces of size 1 are left out: they cut nothing.
/// Example: axis "x" of size 8 used as "x":(1)2 and "x":(2)4 has atoms (1)2, (2)4.
class AxisAtoms {
public:
  /// Returns the atoms of all axes of `mesh` for `lists`; none if two axes cannot coexist.
  static std::optional<AxisAtoms> create(const core::Mesh &mesh,
                                         std::span<const std::span<const core::Axis>> lists,
                                         AtomCut cut = AtomCut::WhereNeeded);

  /// In mesh order.
  const std::vector<core::Axis> &atoms() const { return all; }
  const core::Axis &operator[](AtomIndex atom) const { return all[atom]; }
  int32_t numAtoms() const { return static_cast<int32_t>(all.size()); }

  /// Appends the atoms of `axes`, major first, to `out`. Requires: `axes` are from the lists.
  void expand(std::span<const core::Axis> axes, std::vector<AtomIndex> &out) const;
  std::vector<AtomIndex> expand(std::span<const core::Axis> axes) const;

private:
  std::vector<core::Axis> all;
};

} // namespace shardwise::planner
