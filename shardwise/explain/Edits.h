// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes of single annotations: which are worth a try for a conflict, and making one.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/dialect/sdy/SdyDialect.h"
#include "shardwise/explain/Explanation.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/LogicalResult.h"

#include <cstdint>
#include <vector>

namespace shardwise::explain {

/// The program as written, with its ops by number.
class WrittenProgram {
public:
  /// `mesh` is that of its shardings.
  WrittenProgram(mlir::ModuleOp module, const core::Mesh &mesh);

  int64_t numOps() const { return static_cast<int64_t>(ops.size()); }

  /// Whether the annotation can be changed by itself. Those of calls cannot: import makes
  /// constraints of them, which the program as written does not have.
  bool canChange(const ExplainedAnnotation &annotation) const;
  /// Makes the change. Fails if the value has no place for it.
  llvm::LogicalResult apply(const ExplainedEdit &edit);

private:
  llvm::LogicalResult constrain(const ValueId &id, sdy::TensorShardingAttr sharding);
  llvm::LogicalResult annotate(const ExplainedAnnotation &annotation,
                               sdy::TensorShardingAttr sharding);
  sdy::TensorShardingAttr onMeshOf(sdy::TensorShardingAttr old,
                                   sdy::TensorShardingAttr sharding) const;

  mlir::ModuleOp module;
  const core::Mesh &programMesh;
  /// The mesh reference that its shardings use.
  mlir::Attribute meshOrRef;
  llvm::DenseMap<int64_t, mlir::Operation *> ops;
};

/// Returns the changes that are worth a try for a conflict, the most promising first: the value
/// where both sides meet is constrained to what the loser wanted; the annotation of either side
/// loses its axes, gets those of the other side in their place, or a later priority, if `canChange`
/// it. `mesh` is that of the program as written.
std::vector<ExplainedEdit>
editsFor(const ExplainedConflict &conflict, const core::Mesh &mesh,
         llvm::function_ref<bool(const ExplainedAnnotation &)> canChange);

} // namespace shardwise::explain
