// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A limit that cannot be met is no error: the program is compiled for as little memory as there is
// a way to, and a warning says what is missing. Whoever wants an error has `explain --fail-if`.

#include "shardwise/tools/shardwise/MemoryLimitOption.h"

#include "shardwise/driver/LoopMemory.h"
#include "shardwise/tools/shardwise/ByteSize.h"

#include <fmt/format.h>

#include <cstdio>

namespace shardwise::tools {

void addMemoryLimitOption(CLI::App &command, std::string &limit) {
  command
      .add_option(
          "--memory-limit", limit,
          "what a device may need, in bytes, or as in 512MiB, 1.5GiB: loops hold as much of "
          "what they would otherwise move in every round as fits")
      ->check(byteSize());
}

llvm::LogicalResult fitMemoryLimit(Session &session, mlir::ModuleOp module,
                                   const std::string &limit, driver::CompileOptions &options) {
  if (limit.empty())
    return llvm::success();
  auto fit = driver::fitMemory(module, options, *parseByteSize(limit));
  if (failed(fit))
    return llvm::failure();
  session.progress.clear();
  options.choices = fit->choices;
  if (!fit->fits())
    fmt::print(stderr, "shardwise: warning: {}\n", fit->shortfall());
  return llvm::success();
}

} // namespace shardwise::tools
