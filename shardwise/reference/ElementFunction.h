// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an element-wise op does to one element of each operand.

#pragma once

#include "shardwise/reference/Scalar.h"

#include <llvm/ADT/ArrayRef.h>
#include <mlir/IR/Operation.h>

#include <functional>
#include <string>

namespace shardwise::reference {

/// Computes one result element from one element of each operand.
using ElementFunction = std::function<Scalar(llvm::ArrayRef<Scalar>)>;

/// Returns the function of an element-wise stablehlo or chlo op, or an empty one if `op` is not
/// element-wise.
ElementFunction elementFunctionOf(mlir::Operation &op);

// The table is in parts, one per family; each returns an empty function for other ops.
ElementFunction unaryFunctionOf(mlir::Operation &op);
ElementFunction binaryFunctionOf(mlir::Operation &op);
ElementFunction complexFunctionOf(mlir::Operation &op);
ElementFunction specialFunctionOf(mlir::Operation &op);

/// Returns the function of the binary op `name` on real numbers, integers and booleans, or an empty
/// one. Example: `stablehlo.add`.
ElementFunction binaryFunctionNamed(llvm::StringRef name);

/// Returns the name of the op that `op` stands for: serialised programs carry chlo ops as custom
/// calls "mhlo.erf", "mhlo.asin", ...
std::string elementOpName(mlir::Operation &op);

/// Order of two elements: -1, 0, 1, or 2 if unordered. Complex numbers are ordered by real part,
/// then imaginary part.
int orderOf(const Scalar &a, const Scalar &b);
/// The order of floats in which -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
int totalOrderOf(const Scalar &a, const Scalar &b);

} // namespace shardwise::reference
