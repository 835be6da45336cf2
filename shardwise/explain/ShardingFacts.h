// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about shardings: the annotation that each axis comes from, the ops it came through, and
// where axes met in conflict.
//
// Facts are values and numbers. What they are called, and sentences about them, are made where a
// report is written (Sentences.h), with the names of the program. Axes are told by name: facts
// outlive the propagated program, whose mesh has no axes of size 1.

#pragma once

#include "shardwise/core/Sharding.h"
#include "shardwise/core/ShardingRule.h"
#include "shardwise/explain/ValueId.h"
#include "shardwise/transforms/propagate/Conflicts.h"

#include "mlir/IR/Types.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardwise::explain {

//===----------------------------------------------------------------------===//
// Where axes come from
//===----------------------------------------------------------------------===//

/// What the user wrote a sharding on.
enum class AnnotationKind {
  Unknown,
  Argument,
  Result,          ///< A result of the program.
  Constraint,      ///< `sdy.sharding_constraint`.
  ManualOperand,   ///< `in_shardings` of `sdy.manual_computation`.
  ManualResult,    ///< `out_shardings` of it.
  Op,              ///< The result of an op.
  InlinedFunction, ///< Something in a function, which was inlined.
};

/// What the user wrote: `[{}, {"model"}]` on argument 6.
struct ExplainedAnnotation {
  AnnotationKind kind = AnnotationKind::Unknown;
  /// Number of the argument, of the result, or of the operand or result of a manual computation.
  int32_t index = 0;
  /// The value that it is written on; of a result of the program, the value that is returned.
  ValueId value;
  /// What is written; of an annotation that a pass copied to the value, what became of it.
  std::optional<core::WrittenSharding> sharding;
  Place place;

  bool isKnown() const { return kind != AnnotationKind::Unknown; }
  bool operator==(const ExplainedAnnotation &) const = default;
};

/// An op of the program, or the end of its function, where results are returned.
struct ExplainedOp {
  int64_t number = -1;
  bool isReturn = false;
};

/// How an axis came from one value to the next.
enum class LinkKind {
  Op,         ///< Both belong to an op, whose sharding rule has one factor in both
              ///< dimensions.
  Group,      ///< They are in one sharding group.
  Constraint, ///< A closed constraint was copied to its input.
  Shared,     ///< Values of a loop or branch that flow into each other.
};

/// Which operand or result of an op a value is.
struct TensorRole {
  bool isResult = false;
  int32_t number = 0;
};

/// One step of an axis from one value to the next, told from the value backwards.
struct ExplainedLink {
  LinkKind kind = LinkKind::Op;
  ValueRef value;
  int64_t dim = 0;
  ValueRef from;
  int64_t fromDim = 0;

  /// The op that both values belong to. (Op)
  ExplainedOp op;
  /// Where that is, or the constraint. (Op, Constraint)
  Place place;
  /// What the values are to the op. (Op)
  TensorRole role;
  TensorRole fromRole;
  /// The factor that connects the dimensions, and the op's sharding rule as a number in
  /// `Explanation::rules`, -1 if it was not asked for. (Op)
  core::FactorIndex factor = 0;
  int32_t rule = -1;

  /// When it happened; step -1 before propagation.
  int64_t step = -1;
  int64_t userPriority = 0;
  /// Level of the op-priority schedule; none if the step is outside of it.
  std::optional<int> opPriority;
};

/// Part of a dimension's axes, and where it comes from.
struct ExplainedAxis {
  core::AxisRef axis;
  int64_t dim = 0;
  std::vector<ExplainedLink> links;
  ExplainedAnnotation origin;
};

/// Why there is nothing to explain of a value.
enum class Absence {
  None,     ///< There is something.
  Removed,  ///< Nothing that is returned uses it, or its function is never
            ///< called.
  InsideOp, ///< It is one element in the region of an op, like the operands of
            ///< a reducer.
  NoTensor, ///< It cannot be sharded: a token.
};

struct ExplainedValue {
  ValueRef value;
  Absence absence = Absence::None;
  /// Null if the value is absent.
  mlir::Type type;
  /// None if propagation gave it none.
  std::optional<core::WrittenSharding> sharding;
  /// The shard; null without a sharding, and of results of the program.
  mlir::Type localType;
  bool isAnnotated = false;
  /// Propagation left the annotation as it is written.
  bool isAsWritten = false;
  /// Calls of the function that the value is in, if there are several: the first is shown.
  int64_t numInstances = 1;
  std::vector<ExplainedAxis> axes;
};

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

/// One side of a conflict: axes on a dimension of a value.
struct ExplainedSide {
  ValueRef value;
  int64_t dim = 0;
  std::vector<core::AxisRef> axes;
  ExplainedAnnotation origin;
  /// What propagation gave the value in the end.
  core::WrittenSharding sharding;
  /// When its first axis came, if a step brought it.
  propagate::PropagationStage stage;
  int64_t step = -1;
};

/// An op two of whose values ended up with different axes on one factor.
struct ExplainedConflict {
  ExplainedOp op;
  propagate::Obstacle obstacle = propagate::Obstacle::Direction;
  propagate::Precedence precedence = propagate::Precedence::None;
  ExplainedSide winner;
  ExplainedSide loser;
  /// Dimension of the winner's value that the loser's axes did not get to.
  int64_t wantedDim = 0;
  /// Bytes that a device receives in the transfers that the conflict causes.
  int64_t receivedBytes = 0;
  /// Some of them are in a loop whose trip count is not known, and count once for it.
  bool isPerIteration = false;
  /// What a parameter has gives way to what the data has, or an update to its parameter: the weight
  /// is gathered for use, or after the update, as it is meant to be (ZeRO-3, ZeRO-1).
  bool isWeightGather = false;
  /// A constraint where both sides meet was tried, and does not help.
  bool isCureInVain = false;
  /// Index of the conflict that the winner's axes began with, of this one if it is that; -1 if that
  /// is a gather of a weight.
  int64_t root = -1;
};

} // namespace shardwise::explain
