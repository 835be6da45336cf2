// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a program's text once it is parsed.

#pragma once

#include "llvm/Support/MemoryBuffer.h"

namespace shardwise::driver {

/// Gives back the memory of a file that is mapped: its pages come from the file again if someone,
/// like a diagnostic that shows its line, reads them. No effect on buffers that are not mapped.
void releasePages(const llvm::MemoryBuffer &buffer);

} // namespace shardwise::driver
