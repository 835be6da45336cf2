// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translation of a region of rank-0 ops to a list of element functions over numbered cells, each of
// which holds one element. Example: the region (a, b) -> max(a * 2, b) has cells 0 and 1 for a and
// b, 2 for the constant, 3 and 4 for results, and the steps
//
//     cell 3 = multiply(cell 0, cell 2)
//     cell 4 = maximum(cell 3, cell 1)
//
// Every op of a call that is expanded gets new cells. The bodies of if, case and while are lists of
// steps of their own, run by the step of the op; they read and write the same cells.

#include "shardwise/reference/ScalarRegion.h"

#include "shardwise/reference/ElementTypes.h"

#include "shardwise/dialect/builtin/ConstantOps.h"
#include "shardwise/dialect/sdy/PlacementOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/Diagnostics.h>
#include <mlir/IR/SymbolTable.h>

namespace shardwise::reference {

int ScalarRegion::addCell(const Scalar &initial) {
  cells.push_back(initial);
  return static_cast<int>(cells.size()) - 1;
}

mlir::FailureOr<ScalarRegion> ScalarRegion::create(mlir::Region &region, Lookup lookup) {
  ScalarRegion result;
  mlir::Operation *parent = region.getParentOp();
  Scope scope{.lookup = lookup};
  for (mlir::BlockArgument argument : region.getArguments()) {
    std::optional<DataType> type = elementTypeOf(argument.getType());
    if (!type || llvm::cast<mlir::RankedTensorType>(argument.getType()).getRank() != 0)
      return parent->emitOpError()
             << "has a region on values of type " << argument.getType()
             << ", which is not supported; expected rank-0 tensors of a known element type";
    result.argumentTypes.push_back(*type);
    scope.cellOf[argument] = result.addCell(convert(Scalar(), *type));
  }
  if (mlir::failed(result.append(region.front(), scope, result.main)))
    return mlir::failure();
  result.resultCells.assign(result.main.returned.begin(), result.main.returned.end());
  for (mlir::Value value : region.front().getTerminator()->getOperands())
    result.resultTypes.push_back(*elementTypeOf(value.getType()));
  // Lets a float sum be recognised, which the reduction may then round once instead of after every
  // element.
  mlir::Operation &first = region.front().front();
  if (llvm::hasNItems(region.front(), 2) && first.getNumOperands() == 2 &&
      first.getOperands() == mlir::ValueRange(region.getArguments()))
    result.onlyOp = first.getName().getStringRef().str();
  return result;
}

mlir::FailureOr<int> ScalarRegion::cellOf(mlir::Operation &user, mlir::Value value, Scope &scope) {
  auto known = scope.cellOf.find(value);
  if (known != scope.cellOf.end())
    return known->second;
  // From outside of the region: a cell that is filled now and never changes.
  const HostTensor *captured = scope.lookup(value);
  if (!captured || captured->numElements() != 1)
    return user.emitOpError() << "uses a value that is not a scalar";
  return scope.cellOf[value] = addCell(load(*captured, 0));
}

mlir::LogicalResult ScalarRegion::append(mlir::Block &block, Scope &scope, Body &body) {
  for (mlir::BlockArgument argument : block.getArguments()) {
    // The arguments of the region itself, and of calls, have theirs already.
    if (!scope.cellOf.count(argument))
      scope.cellOf[argument] = addCell(convert(Scalar(), *elementTypeOf(argument.getType())));
    body.arguments.push_back(scope.cellOf[argument]);
  }
  for (mlir::Operation &op : block.without_terminator())
    if (mlir::failed(appendOp(op, scope, body)))
      return mlir::failure();
  for (mlir::Value value : block.getTerminator()->getOperands()) {
    mlir::FailureOr<int> cell = cellOf(*block.getTerminator(), value, scope);
    if (mlir::failed(cell))
      return mlir::failure();
    body.returned.push_back(*cell);
  }
  return mlir::success();
}

mlir::LogicalResult ScalarRegion::appendCall(mlir::Operation &op, mlir::SymbolRefAttr callee,
                                             Scope &scope, Body &body, const Cells &operands) {
  auto function = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(&op, callee);
  if (!function || function.isExternal())
    return op.emitOpError() << "calls " << callee << ", which has no body";
  if (!inlining.insert(function).second)
    return op.emitOpError() << "calls itself; recursion is not supported";
  // Its values get new cells at every call.
  Scope inner{.lookup = scope.lookup};
  for (auto [argument, cell] : llvm::zip(function.getArguments(), operands))
    inner.cellOf[argument] = cell;
  Body called;
  if (mlir::failed(append(function.front(), inner, called)))
    return mlir::failure();
  inlining.erase(function);
  llvm::move(called.steps, std::back_inserter(body.steps));
  for (auto [value, cell] : llvm::zip(op.getResults(), called.returned))
    scope.cellOf[value] = cell;
  return mlir::success();
}

mlir::LogicalResult ScalarRegion::appendOp(mlir::Operation &op, Scope &scope, Body &body) {
  for (mlir::Type type : op.getResultTypes())
    if (!elementTypeOf(type) || llvm::cast<mlir::RankedTensorType>(type).getRank() != 0)
      return op.emitOpError() << "of type " << type
                              << " is not supported inside a reduction, sort or scatter region; "
                                 "expected rank-0 tensors of a known element type";
  if (builtin::isConstantOp(op)) {
    mlir::ElementsAttr elements = builtin::constantElementsOf(op);
    std::optional<HostTensor> tensor = elements ? constantOf(elements) : std::nullopt;
    if (!tensor)
      return op.emitOpError() << "has no readable value";
    scope.cellOf[op.getResult(0)] = addCell(load(*tensor, 0));
    return mlir::success();
  }
  Step step;
  for (mlir::Value operand : op.getOperands()) {
    mlir::FailureOr<int> cell = cellOf(op, operand, scope);
    if (mlir::failed(cell))
      return mlir::failure();
    step.operands.push_back(*cell);
  }
  if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op))
    return appendCall(op, call.getCalleeAttr(), scope, body, step.operands);
  if (auto composite = llvm::dyn_cast<stablehlo::CompositeOp>(op))
    return appendCall(op, composite.getDecompositionAttr(), scope, body, step.operands);
  // On rank 0 the result is the operand: another name of its cell.
  if (llvm::isa<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp, stablehlo::TransposeOp,
                stablehlo::OptimizationBarrierOp>(op) ||
      sdy::changesOnlyPlacement(&op)) {
    for (auto [value, cell] : llvm::zip(op.getResults(), step.operands))
      scope.cellOf[value] = cell;
    return mlir::success();
  }
  if (llvm::isa<stablehlo::IfOp, stablehlo::CaseOp, stablehlo::WhileOp>(op)) {
    // The regions' values go into the same scope: they see what stands before the op.
    step.kind = llvm::isa<stablehlo::WhileOp>(op) ? Step::Kind::Loop : Step::Kind::Choose;
    for (mlir::Region &region : op.getRegions())
      if (mlir::failed(append(region.front(), scope, step.bodies.emplace_back())))
        return mlir::failure();
  } else {
    step.function = elementFunctionOf(op);
    if (!step.function)
      return op.emitOpError() << "is not supported inside a reduction, sort or scatter region; "
                                 "expected element-wise ops";
  }
  for (mlir::Value result : op.getResults()) {
    step.results.push_back(addCell(convert(Scalar(), *elementTypeOf(result.getType()))));
    scope.cellOf[result] = step.results.back();
  }
  body.steps.push_back(std::move(step));
  return mlir::success();
}

