// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing of messages, whatever pieces they come in. A message is `Content-Length: N`,
// an empty line, and N bytes; what is read beyond it waits in the buffer for the next one.

#include "shardwise/tools/shardwise-lsp-server/LspFrames.h"

#include <fmt/format.h>

#include <cerrno>
#include <unistd.h>

namespace shardwise::tools {

bool FrameReader::fill() {
  char bytes[16384];
  ssize_t count;
  do {
    count = ::read(descriptor, bytes, sizeof(bytes));
  } while (count < 0 && errno == EINTR);
  if (count > 0)
    buffer.append(bytes, static_cast<size_t>(count));
  return count > 0;
}

/// Value of the header `Content-Length`; none if there is none or it is no number.
static std::optional<size_t> contentLength(llvm::StringRef header) {
  while (!header.empty()) {
    auto [line, rest] = header.split('\n');
    header = rest;
    auto [name, value] = line.split(':');
    size_t length = 0;
    if (name.trim().equals_insensitive("content-length") && !value.trim().getAsInteger(10, length))
      return length;
  }
  return std::nullopt;
}

std::optional<std::string> FrameReader::read() {
  size_t headerEnd;
  while ((headerEnd = buffer.find("\r\n\r\n")) == std::string::npos)
    if (!fill())
      return std::nullopt;
  std::optional<size_t> length = contentLength(llvm::StringRef(buffer).take_front(headerEnd));
  if (!length)
    return std::nullopt;
  size_t start = headerEnd + 4;
  while (buffer.size() - start < *length)
    if (!fill())
      return std::nullopt;
  std::string body = buffer.substr(start, *length);
  buffer.erase(0, start + *length);
  return body;
}

bool writeFrame(int descriptor, llvm::StringRef body) {
  std::string message = fmt::format("Content-Length: {}\r\n\r\n", body.size());
  message += body;
  llvm::StringRef rest = message;
  while (!rest.empty()) {
    ssize_t count = ::write(descriptor, rest.data(), rest.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    rest = rest.drop_front(static_cast<size_t>(count));
  }
  return true;
}

} // namespace shardwise::tools
