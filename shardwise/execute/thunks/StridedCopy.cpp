// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strided copies. The dimensions are brought into an order that suits memory, once, when the copy
// is made:
// 1. Those of size 1 are dropped.
// 2. The rest are sorted by target stride, so that the innermost loop writes neighbours.
// 3. Neighbouring dimensions that are one run on both sides become one, so that rows are as long as
//    possible: a dense 4x5x6 is one row of 120 elements, and 4x2x6 of it, cut along dimension 1,
//    are 4 rows of 12.
//
// If the source is dense along another dimension than the innermost (a transpose), both are walked
// in square tiles: a cache line of the source that was read for one row of the tile is still there
// for the next rows, whose elements it holds too.

#include "shardwise/execute/thunks/StridedCopy.h"

#include "shardwise/execute/thunks/RawElements.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>

namespace shardwise::execute {
namespace {

// A tile of 8-byte elements is 8 KiB on either side: both fit the level-1 cache.
constexpr int64_t kTile = 32;

template <class Raw>
void copyRow(const Raw *source, Raw *target, int64_t size, int64_t sourceStride,
             int64_t targetStride) {
  if (sourceStride == 1 && targetStride == 1)
    std::memcpy(target, source, static_cast<size_t>(size) * sizeof(Raw));
  else if (sourceStride == 0 && targetStride == 1)
    std::fill_n(target, size, *source);
  else if (targetStride == 1)
    for (int64_t i = 0; i < size; ++i)
      target[i] = source[i * sourceStride];
  else
    for (int64_t i = 0; i < size; ++i)
      target[i * targetStride] = source[i * sourceStride];
}

} // namespace

std::vector<int64_t> rowMajorStrides(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

int64_t elementCount(std::span<const int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

StridedCopy::StridedCopy(int64_t elementBytes, std::span<const int64_t> sizes,
                         std::span<const int64_t> sourceStrides,
                         std::span<const int64_t> targetStrides, int64_t sourceOffset,
                         int64_t targetOffset)
    : elementBytes(elementBytes), sourceOffset(sourceOffset), targetOffset(targetOffset),
      count(elementCount(sizes)) {
  std::vector<Dim> dims;
  for (size_t dim = 0; dim < sizes.size(); ++dim)
    if (sizes[dim] != 1)
      dims.push_back({sizes[dim], sourceStrides[dim], targetStrides[dim]});
  std::stable_sort(dims.begin(), dims.end(), [](const Dim &a, const Dim &b) {
    return std::abs(a.targetStride) > std::abs(b.targetStride);
  });
  std::vector<Dim> merged;
  for (const Dim &dim : dims) {
    if (!merged.empty() && merged.back().sourceStride == dim.size * dim.sourceStride &&
        merged.back().targetStride == dim.size * dim.targetStride) {
      merged.back() = {merged.back().size * dim.size, dim.sourceStride, dim.targetStride};
      continue;
    }
    merged.push_back(dim);
  }
  if (!merged.empty()) {
    inner = merged.back();
    merged.pop_back();
  }
  // The second loop is the dimension along which the source is dense, if the inner one is not: the
  // partner of a tile. Else it is simply the next outer one, which saves steps of the odometer.
  auto partner = merged.end();
  if (std::abs(inner.sourceStride) > 1)
    partner = std::find_if(merged.begin(), merged.end(),
                           [](const Dim &dim) { return std::abs(dim.sourceStride) == 1; });
  if (partner == merged.end() && !merged.empty())
    partner = merged.end() - 1;
  if (partner != merged.end()) {
    row = *partner;
    merged.erase(partner);
  }
  outer = std::move(merged);
}

void StridedCopy::copyRows(const std::byte *source, std::byte *target) const {
  withRaw(elementBytes, [&](auto raw) {
    using Raw = decltype(raw);
    const auto *from = reinterpret_cast<const Raw *>(source);
    auto *to = reinterpret_cast<Raw *>(target);
    bool isTransposed = std::abs(inner.sourceStride) > 1 && std::abs(row.sourceStride) == 1;
    if (!isTransposed) {
      for (int64_t i = 0; i < row.size; ++i)
        copyRow(from + i * row.sourceStride, to + i * row.targetStride, inner.size,
                inner.sourceStride, inner.targetStride);
      return;
    }
    for (int64_t i0 = 0; i0 < row.size; i0 += kTile)
      for (int64_t j0 = 0; j0 < inner.size; j0 += kTile)
        for (int64_t i = i0; i < std::min(i0 + kTile, row.size); ++i)
          copyRow(from + i * row.sourceStride + j0 * inner.sourceStride,
                  to + i * row.targetStride + j0 * inner.targetStride,
                  std::min(kTile, inner.size - j0), inner.sourceStride, inner.targetStride);
  });
}

void StridedCopy::run(const std::byte *source, std::byte *target) const {
  if (count == 0)
    return;
  source += sourceOffset * elementBytes;
  target += targetOffset * elementBytes;
  std::vector<int64_t> index(outer.size(), 0);
  while (true) {
    copyRows(source, target);
    size_t dim = outer.size();
    for (; dim > 0; --dim) {
      const Dim &step = outer[dim - 1];
      source += step.sourceStride * elementBytes;
      target += step.targetStride * elementBytes;
      if (++index[dim - 1] < step.size)
        break;
      // Done along this dimension: back to its begin, and one on along the next outer one.
      source -= step.sourceStride * step.size * elementBytes;
      target -= step.targetStride * step.size * elementBytes;
      index[dim - 1] = 0;
    }
    if (dim == 0)
      return;
  }
}

StridedReader::StridedReader(int64_t elementBytes, std::span<const int64_t> sizes,
                             std::span<const int64_t> strides)
    : elementBytes(elementBytes) {
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (sizes[dim] == 1)
      continue;
    // The order of elements is given here, so dimensions merge but do not move. Two repeated ones
    // merge too: 0 is n * 0.
    if (!dims.empty() && dims.back().stride == sizes[dim] * strides[dim])
      dims.back() = {dims.back().size * sizes[dim], strides[dim]};
    else
      dims.push_back({sizes[dim], strides[dim]});
  }
  if (dims.empty())
    dims.push_back({1, 0});
}

const void *StridedReader::read(const std::byte *source, int64_t begin, int64_t count,
                                std::byte *buffer) const {
  // Position of `begin`: the index along every dimension, and the source offset without the inner.
  std::vector<int64_t> index(dims.size());
  int64_t offset = 0;
  int64_t rest = begin;
  for (size_t dim = dims.size(); dim-- > 0;) {
    index[dim] = rest % dims[dim].size;
    rest /= dims[dim].size;
    offset += index[dim] * dims[dim].stride;
  }
  const Dim &inner = dims.back();
  // All within one dense row: no copy.
  if (inner.stride == 1 && inner.size - index.back() >= count)
    return source + offset * elementBytes;
  withRaw(elementBytes, [&](auto raw) {
    using Raw = decltype(raw);
    const auto *from = reinterpret_cast<const Raw *>(source);
    auto *to = reinterpret_cast<Raw *>(buffer);
    for (int64_t left = count; left > 0;) {
      int64_t run = std::min(left, inner.size - index.back());
      copyRow(from + offset, to, run, inner.stride, int64_t(1));
      to += run;
      left -= run;
      offset += run * inner.stride;
      index.back() += run;
      // At the end of a row: back to its begin, and on along the dimensions above.
      for (size_t dim = dims.size() - 1; dim > 0 && index[dim] == dims[dim].size; --dim) {
        index[dim] = 0;
        ++index[dim - 1];
        offset += dims[dim - 1].stride - dims[dim].size * dims[dim].stride;
      }
    }
  });
  return buffer;
}

void fillElements(std::byte *target, const std::byte *value, int64_t elementBytes, int64_t count) {
  withRaw(elementBytes, [&](auto raw) {
    using Raw = decltype(raw);
    Raw element;
    std::memcpy(&element, value, sizeof(Raw));
    std::fill_n(reinterpret_cast<Raw *>(target), count, element);
  });
}

} // namespace shardwise::execute
