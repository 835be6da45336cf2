// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognition of prefix sums and their kin, which programs write as windows that grow.

#pragma once

#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include <optional>

namespace shardwise::stablehlo {

/// The dimension along which a window takes all elements up to each one, that included.
struct CumulativeWindow {
  int64_t dim = 0;
  /// It takes all from each one on instead.
  bool isReverse = false;
};

/// Returns along which dimension `op` accumulates; none if it does something else, or more.
/// Example: windows of 1x8 on 4x8 with padding [[0, 0], [7, 0]] are the prefix sums of dimension 1.
std::optional<CumulativeWindow> cumulativeWindow(ReduceWindowOp op);

} // namespace shardwise::stablehlo
