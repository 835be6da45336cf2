// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex dimensions are transformed in the result, or in a copy where it is real.

#include "shardwise/execute/thunks/FftThunk.h"

namespace shardwise::execute {

Result<void> FftThunk::run(Frame &frame) const {
  const std::byte *source = frame.at(operand);
  std::byte *target = frame.at(result);
  std::byte *work = frame.at(scratch);
  if (real && !isInverse) {
    real->forwards(source, target, work);
    source = target;
  }
  // The complex input of IRFFT must stay, so its other dimensions are done in a copy.
  std::byte *place = real && isInverse ? frame.at(copy) : target;
  for (const LineTransform &dimension : dimensions) {
    dimension.run(source, place, isInverse, work);
    source = place;
  }
  if (real && isInverse)
    real->backwards(source, target, work);
  return {};
}

} // namespace shardwise::execute
