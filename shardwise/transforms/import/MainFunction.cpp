// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choice of the main function.

#include "shardwise/transforms/import/MainFunction.h"

namespace shardwise::transforms {

mlir::FailureOr<mlir::func::FuncOp> mainFunction(mlir::ModuleOp module) {
  mlir::func::FuncOp first;
  unsigned numFunctions = 0;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    ++numFunctions;
    if (function.getSymName() == "main")
      return function;
    if (!first)
      first = function;
  }
  if (numFunctions <= 1)
    return first;
  return mlir::emitError(module.getLoc())
         << "module has " << numFunctions
         << " functions and none is called @main; rename the one that is the program";
}

} // namespace shardwise::transforms
