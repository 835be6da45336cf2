// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies along the lines of images, for ConvolutionThunk.cpp alone.

#pragma once

#include "shardwise/execute/thunks/ConvolutionThunk.h"
#include "shardwise/execute/thunks/RawElements.h"

#include <algorithm>
#include <cstring>

namespace shardwise::execute {

/// Copies the `count` runs of `unit` elements from number `first` on of a line that has `size` of
/// them; zeros where the line has none.
template <class Raw>
void copyClipped(Raw *target, const Raw *line, int64_t first, int64_t count, int64_t size,
                 int64_t unit) {
  int64_t begin = std::clamp<int64_t>(-first, 0, count);
  int64_t end = std::clamp<int64_t>(size - first, begin, count);
  std::fill_n(target, begin * unit, Raw{});
  if (begin < end)
    std::memcpy(target + begin * unit, line + (first + begin) * unit,
                static_cast<size_t>((end - begin) * unit) * sizeof(Raw));
  std::fill_n(target + end * unit, (count - end) * unit, Raw{});
}

/// As many zeros as come before and behind a run of `count` elements that has begin..end-1.
template <class Raw> void clearAround(Raw *target, int64_t begin, int64_t end, int64_t count) {
  std::fill_n(target, begin, Raw{});
  std::fill_n(target + end, count - end, Raw{});
}

/// Copies what `count` steps along a line of `dim` meet, from place `first` on; zeros where that is
/// padding or a hole, or everywhere if there is no line. Elements of the line lie side by side.
template <class Raw>
void copyAlong(Raw *target, const Raw *line, int64_t first, int64_t step, int64_t count,
               const SpatialDim &dim) {
  int64_t holes = dim.inputDilation;
  if (line && step == 1 && holes == 1)
    return copyClipped(target, line, first, count, dim.inputSize, 1);
  if (line && holes == 1) {
    int64_t begin = first < 0 ? std::min(count, (-first + step - 1) / step) : 0;
    int64_t behind = std::max<int64_t>(0, dim.inputSize - first + step - 1) / step;
    int64_t end = std::clamp(behind, begin, count);
    clearAround(target, begin, end, count);
    for (int64_t i = begin; i < end; ++i)
      target[i] = line[first + i * step];
    return;
  }
  std::fill_n(target, count, Raw{});
  if (line && step == 1) {
    int64_t element = first <= 0 ? 0 : (first + holes - 1) / holes;
    for (; element < dim.inputSize && element * holes - first < count; ++element)
      target[element * holes - first] = line[element];
  } else if (line)
    for (int64_t i = 0; i < count; ++i) {
      int64_t place = first + i * step;
      if (place >= 0 && place % holes == 0 && place / holes < dim.inputSize)
        target[i] = line[place / holes];
    }
}

/// Copies `count` elements of `bytes` bytes, which are to lie `stride` elements apart.
inline void spread(std::byte *target, const std::byte *source, int64_t count, int64_t stride,
                   int64_t bytes) {
  if (stride == 1)
    return copyBytes(target, source, count * bytes);
  withRaw(bytes, [&]<class Raw>(Raw) {
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(target + i * stride * static_cast<int64_t>(sizeof(Raw)),
                  source + i * static_cast<int64_t>(sizeof(Raw)), sizeof(Raw));
  });
}

} // namespace shardwise::execute
