// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry point: checks the inputs against the signature and runs the function.

#include "shardwise/reference/Evaluator.h"

#include "shardwise/reference/BlockEvaluator.h"
#include "shardwise/reference/ElementTypes.h"

#include <mlir/IR/Diagnostics.h>

namespace shardwise::reference {

mlir::FailureOr<std::vector<HostTensor>>
evaluate(mlir::func::FuncOp main, llvm::ArrayRef<HostTensor> inputs, LoopBudget *loops) {
  if (main.isExternal())
    return main.emitOpError() << "has no body to evaluate";
  if (inputs.size() != main.getNumArguments())
    return main.emitOpError() << "takes " << main.getNumArguments() << " arguments, but got "
                              << inputs.size();
  ValueList arguments;
  for (auto [number, input] : llvm::enumerate(inputs)) {
    mlir::Type type = main.getArgument(number).getType();
    std::optional<DataType> expected = elementTypeOf(type);
    if (!expected || input.type != *expected ||
        llvm::ArrayRef(input.shape) != llvm::cast<mlir::RankedTensorType>(type).getShape())
      return main.emitOpError() << "takes " << type << " as argument " << number << ", but got "
                                << runtime::typeString(input);
    arguments.push_back(shared(input));
  }
  LoopBudget unlimited;
  BlockEvaluator evaluator(loops ? *loops : unlimited);
  ValueList results;
  if (mlir::failed(evaluator.runFunction(main, arguments, results)))
    return mlir::failure();
  std::vector<HostTensor> tensors;
  // Outside of manual computations there is one device, number 0.
  for (const PerDevice &result : results)
    tensors.push_back(*result.on(0));
  return tensors;
}

} // namespace shardwise::reference
