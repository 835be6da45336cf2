// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading which ranks run a collective together from attributes of modules and ops.

#pragma once

#include "shardwise/core/ProcessGroups.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwise::extensions {

/// Reads the counts of `module` from `mhlo.num_replicas` and `mhlo.num_partitions`.
core::ProcessGrid processGridOf(mlir::ModuleOp module);

/// Reads the replica groups of `op`. Mesh axes are always device numbers. Fails with a diagnostic
/// if the groups are malformed or their mesh cannot be found.
mlir::FailureOr<core::ProcessGroups> processGroupsOf(mlir::Operation &op, mlir::Attribute groups,
                                                     core::GroupStrategy strategy);
/// The same on processes of `grid`, whatever the module says.
mlir::FailureOr<core::ProcessGroups> processGroupsOf(mlir::Operation &op, mlir::Attribute groups,
                                                     core::GroupStrategy strategy,
                                                     const core::ProcessGrid &grid);

/// The strategy of an op with channel `channel` (0: none); `isReducing` for all_gather, all_reduce
/// and reduce_scatter, which know `useGlobalIds`. FlattenedIds whatever the channel if `module`
/// declares no counts: ids are then device numbers.
core::GroupStrategy groupStrategy(mlir::ModuleOp module, int64_t channel, bool isReducing,
                                  bool useGlobalIds);
/// The same where counts are declared.
core::GroupStrategy declaredGroupStrategy(int64_t channel, bool isReducing, bool useGlobalIds);

} // namespace shardwise::extensions
