// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that readers never see half of.

#pragma once

#include "shardwise/support/Result.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace shardwise::runtime {

/// Writes `pieces` one after another to the file at `path`: beside it first, then renamed. A link
/// is followed; what is no regular file (a pipe, a device) is written in place, never replaced.
/// Fails, naming `path` and what the system says, if it cannot be written; then `path` is as it was
/// before, and nothing lies beside it.
Result<void> writeFile(const std::string &path, std::initializer_list<std::string_view> pieces);

/// Files that appear together or not at all: each is written beside its place by `add`, and gets
/// its name in `commit`. What has not got its name when this ends is removed.
///
/// Example: `add("out/0.npy", ..)` writes out/0.npy.123.part; after `add("out/1.npy", ..)` failed
/// on a full disk, neither of the two is there, and out/0.npy is what it was before.
class PendingFiles {
public:
  PendingFiles() = default;
  ~PendingFiles();
  PendingFiles(const PendingFiles &) = delete;
  PendingFiles &operator=(const PendingFiles &) = delete;

  /// Writes `pieces`, as `writeFile` does, but for the last step. What is written in place is
  /// written here.
  Result<void> add(const std::string &path, std::initializer_list<std::string_view> pieces);
  /// Takes charge of a file that others write to `partial`, which is `partialName(path, ..)`.
  void adopt(const std::string &path, std::string partial);
  /// Gives all files their names. If one cannot get it, fails, and removes all of them.
  Result<void> commit();

private:
  struct File {
    std::string path, partial;
  };
  std::vector<File> files;
};

/// Returns the name under which `writeFile` writes before it renames; empty if it writes in place.
std::string partialName(const std::string &path);
/// The same in process number `process`.
std::string partialName(const std::string &path, int64_t process);

} // namespace shardwise::runtime
