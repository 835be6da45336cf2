// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choice of the entry function: @main, else the only public function, else the only one. And
// look-up of the ops that end functions.

#include "shardwise/dialect/stablehlo/EntryFunction.h"

namespace shardwise::stablehlo {

mlir::func::FuncOp entryFunctionOrNull(mlir::ModuleOp module) {
  if (auto main = module.lookupSymbol<mlir::func::FuncOp>("main"))
    return main;
  mlir::func::FuncOp lastPublic;
  mlir::func::FuncOp last;
  unsigned numPublic = 0;
  unsigned numFunctions = 0;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    last = function;
    ++numFunctions;
    if (function.isPublic()) {
      lastPublic = function;
      ++numPublic;
    }
  }
  if (numPublic == 1)
    return lastPublic;
  return numFunctions == 1 ? last : mlir::func::FuncOp();
}

mlir::FailureOr<mlir::func::FuncOp> entryFunction(mlir::ModuleOp module) {
  mlir::func::FuncOp main = entryFunctionOrNull(module);
  auto functions = module.getOps<mlir::func::FuncOp>();
  if (main || functions.empty())
    return main;
  return mlir::emitError(module.getLoc())
         << "module has " << std::distance(functions.begin(), functions.end())
         << " functions and none is called @main; rename the one that is the program";
}

mlir::func::ReturnOp returnOrNull(mlir::func::FuncOp function) {
  if (function.isExternal())
    return {};
  return mlir::dyn_cast<mlir::func::ReturnOp>(function.getBody().front().back());
}

mlir::FailureOr<mlir::func::ReturnOp> returnOf(mlir::func::FuncOp function) {
  if (mlir::func::ReturnOp end = returnOrNull(function))
    return end;
  return function.getBody().front().back().emitOpError()
         << "ends function @" << function.getSymName() << ", expected 'func.return'";
}

} // namespace shardwise::stablehlo
