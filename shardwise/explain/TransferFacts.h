// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about transfers: what is moved between devices, why, and what it costs.

#pragma once

#include "shardwise/core/Collective.h"
#include "shardwise/core/Mesh.h"
#include "shardwise/core/Sharding.h"
#include "shardwise/explain/ShardingFacts.h"
#include "shardwise/explain/ValueId.h"
#include "shardwise/explain/WrittenCollectives.h"

#include "mlir/IR/Types.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardwise::explain {

/// An operand that is sharded along a dimension that its op sums over, needs whole, or reads beyond
/// the part of a device.
struct ExplainedCause {
  int64_t op = -1;
  ValueId value;
  int64_t dim = 0;
  std::vector<core::AxisRef> axes;
};

/// Why values are moved.
enum class TransferReason {
  Sum,            ///< Partial sums are added up.
  Conflict,       ///< Two values of the op have shardings that do not go together.
  WholeDimension, ///< The op cannot work on parts of a dimension.
  Request,        ///< The program asks for the sharding.
  Written,        ///< It is a collective of the program itself.
  Use,            ///< Another op works on another sharding.
  Neighbours,     ///< The op reads elements of an operand that other devices have.
  Owners,         ///< The op asks the owners of rows for them, or sends updates to them.
};

/// What asks for a sharding.
enum class Requester { Constraint, Reshard, ManualComputation, Return, Loop };

/// One collective of a plan, and the axes that it communicates over.
struct TransferStep {
  core::CollectiveKind kind = core::CollectiveKind::AllSlice;
  std::vector<core::AxisRef> axes;
  /// In all calls.
  int64_t receivedBytes = 0;
  double seconds = 0;
};

/// A change of sharding, or a sum over devices, that the final program contains; or a collective
/// that its author wrote.
struct ExplainedTransfer {
  /// What is moved; with `isInside` what it is made on the way to.
  ValueId value;
  /// The program has no name for what is moved: an op became several, as a batch norm its sums and
  /// element-wise ops, and this is between them.
  bool isInside = false;
  int64_t op = -1;
  mlir::Type type;
  core::WrittenSharding from;
  core::WrittenSharding to;
  /// Their meshes, where these are not that of the program: another order of devices, or one of
  /// them.
  std::optional<core::Mesh> fromMesh;
  std::optional<core::Mesh> toMesh;
  /// What runs; of a collective that its author wrote, that.
  std::vector<TransferStep> steps;
  std::optional<WrittenCollective> written;

  TransferReason reason = TransferReason::Use;
  /// What makes it necessary. (WholeDimension, Neighbours, Owners; Sum, if it was found)
  std::optional<ExplainedCause> cause;
  /// The axes that are summed over, if the op moves those of the cause to others first. (Sum)
  std::optional<std::vector<core::AxisRef>> movedTo;
  /// The dimension that is gathered because an op cannot work on a part of it, whatever the reason.
  std::optional<ExplainedCause> forcedGather;
  /// (Request)
  Requester requester = Requester::Constraint;
  /// Where the axes of the cause come from.
  ExplainedAnnotation origin;
  /// Index in `Explanation::conflicts`, or -1. (Conflict)
  int64_t conflict = -1;
  /// The same of the conflict that it would not be there without, if it is due to an axis that won
  /// one further up.
  int64_t root = -1;

  /// How often it runs: the product of the trip counts, as far as they are known.
  int64_t calls = 1;
  bool isPerIteration = false;
  bool isConditional = false;
  /// In all calls; seconds as modelled for the topology.
  int64_t receivedBytes = 0;
  double seconds = 0;
};

} // namespace shardwise::explain
