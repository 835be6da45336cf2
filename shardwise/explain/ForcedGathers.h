// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers that nobody asked for: an op cannot work on a part of a dimension.

#pragma once

#include "shardwise/explain/ProgramTransfers.h"
#include "shardwise/explain/TransferFacts.h"

#include <optional>

namespace shardwise::explain {

/// Returns the first dimension that is cut before `reshard`, whole on every device behind it, and
/// needed whole by an op that reads it, or what is computed of it; with the axes over which it is
/// gathered. `value` is what
/// moves, as the user knows it. None if there is no such dimension: its axes moved to another
/// dimension, or whoever reads it could work on a part.
std::optional<ExplainedCause> forcedGather(const ReshardTransfer &reshard, const ValueId &value,
                                           const core::Mesh &mesh);

} // namespace shardwise::explain
