// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops of the dialect are collectives. The one list: what treats all of them alike asks here.

#pragma once

#include "shardwise/core/Collective.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace shardwise::stablehlo {

/// Returns the kind of collective that `op` is; none for other ops, and for collectives that
/// programs may not use. Example: `stablehlo.all_gather` is `CollectiveKind::AllGather`.
std::optional<core::CollectiveKind> collectiveKind(mlir::Operation *op);

/// Returns the replica groups of a collective, as it writes them; null of a permute, and where
/// there are none.
mlir::Attribute replicaGroupsOf(mlir::Operation *op);
/// Writes the replica groups of a collective other than a permute.
void setReplicaGroups(mlir::Operation *op, mlir::Attribute groups);

/// Returns the channel of a collective; 0 if it has none.
int64_t channelOf(mlir::Operation *op);
/// Gives a collective a channel between devices; none if `channel` is 0.
void setChannel(mlir::Operation *op, int64_t channel);

} // namespace shardwise::stablehlo
