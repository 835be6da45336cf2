// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the groups of a ragged_dot are.

#pragma once

#include "shardwise/dialect/chlo/ChloOps.h"

#include <cstdint>
#include <optional>

namespace shardwise::chlo {

/// The dimension of `lhs` that the groups divide, and what it is. One of `rhs` and `result` is set,
/// or `isBatching`.
struct RaggedDim {
  explicit RaggedDim(RaggedDotOp op);

  int64_t lhs = 0;
  std::optional<int64_t> rhs;    ///< Where the ragged dimension is contracted.
  std::optional<int64_t> result; ///< Where it is free.
  bool isBatching = false;
};

} // namespace shardwise::chlo
