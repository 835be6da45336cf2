// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where an op of a compiled program is from, for reports of runs.

#pragma once

#include "mlir/IR/Location.h"

#include <string>

namespace shardwise::driver {

/// Returns the user's own source, `model.py:31 (backward) in mlp`, as explanations say it; else the
/// line of the program, `model.mlir:12`; empty if the location tells neither.
std::string placeText(mlir::Location location);

} // namespace shardwise::driver
