// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The three batch_norm ops: calls of kernels on f32 or f64.

#pragma once

#include "shardwise/execute/kernels/BatchNormKernels.h"
#include "shardwise/execute/thunks/Thunk.h"

namespace shardwise::execute {

/// Which of the ops.
enum class BatchNormMode { Inference, Training, Gradient };

/// Normalises a dense tensor per feature. Operands and results are in the order of the StableHLO
/// op, all of the type of the kernels.
class BatchNormThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "batch_norm"; }

  BatchNormMode mode = BatchNormMode::Inference;
  const BatchNormKernels *kernels = nullptr;
  FeatureShape shape;
  double epsilon = 0;
  std::vector<BufferId> operands, results;
  BufferId scratch = -1; ///< Of `batchNormScratchBytes(shape)`.
};

} // namespace shardwise::execute
