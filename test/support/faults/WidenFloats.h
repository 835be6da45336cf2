// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program in f64: what it computes but for rounding, to tell what is only that.

#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace shardwise {

/// Gives every float of `module` the type f64, and complex numbers such parts. Bits that are read
/// as f32 stay so and are converted. Ops keep their order, and those of the program their places
/// among themselves.
void widenFloats(mlir::ModuleOp module);

} // namespace shardwise
