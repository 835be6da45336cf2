// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// select_and_scatter as the gradient of max pooling has it.

#pragma once

#include "shardwise/execute/kernels/SelectionKernels.h"
#include "shardwise/execute/thunks/Thunk.h"
#include "shardwise/execute/thunks/WindowSpec.h"

namespace shardwise::execute {

/// Adds each source element to the place that its window selects by one comparison. All tensors are
/// of one type, and windows have one element along the last dimension, side by side: a window for
/// each channel. Tensors are dense and row-major, of a dimension or more.
class PoolGradientThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "select_and_scatter"; }

  /// Whether the last dimension of `window` is as above.
  static bool hasRowsOfWindows(const WindowSpec &window, const std::vector<int64_t> &operandShape,
                               const std::vector<int64_t> &sourceShape);

  BufferId operand = -1, source = -1, init = -1, result = -1;
  int64_t elementBytes = 4;
  std::vector<int64_t> operandShape, sourceShape;
  WindowSpec window;
  SelectRowsKernel kernel = nullptr;

private:
  bool doWindowsTile() const;
  int64_t numRowsTogether() const;
};

} // namespace shardwise::execute
