// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/tools/shardwise/PluginFolder.h"

#include <filesystem>
#include <system_error>

namespace shardwise::tools {

std::string pluginFolder() {
  std::error_code error;
  auto tool = std::filesystem::read_symlink("/proc/self/exe", error);
  return (tool.parent_path().parent_path() / SHARDWISE_PLUGIN_FOLDER).string();
}

} // namespace shardwise::tools
