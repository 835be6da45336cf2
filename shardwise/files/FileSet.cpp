// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// System calls on files, until they have done all that was asked.

#include "shardwise/files/FileSet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shardwise::files {
namespace {

/// Linux moves 2 GiB less a page in one call, and says so in its result; both loops below go on
/// from there. With less, a signal is noticed earlier.
constexpr size_t kCallBytes = size_t{1} << 30;

/// Allows this process as many open files as it may allow itself. Returns whether that is more.
bool raiseFileLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max)
    return false;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

int openFile(const std::string &path, int flags) {
  // The limit is raised only when it is met, and once: then it is as high as it gets.
  for (;;) {
    int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    if (descriptor >= 0 || (errno != EINTR && !(errno == EMFILE && raiseFileLimit())))
      return descriptor;
  }
}

/// Reserves the file's bytes, so that a full disk is known before hours of work rather than after.
/// A file system that cannot reserve gives the file its length alone; there, writes may fail later.
/// `posix_fallocate` would write zeros in that case, to each block of the file.
bool reserve(int descriptor, int64_t bytes) {
  if (bytes == 0)
    return true;
  int failed = 0;
  do {
    failed = ::fallocate(descriptor, 0, 0, bytes);
  } while (failed != 0 && errno == EINTR);
  if (failed == 0)
    return true;
  return (errno == EOPNOTSUPP || errno == ENOSYS) && ::ftruncate(descriptor, bytes) == 0;
}

/// All files of a call stay open, so a mesh of many devices meets the limit of the process. The
/// soft one has been raised already; only root raises the hard one.
Error tooManyFiles(const char *verb, const std::string &path) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return invalid(fmt::format("cannot {} '{}': this process may have {} files open, and those of "
                             "input and output are open together; raise the limit (ulimit -Hn)",
                             verb, path, limit.rlim_cur));
}

} // namespace

Error systemError(const char *verb, const std::string &path) {
  return invalid(fmt::format("cannot {} '{}': {}", verb, path, std::strerror(errno)));
}

Result<void> checkNumFiles(int64_t numDevices) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || static_cast<rlim_t>(numDevices) <= limit.rlim_max)
    return {};
  return invalid(fmt::format("the mesh has {} devices, and a file for each is written, but this "
                             "process may have {} files open; take a mesh of fewer devices, or "
                             "raise the limit (ulimit -Hn)",
                             numDevices, limit.rlim_max));
}

FileSet::~FileSet() {
  for (const File &file : files)
    ::close(file.descriptor);
}

Result<FileNumber> FileSet::add(const std::string &path, int flags, const char *verb) {
  // Opening a pipe would wait for its other end, before it is seen to be none of ours below.
  int descriptor = openFile(path, flags | O_NONBLOCK);
  if (descriptor < 0 && errno == EMFILE)
    return tooManyFiles(verb, path);
  if (descriptor < 0)
    return systemError(verb, path);
  struct stat status{};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    return invalid(fmt::format("cannot {} '{}': it is no regular file", verb, path));
  }
  files.push_back({path, descriptor, status.st_size});
  return files.size() - 1;
}

Result<FileNumber> FileSet::open(const std::string &path) {
  return add(path, O_RDONLY, "read");
}

Result<FileNumber> FileSet::openMade(const std::string &path) {
  return add(path, O_RDWR, "write");
}

Result<FileNumber> FileSet::make(const std::string &path, int64_t bytes) {
  Result<FileNumber> file = add(path, O_RDWR | O_CREAT | O_TRUNC, "write");
  if (!file)
    return file;
  if (!reserve(files[*file].descriptor, bytes))
    return systemError("write", path);
  files[*file].bytes = bytes;
  return file;
}

Result<void> FileSet::read(FileNumber file, int64_t offset, std::span<std::byte> target) const {
  const File &from = files[file];
  while (!target.empty()) {
    size_t wanted = std::min(target.size(), kCallBytes);
    ssize_t count = ::pread(from.descriptor, target.data(), wanted, offset);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError("read", from.path);
    if (count == 0)
      return invalid(fmt::format("'{}' ends at byte {}; it had {} when it was opened, and somebody "
                                 "has made it shorter",
                                 from.path, offset, from.bytes));
    offset += count;
    target = target.subspan(static_cast<size_t>(count));
  }
  return {};
}

Result<void> FileSet::write(FileNumber file, int64_t offset,
                            std::span<const std::byte> source) const {
  const File &to = files[file];
  while (!source.empty()) {
    size_t wanted = std::min(source.size(), kCallBytes);
    ssize_t count = ::pwrite(to.descriptor, source.data(), wanted, offset);
    // Of a disk that becomes full in the middle, the first call writes what fits, and the second
    // one tells the error.
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError("write", to.path);
    offset += count;
    source = source.subspan(static_cast<size_t>(count));
  }
  return {};
}

Result<void> FileSet::sync() const {
  for (const File &file : files)
    if (::fdatasync(file.descriptor) != 0)
      return systemError("write", file.path);
  return {};
}

Result<std::string> readText(const std::string &path, int64_t limit) {
  FileSet files;
  Result<FileNumber> file = files.open(path);
  if (!file)
    return file.error();
  if (files.bytes(*file) > limit)
    return invalid(fmt::format("'{}' has {} bytes, more than {}", path, files.bytes(*file), limit));
  std::string text(static_cast<size_t>(files.bytes(*file)), '\0');
  if (Result<void> done = files.read(*file, 0, std::as_writable_bytes(std::span(text))); !done)
    return done.error();
  return text;
}

} // namespace shardwise::files
