// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradient of pooling by extremes, a row of windows at a time.

#pragma once

#include "shardwise/execute/kernels/ElementKernels.h"

namespace shardwise::execute {

/// Windows side by side: lane l of each tap belongs to window l. Tensors are of one type.
struct SelectedRows {
  int64_t numTaps = 0;
  int64_t numLanes = 0;
  /// Per tap: the row of elements that the windows meet there, and the row of the result at the
  /// same place. Rows of different taps do not overlap.
  const void *const *elements = nullptr;
  void *const *results = nullptr;
  const void *updates = nullptr; ///< One for each window.
  /// One element. If there is one, no other window meets the elements: results are written. Else
  /// they are added to.
  const void *init = nullptr;
};

/// Adds the update of each window to the result at the element that the window selects.
using SelectRowsKernel = void (*)(const SelectedRows &rows);

/// Returns the kernel for elements of `type`, where a window goes on with what it has selected if
/// `keep`(selected, next) is true; null if `keep` is not one of >=, >, <=, <, or not for the type.
SelectRowsKernel findSelectRowsKernel(ElementOp keep, DataType type);

} // namespace shardwise::execute
