// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that decide shardings.

#pragma once

#include "shardwise/dialect/sdy/SdyDialect.h"
#include "shardwise/transforms/propagate/Strategy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace shardwise::propagate {

class PropagationObserver;

#define GEN_PASS_DECL
#include "shardwise/transforms/propagate/Passes.h.inc"

/// `sdy-user-priority-propagate` that tells `observer`, which must outlive the pass, what happened.
/// Null tells nobody, and nothing is recorded.
std::unique_ptr<mlir::Pass>
createObservedUserPriorityPropagatePass(UserPriorityPropagatePassOptions options,
                                        PropagationObserver *observer);

#define GEN_PASS_REGISTRATION
#include "shardwise/transforms/propagate/Passes.h.inc"

} // namespace shardwise::propagate
