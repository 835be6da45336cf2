// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Array conversion in pieces that stay in cache between the two steps.

#include "shardwise/execute/Conversion.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace shardwise::execute {
namespace {

bool hasSameBytes(DataType a, DataType b) {
  auto isInteger = [](DataType type) {
    return runtime::isSignedInteger(type) || runtime::isUnsignedInteger(type);
  };
  return a == b || (isInteger(a) && isInteger(b) && runtime::byteSize(a) == runtime::byteSize(b));
}

} // namespace

Conversion::Conversion(DataType from, DataType through, DataType to)
    : sourceBytes(runtime::byteSize(from)), targetBytes(runtime::byteSize(to)) {
  if (!hasSameBytes(from, through))
    first = findElementKernel(ElementOp::Convert, from, through);
  if (!hasSameBytes(through, to))
    second = findElementKernel(ElementOp::Convert, through, to);
  if (!first)
    std::swap(first, second);
}

void Conversion::run(const std::byte *source, std::byte *target, int64_t count) const {
  if (isIdentity()) {
    if (source != target && count > 0)
      std::memcpy(target, source, static_cast<size_t>(count * sourceBytes));
    return;
  }
  constexpr int64_t kPiece = 512;
  alignas(64) std::byte between[kPiece * 8];
  for (int64_t begin = 0; begin < count; begin += kPiece) {
    int64_t size = std::min(kPiece, count - begin);
    const void *from = source + begin * sourceBytes;
    void *to = target + begin * targetBytes;
    first(second ? between : to, &from, size, {});
    const void *middle = between;
    if (second)
      second(to, &middle, size, {});
  }
}

} // namespace shardwise::execute
