// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Custom calls with a known meaning: which targets there are, and what each takes and gives.

#pragma once

#include "shardwise/dialect/stablehlo/ops/CallOps.h"

namespace shardwise::stablehlo {

/// Whether `target` is a custom call that programs may use.
bool isKnownCallTarget(llvm::StringRef target);

/// Whether calls of `target` give their operand back as it is: they say where a value is kept or
/// how it is sharded, not what it is. Example: `@LayoutConstraint`.
bool isIdentityTarget(llvm::StringRef target);

/// Checks that operands, results and attributes of a call of a known target are those that its
/// meaning needs. Emits a diagnostic that says what was expected if they are not. Other targets
/// pass.
mlir::LogicalResult verifyKnownCall(CustomCallOp call);

/// Returns character `name` of a LAPACK call, from `backend_config` or the discardable
/// `mhlo.backend_config`; `otherwise` if it is absent.
char lapackCharacter(CustomCallOp call, llvm::StringRef name, char otherwise);

} // namespace shardwise::stablehlo
