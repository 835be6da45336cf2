// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block walk. The evaluator runs ops one after the other, each on whole tensors, exactly as the
// program has them: no fusion, no reuse of memory, no order but that of the text. Slow, and easy to
// check against the specification.
//
// Every SSA name maps to shared tensors that do not change, one on every device that runs the op.
// Regions see the names around them; a loop gives new tensors to the names of its body in every
// iteration.

#include "shardwise/reference/BlockEvaluator.h"

#include "shardwise/dialect/stablehlo/CustomCallTargets.h"
#include "shardwise/reference/ElementTypes.h"

#include <llvm/ADT/SetVector.h>
#include <mlir/IR/Diagnostics.h>
#include <mlir/Transforms/RegionUtils.h>

namespace shardwise::reference {

llvm::SmallVector<const HostTensor *, 4> BlockEvaluator::allOf(mlir::ValueRange range) const {
  llvm::SmallVector<const HostTensor *, 4> tensors;
  for (mlir::Value value : range)
    tensors.push_back(&at(value));
  return tensors;
}

ValueList BlockEvaluator::listOf(mlir::ValueRange range) const {
  ValueList list;
  for (mlir::Value value : range)
    list.push_back(values.find(value)->second);
  return list;
}

void BlockEvaluator::define(mlir::ResultRange range, Results tensors) {
  for (auto [value, tensor] : llvm::zip(range, tensors))
    define(value, std::move(tensor));
}

void BlockEvaluator::defineAs(mlir::ResultRange range, ValueList list) {
  for (auto [value, perDevice] : llvm::zip(range, list))
    values[value] = std::move(perDevice);
}

void BlockEvaluator::forget(mlir::Region &region) {
  region.walk([&](mlir::Block *block) {
    for (mlir::Value argument : block->getArguments())
      values.erase(argument);
    for (mlir::Operation &op : *block)
      for (mlir::Value result : op.getResults())
        values.erase(result);
  });
}

mlir::LogicalResult BlockEvaluator::runFunction(mlir::func::FuncOp function,
                                                const ValueList &arguments, ValueList &results) {
  // Values are kept by name, so a function that is running cannot be entered again.
  if (!running.insert(function).second)
    return function.emitOpError() << "calls itself; recursion is not supported";
  mlir::LogicalResult result = runBlock(function.front(), arguments, results);
  running.erase(function);
  forget(function.getBody());
  return result;
}

mlir::LogicalResult BlockEvaluator::runBlock(mlir::Block &block, const ValueList &arguments,
                                             ValueList &results) {
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    values[argument] = value;
  for (mlir::Operation &op : block.without_terminator())
    if (mlir::failed(runOp(op)))
      return mlir::failure();
  results = listOf(block.getTerminator()->getOperands());
  return mlir::success();
}

mlir::LogicalResult BlockEvaluator::runOp(mlir::Operation &op) {
  // Checked for every op before it runs, so that all below may rely on known types.
  for (mlir::Type type : op.getResultTypes())
    if (!elementTypeOf(type) && !llvm::isa<stablehlo::TokenType, mlir::TupleType>(type))
      return op.emitOpError() << "has a result of type " << type
                              << ", which is not supported; expected a static tensor of floats of "
                                 "8 to 64 bits, integers, i1 or complex numbers";
  // The verifier knows nothing of targets; what is called is checked here, before it is trusted.
  if (auto call = llvm::dyn_cast<stablehlo::CustomCallOp>(op))
    if (mlir::failed(stablehlo::verifyKnownCall(call)))
      return mlir::failure();
  if (auto manual = llvm::dyn_cast<sdy::ManualComputationOp>(op))
    return runManual(manual);
  // These look at all devices at once: which way each goes, or what others hold. All other ops see
  // one device, and cannot tell which.
  for (auto part : {&BlockEvaluator::tryControlFlow, &BlockEvaluator::tryCollective}) {
    mlir::FailureOr<bool> done = (this->*part)(op);
    if (mlir::failed(done))
      return mlir::failure();
    if (*done)
      return mlir::success();
  }
  return runOnClasses(op);
}

mlir::LogicalResult BlockEvaluator::runOnClasses(mlir::Operation &op) {
  // A region may read values around it.
  llvm::SmallVector<mlir::Value> reads(op.getOperands());
  if (scope.numDevices > 1 && op.getNumRegions() > 0) {
    llvm::SetVector<mlir::Value> captured;
    mlir::getUsedValuesDefinedAbove(op.getRegions(), captured);
    reads.append(captured.begin(), captured.end());
  }
  llvm::SmallVector<const PerDevice *, 4> read;
  for (mlir::Value value : reads)
    read.push_back(&values.find(value)->second);
  if (llvm::all_of(read, [](const PerDevice *value) { return value->isUniform(); })) {
    here = scope.active.front();
    return runHere(op);
  }
  // Once for each class of devices with the same operands. `runHere` defines the results as if
  // there were one device; they are taken from there into the values by device.
  ValueList results(op.getNumResults(), PerDevice(scope.numDevices));
  for (const DeviceList &devices : classesOf(scope.active, read)) {
    here = devices.front();
    if (mlir::failed(runHere(op)))
      return mlir::failure();
    for (auto [value, result] : llvm::zip(op.getResults(), results))
      result.take(values.find(value)->second, devices, scope.numDevices);
  }
  for (PerDevice &result : results)
    result.share(scope.active);
  defineAs(op.getResults(), std::move(results));
  return mlir::success();
}

mlir::LogicalResult BlockEvaluator::runHere(mlir::Operation &op) {
  if (tryIdentity(op) || tryTokenOrTuple(op) || tryMovement(op) || tryNumeric(op))
    return mlir::success();
  if (ElementFunction function = elementFunctionOf(op)) {
    define(op.getResult(0),
           applyElementwise(function, op.getResult(0).getType(), allOf(op.getOperands())));
    return mlir::success();
  }
  // These may fail while they compute, with a diagnostic of their own: true, false and failure are
  // told apart.
  for (auto part : {&BlockEvaluator::tryScalarRegion, &BlockEvaluator::tryCustomCall,
                    &BlockEvaluator::tryOther}) {
    mlir::FailureOr<bool> done = (this->*part)(op);
    if (mlir::failed(done))
      return mlir::failure();
    if (*done)
      return mlir::success();
  }
  return op.emitOpError() << "is not supported by the reference evaluator";
}

} // namespace shardwise::reference
