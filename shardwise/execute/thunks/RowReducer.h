// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction regions applied to whole rows: accumulators and elements are rows of lanes.

#pragma once

#include "shardwise/core/ReductionKind.h"
#include "shardwise/execute/thunks/BlockCode.h"
#include "shardwise/execute/thunks/Conversion.h"

#include <optional>

namespace shardwise::execute {

/// How n inputs fold into n accumulators. Built at compile time, shared by all ranks.
struct Reduction {
  /// The one reduction the region consists of, if it does, and its kernel on rows.
  std::optional<core::ReductionKind> kind;
  ElementKernel rowKernel = nullptr;
  /// The region otherwise.
  RegionCode region;
  std::vector<DataType> inputTypes;       ///< In memory.
  std::vector<DataType> elementTypes;     ///< As the region takes them.
  std::vector<DataType> accumulatorTypes; ///< As the region returns them.
  std::vector<Conversion> conversions;    ///< From input to element type.

  size_t numInputs() const { return inputTypes.size(); }
  /// Bytes a RowReducer of `lanes` lanes needs.
  int64_t scratchBytes(int64_t lanes) const;
};

/// Whether `element`, of type `type`, changes nothing when `kind` folds it in.
bool isIdentity(core::ReductionKind kind, DataType type, std::span<const std::byte> element);

/// Rows of accumulators during a fold, in scratch memory.
class RowReducer {
public:
  RowReducer(const Reduction &reduction, const Frame &frame, std::byte *scratch, int64_t lanes);

  /// Sets the first `count` lanes of accumulator i to the element at `inits[i]`.
  void start(std::span<const std::byte *const> inits, int64_t count);
  /// Row of input i, of its memory type, for the caller to fill with elements.
  std::byte *inputRow(size_t input) { return inputRows[input]; }
  /// Folds `count` lanes of elements in; `rows[i]` is of the memory type of input i.
  void fold(std::span<const std::byte *const> rows, int64_t count);
  /// The same with the filled input rows.
  void foldInputRows(int64_t count) { fold(inputRowPointers, count); }
  /// Row of accumulator i.
  std::byte *accumulator(size_t input) { return accumulators[input]; }

private:
  const Reduction &reduction;
  std::vector<std::byte *> inputRows;
  std::vector<const std::byte *> inputRowPointers;
  std::vector<std::byte *> elementRows; // after conversion
  std::vector<std::byte *> accumulators;
  std::vector<std::byte *> results; // swapped with the accumulators after each fold
  std::vector<void *> pointers;
};

} // namespace shardwise::execute
