// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An offset is the sum of one for each dimension. From the last dimension on: the offsets for its
// taps lie beside each other, and are repeated for each tap of the dimension before.

#include "shardwise/execute/thunks/RowTaps.h"

#include "shardwise/execute/thunks/StridedCopy.h"

namespace shardwise::execute {

RowTaps::RowTaps(const WindowSpec &window, std::span<const int64_t> shape,
                 std::span<const int64_t> results)
    : window(window) {
  std::vector<int64_t> strides = rowMajorStrides(shape);
  for (size_t dim = 0; dim + 1 < shape.size(); ++dim) {
    dims.push_back({shape[dim], strides[dim], results[dim]});
    rows *= results[dim];
  }
}

void RowTaps::find(int64_t row, std::vector<int64_t> &offsets) const {
  offsets.assign(1, 0);
  for (size_t dim = dims.size(); dim-- > 0;) {
    const Dim &along = dims[dim];
    int64_t result = row % along.results;
    row /= along.results;
    int64_t numTaps = window.sizes[dim];
    size_t inner = offsets.size();
    offsets.resize(inner * static_cast<size_t>(numTaps));
    // Backwards, as those of the first tap lie where what is repeated does.
    for (int64_t tap = numTaps; tap-- > 0;) {
      int64_t place = window.placeOf(dim, result, tap, along.size);
      for (size_t i = 0; i < inner; ++i)
        offsets[static_cast<size_t>(tap) * inner + i] =
            place < 0 || offsets[i] < 0 ? -1 : offsets[i] + place * along.stride;
    }
  }
}

} // namespace shardwise::execute
