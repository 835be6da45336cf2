// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rows of a tensor the windows of a row of results meet.

#pragma once

#include "shardwise/execute/thunks/WindowSpec.h"

#include <cstdint>
#include <span>
#include <vector>

namespace shardwise::execute {

/// Rows run along the last dimension; a scalar is a row. A tap is a position in the window, but for
/// its place along the last dimension, which is in the same row.
///
/// Example: 2x2 windows over an image [y, x, channel] at stride 2 have four taps of a row of
/// channels each; row 0 of the results meets rows (0, 0), (0, 1), (1, 0) and (1, 1).
class RowTaps {
public:
  /// `shape` is that of the tensor with the elements, `results` that of the results. `window` and
  /// `results` have to outlive this.
  RowTaps(const WindowSpec &window, std::span<const int64_t> shape,
          std::span<const int64_t> results);

  /// Rows of results.
  int64_t numRows() const { return rows; }

  /// Sets `offsets` to where the rows begin that row number `row` of the results meets, in
  /// elements, in row-major order of the taps; -1 for one that is padding or a hole.
  void find(int64_t row, std::vector<int64_t> &offsets) const;

private:
  struct Dim {
    int64_t size, stride; ///< Of the elements.
    int64_t results;
  };
  const WindowSpec &window;
  std::vector<Dim> dims;
  int64_t rows = 1;
};

} // namespace shardwise::execute
