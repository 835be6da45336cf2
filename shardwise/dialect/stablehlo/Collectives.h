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

} // namespace shardwise::stablehlo
