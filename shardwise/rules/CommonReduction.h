// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognises the regions of reduce, scatter and the like that are one plain reduction.

#pragma once

#include "mlir/IR/Region.h"

#include <optional>

namespace shardwise::rules {

/// A reduction that a collective can compute.
enum class CommonReduction { Add, Multiply, Maximum, Minimum, And, Or };

/// Returns the reduction that `region` computes for each of its N value pairs: a single block
/// with 2N arguments that returns N values, value k being one binary op, of the same kind for all
/// k, on arguments k and N + k in either order. `and` and `or` count on booleans only.
/// None if the region is anything else.
std::optional<CommonReduction> commonReduction(mlir::Region &region);

} // namespace shardwise::rules
