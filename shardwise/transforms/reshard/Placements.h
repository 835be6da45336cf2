// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The placements that occur while a program is decided upon, by number, and the prices of going
// from one to another. A program has many values and few different placements: numbers are compared
// and looked up at no cost.

#pragma once

#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Sharding.h"
#include "shardwise/transforms/reshard/PlannedCosts.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <deque>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace shardwise::reshard {

/// Numbers of placements and of sizes, and prices by them.
class Placements {
public:
  using Id = int32_t;
  /// Of what is no tensor.
  static constexpr Id kNone = -1;

  /// `costs` must outlive this.
  explicit Placements(PlannedCosts &costs) : costs(costs) {}

  /// Returns the number of a placement; the same for two if and only if they are the same
  /// (core::isSamePlacement). Where a device has rows of its groups (RowsOfGroups.h), a placement
  /// has another number than with partial sums along the same axes: one never becomes the other.
  Id find(const core::Sharding &placement, bool hasOwnRows = false);
  /// The same for a placement that stays where it is and as it is, as those of a ShardedProgram.
  Id findLasting(const core::Sharding &placement) {
    auto [entry, isNew] = lasting.try_emplace(&placement, kNone);
    if (isNew)
      entry->second = find(placement);
    return entry->second;
  }
  /// The same for a number of `other`.
  Id findAs(const Placements &other, Id id) { return find(other.at(id), other.hasOwnRows(id)); }
  /// Whether a device is right in the rows of its groups only. No reshard leads there or away.
  bool hasOwnRows(Id id) const { return ofOwnRows[id]; }
  /// Returns the placement of a number. The reference stays valid.
  const core::Sharding &at(Id id) const { return known[id]; }
  /// Returns the number of a whole tensor of `rank` dimensions.
  Id whole(int64_t rank) { return find(core::replicatedSharding(rank)); }
  /// The same, with as many dimensions as a placement has.
  Id wholeAs(Id placement) { return whole(int64_t(known[placement].dims.size())); }

  /// Returns the number of the shape and the element size of `tensor`.
  Id sizeOf(mlir::Value tensor);
  /// Returns what a device pays for bringing a tensor of `size` from one placement to another:
  /// bytes received and a few for every step; 0 if it is there, infinite if there is no way.
  double cost(Id size, Id from, Id to);
  /// Returns the bytes that a device holds of a tensor of `size`.
  double heldBytes(Id size, Id placement) const;
  /// The same as isSliceOf of the placements, if slices count; answers are remembered.
  bool isSliceOf(Id part, Id whole);
  /// Whether a place costs nothing that is a slice of one where a value was brought before.
  bool countsSlices = false;

  /// Where a value is needed, each place once, and how often it is brought there.
  using Needed = llvm::SmallVector<std::pair<Id, double>>;
  static void addNeeded(Needed &places, Id place, double timesRun);
  /// Returns what it costs to bring a value of `size` from `placement` to all `places`, in this
  /// order.
  double costOfAll(Id size, Id placement, const Needed &places);
  /// Whether a caller can put a tensor of `size` there: whole axes cut it into equal parts.
  bool isPlain(Id size, Id placement) const;

private:
  /// Dimensions, then unreduced; how these combine, and whether they are rows of groups.
  using Key = std::tuple<std::vector<core::AxisList>, core::ReductionKind, bool>;

  static constexpr int kLastPricesBits = 10;

  PlannedCosts &costs;
  std::deque<core::Sharding> known;
  std::vector<bool> ofOwnRows;
  std::map<Key, Id> numbers;
  /// Numbers by address: values are many, and to make a key of one takes longer than all else.
  llvm::DenseMap<const core::Sharding *, Id> lasting;
  std::vector<std::pair<core::Shape, int64_t>> sizes;
  std::map<std::pair<core::Shape, int64_t>, Id> sizeNumbers;
  /// By size, from and to, in one number: it is looked up for every use in every move.
  llvm::DenseMap<uint64_t, double> prices;
  /// What was asked last of those that fall on one place: most are one of a few hundred.
  std::vector<std::pair<uint64_t, double>> lastPrices =
      std::vector<std::pair<uint64_t, double>>(size_t(1) << kLastPricesBits);
  llvm::DenseMap<std::pair<Id, Id>, bool> slices;
};

/// Whether a device at `whole` has all that it has at `part`: each dimension is cut as there, and
/// then further. Example: `[{"x", "y"}, {"z"}]` of `[{"x"}, {}]`.
bool isSliceOf(const core::Sharding &part, const core::Sharding &whole);
/// Whether two placements cut the dimensions alike, whatever is unreduced.
bool haveEqualDims(const core::Sharding &a, const core::Sharding &b);

} // namespace shardwise::reshard
