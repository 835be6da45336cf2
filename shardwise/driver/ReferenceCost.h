// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long the reference evaluator takes, by the text of a program.

#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace shardwise::driver {

/// Estimates the work of the reference evaluator on `module`, in units of one multiply-add of a
/// matrix product, about a nanosecond: an element that an op moves counts 40, one that it computes
/// 70. Loops count as often as they run where their text says so, else 16 times; of branches the
/// dearest counts. It depends on the program alone, so that every machine decides alike.
double referenceCost(mlir::ModuleOp module);

} // namespace shardwise::driver
