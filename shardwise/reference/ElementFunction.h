// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an element-wise op does to one element of each operand.

#pragma once

#include "shardwise/reference/Scalar.h"

#include <llvm/ADT/ArrayRef.h>
#include <mlir/IR/Operation.h>

#include <functional>

namespace shardwise::reference {

/// Computes one result element from one element of each operand.
using ElementFunction = std::function<Scalar(llvm::ArrayRef<Scalar>)>;

/// Returns the function of an element-wise stablehlo or chlo op, or an empty one if `op` is not
/// element-wise.
ElementFunction elementFunctionOf(mlir::Operation &op);

// The table is in parts, one per family; each returns an empty function for other ops.
ElementFunction unaryFunctionOf(mlir::Operation &op);
ElementFunction binaryFunctionOf(mlir::Operation &op);
ElementFunction specialFunctionOf(mlir::Operation &op);

/// Computes a rational approximation of the inverse error function, refined to double precision.
double inverseErf(double x);

} // namespace shardwise::reference
