// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the tools' plug-ins are.

#pragma once

#include <string>

namespace shardwise::tools {

/// Returns the folder of the tools' plug-ins, beside that of the tools.
std::string pluginFolder();

} // namespace shardwise::tools
