// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that readers never see half of.

#pragma once

#include "shardwise/support/Result.h"

#include <initializer_list>
#include <string>
#include <string_view>

namespace shardwise::runtime {

/// Writes `pieces` one after another to the file at `path`: beside it first, then renamed. A link
/// is followed; what is no regular file (a pipe, a device) is written in place, never replaced.
/// Fails, naming `path` and what the system says, if it cannot be written; then `path` is as it was
/// before, and nothing lies beside it.
Result<void> writeFile(const std::string &path, std::initializer_list<std::string_view> pieces);

/// Returns the name under which `writeFile` writes before it renames; empty if it writes in place.
std::string partialName(const std::string &path);

} // namespace shardwise::runtime
