// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translation of a region of rank-0 ops to a list of element functions.

#include "shardwise/reference/ScalarRegion.h"

#include "shardwise/reference/ElementTypes.h"

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
  llvm::DenseMap<mlir::Value, int> cellOf;
  for (mlir::BlockArgument argument : region.getArguments()) {
    std::optional<DataType> type = elementTypeOf(argument.getType());
    if (!type || llvm::cast<mlir::RankedTensorType>(argument.getType()).getRank() != 0)
      return parent->emitOpError()
             << "has a region on values of type " << argument.getType()
             << ", which is not supported; expected rank-0 tensors of a known element type";
    result.argumentTypes.push_back(*type);
    cellOf[argument] = result.addCell(convert(Scalar(), *type));
  }
  if (mlir::failed(result.append(region.front(), lookup, cellOf, result.resultCells)))
    return mlir::failure();
  for (mlir::Value value : region.front().getTerminator()->getOperands())
    result.resultTypes.push_back(*elementTypeOf(value.getType()));
  mlir::Operation &first = region.front().front();
  if (llvm::hasNItems(region.front(), 2) && first.getNumOperands() == 2 &&
      first.getOperands() == mlir::ValueRange(region.getArguments()))
    result.onlyOp = first.getName().getStringRef().str();
  return result;
}

mlir::LogicalResult ScalarRegion::append(mlir::Block &block, Lookup lookup,
                                         llvm::DenseMap<mlir::Value, int> &cellOf,
                                         llvm::SmallVectorImpl<int> &returned) {
  for (mlir::Operation &op : block.without_terminator())
    if (mlir::failed(appendOp(op, lookup, cellOf)))
      return mlir::failure();
  for (mlir::Value value : block.getTerminator()->getOperands()) {
    if (!cellOf.count(value)) {
      const HostTensor *captured = lookup(value);
      cellOf[value] = addCell(load(*captured, 0));
    }
    returned.push_back(cellOf[value]);
  }
  return mlir::success();
}

mlir::LogicalResult ScalarRegion::appendOp(mlir::Operation &op, Lookup lookup,
                                           llvm::DenseMap<mlir::Value, int> &cellOf) {
  for (mlir::Type type : op.getResultTypes())
    if (!elementTypeOf(type) || llvm::cast<mlir::RankedTensorType>(type).getRank() != 0)
      return op.emitOpError() << "of type " << type
                              << " is not supported inside a reduction, sort or scatter region; "
                                 "expected rank-0 tensors of a known element type";
  if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op)) {
    std::optional<HostTensor> tensor = constantOf(constant.getValue());
    if (!tensor)
      return op.emitOpError() << "has no readable value";
    cellOf[op.getResult(0)] = addCell(load(*tensor, 0));
    return mlir::success();
  }
  Step step;
  for (mlir::Value operand : op.getOperands()) {
    if (!cellOf.count(operand)) {
      const HostTensor *captured = lookup(operand);
      if (!captured || captured->numElements() != 1)
        return op.emitOpError() << "uses a value that is not a scalar";
      cellOf[operand] = addCell(load(*captured, 0));
    }
    step.operands.push_back(cellOf[operand]);
  }
  if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op)) {
    auto callee =
        mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(call, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      return op.emitOpError() << "calls " << call.getCalleeAttr() << ", which has no body";
    for (auto [argument, cell] : llvm::zip(callee.getArguments(), step.operands))
      cellOf[argument] = cell;
    llvm::SmallVector<int, 2> returned;
    if (mlir::failed(append(callee.front(), lookup, cellOf, returned)))
      return mlir::failure();
    for (auto [value, cell] : llvm::zip(op.getResults(), returned))
      cellOf[value] = cell;
    return mlir::success();
  }
  bool isIdentity =
      llvm::isa<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp, stablehlo::TransposeOp>(op);
  step.function =
      isIdentity ? [](llvm::ArrayRef<Scalar> x) { return x[0]; } : elementFunctionOf(op);
  if (!step.function)
    return op.emitOpError() << "is not supported inside a reduction, sort or scatter region; "
                               "expected element-wise ops";
  step.result = addCell(convert(Scalar(), *elementTypeOf(op.getResult(0).getType())));
  cellOf[op.getResult(0)] = step.result;
  steps.push_back(std::move(step));
  return mlir::success();
}

llvm::ArrayRef<Scalar> ScalarRegion::operator()(llvm::ArrayRef<Scalar> arguments) const {
  std::copy(arguments.begin(), arguments.end(), cells.begin());
  llvm::SmallVector<Scalar, 3> operands;
  for (const Step &step : steps) {
    operands.clear();
    for (int cell : step.operands)
      operands.push_back(cells[cell]);
    cells[step.result] = step.function(operands);
  }
  results.clear();
  for (int cell : resultCells)
    results.push_back(cells[cell]);
  return results;
}

} // namespace shardwise::reference
