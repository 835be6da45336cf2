// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of two dialects: propagation makes `sdy.constant`, which nobody folds or merges, of
// every `stablehlo.constant`, those in the regions of reductions and sorts too. What evaluates a
// program takes both.

#pragma once

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Operation.h"

namespace shardwise::builtin {

/// Whether `op` is a constant of stablehlo or sdy.
inline bool isConstantOp(mlir::Operation &op) {
  llvm::StringRef name = op.getName().getStringRef();
  return name == "stablehlo.constant" || name == "sdy.constant";
}

/// The elements of a constant of stablehlo or sdy; null if `op` is none.
inline mlir::ElementsAttr constantElementsOf(mlir::Operation &op) {
  if (!isConstantOp(op))
    return {};
  return llvm::dyn_cast_or_null<mlir::ElementsAttr>(
      op.getInherentAttr("value").value_or(mlir::Attribute()));
}

} // namespace shardwise::builtin
