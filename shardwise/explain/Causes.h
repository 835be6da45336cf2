// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops make transfers necessary whatever other values are: their operands are sharded along
// dimensions that they sum over, or need whole.

#pragma once

#include "shardwise/explain/ConflictRoots.h"
#include "shardwise/explain/Explanation.h"
#include "shardwise/explain/PropagatedProgram.h"

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <map>
#include <vector>

namespace shardwise::explain {

/// An operand that is sharded along a dimension that its op sums over, or needs whole.
struct Cause {
  enum Kind { Sum, WholeDimension };
  Kind kind = Sum;
  ExplainedCause fact;
  /// Those of the fact, on the mesh of propagation.
  core::AxisList axes;
  /// Number of an annotation, or -1.
  int64_t origin = -1;
  /// Number of the conflict that its first axis began with, or -1.
  int64_t root = -1;
};

class Causes {
public:
  /// Reads them off the final shardings. Costs the operands of ops that sum or need dimensions
  /// whole.
  void collect(PropagatedProgram &program, ConflictRoots &roots);

  /// Returns a cause at op number `op` why sums over `axes` are due: one about these axes goes
  /// before others. Null if there is none.
  const Cause *sumAt(int64_t op, const core::AxisList &axes) const;
  /// Returns the cause why op number `op` needs `value` whole along a dimension; null if it does
  /// not.
  const Cause *wholeDimensionAt(int64_t op, const ValueId &value) const;
  /// Returns where the first axis of `cause` comes from.
  ExplainedAnnotation originOf(const Cause &cause) const;

private:
  void collect(PropagatedProgram &program, ConflictRoots &roots, const propagate::Node &node,
               int32_t operand);
  int64_t originNumber(PropagatedProgram &program, propagate::ValueGroupId group,
                       const core::Axis &axis);

  /// By op number.
  std::map<int64_t, std::vector<Cause>> causes;
  std::vector<ExplainedAnnotation> origins;
  llvm::DenseMap<propagate::ValueGroupId, int64_t> originOfGroup;
};

} // namespace shardwise::explain
