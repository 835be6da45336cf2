// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thunks of sliding windows: reduce_window, running folds, select_and_scatter. Tensors are dense
// and row-major.

#pragma once

#include "shardwise/execute/kernels/ElementKernels.h"
#include "shardwise/execute/thunks/ReductionThunk.h"
#include "shardwise/execute/thunks/RowTaps.h"
#include "shardwise/execute/thunks/WindowSpec.h"

namespace shardwise::execute {

/// result[i] = result[i-1] op element[i] along one dimension, forwards or backwards. The first is
/// folded with the init value. Elements along the dimension are `inner` apart.
class ScanThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "scan"; }

  BufferId input = -1, init = -1, result = -1;
  ScanKernel scan = nullptr;
  int64_t outer = 1, length = 1, inner = 1,
          elementBytes = 4; ///< The shape: outer x length x inner.
  bool isBackward = false;
};

/// reduce_window. The lanes are a row of results along the last dimension.
class WindowThunk final : public ReductionThunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "reduce_window"; }

  WindowSpec window;
  std::vector<int64_t> inputShape, resultShape;
  bool isInitIdentity = false; ///< Padding need not be folded.

private:
  /// Results [begin, end) along the dimensions before the last; scratch memory at `memory`.
  void foldRows(const Frame &frame, const RowTaps &taps, int64_t begin, int64_t end,
                std::byte *memory) const;
  /// Folds in what a row of results meets under position `tap` of the window along the last
  /// dimension, in the row of elements from `base` on. Padding and holes are the init value, which
  /// is left out if it is an identity. `rows` is room for a row of each input.
  void foldTap(const Frame &frame, RowReducer &reducer, int64_t base, int64_t tap,
               std::vector<const std::byte *> &rows) const;
  void foldInit(const Frame &frame, RowReducer &reducer) const;
  void fillRow(const Frame &frame, size_t input, int64_t base, int64_t tap, std::byte *row) const;
};

/// Scatters each source element to the place its window selects. The lanes are a row of source
/// elements along the last dimension.
class SelectScatterThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "select_and_scatter"; }

  BufferId operand = -1, source = -1, init = -1, result = -1;
  BufferId selectScratch = -1, scatterScratch = -1; ///< Of the regions, for a row of lanes.
  DataType operandType = DataType::F32;             ///< As the elements are compared.
  DataType sourceType = DataType::F32;
  std::vector<int64_t> operandShape, sourceShape;
  WindowSpec window;                    ///< Of the operand; a result of it per source element.
  ElementKernel selectKernel = nullptr; ///< If the region is one comparison of its arguments.
  RegionCode selectRegion;              ///< Whether the first of two elements stays selected.
  Reduction scatter;

  int64_t lanes() const { return sourceShape.empty() ? 1 : sourceShape.back(); }

private:
  struct Row;
  void meetTap(const Frame &frame, Row &row, const std::vector<int64_t> &outer,
               const std::vector<int64_t> &tap) const;
  void prefer(Row &row, const std::byte *candidates) const;
  void scatterRow(Frame &frame, RowReducer &reducer, const Row &row,
                  const std::byte *updates) const;
  /// Whether two windows of a row may select one element.
  bool doWindowsOverlap() const;
};

} // namespace shardwise::execute
