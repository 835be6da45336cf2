// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of our own road that decide where values are resharded, and by which collectives. Their
// order is in transforms/Pipelines.cpp.

#pragma once

#include "shardwise/dialect/sdy/SdyDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace shardwise::reshard {

#define GEN_PASS_DECL
#include "shardwise/transforms/reshard/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "shardwise/transforms/reshard/Passes.h.inc"

} // namespace shardwise::reshard
