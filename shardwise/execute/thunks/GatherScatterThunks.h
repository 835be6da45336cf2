// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thunks of gather and scatter: a gather copies a window per index vector; a scatter folds one in,
// leaving out what falls outside. Strides and offsets are in elements.

#pragma once

#include "shardwise/execute/kernels/ElementKernels.h"
#include "shardwise/execute/thunks/BlockCode.h"
#include "shardwise/execute/thunks/StridedCopy.h"

#include <utility>

namespace shardwise::execute {

/// Walks the index vectors of a gather or scatter in row-major order of the other dimensions.
struct IndexWalk {
  DataType type = DataType::I32;
  std::vector<int64_t> shape;       ///< Of the indices, without the vector dimension.
  std::vector<int64_t> strides;     ///< Of `shape` in the index tensor.
  int64_t vectorStride = 0;         ///< Between entries of a vector.
  std::vector<int64_t> indexedDims; ///< Operand dimension of each entry.
  /// Operand dimension and position in `shape` of each batching pair.
  std::vector<std::pair<int64_t, int64_t>> batching;

  /// Puts the window start for place `index` into `start`, one entry per operand dimension. One
  /// farther out than the size of its dimension is put at that distance, where any window is
  /// outside as well: so its offset in the operand cannot overflow.
  void startAt(const std::byte *indices, const std::vector<int64_t> &index,
               const std::vector<int64_t> &operandShape, std::vector<int64_t> &start) const;
};

/// Copies the window at each index vector, clamped so that it fits, to its place in the result.
class GatherThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "gather"; }

  IndexWalk walk;
  std::vector<int64_t> operandShape, operandStrides, sliceSizes; ///< Per operand dimension.
  std::vector<int64_t> batchStrides; ///< Of the result, per dimension of the walk.
  StridedCopy window;                ///< From a window at offset 0 to one at offset 0.
  int64_t elementBytes = 4;
  BufferId operand = -1, indices = -1, result = -1;
};

/// Folds the window of updates of each index vector into the operands, in the order of the updates.
/// There may be several inputs of one shape, with an update each.
class ScatterThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "scatter"; }

  IndexWalk walk;
  std::vector<int64_t> operandShape, operandStrides;
  std::vector<int64_t> batchStrides; ///< Of the updates, per dimension of the walk.
  /// Window dimensions: size, stride in the updates, and the operand dimension of each.
  std::vector<int64_t> windowSizes, windowStrides, windowDims;
  std::vector<int64_t> updateShape;
  /// Dimensions of the updates: those of the walk, and those of a window.
  std::vector<int64_t> walkDims, updateWindowDims;
  /// Whether windows may overlap without being equal, and lie interleaved in the updates: then
  /// window by window is not the order of the updates.
  bool isInterleaved = false;
  std::vector<int64_t> elementBytes, updateBytes; ///< Per input.
  std::vector<BufferId> inputs, updates, results;
  BufferId indices = -1;
  BufferId scratch = -1;             ///< Of the region, for one element.
  ElementKernel rowKernel = nullptr; ///< Known function of one input.
  bool isOverwrite = false;          ///< The region returns the update.
  RegionCode region;                 ///< Otherwise.

private:
  /// Places along the last dimension of windows.
  struct Columns {
    int64_t begin, end;
  };

  bool canCutColumns() const;
  std::vector<void *> boundRegion(const Frame &frame) const;
  /// Folds the updates in one by one, in row-major order.
  void foldElementByElement(const Frame &frame) const;
  /// Folds in `columns` of all windows, one after the other.
  void foldColumns(const Frame &frame, Columns columns) const;
  /// Folds the window of updates at `from` in at `start`. Rows are cut to `columns` and to the
  /// operand. `place` is room for an index.
  void foldWindow(const Frame &frame, std::vector<void *> &pointers,
                  const std::vector<int64_t> &start, int64_t from, Columns columns,
                  std::vector<int64_t> &place) const;
  void foldRow(const Frame &frame, std::vector<void *> &pointers, int64_t target,
               int64_t targetStride, int64_t source, int64_t sourceStride, int64_t count) const;
  void foldElement(const Frame &frame, std::vector<void *> &pointers, int64_t to,
                   int64_t from) const;
};

} // namespace shardwise::execute
