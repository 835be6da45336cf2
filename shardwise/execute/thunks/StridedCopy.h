// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of strided boxes: transpose, slice, reverse, broadcast, pad and concatenate are all one.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shardwise::execute {

/// Row-major strides in elements.
std::vector<int64_t> rowMajorStrides(std::span<const int64_t> shape);
/// Product of the sizes.
int64_t elementCount(std::span<const int64_t> shape);

/// Copies `sizes[0] x ... x sizes[n]` elements: element i goes from
/// `sourceOffset + sum(i * sourceStrides)` to `targetOffset + sum(i * targetStrides)`, in elements.
/// A source stride may be 0 (broadcast) or negative (reverse).
///
/// Example: the transpose of a row-major 2x3 to 3x2 has sizes {3, 2}, source strides {1, 3} and
/// target strides {2, 1}.
class StridedCopy {
public:
  StridedCopy() = default;
  /// Drops dimensions of size 1, orders the rest for the target and merges neighbours that are
  /// one run in both. Requires equally long lists.
  StridedCopy(int64_t elementBytes, std::span<const int64_t> sizes,
              std::span<const int64_t> sourceStrides, std::span<const int64_t> targetStrides,
              int64_t sourceOffset = 0, int64_t targetOffset = 0);

  /// Runs the copy. The areas must not overlap.
  void run(const std::byte *source, std::byte *target) const;
  int64_t numElements() const { return count; }

private:
  struct Dim {
    int64_t size, sourceStride, targetStride;
  };
  void copyRows(const std::byte *source, std::byte *target) const;

  std::vector<Dim> outer; // all dimensions but the last one or two
  Dim row = {1, 0, 0};    // second innermost loop, for tiles
  Dim inner = {1, 1, 1};  // innermost loop
  int64_t elementBytes = 1;
  int64_t sourceOffset = 0;
  int64_t targetOffset = 0;
  int64_t count = 0;
};

/// Reads consecutive elements of a broadcast tensor: the row-major order of `sizes`, at the given
/// source strides, without ever storing the whole.
class StridedReader {
public:
  StridedReader() = default;
  StridedReader(int64_t elementBytes, std::span<const int64_t> sizes,
                std::span<const int64_t> strides);

  /// Returns elements [begin, begin + count): a pointer into `source` if they lie densely there,
  /// else `buffer`, filled.
  const void *read(const std::byte *source, int64_t begin, int64_t count, std::byte *buffer) const;

private:
  struct Dim {
    int64_t size, stride;
  };
  std::vector<Dim> dims; // merged, innermost last; never empty
  int64_t elementBytes = 1;
};

/// Fills `count` elements with the one at `value`.
void fillElements(std::byte *target, const std::byte *value, int64_t elementBytes, int64_t count);

} // namespace shardwise::execute
