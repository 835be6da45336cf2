// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that turn the result of propagation into a program ready to be partitioned.

#pragma once

#include "shardwise/dialect/sdy/SdyDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace shardwise::exporter {

#define GEN_PASS_DECL
#include "shardwise/transforms/export/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "shardwise/transforms/export/Passes.h.inc"

} // namespace shardwise::exporter
