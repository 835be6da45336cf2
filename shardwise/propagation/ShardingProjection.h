// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The factor view of the shardings around one op: for each tensor, which axes each factor of the
// op's rule has there. Propagation works on this view; conversion to it and back is all that knows
// about tensor dimensions.
//
// Forth: a dimension's axes are assigned to its factors, major to minor. A factor takes axes as
// long as they divide it, splitting an axis where its greatest common divisor with the factor ends.
// With x=4, y=2, the dimension {"x", "y"} on factors 2*4 is {"x":(1)2} | {"x":(2)2, "y"}.
// What does not divide
//   - is kept for propagation, which must not lose it: the most minor factor takes the rest,
//     divisible or not; axes that stop earlier stay with the factor they stopped at as *overflow*:
//     they are on the tensor but belong to no factor;
//   - is cut off, and all that is minor to it, for our partitioner: parts of a product of factors
//     have to be equal, and parts of a dimension that is a single factor need not.
//
// Back: the axes of a dimension's factors are appended, up to the first factor that is not sharded
// completely: what is minor to it would need strided shards. AxesPerFactor.h has the way back for
// axes that were chosen for the factors, not found there.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/core/Sharding.h"
#include "shardwise/core/ShardingRule.h"

#include <cstdint>
#include <span>
#include <vector>

namespace shardwise::propagation {

/// What happens to axes that do not divide the factors of their dimension.
enum class Remainder {
  /// They stay, with the most minor factor or as overflow: forth and back is the identity.
  Kept,
  /// They are cut off; so is what is minor to them. The axes of a factor then divide it.
  CutOff,
  /// They stay where the dimension is a single factor, and are cut off elsewhere.
  CutOffInProducts,
};

/// One factor in one tensor. Axes are slices of the projection's pool; read them through it.
struct FactorEntry {
  struct Slice {
    uint32_t begin = 0;
    uint32_t size = 0;
  };

  int32_t tensor = 0;
  int32_t dim = 0;
  int32_t factor = 0;
  /// The factor may not be extended in this tensor.
  bool isClosed = false;
  /// The last factor of its dimension: any axis may be added, divisible or not.
  bool isMinorMost = false;
  Slice axes;
  /// What `axes` was when the projection was filled.
  Slice initial;
  /// Axes of the dimension that follow `axes` but do not divide the factor.
  Slice overflow;
};

/// The shardings of all operands and results of an op, per factor. Tensors are numbered operands
/// first, then results.
///
/// Axes are only ever added (`expand`). One object may be filled again and again; it keeps its
/// memory, so a step on a program of many ops allocates next to nothing.
class ShardingProjection {
public:
  using EntryIndex = uint32_t;

  /// Fills the projection from `shardings`, one per operand and result of `rule`; null means no
  /// sharding, which is every dimension open and without axes.
  /// Keeps pointers to both until it is filled again.
  /// Example: x=8 on `[ij]` {i=4, j=6} is {"x":(1)4} | {"x":(4)2}. With x=3 it is {} and overflow
  /// {"x"} | {} where remainders are kept, {} | {} where they are cut off. Requires: a rule that
  /// `core::check` accepts, and each sharding of the rank of its mapping.
  void fill(const core::ShardingRule &rule, std::span<const core::Sharding *const> shardings,
            Remainder remainder = Remainder::Kept);

  const core::ShardingRule &rule() const { return *currentRule; }
  int64_t numTensors() const { return static_cast<int64_t>(tensors.size()); }
  int64_t numOperands() const { return static_cast<int64_t>(currentRule->operands.size()); }
  int64_t numFactors() const { return currentRule->numFactors(); }

  const core::TensorMapping &mapping(int64_t tensor) const { return *tensors[tensor].mapping; }
  /// The sharding that the projection was filled with; null for none.
  const core::Sharding *sharding(int64_t tensor) const { return tensors[tensor].sharding; }

  const FactorEntry &entry(EntryIndex index) const { return entries[index]; }
  /// Entries of a tensor: `firstEntry(t)` up to `firstEntry(t + 1)`, in dimension order. A factor
  /// behind an overflowing one may be missing; where remainders are cut off, none is.
  EntryIndex firstEntry(int64_t tensor) const { return entryBegins[tensor]; }
  /// Entries of `factor` in all tensors that have it, operands first.
  std::span<const EntryIndex> entriesOf(core::FactorIndex factor) const;

  /// Valid until the next `expand`.
  std::span<const core::Axis> axes(const FactorEntry &entry) const { return slice(entry.axes); }
  /// The axes that the entry had when the projection was filled.
  std::span<const core::Axis> initialAxes(const FactorEntry &entry) const {
    return slice(entry.initial);
  }
  std::span<const core::Axis> overflow(const FactorEntry &entry) const {
    return slice(entry.overflow);
  }
  /// Axes that may not be used on the tensor.
  std::span<const core::Axis> replicated(int64_t tensor) const;
  std::span<const core::Axis> unreduced(int64_t tensor) const;

  /// Gives the entry the axes `axes`, if those it has are a strict prefix of them; returns whether
  /// they are. `axes` must not be a slice of this projection.
  bool expand(EntryIndex index, std::span<const core::Axis> axes);
  /// Whether the entry was expanded since the projection was filled.
  static bool isExpanded(const FactorEntry &entry) {
    return entry.axes.begin != entry.initial.begin || entry.axes.size != entry.initial.size;
  }
  /// Whether an entry of the tensor was expanded.
  bool isTouched(int64_t tensor) const { return tensors[tensor].isTouched; }

  /// Returns the sharding of the tensor. Replicated and unreduced axes are those it had,
  /// priorities are dropped, closed dimensions stay closed.
  core::Sharding toSharding(int64_t tensor) const;

private:
  struct Tensor {
    const core::TensorMapping *mapping;
    const core::Sharding *sharding;
    bool isTouched;
  };

  std::span<const core::Axis> slice(FactorEntry::Slice s) const {
    return {pool.data() + s.begin, s.size};
  }
  // The innermost loop of propagation is in these, so the mode is known where they are compiled.
  template <Remainder kRemainder> void addTensors(std::span<const core::Sharding *const> shardings);
  template <Remainder kRemainder>
  void addTensor(const core::TensorMapping &mapping, const core::Sharding *sharding);
  template <Remainder kRemainder>
  void addDim(const core::DimMapping &factors, int64_t dim, const core::DimSharding *sharding);
  void indexByFactor();

  const core::ShardingRule *currentRule = nullptr;
  std::vector<Tensor> tensors;
  std::vector<FactorEntry> entries;
  std::vector<EntryIndex> entryBegins;
  /// Entries sorted by factor, and where each factor begins.
  std::vector<EntryIndex> byFactor;
  std::vector<uint32_t> factorBegins;
  core::AxisList pool;
};

/// Appends the axes of the next factor, of size `factorSize`, to those of its dimension; returns
/// whether they cut it completely. If not, no further factor of the dimension may be appended: its
/// shards would be strided.
bool appendFactor(core::AxisList &dimAxes, std::span<const core::Axis> axes, int64_t factorSize);

} // namespace shardwise::propagation
