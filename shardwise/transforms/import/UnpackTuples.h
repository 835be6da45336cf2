// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tuples carry no sharding, so none may be left when shardings are decided.

#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace shardwise::importer {

/// Replaces what is taken out of tuples by what was put in, and drops tuples that nobody reads any
/// more. A tuple that reaches anything but get_tuple_element stays.
void unpackTuples(mlir::ModuleOp module);

} // namespace shardwise::importer
