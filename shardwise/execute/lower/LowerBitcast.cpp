// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bitcast_convert from or to types that take a byte for fewer bits. All others share their bytes.

#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/StridedCopy.h"

#include <algorithm>

namespace shardwise::execute {
namespace {

/// Copies the bits that carry values, the least significant first.
class BitcastThunk final : public Thunk {
public:
  BitcastThunk(BufferId source, BufferId target, DataType from, DataType to, int64_t numBits)
      : source(source), target(target), from(from), to(to), numBits(numBits) {}

  Result<void> run(Frame &frame) const override {
    const auto *read = frame.as<uint8_t>(source);
    auto *written = frame.as<uint8_t>(target);
    // Bits of a byte that count; types of more bits use all of each of their bytes.
    int readBits = std::min(8, runtime::bitWidth(from));
    int writtenBits = std::min(8, runtime::bitWidth(to));
    bool isSigned = runtime::isSignedInteger(to);
    unsigned held = 0;
    int numHeld = 0;
    for (int64_t done = 0; done < numBits; done += writtenBits) {
      while (numHeld < writtenBits) {
        held |= (*read++ & ((1U << readBits) - 1)) << numHeld;
        numHeld += readBits;
      }
      unsigned value = held & ((1U << writtenBits) - 1);
      held >>= writtenBits;
      numHeld -= writtenBits;
      if (isSigned && writtenBits < 8 && (value >> (writtenBits - 1)) != 0)
        value |= ~0U << writtenBits; // Small integers lie with their sign extended.
      *written++ = static_cast<uint8_t>(value);
    }
    return {};
  }
  std::string name() const override { return "bitcast"; }

private:
  BufferId source, target;
  DataType from, to;
  int64_t numBits;
};

} // namespace

LogicalResult lower(FunctionLowering &lowering, stablehlo::BitcastConvertOp op) {
  TensorType from = typeOf(op.getOperand());
  TensorType to = *tensorTypeOf(op.getType());
  int64_t numBits = elementCount(to.shape) * runtime::bitWidth(to.type);
  BufferId source = lowering.bufferOf(op.getOperand());
  BufferId target = lowering.define(op.getResult());
  lowering.emit(std::make_unique<BitcastThunk>(source, target, from.type, to.type, numBits), source,
                target);
  return mlir::success();
}

} // namespace shardwise::execute
