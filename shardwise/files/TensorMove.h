// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is to be copied from which files to which.

#pragma once

#include "shardwise/files/ArrayLayout.h"
#include "shardwise/files/ElementFormat.h"
#include "shardwise/files/FileSet.h"

#include <cstdint>
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
  bool isColumnMajor = false;
};

/// A tensor in files.
struct StoredTensor {
  std::string name; ///< Empty for that of a .npy file.
  ElementFormat format;
  core::Shape shape;
  /// How it is cut; one device of no name if it is whole.
  TensorCut cut;
  /// Their parts make up the tensor, and do not overlap.
  std::vector<StoredArray> arrays;
};

/// A tensor on its way. Sizes count *units*: elements, or groups of packed ones along the last
/// dimension.
struct TensorMove {
  core::Shape shape;
  int64_t unitBytes = 1;
  /// Of each, the first place is read.
  std::vector<StoredArray> sources;
  /// All places are written.
  std::vector<StoredArray> targets;
};

/// Adds an array at `place` to `arrays`: as a replica, if there is one with the same parts already.
/// Arrays without elements are left out.
void addArray(std::vector<StoredArray> &arrays, ArrayLayout layout, FilePlace place,
              bool isColumnMajor = false);

/// Returns the move between the two, which are the same tensor. Fails if a cut goes through a group
/// of packed elements.
Result<TensorMove> makeMove(const StoredTensor &source, const StoredTensor &target);

} // namespace shardwise::files
