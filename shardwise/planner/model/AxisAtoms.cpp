// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atoms from cut positions: an axis of size n is cut where some list has a boundary.

#include "shardwise/planner/model/AxisAtoms.h"

#include <algorithm>

namespace shardwise::planner {
namespace {

int64_t smallestPrimeFactor(int64_t number) {
  for (int64_t factor = 2; factor * factor <= number; ++factor)
    if (number % factor == 0)
      return factor;
  return number;
}

/// Boundaries of an axis as major products: 1 and n are the ends.
using Cuts = std::vector<int64_t>;

/// Adds the piece `(preSize)size`, cut into prime factors if asked for.
void addPiece(std::vector<core::Axis> &atoms, core::Axis piece, AtomCut cut) {
  while (cut == AtomCut::PrimeFactors) {
    int64_t factor = smallestPrimeFactor(piece.size);
    if (factor == piece.size)
      break;
    atoms.push_back({piece.index, piece.preSize, factor});
    piece.preSize *= factor;
    piece.size /= factor;
  }
  atoms.push_back(piece);
}

} // namespace

std::optional<AxisAtoms> AxisAtoms::create(const core::Mesh &mesh,
                                           std::span<const std::span<const core::Axis>> lists,
                                           AtomCut cut) {
  std::vector<Cuts> cuts(mesh.numAxes());
  for (int64_t axis = 0; axis < mesh.numAxes(); ++axis)
    cuts[axis] = {1, mesh.axisSize(axis)};
  for (std::span<const core::Axis> list : lists) {
    for (const core::Axis &axis : list) {
      cuts[axis.index].push_back(axis.preSize);
      cuts[axis.index].push_back(axis.nextPreSize());
    }
  }
  AxisAtoms result;
  for (int64_t axis = 0; axis < mesh.numAxes(); ++axis) {
    Cuts &positions = cuts[axis];
    std::sort(positions.begin(), positions.end());
    for (size_t i = 1; i < positions.size(); ++i) {
      if (positions[i] == positions[i - 1])
        continue;
      if (positions[i] % positions[i - 1] != 0)
        return std::nullopt;
      addPiece(result.all,
               {static_cast<int32_t>(axis), positions[i - 1], positions[i] / positions[i - 1]},
               cut);
    }
  }
  return result;
}

void AxisAtoms::expand(std::span<const core::Axis> axes, std::vector<AtomIndex> &out) const {
  for (const core::Axis &axis : axes) {
    for (AtomIndex atom = 0; atom < numAtoms(); ++atom)
      if (core::contains(axis, all[atom]))
        out.push_back(atom);
  }
}

std::vector<AtomIndex> AxisAtoms::expand(std::span<const core::Axis> axes) const {
  std::vector<AtomIndex> result;
  expand(axes, result);
  return result;
}

} // namespace shardwise::planner
