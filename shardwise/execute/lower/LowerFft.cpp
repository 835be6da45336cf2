// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fft: which lines of which dimensions are transformed, and the memory that takes.

#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/FftThunk.h"
#include "shardwise/execute/thunks/StridedCopy.h"

#include <mlir/IR/Diagnostics.h>

#include <algorithm>

namespace shardwise::execute {

using stablehlo::FftType;

namespace {

/// Longer lines fit no memory, and their sizes in bytes might not fit 64 bits.
constexpr int64_t kLongestLine = int64_t(1) << 40;

} // namespace

LogicalResult lower(FunctionLowering &lowering, stablehlo::FftOp op) {
  TensorType operandType = typeOf(op.getOperand());
  TensorType resultType = *tensorTypeOf(op.getType());
  for (int64_t length : op.getFftLength())
    if (length > kLongestLine)
      return op.emitOpError() << "transforms lines of " << length
                              << " elements, which is not supported; expected at most "
                              << kLongestLine;
  auto thunk = std::make_unique<FftThunk>();
  FftType kind = op.getFftType();
  bool isReal = kind == FftType::RFFT || kind == FftType::IRFFT;
  thunk->isInverse = kind == FftType::IFFT || kind == FftType::IRFFT;
  thunk->operand = lowering.bufferOf(op.getOperand());
  std::vector<BufferId> reads = {thunk->operand};
  std::vector<BufferId> writes;
  if (elementCount(resultType.shape) > 0 && elementCount(operandType.shape) > 0) {
    DataType parts = runtime::realPartType(operandType.type);
    // The complex side: the operand, but for RFFT.
    const TensorType &side = kind == FftType::RFFT ? resultType : operandType;
    size_t rank = side.shape.size();
    size_t numDims = op.getFftLength().size();
    int64_t bytes = 0;
    // The last dimension of a real transform is `real`'s; all others are complex, from the inside
    // out.
    for (size_t dim = rank - (isReal ? 1 : 0); dim-- > rank - numDims;) {
      thunk->dimensions.emplace_back(parts, side.shape[dim], Lines::along(side.shape, dim));
      bytes = std::max(bytes, thunk->dimensions.back().scratchBytes());
    }
    if (isReal) {
      std::span<const int64_t> sizes(side.shape);
      thunk->real = std::make_unique<RealTransform>(parts, op.getFftLength().back(),
                                                    elementCount(sizes.first(rank - 1)));
      bytes = std::max(bytes, thunk->real->scratchBytes());
    }
    lowering.moduleLowering().tableBytes += thunk->tableBytes();
    thunk->scratch = lowering.scratch(bytes);
    writes.push_back(thunk->scratch);
    if (kind == FftType::IRFFT) {
      thunk->copy = lowering.scratch(thunk->dimensions.empty() ? 0 : operandType.bytes());
      writes.push_back(thunk->copy);
    }
  }
  thunk->result = lowering.define(op.getResult());
  writes.push_back(thunk->result);
  if (thunk->scratch >= 0)
    lowering.emit(std::move(thunk), reads, writes);
  return mlir::success();
}

} // namespace shardwise::execute
