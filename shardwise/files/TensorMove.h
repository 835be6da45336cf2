// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is to be copied from which files to which.

#pragma once

#include "shardwise/files/ArrayLayout.h"
#include "shardwise/files/ElementFormat.h"
#include "shardwise/files/FileSet.h"
#include "shardwise/runtime/Reducer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardwise::files {

/// The begin of an array in a file.
struct FilePlace {
  FileNumber file = 0;
  int64_t offset = 0;

  bool operator==(const FilePlace &) const = default;
};

/// An array in one file, or the same in several: replicas.
struct StoredArray {
  ArrayLayout layout;
  std::vector<FilePlace> places;
  /// Of the first place.
  bool isColumnMajor = false;
  /// Which partial value of its elements it has (ShardId); 0 where these are whole.
  int64_t summand = 0;
};

/// The arrays of a tensor, collected device by device.
class ShardArrays {
public:
  /// Adds what a device has: as one more place of an array, if a replica of it is there already.
  /// Arrays without elements are left out. Takes the same time however many there are.
  void add(const ShardId &shard, ArrayLayout layout, FilePlace place, bool isColumnMajor = false);

  /// Of each summand, their parts make up the tensor, and do not overlap.
  const std::vector<StoredArray> &list() const { return arrays; }

private:
  std::vector<StoredArray> arrays;
  /// By summand and block: the position in `arrays`, or -1.
  std::vector<std::vector<int64_t>> positions;
};

/// A tensor in files.
struct StoredTensor {
  std::string name; ///< Empty for that of a .npy file.
  ElementFormat format;
  core::Shape shape;
  /// How it is cut; one device of no name if it is whole.
  TensorCut cut;
  ShardArrays arrays;
};

/// A tensor on its way. Sizes count *units*: elements, or groups of packed ones along the last
/// dimension.
struct TensorMove {
  core::Shape shape;
  int64_t unitBytes = 1;
  /// Of each, the first place is read. Those of a summand follow each other, in rising order.
  std::vector<StoredArray> sources;
  /// All places are written.
  std::vector<StoredArray> targets;
  /// How the summands of an element combine, if there are several: the second is folded into the
  /// first, the third into that, and so on.
  std::optional<runtime::Reducer> reducer = std::nullopt;
};

/// Returns the move between the two, which are the same tensor; `target` has whole values. Fails if
/// a cut goes through a group of packed elements, or if partial values have a type that is not
/// combined.
Result<TensorMove> makeMove(const StoredTensor &source, const StoredTensor &target);

} // namespace shardwise::files
