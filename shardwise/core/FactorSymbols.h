// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How factors are numbered in text: the printer and the parser of sharding rules share this.

#pragma once

#include "shardwise/core/ShardingRule.h"

namespace shardwise::core {

/// Index of factor `z`, the last one with a letter of its own from `i` on. Factor `z_N` has the
/// index N after it.
inline constexpr FactorIndex kLastLetter = 'z' - 'i';

} // namespace shardwise::core
