// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block walk and control flow. The evaluator runs ops one after the other, each on whole tensors,
// exactly as the program has them: no fusion, no reuse of memory, no order but that of the text.
// Slow, and easy to check against the specification.
//
// Every SSA name maps to a shared tensor that does not change. Regions see the names around them; a
// loop gives new tensors to the names of its body in every iteration.

#include "shardwise/reference/BlockEvaluator.h"

#include "shardwise/dialect/stablehlo/CustomCallTargets.h"
#include "shardwise/reference/ElementTypes.h"

#include <mlir/IR/Diagnostics.h>
#include <mlir/IR/SymbolTable.h>

namespace shardwise::reference {

llvm::SmallVector<const HostTensor *, 4> BlockEvaluator::allOf(mlir::ValueRange range) const {
  llvm::SmallVector<const HostTensor *, 4> tensors;
  for (mlir::Value value : range)
    tensors.push_back(&at(value));
  return tensors;
}

TensorList BlockEvaluator::listOf(mlir::ValueRange range) const {
  TensorList tensors;
  for (mlir::Value value : range)
    tensors.push_back(values.find(value)->second);
  return tensors;
}

void BlockEvaluator::define(mlir::ResultRange range, Results tensors) {
  for (auto [value, tensor] : llvm::zip(range, tensors))
    define(value, std::move(tensor));
}

void BlockEvaluator::defineAs(mlir::ResultRange range, const TensorList &tensors) {
  for (auto [value, tensor] : llvm::zip(range, tensors))
    values[value] = tensor;
}

mlir::LogicalResult BlockEvaluator::runFunction(mlir::func::FuncOp function,
                                                const TensorList &arguments, TensorList &results) {
  // Values are kept by name, so a function that is running cannot be entered again.
  if (!running.insert(function).second)
    return function.emitOpError() << "calls itself; recursion is not supported";
  mlir::LogicalResult result = runBlock(function.front(), arguments, results);
  running.erase(function);
  return result;
}

mlir::LogicalResult BlockEvaluator::runBlock(mlir::Block &block, const TensorList &arguments,
                                             TensorList &results) {
  for (auto [argument, tensor] : llvm::zip(block.getArguments(), arguments))
    values[argument] = tensor;
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
  if (tryIdentity(op) || tryTokenOrTuple(op) || tryMovement(op) || tryNumeric(op))
    return mlir::success();
  if (ElementFunction function = elementFunctionOf(op)) {
    define(op.getResult(0),
           applyElementwise(function, op.getResult(0).getType(), allOf(op.getOperands())));
    return mlir::success();
  }
  // These may fail while they compute, with a diagnostic of their own: true, false and failure are
  // told apart.
  for (auto part : {&BlockEvaluator::tryControlFlow, &BlockEvaluator::tryScalarRegion,
                    &BlockEvaluator::tryCollective, &BlockEvaluator::tryCustomCall,
                    &BlockEvaluator::tryOther}) {
    mlir::FailureOr<bool> done = (this->*part)(op);
    if (mlir::failed(done))
      return mlir::failure();
    if (*done)
      return mlir::success();
  }
  return op.emitOpError() << "is not supported by the reference evaluator";
}

mlir::FailureOr<bool> BlockEvaluator::tryControlFlow(mlir::Operation &op) {
  auto done = [](mlir::LogicalResult result) -> mlir::FailureOr<bool> {
    if (mlir::failed(result))
      return mlir::failure();
    return true;
  };
  if (auto loop = llvm::dyn_cast<stablehlo::WhileOp>(op))
    return done(runWhile(loop));
  if (auto scan = llvm::dyn_cast<chlo::ScanOp>(op))
    return done(runScan(scan));
  if (auto branch = llvm::dyn_cast<stablehlo::IfOp>(op))
    return done(runBranch(op, op.getRegion(load(at(branch.getPred()), 0).isTrue() ? 0 : 1)));
  if (auto select = llvm::dyn_cast<stablehlo::CaseOp>(op)) {
    int64_t count = op.getNumRegions();
    int64_t index = load(at(select.getIndex()), 0).integer();
    // StableHLO, "case": an index that is out of range takes the last branch.
    return done(runBranch(op, op.getRegion(index < 0 || index >= count ? count - 1 : index)));
  }
  if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op))
    return done(runCall(op, call.getCalleeAttr()));
  if (auto composite = llvm::dyn_cast<stablehlo::CompositeOp>(op))
    return done(runCall(op, composite.getDecompositionAttr()));
  if (op.getName().getStringRef() == "sdy.named_computation") {
    TensorList results;
    if (mlir::failed(runBlock(op.getRegion(0).front(), listOf(op.getOperands()), results)))
      return mlir::failure();
    defineAs(op.getResults(), results);
    return true;
  }
  // Says that shardings agree; computes nothing.
  return op.getName().getStringRef() == "sdy.sharding_group";
}

mlir::LogicalResult BlockEvaluator::runWhile(stablehlo::WhileOp op) {
  TensorList state = listOf(op->getOperands());
  while (true) {
    TensorList proceed;
    if (mlir::failed(runBlock(op.getCond().front(), state, proceed)))
      return mlir::failure();
    if (!load(*proceed[0], 0).isTrue())
      break;
    // The body reads the state of the last iteration until all of the next one is made.
    TensorList next;
    if (mlir::failed(runBlock(op.getBody().front(), state, next)))
      return mlir::failure();
    state = std::move(next);
  }
  defineAs(op->getResults(), state);
  return mlir::success();
}

mlir::LogicalResult BlockEvaluator::runScan(chlo::ScanOp op) {
  auto dim = static_cast<int64_t>(op.getDimension());
  size_t numOutputs = op.getOutputs().size();
  TensorList carries = listOf(op.getInits());
  Results outputs;
  for (mlir::Type type : op.getOutputs().getTypes())
    outputs.push_back(zerosOf(type));
  for (int64_t step = 0, count = op.getNumSteps(); step < count; ++step) {
    int64_t index = op.getIsReverse() ? count - 1 - step : step;
    TensorList arguments;
    for (mlir::Value input : op.getInputs())
      arguments.push_back(std::make_shared<const RuntimeValue>(
          sliceAt(op.getSliceType(input.getType()), at(input), dim, index)));
    llvm::append_range(arguments, carries);
    TensorList returned;
    if (mlir::failed(runBlock(op.getBody().front(), arguments, returned)))
      return mlir::failure();
    for (auto [output, slice] : llvm::zip(outputs, returned))
      setSliceAt(output, *slice, dim, index);
    carries.assign(returned.begin() + numOutputs, returned.end());
  }
  define(op.getOutputs(), std::move(outputs));
  defineAs(op.getCarries(), carries);
  return mlir::success();
}

mlir::LogicalResult BlockEvaluator::runBranch(mlir::Operation &op, mlir::Region &branch) {
  TensorList results;
  if (mlir::failed(runBlock(branch.front(), {}, results)))
    return mlir::failure();
  defineAs(op.getResults(), results);
  return mlir::success();
}

mlir::LogicalResult BlockEvaluator::runCall(mlir::Operation &op, mlir::SymbolRefAttr callee) {
  auto function = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(&op, callee);
  if (!function || function.isExternal())
    return op.emitOpError() << "calls " << callee << ", which has no body";
  TensorList results;
  if (mlir::failed(runFunction(function, listOf(op.getOperands()), results)))
    return mlir::failure();
  defineAs(op.getResults(), results);
  return mlir::success();
}

} // namespace shardwise::reference
