// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that are open together, read and written at offsets by many threads.

#pragma once

#include "shardwise/support/Result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace shardwise::files {

/// Number of a file of a set.
using FileNumber = size_t;

/// Open files. They are read and written by system calls and never mapped: a file that somebody
/// shortens meanwhile is an error and no signal, and what is in memory is only what was asked for.
class FileSet {
public:
  FileSet() = default;
  FileSet(FileSet &&other) noexcept : files(std::move(other.files)) { other.files.clear(); }
  FileSet &operator=(FileSet &&) = delete;
  ~FileSet();

  /// Opens a file for reading. Fails if it is none, or cannot be read.
  Result<FileNumber> open(const std::string &path);
  /// Makes a file of `bytes` for writing. Fails if the disk has no room for it.
  Result<FileNumber> make(const std::string &path, int64_t bytes);
  /// Opens a file that was made.
  Result<FileNumber> openMade(const std::string &path);

  const std::string &path(FileNumber file) const { return files[file].path; }
  int64_t bytes(FileNumber file) const { return files[file].bytes; }
  size_t size() const { return files.size(); }

  /// Fills `target` from the file. Fails if that ends before.
  Result<void> read(FileNumber file, int64_t offset, std::span<std::byte> target) const;
  Result<void> write(FileNumber file, int64_t offset, std::span<const std::byte> source) const;
  /// Waits until all files are on the disk.
  Result<void> sync() const;

private:
  struct File {
    std::string path;
    int descriptor = -1;
    int64_t bytes = 0;
  };
  Result<FileNumber> add(const std::string &path, int flags, const char *verb);

  std::vector<File> files;
};

/// Fails if a file for each of `numDevices` devices is more than this process may have open.
Result<void> checkNumFiles(int64_t numDevices);

/// Returns `cannot read 'x': no such file`, from `errno`.
Error systemError(const char *verb, const std::string &path);

/// Returns what the file at `path` has. Fails if that is more than `limit`.
Result<std::string> readText(const std::string &path, int64_t limit);

} // namespace shardwise::files
