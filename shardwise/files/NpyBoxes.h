// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes of the tensor in a .npy file: what a process needs of it, and no more.

#pragma once

#include "shardwise/core/ShardMap.h"
#include "shardwise/files/FileSet.h"
#include "shardwise/runtime/HostTensor.h"
#include "shardwise/runtime/NpyFile.h"
#include "shardwise/support/Result.h"

#include <cstddef>
#include <string>

namespace shardwise::files {

/// A .npy file that is open. Safe to read from several threads.
class NpyBoxReader {
public:
  /// Opens the file and reads its header. Fails, naming the file, as `runtime::readNpy` does.
  static Result<NpyBoxReader> open(const std::string &path);

  /// What the file has.
  const runtime::NpyHeader &header() const { return head; }
  /// Returns the elements of `box`, which lies in the tensor, as `runtime::readNpy` gives them.
  /// Fails if the file has become shorter.
  Result<runtime::HostTensor> read(const core::Box &box) const;

private:
  NpyBoxReader(FileSet files, runtime::NpyHeader head)
      : files(std::move(files)), head(std::move(head)) {}

  FileSet files;
  runtime::NpyHeader head;
};

/// Makes a .npy file for a row-major tensor, with its header, and all of its bytes reserved. Fails
/// if the disk has no room.
Result<FileNumber> makeNpy(FileSet &files, const std::string &path, runtime::DataType type,
                           const core::Shape &shape);

/// Writes `elements`, dense and row-major, to `box` of the tensor of such a file.
Result<void> writeNpyBox(const FileSet &files, FileNumber file, runtime::DataType type,
                         const core::Shape &shape, const core::Box &box, const std::byte *elements);

} // namespace shardwise::files
