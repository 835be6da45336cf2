// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ctrl-C leaves no partial file.

#pragma once

#include "shardwise/runtime/WriteFile.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Signals.h"

#include <csignal>
#include <cstdint>
#include <string>
#include <unistd.h>

namespace shardwise::tools {

/// Registers the handlers that remove files. To be called on the main thread before others start:
/// they run on a stack that belongs to the thread which registers them, and that has to live as
/// long as they may be called.
inline void handleInterrupts() {
  llvm::sys::SetInterruptFunction(nullptr);
}

/// While it lives, a signal that ends the process removes what `runtime::writeFile` has written of
/// the file at `path`.
class RemovedOnInterrupt {
public:
  explicit RemovedOnInterrupt(const std::string &path) : RemovedOnInterrupt(path, ::getpid()) {}
  /// What several processes write under the number of `process`.
  RemovedOnInterrupt(const std::string &path, int64_t process)
      : partial(runtime::partialName(path, process)) {
    if (partial.empty())
      return;
    llvm::sys::RemoveFileOnSignal(partial);
    // A file that becomes too large is an error of the write, not an end.
    std::signal(SIGXFSZ, SIG_IGN);
  }
  ~RemovedOnInterrupt() {
    if (!partial.empty())
      llvm::sys::DontRemoveFileOnSignal(partial);
  }
  RemovedOnInterrupt(const RemovedOnInterrupt &) = delete;
  RemovedOnInterrupt &operator=(const RemovedOnInterrupt &) = delete;

private:
  std::string partial;
};

} // namespace shardwise::tools
