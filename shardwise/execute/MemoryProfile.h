// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of a device over a run, as the buffer plan of its program has it.

#pragma once

#include <mlir/IR/BuiltinOps.h>
#include <mlir/Support/LLVM.h>

#include <cstdint>
#include <vector>

namespace shardwise::execute {

/// Memory of one rank during a run, in bytes.
struct MemoryUse {
  int64_t argumentBytes = 0;
  int64_t constantBytes = 0;
  int64_t resultBytes = 0; ///< Part of the arena.
  int64_t arenaBytes = 0;  ///< Results and temporaries at the fullest moment, as laid out.

  /// Arguments, constants and arena: what a rank needs at once.
  int64_t peakBytes() const { return argumentBytes + constantBytes + arenaBytes; }
};

/// A place in the arena that values share one after the other, in each other's stead.
struct ProfiledBuffer {
  /// As laid out: alignment included.
  int64_t bytes = 0;
  /// Steps in `MemoryProfile::steps`.
  int64_t first = 0;
  int64_t last = 0;
  bool isResult = false;
  /// The values that lie in it, in the order in which they are made; none if it is only scratch.
  std::vector<mlir::Value> values;
};

/// What lies in the memory of a device, step by step. Holds ops and values of the module.
struct MemoryProfile {
  MemoryUse use;
  /// The op that each step is of, in the order in which they run; null at the ends of loops. Bodies
  /// of loops and branches stand there once.
  std::vector<mlir::Operation *> steps;
  std::vector<ProfiledBuffer> buffers;
};

/// Returns the memory that `localModule` takes if it is compiled and run (Program.h), without
/// compiling it to the end. An op that could not be run, such as a kernel of another machine, is
/// taken to need its operands and results. Fails with a diagnostic, as `compile` does.
mlir::FailureOr<MemoryProfile> profileMemory(mlir::ModuleOp localModule);

} // namespace shardwise::execute
