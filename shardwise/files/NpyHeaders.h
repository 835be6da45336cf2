// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The headers of .npy files that are open.

#pragma once

#include "shardwise/files/FileSet.h"
#include "shardwise/runtime/NpyFile.h"

namespace shardwise::files {

/// Reads what stands before the elements. Fails, naming the file, as `runtime::parseNpyHeader`
/// does, and if a dimension is too large.
Result<runtime::NpyHeader> readNpyHeader(const FileSet &files, FileNumber file);

} // namespace shardwise::files
