// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Region code runs in blocks, in memory of its own.

#include "shardwise/execute/thunks/CollectiveFold.h"

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

runtime::Reducer CollectiveFold::reducer(const Frame &frame) const {
  if (known)
    return *known;
  return {runtime::byteSize(code.resultType(0)),
          [this, &frame](std::byte *accumulator, const std::byte *operand, int64_t count) {
            foldByRegion(code, frame, accumulator, operand, count);
          }};
}

} // namespace shardwise::execute
