// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What may be replaced.

#pragma once

#include "shardwise/files/StoredTensors.h"

#include <string>

namespace shardwise::files {

/// Returns the absolute path of what will be replaced: without a slash at the end, and of a link
/// what it points to.
Result<std::string> outputPlace(const std::string &output);

/// Checks that an output of `form` can be put at `place`: it is what such a call writes, or nothing
/// is there, or an empty folder.
Result<void> checkOutputPlace(const std::string &place, FileForm form);

} // namespace shardwise::files
