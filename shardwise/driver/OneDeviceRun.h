// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running a compiled program on a single device.

#pragma once

#include "shardwise/execute/Program.h"
#include "shardwise/runtime/HostTensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/LogicalResult.h"

#include <span>
#include <vector>

namespace shardwise::driver {

/// Runs `program`, compiled from `module`, in this thread's process with one rank. Fails with a
/// diagnostic at the module, before it runs if the machine lacks the memory.
llvm::FailureOr<std::vector<runtime::HostTensor>>
runOnOneDevice(mlir::ModuleOp module, const execute::Program &program,
               std::span<const runtime::HostTensor> inputs, const execute::RunLimits &limits = {});

} // namespace shardwise::driver
