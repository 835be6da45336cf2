// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What loops may hold so that a program stays within a memory limit.

#pragma once

#include "shardwise/driver/Compile.h"

#include <cstdint>
#include <string>

namespace shardwise::driver {

/// How far a program could be brought under a limit.
struct MemoryFit {
  /// To partition the program with.
  transforms::PartitionChoices choices;
  /// What a device needs then, as `run` counts it: arguments, constants and everything alive.
  int64_t peakBytes = 0;
  int64_t limitBytes = 0;

  bool fits() const { return peakBytes <= limitBytes; }
  /// What to tell the user where it does not fit: need, limit, and that nothing more can be done.
  std::string shortfall() const;
};

/// Returns the choices, of `options.choices` and what loops may hold besides, with which a device
/// of the partitioned program needs at most `limitBytes`; of those that least is received with. If
/// there are none, those with which it needs least.
///
/// Each attempt partitions and compiles a copy of `module`, eight at most. Fails with a diagnostic
/// if the program cannot be partitioned or compiled.
llvm::FailureOr<MemoryFit> fitMemory(mlir::ModuleOp module, const CompileOptions &options,
                                     int64_t limitBytes);

} // namespace shardwise::driver
