// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The StableHLO collectives that a program contains as they stand, whoever wrote them.

#pragma once

#include "shardwise/core/Collective.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardwise::explain {

/// A StableHLO collective and the devices that it runs on.
struct WrittenCollective {
  core::CollectiveKind kind = core::CollectiveKind::AllReduce;
  /// `{"x"}`, `groups of 4` if they are no axes of the mesh or, for a permute, what `pairsText`
  /// says.
  std::string groups;
  /// Size of the largest group; 2 for a permute that moves something, else 1.
  int64_t groupSize = 1;
  /// Numbers of the axes along which members of a group differ; none if its ids are not those of
  /// devices.
  std::vector<int64_t> meshAxes = {};

  /// Whether what devices receive depends on data, so that `receivedBytes` is what they receive at
  /// most.
  bool isBound() const { return kind == core::CollectiveKind::RaggedAllToAll; }
  /// Returns the bytes that the busiest device receives of an operand of which it has `localBytes`,
  /// and `resultBytes` of the result: the figure that `execute` notes when it runs the op. A bound:
  /// every row of the result comes from others, and they send all that they have.
  int64_t receivedBytes(int64_t localBytes, int64_t resultBytes) const;
};

/// Returns what `op` is, if it is a StableHLO collective. None for other ops, and for groups that
/// cannot be read.
std::optional<WrittenCollective> writtenCollective(mlir::Operation *op, const core::Mesh &mesh);

/// Returns along which axes the pairs of all permutes in `module`, a program for the devices of
/// `mesh`, move, one list per way: `{"x"}` or `{"x"}, {"y"}`. Costs the number of pairs.
std::string permuteAxes(mlir::ModuleOp module, const core::Mesh &mesh);

} // namespace shardwise::explain
