// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thunks of sort and top_k, both stable.

#pragma once

#include "shardwise/execute/thunks/BlockCode.h"

namespace shardwise::execute {

/// Whether elements of `type` have integers that order like them; floats in the total order.
bool hasOrderKey(DataType type);

/// Sorts the lines along one dimension of tensors of one shape, all by the same order.
///
/// Line l begins at element `l / inner * inner * length + l % inner`, and its elements are `inner`
/// apart. Example: a 4x8 tensor sorted along dimension 0 has 8 lines, length 4, inner 8.
class SortThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "sort"; }

  std::vector<BufferId> inputs, results; ///< As many as `types`.
  std::vector<DataType> types;
  int64_t numLines = 0, length = 0, inner = 1;
  int64_t keyInput = -1;     ///< Input to sort by its order keys; -1: by the comparator.
  bool isDescending = false; ///< Largest key first.
  RegionCode comparator;     ///< (a0, b0, a1, b1, ...) to whether a comes before b.
  BufferId scratch = -1;     ///< Of the comparator, for one element.

private:
  const std::byte *element(const Frame &frame, size_t input, int64_t first, int64_t at) const {
    return frame.at(inputs[input]) + (first + at * inner) * runtime::byteSize(types[input]);
  }

  // The order of the line that begins at element `first`, as positions in it.
  void sortByKeys(const Frame &frame, int64_t first, std::vector<int64_t> &keys,
                  std::vector<int64_t> &order) const;
  void sortByRegion(const Frame &frame, int64_t first, std::vector<void *> &pointers,
                    std::vector<int64_t> &order) const;
  // Both leave `order` as it is.
  void permute(const Frame &frame, size_t input, int64_t first, std::vector<int64_t> &order) const;
  void permuteInPlace(const Frame &frame, size_t input, int64_t first,
                      std::vector<int64_t> &order) const;
};

/// The `count` largest elements of each line along the last dimension, largest first, and their
/// positions. The lower position wins a tie.
class TopKThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "top_k"; }

  BufferId operand = -1;              ///< numLines x length.
  BufferId values = -1, indices = -1; ///< numLines x count; the indices are i32.
  DataType type = DataType::F32;      ///< One that has order keys.
  int64_t numLines = 0, length = 0, count = 0;
};

} // namespace shardwise::execute
