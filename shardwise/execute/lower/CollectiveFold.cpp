// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Known reductions become runtime reducers; other regions run in blocks.

#include "shardwise/execute/lower/CollectiveFold.h"

#include "shardwise/execute/lower/ElementOps.h"
#include "shardwise/execute/lower/LowerRegion.h"
#include "shardwise/execute/lower/Lowering.h"

#include <mlir/IR/Diagnostics.h>

#include <algorithm>

namespace shardwise::execute {
namespace {

/// accumulator[i] = region(accumulator[i], operand[i]).
void foldByRegion(const RegionCode &region, const Frame &frame, std::byte *accumulator,
                  const std::byte *operand, int64_t count) {
  const BlockCode &code = region.code;
  int64_t bytes = runtime::byteSize(region.resultType(0));
  int64_t length = std::min(count, kBlockLength);
  // The runtime may fold in several threads, so nothing of the arena is used.
  std::vector<std::byte> scratch(static_cast<size_t>(code.scratchBytes(length)));
  std::vector<std::byte> results(static_cast<size_t>(length * bytes));
  std::vector<void *> pointers = code.bind(frame, scratch.data(), length);
  for (int64_t begin = 0; begin < count; begin += length) {
    int64_t size = std::min(length, count - begin);
    pointers[region.arguments[0]] = accumulator + begin * bytes;
    pointers[region.arguments[1]] = const_cast<std::byte *>(operand + begin * bytes);
    pointers[region.results[0]] = results.data();
    code.program.run(pointers, size);
    copyBytes(accumulator + begin * bytes, results.data(), size * bytes);
  }
}

} // namespace

mlir::FailureOr<CollectiveFold> CollectiveFold::of(FunctionLowering &lowering, mlir::Operation &op,
                                                   mlir::Region &region, DataType type) {
  CollectiveFold fold;
  if (std::optional<core::ReductionKind> kind = soleReductionOf(region)) {
    Result<runtime::Reducer> reducer = runtime::makeReducer(*kind, type);
    if (!reducer)
      return op.emitOpError() << reducer.error().message;
    fold.known = std::move(*reducer);
    return fold;
  }
  mlir::FailureOr<RegionCode> code = lowerRegion(lowering, region);
  if (mlir::failed(code))
    return mlir::failure();
  bool isOneType = code->arguments.size() == 2 && code->results.size() == 1 &&
                   code->argumentType(0) == type && code->argumentType(1) == type &&
                   code->resultType(0) == type;
  if (!isOneType)
    return op.emitOpError() << "has a reduction region that takes or gives other types than "
                            << runtime::toString(type).data()
                            << ", which is not supported; expected two scalars of that type to one";
  fold.code = std::move(*code);
  return fold;
}

runtime::Reducer CollectiveFold::reducer(const Frame &frame) const {
  if (known)
    return *known;
  return {runtime::byteSize(code.resultType(0)),
          [this, &frame](std::byte *accumulator, const std::byte *operand, int64_t count) {
            foldByRegion(code, frame, accumulator, operand, count);
          }};
}

} // namespace shardwise::execute
