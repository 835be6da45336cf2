// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be read but not compiled: dynamic shapes, quantised types, host transfer and the like.
// One walk over the program finds all of it. And what can be compiled, but not run: calls of
// kernels that only the user has.

#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace shardwise::stablehlo {

/// Fails, with an error at every op that is not supported (at most 16), unless the whole module
/// is. An error names the op, the reason and, if there is one, the way out, for example
/// `'stablehlo.dynamic_reshape' op is not supported: dynamic shapes; export with static shapes`.
///
/// Refused are
///   - unregistered ops, and ops of dialects other than builtin, func, stablehlo, chlo, sdy
///   - ops on dynamic shapes, host transfer, asynchronous and deprecated ops
///   - values whose type is dynamic, unranked, quantised, a buffer, a future, has an encoding
///     or elements of 4 or 6 float bits; tokens as function arguments or results
///   - custom calls of targets that are no kernels, such as the shard_map before Shardy; calls of
///     known ones with operands that do not fit
///   - ops that verify but mean nothing: a comparison type that does not fit the elements, an
///     all_gather whose factor is not the group size, a random state of a wrong shape
llvm::LogicalResult checkSupported(mlir::ModuleOp module);

/// Fails, with an error at every custom call of an unknown target (at most 16), unless all calls of
/// the module can be run: Pallas kernels, callbacks of the host, kernels of the user's own cannot.
llvm::LogicalResult checkKernels(mlir::ModuleOp module);

/// Returns why programs may not have ops named `opName`, or an empty string if they may.
llvm::StringRef refusalReason(llvm::StringRef opName);

/// Returns why values of `type` are not supported, or an empty string if they are.
llvm::StringRef unsupportedReason(mlir::Type type);

} // namespace shardwise::stablehlo
