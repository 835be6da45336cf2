// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that bring annotations into the form that propagation expects.

#pragma once

#include "shardwise/dialect/sdy/SdyDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace shardwise::importer {

#define GEN_PASS_DECL
#include "shardwise/transforms/import/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "shardwise/transforms/import/Passes.h.inc"

} // namespace shardwise::importer
