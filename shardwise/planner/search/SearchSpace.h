// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reshard problem in the compact form that the exact search walks.
//
// Axes are cut into sub-axes (SubAxes.h) and numbered. What source and target have in common at the
// start of a list, or leave unreduced, is fixed and not part of a state. Sub-axes that neither uses
// are included on request while there is room: slicing over them makes other steps cheaper.

#pragma once

#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/planner/model/ReshardProblem.h"
#include "shardwise/planner/model/SubAxes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shardwise::planner {

/// Limits of the compact form.
inline constexpr int kMaxSubAxes = 15;
inline constexpr int kMaxDims = 8;

/// Ordered list of at most 16 sub-axes, major first: the i-th four-bit digit is the sub-axis's
/// number plus one, zero ends the list.
struct SubAxisList {
  uint64_t digits = 0;

  int length() const { return (67 - std::countl_zero(digits)) / 4; }
  bool isEmpty() const { return digits == 0; }
  int operator[](int i) const { return static_cast<int>(digits >> (4 * i) & 15U) - 1; }
  SubAxisList prefix(int count) const {
    return {count >= 16 ? digits : digits & ((uint64_t{1} << (4 * count)) - 1)};
  }
  SubAxisList withoutPrefix(int count) const { return {count >= 16 ? 0 : digits >> (4 * count)}; }
  SubAxisList append(int subAxis) const {
    return {digits | static_cast<uint64_t>(subAxis + 1) << (4 * length())};
  }
  SubAxisList append(SubAxisList other) const {
    return other.isEmpty() ? *this : SubAxisList{digits | other.digits << (4 * length())};
  }
  /// Number of leading sub-axes that both lists share.
  int commonLength(SubAxisList other) const {
    uint64_t differing = digits ^ other.digits;
    return std::min({std::countr_zero(differing) / 4, length(), other.length()});
  }
  bool operator==(const SubAxisList &) const = default;
};

/// Sub-axes as bits.
using SubAxisSet = uint16_t;

/// One list per dimension, and the sub-axes still to be reduced.
struct SearchState {
  std::array<SubAxisList, kMaxDims> lists{};
  SubAxisSet unreduced = 0;

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
  /// Axes are cut into prime factors if `finest` says so and there is room; and where a sub-axis
  /// of `cuts` begins or ends.
  /// Requires: `check(problem)` succeeds.
  static std::optional<SearchSpace> create(const ReshardProblem &problem,
                                           IdleAxes idleAxes = IdleAxes::Use,
                                           AxisSplit finest = AxisSplit::PrimeFactors,
                                           std::span<const core::Axis> cuts = {});

  int numDims() const { return static_cast<int>(dims.size()); }
  int numSubAxes() const { return static_cast<int>(subAxisSizes.size()); }
  const SearchDim &dim(int d) const { return dims[d]; }
  int64_t subAxisSize(int subAxis) const { return subAxisSizes[subAxis]; }
  const core::Axis &axisOf(int subAxis) const { return subAxes[subAxis]; }
  const SearchState &source() const { return start; }
  const SearchState &target() const { return goal; }
  /// Every dimension whose list changes is divided evenly by source and target.
  bool isEven() const { return even; }
  int64_t elementBytes() const { return bytesPerElement; }

  /// Product of the sizes of a list's sub-axes.
  int64_t sizeOf(SubAxisList list) const;
  int64_t sizeOf(SubAxisSet set) const;
  SubAxisSet subAxesOf(const SearchState &state) const;
  /// Blocks of dimension `d` under `list`, fixed ones included.
  int64_t blocks(int d, SubAxisList list) const { return dims[d].fixedBlocks * sizeOf(list); }
  /// Elements of a block of dimension `d` under `list`: the ceiling.
  int64_t blockSize(int d, SubAxisList list) const {
    int64_t count = blocks(d, list);
    return (dims[d].size + count - 1) / count;
  }
  /// Whether a state may cut dimension `d` this often: evenly, or as often as source or target.
  bool mayHaveBlocks(int d, int64_t count) const {
    return dims[d].size % count == 0 || count == dims[d].sourceBlocks ||
           count == dims[d].targetBlocks;
  }
  int64_t localBytes(const SearchState &state) const;
  /// The same of the target.
  int64_t wantedBytes() const { return wanted; }
  SubAxisSet targetSubAxes() const { return ofGoal; }
  /// Bytes of a block if every sub-axis cuts the tensor once, rounded down.
  int64_t finestBytes() const { return finest; }

  core::AxisList toAxes(SubAxisList list) const;
  core::AxisList toAxes(SubAxisSet set) const;
  core::Sharding toSharding(const SearchState &state) const;

private:
  std::vector<SearchDim> dims;
  std::vector<int64_t> subAxisSizes;
  std::vector<core::Axis> subAxes;
  std::vector<core::AxisList> fixedAxes;
  core::AxisList fixedUnreduced;
  core::ReductionKind reduction = core::ReductionKind::Sum;
  SearchState start;
  SearchState goal;
  int64_t bytesPerElement = 1;
  bool even = true;
  SubAxisSet ofGoal = 0;
  int64_t wanted = 0;
  int64_t finest = 0;
};

} // namespace shardwise::planner
