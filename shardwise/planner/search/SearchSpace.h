// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reshard problem in the compact form that the exact search walks.
//
// Axes are cut into atoms (AxisAtoms.h) and numbered. What source and target have in common at the
// start of a list, or leave unreduced, is fixed and not part of a state. Atoms that neither uses
// are included on request while there is room: slicing over them makes other steps cheaper.

#pragma once

#include "shardwise/planner/model/AxisAtoms.h"
#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/planner/model/ReshardProblem.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace shardwise::planner {

/// Limits of the compact form.
inline constexpr int kMaxAtoms = 15;
inline constexpr int kMaxDims = 8;

/// Ordered list of at most 16 atoms, major first: the i-th four-bit digit is the atom's number
/// plus one, zero ends the list.
struct AtomList {
  uint64_t digits = 0;

  int length() const { return (67 - std::countl_zero(digits)) / 4; }
  bool isEmpty() const { return digits == 0; }
  int operator[](int i) const { return static_cast<int>(digits >> (4 * i) & 15U) - 1; }
  AtomList prefix(int count) const {
    return {count >= 16 ? digits : digits & ((uint64_t{1} << (4 * count)) - 1)};
  }
  AtomList withoutPrefix(int count) const { return {count >= 16 ? 0 : digits >> (4 * count)}; }
  AtomList append(int atom) const {
    return {digits | static_cast<uint64_t>(atom + 1) << (4 * length())};
  }
  AtomList append(AtomList other) const {
    return other.isEmpty() ? *this : AtomList{digits | other.digits << (4 * length())};
  }
  /// Number of leading atoms that both lists share.
  int commonLength(AtomList other) const {
    uint64_t differing = digits ^ other.digits;
    return std::min({std::countr_zero(differing) / 4, length(), other.length()});
  }
  bool operator==(const AtomList &) const = default;
};

/// Atoms as bits.
using AtomSet = uint16_t;

/// One list per dimension, and the atoms still to be reduced.
struct SearchState {
  std::array<AtomList, kMaxDims> lists{};
  AtomSet unreduced = 0;

  bool operator==(const SearchState &) const = default;
};

/// A tensor dimension in the search.
struct SearchDim {
  int64_t size = 1;
  /// Blocks made by the axes that stay.
  int64_t fixedBlocks = 1;
  /// Blocks in source and target, fixed ones included.
  int64_t sourceBlocks = 1;
  int64_t targetBlocks = 1;
};

/// The problem's constants, and the way back from states to shardings.
class SearchSpace {
public:
  /// Returns the space of `problem`; none if sub-axes cannot coexist or the limits are exceeded.
  /// Axes are cut into prime factors if `finest` says so and there is room.
  /// Requires: `check(problem)` succeeds.
  static std::optional<SearchSpace> create(const ReshardProblem &problem,
                                           IdleAxes idleAxes = IdleAxes::Use,
                                           AtomCut finest = AtomCut::PrimeFactors);

  int numDims() const { return static_cast<int>(dims.size()); }
  int numAtoms() const { return static_cast<int>(atomSizes.size()); }
  const SearchDim &dim(int d) const { return dims[d]; }
  int64_t atomSize(int atom) const { return atomSizes[atom]; }
  const core::Axis &atomAxis(int atom) const { return atomAxes[atom]; }
  const SearchState &source() const { return start; }
  const SearchState &target() const { return goal; }
  /// Every dimension whose list changes is divided evenly by source and target.
  bool isEven() const { return even; }
  int64_t elementBytes() const { return bytesPerElement; }

  /// Product of the sizes of a list's atoms.
  int64_t sizeOf(AtomList list) const;
  int64_t sizeOf(AtomSet set) const;
  AtomSet atomsOf(const SearchState &state) const;
  /// Blocks of dimension `d` under `list`, fixed ones included.
  int64_t blocks(int d, AtomList list) const { return dims[d].fixedBlocks * sizeOf(list); }
  /// Elements of a block of dimension `d` under `list`: the ceiling.
  int64_t blockSize(int d, AtomList list) const {
    int64_t count = blocks(d, list);
    return (dims[d].size + count - 1) / count;
  }
  /// Whether a state may cut dimension `d` this often: evenly, or as often as source or target.
  bool mayHaveBlocks(int d, int64_t count) const {
    return dims[d].size % count == 0 || count == dims[d].sourceBlocks ||
           count == dims[d].targetBlocks;
  }
  int64_t localBytes(const SearchState &state) const;

  core::AxisList toAxes(AtomList list) const;
  core::AxisList toAxes(AtomSet set) const;
  core::Sharding toSharding(const SearchState &state) const;

private:
  std::vector<SearchDim> dims;
  std::vector<int64_t> atomSizes;
  std::vector<core::Axis> atomAxes;
  std::vector<core::AxisList> fixedAxes;
  core::AxisList fixedUnreduced;
  core::ReductionKind reduction = core::ReductionKind::Sum;
  SearchState start;
  SearchState goal;
  int64_t bytesPerElement = 1;
  bool even = true;
};

} // namespace shardwise::planner
