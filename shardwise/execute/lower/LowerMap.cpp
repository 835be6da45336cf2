// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// map: a region on scalars applied to blocks of elements.

#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/BlockCode.h"
#include "shardwise/execute/thunks/StridedCopy.h"

#include <algorithm>

namespace shardwise::execute {
namespace {

class MapThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override {
    std::vector<void *> pointers = region.code.bind(frame, frame.at(scratch), kBlockLength);
    auto place = [&](SlotId slot, BufferId buffer, int64_t begin) {
      pointers[slot] =
          frame.at(buffer) + begin * runtime::byteSize(region.code.program.typeOf(slot));
    };
    for (int64_t begin = 0; begin < count; begin += kBlockLength) {
      for (size_t i = 0; i < inputs.size(); ++i)
        place(region.arguments[i], inputs[i], begin);
      place(region.results[0], result, begin);
      region.code.program.run(pointers, std::min(kBlockLength, count - begin));
    }
    return {};
  }
  std::string name() const override { return "map"; }

  RegionCode region;
  std::vector<BufferId> inputs;
  BufferId result = -1, scratch = -1;
  int64_t count = 0;
};

} // namespace

LogicalResult lower(FunctionLowering &lowering, stablehlo::MapOp op) {
  mlir::FailureOr<RegionCode> region = lowerRegion(lowering, op.getComputation());
  if (mlir::failed(region))
    return mlir::failure();
  auto thunk = std::make_unique<MapThunk>();
  thunk->inputs = lowering.buffersOf(op.getInputs());
  thunk->count = elementCount(tensorTypeOf(op.getType())->shape);
  std::vector<BufferId> reads = thunk->inputs;
  reads.insert(reads.end(), region->captured.begin(), region->captured.end());
  thunk->scratch = lowering.scratch(region->code.scratchBytes(kBlockLength));
  thunk->region = std::move(*region);
  thunk->result = lowering.define(op.getResult());
  BufferId writes[] = {thunk->scratch, thunk->result};
  lowering.emit(std::move(thunk), reads, writes);
  return mlir::success();
}

} // namespace shardwise::execute
