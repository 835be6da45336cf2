// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes beside the target and renames, but never replaces a device.

#include "shardwise/runtime/WriteFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>
#include <unistd.h>

namespace shardwise::runtime {
namespace {

namespace fs = std::filesystem;

/// Where the bytes shall be in the end: the file that a link points to.
std::string targetOf(const std::string &path) {
  std::error_code error;
  if (!fs::is_symlink(path, error))
    return path;
  // A link to nothing has no canonical path.
  fs::path target = fs::exists(path, error)
                        ? fs::canonical(path, error)
                        : fs::path(path).parent_path() / fs::read_symlink(path, error);
  return error ? path : target.string();
}

Error systemError(const std::string &path, int number) {
  return invalid(fmt::format("cannot write '{}': {}", path, std::strerror(number)));
}

/// Returns 0 or an errno.
int writePieces(const std::string &path, std::initializer_list<std::string_view> pieces) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (!file)
    return errno;
  int error = 0;
  // A tensor without elements may have no memory, and fwrite takes no null pointer.
  for (std::string_view piece : pieces)
    if (error == 0 && !piece.empty() &&
        std::fwrite(piece.data(), 1, piece.size(), file) != piece.size())
      error = errno;
  if (std::fclose(file) != 0 && error == 0)
    error = errno;
  return error;
}

/// Waits until a signal that is being handled has ended the process, if there is one. A handler on
/// another thread removes the files first, so that this thread may find one missing and would
/// report that instead of being interrupted.
void letSignalEndTheProcess() {
  std::this_thread::sleep_for(std::chrono::seconds(1));
}

} // namespace

std::string partialName(const std::string &path) {
  return partialName(path, ::getpid());
}

std::string partialName(const std::string &path, int64_t process) {
  std::string target = targetOf(path);
  std::error_code error;
  fs::file_status status = fs::status(target, error);
  // A pipe or device cannot be replaced by a file; what is written there is written at once.
  if (fs::exists(status) && !fs::is_regular_file(status))
    return "";
  return fmt::format("{}.{}.part", target, process);
}

PendingFiles::~PendingFiles() {
  for (const File &file : files)
    std::remove(file.partial.c_str());
}

Result<void> PendingFiles::add(const std::string &path,
                               std::initializer_list<std::string_view> pieces) {
  std::string partial = partialName(path);
  if (int error = writePieces(partial.empty() ? path : partial, pieces)) {
    if (!partial.empty())
      std::remove(partial.c_str());
    return systemError(path, error);
  }
  if (!partial.empty())
    adopt(path, std::move(partial));
  return {};
}

void PendingFiles::adopt(const std::string &path, std::string partial) {
  // Links may lead to one file, which then is what was written last.
  bool isKnown = std::any_of(files.begin(), files.end(),
                             [&](const File &file) { return file.partial == partial; });
  if (!isKnown)
    files.push_back({path, std::move(partial)});
}

Result<void> PendingFiles::commit() {
  // From here on the destructor has nothing left to remove.
  std::vector<File> pending = std::move(files);
  files.clear();
  for (size_t i = 0; i < pending.size(); ++i) {
    if (std::rename(pending[i].partial.c_str(), targetOf(pending[i].path).c_str()) == 0)
      continue;
    int error = errno;
    if (error == ENOENT)
      letSignalEndTheProcess();
    // All or nothing: those that have their names already are removed too.
    for (size_t j = 0; j < pending.size(); ++j)
      std::remove(j < i ? targetOf(pending[j].path).c_str() : pending[j].partial.c_str());
    return systemError(pending[i].path, error);
  }
  return {};
}

Result<void> writeFile(const std::string &path, std::initializer_list<std::string_view> pieces) {
  PendingFiles file;
  if (Result<void> written = file.add(path, pieces); !written)
    return written;
  return file.commit();
}

} // namespace shardwise::runtime
