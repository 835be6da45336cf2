// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is inside of a Program. Not seen outside of this folder.

#pragma once

#include "shardwise/execute/Program.h"
#include "shardwise/execute/ResultPool.h"
#include "shardwise/execute/sharing/WorkPlan.h"
#include "shardwise/execute/thunks/ArenaPool.h"
#include "shardwise/execute/thunks/Thunk.h"

namespace shardwise::execute {

/// What a `Program` holds.
struct CompiledProgram {
  std::vector<std::unique_ptr<CompiledFunction>> functions;
  const CompiledFunction *main = nullptr;
  std::vector<TensorType> argumentTypes;
  std::vector<TensorType> resultTypes;
  MemoryUse memory;
  WorkPlan work;            ///< Of main.
  mutable ArenaPool arenas; ///< Of the size of main's arena.
  mutable ResultPool resultMemory;
};

/// How the rest of this folder looks into a Program.
struct ProgramAccess {
  static const CompiledProgram &get(const Program &program) { return *program.compiled; }
};

} // namespace shardwise::execute
