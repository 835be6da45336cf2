// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages of the Language Server Protocol on a file descriptor: header lines, an empty line, then
// as many bytes of JSON as the header says.

#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace shardwise::tools {

/// Reads messages from a file descriptor, which it does not own.
class FrameReader {
public:
  explicit FrameReader(int descriptor) : descriptor(descriptor) {}

  /// Returns the body of the next message; blocks until it is there. None at the end of the
  /// input or if it is not a message.
  std::optional<std::string> read();

private:
  bool fill();

  int descriptor;
  std::string buffer;
};

/// Writes `body` as one message. Returns false if the other side is gone.
bool writeFrame(int descriptor, llvm::StringRef body);

} // namespace shardwise::tools
