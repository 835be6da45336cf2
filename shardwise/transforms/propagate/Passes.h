// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that decide shardings.

#pragma once

#include "shardwise/dialect/sdy/SdyDialect.h"
#include "shardwise/transforms/propagate/Strategy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace shardwise::transforms {

#define GEN_PASS_DECL
#include "shardwise/transforms/propagate/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "shardwise/transforms/propagate/Passes.h.inc"

} // namespace shardwise::transforms
