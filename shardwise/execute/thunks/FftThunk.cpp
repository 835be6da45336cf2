// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex dimensions are transformed in the result, or in a copy where it is real.

#include "shardwise/execute/thunks/FftThunk.h"

namespace shardwise::execute {

int64_t FftThunk::tableBytes() const {
  int64_t bytes = real ? real->tableBytes() : 0;
  for (const LineTransform &dimension : dimensions)
    bytes += dimension.tableBytes();
  return bytes;
}

void FftThunk::makeTables() const {
  if (real)
    real->makeTables();
  for (LineTransform &dimension : dimensions)
    dimension.makeTables();
}

Result<void> FftThunk::run(Frame &frame) const {
  std::call_once(hasTables, [this] { makeTables(); });
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
