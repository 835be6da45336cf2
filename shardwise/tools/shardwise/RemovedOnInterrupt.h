// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ctrl-C leaves no partial file.

#pragma once

#include "shardwise/runtime/WriteFile.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Signals.h"

#include <csignal>
#include <string>

namespace shardwise::tools {

/// While it lives, a signal that ends the process removes what `runtime::writeFile` has written of
/// the file at `path`.
class RemovedOnInterrupt {
public:
  explicit RemovedOnInterrupt(const std::string &path) : partial(runtime::partialName(path)) {
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
