// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels take what they need as pointers.

#include "shardwise/execute/thunks/BatchNormThunk.h"

namespace shardwise::execute {

Result<void> BatchNormThunk::run(Frame &frame) const {
  auto in = [&](size_t operand) { return frame.at(operands[operand]); };
  auto out = [&](size_t number) { return frame.at(results[number]); };
  std::byte *work = frame.at(scratch);
  switch (mode) {
  case BatchNormMode::Inference:
    kernels->inference(shape, in(0), in(1), in(2), in(3), in(4), epsilon, out(0), work);
    break;
  case BatchNormMode::Training:
    kernels->training(shape, in(0), in(1), in(2), epsilon, out(0), out(1), out(2), work);
    break;
  case BatchNormMode::Gradient:
    kernels->gradient(shape, in(0), in(1), in(2), in(3), in(4), epsilon, out(0), out(1), out(2),
                      work);
    break;
  }
  return {};
}

} // namespace shardwise::execute