void ScalarRegion::runLoop(const Step &step) const {
  auto copy = [&](const Cells &from, const Cells &to) {
    // Through a copy of all: an iteration may permute its state.
    llvm::SmallVector<Scalar, 3> values;
    for (int cell : from)
      values.push_back(cells[cell]);
    for (auto [cell, value] : llvm::zip(to, values))
      cells[cell] = value;
  };
  const Body &condition = step.bodies[0];
  const Body &iteration = step.bodies[1];
  // The cells of the results hold the state between iterations.
  copy(step.operands, step.results);
  while (true) {
    // Both regions get the state as arguments of their own.
    copy(step.results, condition.arguments);
    run(condition);
    if (!cells[condition.returned[0]].isTrue())
      return;
    copy(step.results, iteration.arguments);
    run(iteration);
    copy(iteration.returned, step.results);
  }
}

void ScalarRegion::run(const Body &body) const {
  llvm::SmallVector<Scalar, 3> operands;
  for (const Step &step : body.steps) {
    if (step.kind == Step::Kind::Loop) {
      runLoop(step);
      continue;
    }
    if (step.kind == Step::Kind::Choose) {
      const Scalar &selector = cells[step.operands[0]];
      // StableHLO, "case": an index that is out of range takes the last branch.
      auto last = static_cast<int64_t>(step.bodies.size()) - 1;
      int64_t chosen = selector.integer();
      if (selector.type() == DataType::I1) // Of an if, the first region is the true one.
        chosen = selector.isTrue() ? 0 : 1;
      else if (chosen < 0 || chosen > last)
        chosen = last;
      run(step.bodies[chosen]);
      for (auto [from, to] : llvm::zip(step.bodies[chosen].returned, step.results))
        cells[to] = cells[from];
      continue;
    }
    operands.clear();
    for (int cell : step.operands)
      operands.push_back(cells[cell]);
    cells[step.results[0]] = step.function(operands);
  }
}

llvm::ArrayRef<Scalar> ScalarRegion::operator()(llvm::ArrayRef<Scalar> arguments) const {
  // Arguments have the first cells.
  std::copy(arguments.begin(), arguments.end(), cells.begin());
  run(main);
  results.clear();
  for (int cell : resultCells)
    results.push_back(cells[cell]);
  return results;
}

} // namespace shardwise::reference
