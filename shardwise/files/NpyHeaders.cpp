// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/files/NpyHeaders.h"

#include "shardwise/files/ElementFormat.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace shardwise::files {

/// No array has as many dimensions.
constexpr int64_t kLongestHeader = int64_t{16} << 20;

Result<runtime::NpyHeader> readNpyHeader(const FileSet &files, FileNumber file) {
  const std::string &path = files.path(file);
  std::vector<std::byte> start(
      std::min<size_t>(runtime::kNpyStartBytes, static_cast<size_t>(files.bytes(file))));
  if (Result<void> done = files.read(file, 0, start); !done)
    return done.error();
  Result<int64_t> headerBytes = runtime::npyHeaderBytes(start, path);
  if (!headerBytes)
    return headerBytes.error();
  if (*headerBytes > std::min(files.bytes(file), kLongestHeader))
    return invalid(fmt::format("'{}' ends inside the .npy header: that has {} bytes, the file {}",
                               path, *headerBytes, files.bytes(file)));
  // Not more is read than is needed, and no more than the file has: a length in a header that is
  // wrong must not make a buffer of that size.
  start.resize(static_cast<size_t>(*headerBytes));
  if (Result<void> done = files.read(file, 0, start); !done)
    return done.error();
  Result<runtime::NpyHeader> header = runtime::parseNpyHeader(start, files.bytes(file), path);
  if (!header)
    return header;
  ElementFormat format = npyFormat(header->type);
  if (!checkedByteCount(format, header->shape))
    return invalid(fmt::format("'{}' has a dimension that is too large: {}", path,
                               typeText(format, header->shape)));
  return header;
}

} // namespace shardwise::files
