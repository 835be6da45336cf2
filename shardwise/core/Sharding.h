// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a tensor is split over a mesh. Values only; text is in Text.h, boxes are in ShardMap.h.

#pragma once

#include "shardwise/core/Axis.h"
#include "shardwise/core/ReductionKind.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardwise::core {

/// One tensor dimension: the axes that cut it, most major first. `AxisT` is `AxisRef` for what
/// was written and `Axis` for what was looked up.
template <class AxisT> struct BasicDimSharding {
  std::vector<AxisT> axes;
  /// A closed dimension may not be extended by propagation.
  bool isClosed = true;
  /// Absent and 0 mean the same to propagation, but print differently.
  std::optional<int64_t> priority;

  bool operator==(const BasicDimSharding &) const = default;
};

/// A sharding without its mesh. Axes that are not mentioned replicate the tensor.
template <class AxisT> struct BasicSharding {
  std::vector<BasicDimSharding<AxisT>> dims;
  /// Axes that propagation may not use on this tensor. In mesh order.
  std::vector<AxisT> replicated;
  /// Axes along which every device holds a partial value. In mesh order.
  std::vector<AxisT> unreduced;
  /// How these combine: Sum, Max or Min.
  ReductionKind reduction = ReductionKind::Sum;

  bool operator==(const BasicSharding &) const = default;
};

/// A sharding as written; it may name axes that do not exist.
using WrittenDimSharding = BasicDimSharding<AxisRef>;
using WrittenSharding = BasicSharding<AxisRef>;

/// A sharding looked up in a mesh and valid there: every axis is a part of a mesh axis, no two
/// overlap, mergeable neighbours are merged.
/// Example: `[{"data"}, {"model", ?}]` is dims {{data}, closed}, {{model}, open}.
using DimSharding = BasicDimSharding<Axis>;
using Sharding = BasicSharding<Axis>;

/// Returns the sharding of a rank-`rank` tensor with no axes: every dimension open, or closed.
Sharding openSharding(int64_t rank);
Sharding replicatedSharding(int64_t rank);

/// Checks `written` against `mesh` and, if given, against the rank of the tensor, and looks its
/// axes up. The error is that of the first rule broken, in the order of the sdy verifier:
/// rank, per dimension priorities and axes, replicated, unreduced, then sub-axes.
Result<Sharding> resolve(const WrittenSharding &written, const Mesh &mesh,
                         std::optional<int64_t> rank = std::nullopt);
/// Returns `sharding` as it is written.
WrittenSharding toWritten(const Sharding &sharding, const Mesh &mesh);

/// No dimension has axes (replicated and unreduced axes are ignored).
bool isFullyReplicated(const Sharding &sharding);
/// All axes of all dimensions, in dimension order.
AxisList dimensionAxes(const Sharding &sharding);
/// Same axes in every dimension and the same unreduced axes with the same function, whatever is
/// open, reserved as replicated or prioritised: every device holds the same values.
bool isSamePlacement(const Sharding &a, const Sharding &b);

} // namespace shardwise::core
