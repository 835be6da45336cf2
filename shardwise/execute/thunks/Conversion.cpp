// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Array conversion in pieces that stay in cache between the steps.
//
// There are no kernels for all pairs of types. Those that arithmetic is done in convert to each
// other directly; narrow and complex types have a way to one wide type each. A conversion is then a
// path, e.g.
//
//     f8E5M2 -> f32 -> i32          (widen, convert)
//     i32 -> f64 -> f8E5M2          (f64 holds every i32, so that only the last step rounds)
//     complex<f32> -> f32 -> i4     (the imaginary part is dropped, then saturated)

#include "shardwise/execute/thunks/Conversion.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace shardwise::execute {
namespace {

/// Whether elements of both types are the same bytes for the same value modulo two to the width.
bool hasSameBytes(DataType a, DataType b) {
  auto isInteger = [](DataType type) {
    return (runtime::isSignedInteger(type) || runtime::isUnsignedInteger(type)) &&
           !runtime::isSmallInteger(type);
  };
  return a == b || (isInteger(a) && isInteger(b) && runtime::byteSize(a) == runtime::byteSize(b));
}

/// The one type from which there is a way to `to`, for elements of type `from`, neither narrow nor
/// complex.
DataType typeBefore(DataType from, DataType to) {
  bool isFloat = runtime::isFloatingPoint(from);
  if (runtime::isComplex(to))
    return runtime::realPartType(to);
  if (runtime::isSmallFloat(to))
    // f64 holds what f32 does not; 16-bit floats are exact in f32.
    return isFloat && from != DataType::F64 ? DataType::F32 : DataType::F64;
  if (runtime::isSmallInteger(to)) {
    if (!isFloat)
      return wideType(to);
    return from == DataType::F64 ? DataType::F64 : DataType::F32;
  }
  return from;
}

} // namespace

DataType wideType(DataType type) {
  if (runtime::isSmallFloat(type))
    return DataType::F32;
  if (runtime::isSmallInteger(type))
    return runtime::isSignedInteger(type) ? DataType::I8 : DataType::U8;
  return type;
}

std::vector<DataType> conversionPath(DataType from, DataType to) {
  if (from == to)
    return {};
  if (runtime::isComplex(from) && runtime::isComplex(to))
    return {to};
  std::vector<DataType> path;
  auto go = [&](DataType type) {
    if (type != from)
      path.push_back(type);
    from = type;
  };
  go(runtime::isComplex(from) ? runtime::realPartType(from) : wideType(from));
  go(typeBefore(from, to));
  go(to);
  return path;
}

Conversion::Conversion(DataType from, DataType through, DataType to)
    : sourceBytes(runtime::byteSize(from)), targetBytes(runtime::byteSize(to)) {
  // Two conversions in a row: each is a path of its own, because rounding to `through` must really
  // happen.
  for (DataType end : {through, to}) {
    if (hasSameBytes(from, end)) {
      from = end;
      continue;
    }
    for (DataType type : conversionPath(from, end)) {
      steps.push_back(findElementKernel(ElementOp::Convert, from, type));
      from = type;
    }
  }
}

void Conversion::run(const std::byte *source, std::byte *target, int64_t count) const {
  if (isIdentity()) {
    if (source != target && count > 0)
      std::memcpy(target, source, static_cast<size_t>(count * sourceBytes));
    return;
  }
  // Two arrays take turns, since a kernel must not overlap its operand in part.
  constexpr int64_t kPiece = 512;
  constexpr int64_t kLargestElement = 16;
  alignas(64) std::byte between[2][kPiece * kLargestElement];
  for (int64_t begin = 0; begin < count; begin += kPiece) {
    int64_t size = std::min(kPiece, count - begin);
    const void *from = source + begin * sourceBytes;
    for (size_t step = 0; step < steps.size(); ++step) {
      bool isLast = step + 1 == steps.size();
      void *to = isLast ? static_cast<void *>(target + begin * targetBytes) : between[step % 2];
      steps[step](to, &from, size, {});
      from = to;
    }
  }
}

} // namespace shardwise::execute
