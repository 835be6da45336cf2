// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data-flow edges of StableHLO's control flow.

#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace shardwise::extensions {

/// Makes `stablehlo.while`, `stablehlo.case` and `stablehlo.optimization_barrier` implement
/// `ShardableDataFlowOpInterface`:
///
/// | op                   | edge k owned by | sources                     | other targets      |
/// | -------------------- | --------------- | --------------------------- | ------------------ |
/// | while                | result k        | operand k, body's operand k | argument k of both |
/// | case                 | result k        | operand k of every branch   |                    |
/// | optimization_barrier | result k        | operand k                   |                    |
///
/// Call before loading programs; tools that verify or propagate need it.
void registerStablehloDataFlow(mlir::DialectRegistry &registry);

} // namespace shardwise::extensions
