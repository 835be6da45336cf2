// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What users wrote, and which of it an axis at a value group comes from.

#pragma once

#include "shardwise/explain/Explanation.h"
#include "shardwise/explain/ProgramGroups.h"
#include "shardwise/explain/ProgramNames.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace shardwise::explain {

/// The shardings that a program as written has, by value; of its results by number.
class WrittenShardings {
public:
  explicit WrittenShardings(mlir::ModuleOp written);

  /// Returns what is written on a value; null if nothing is.
  const core::WrittenSharding *of(const ValueRef &value) const;
  /// Those on values.
  const std::map<ValueId, core::WrittenSharding> &onValues() const { return values; }

private:
  std::map<ValueId, core::WrittenSharding> values;
  std::map<int32_t, core::WrittenSharding> results;
};

/// Tells annotations by the value group at which the history of an axis ends.
class Annotations {
public:
  Annotations(const ProgramGroups &groups, const WrittenShardings &written,
              const ProgramNames &names)
      : groups(groups), written(written), names(names) {}

  /// Returns what the user wrote on the value that `group` stands for, or what a pass copied there:
  /// a closed constraint to its input, `in_shardings` to the operand.
  ExplainedAnnotation of(propagate::ValueGroupId group) const;

  /// Returns the value group of the constraint that was copied to the value of `group`, on which
  /// nothing is written; `kNoValueGroup` if there is none.
  propagate::ValueGroupId constraintCopiedTo(propagate::ValueGroupId group) const;

private:
  ExplainedAnnotation ofResult(propagate::ValueGroupId group) const;
  mlir::OpOperand *useInManualComputation(propagate::ValueGroupId group) const;

  const ProgramGroups &groups;
  const WrittenShardings &written;
  const ProgramNames &names;
};

} // namespace shardwise::explain
