// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from a global program with explicit reshards to the per-device program. Their order is in
// transforms/Pipelines.cpp.

#pragma once

#include "shardwise/dialect/sdy/SdyDialect.h"
#include "shardwise/dialect/stablehlo/StablehloDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace shardwise::partition {

#define GEN_PASS_DECL
#include "shardwise/transforms/partition/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "shardwise/transforms/partition/Passes.h.inc"

} // namespace shardwise::partition
