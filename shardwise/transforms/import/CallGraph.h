// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who calls whom in a module: order and size of its functions, copies of them for calls, and what
// they ask of their callers.

#pragma once

#include "shardwise/dialect/sdy/SdyAttrs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

#include <vector>

namespace shardwise::importer {

/// Returns the functions of `module` with callees before their callers, otherwise in program
/// order. Fails, with a diagnostic at the call that closes the circle, if functions are recursive.
mlir::FailureOr<std::vector<mlir::func::FuncOp>> calleesFirst(mlir::ModuleOp module,
                                                              const mlir::SymbolTable &symbols);
/// The same for those who have no need of every callee: a call that closes a circle is passed over.
std::vector<mlir::func::FuncOp> calleesFirstButCircles(mlir::ModuleOp module,
                                                       const mlir::SymbolTable &symbols);

/// Fails, with a diagnostic at the function, if replacing every call by a copy of its function
/// would give a function of more than ten million ops: a chain of functions that each call the next
/// one twice doubles with every link. `calleesFirst` is the order returned above.
mlir::LogicalResult checkExpandedSize(const std::vector<mlir::func::FuncOp> &calleesFirst,
                                      const mlir::SymbolTable &symbols);

/// Returns the name of the function that `function` is a copy of; its own if it is none.
mlir::StringAttr originalNameOf(mlir::func::FuncOp function);

/// Returns a copy of `function` for one more call of it, so that this can have its own shardings.
/// What the copy calls is copied in turn. Copies are placed last in the module, callees first,
/// under names of their own, and remember the name of the function that they were first. Functions
/// must not be recursive.
mlir::func::FuncOp cloneForCall(mlir::func::FuncOp function, mlir::SymbolTable &symbols);

/// Returns the shardings that callers of `callee` are to give to its arguments: open, on the mesh
/// of the first that has more than one device, where there is none. Null if no argument has a
/// sharding on more than one device.
sdy::TensorShardingPerValueAttr expectedArgumentShardings(mlir::func::FuncOp callee,
                                                          const mlir::SymbolTable &symbols);

} // namespace shardwise::importer
