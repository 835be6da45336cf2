// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes to a parsed program: shardings, meshes, ops, operands. What comes out mostly verifies,
// and so reaches what text changes cannot.

#pragma once

#include "test/support/core/RandomValues.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwise::fuzz {

/// Makes one to six random changes in `module`. The result may break rules that verifiers check.
void mutateProgram(mlir::ModuleOp module, core::testing::Random &random);

} // namespace shardwise::fuzz
