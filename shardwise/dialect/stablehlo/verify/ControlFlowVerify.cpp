// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of `while`, and checks of control flow.

#include "shardwise/dialect/stablehlo/ops/ControlFlowOps.h"
#include "shardwise/dialect/stablehlo/verify/Verification.h"

using namespace mlir;

namespace shardwise::stablehlo {

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

void WhileOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, "iterArg");
}

void WhileOp::print(OpAsmPrinter &printer) {
  printer << '(';
  llvm::interleaveComma(llvm::zip(getCond().getArguments(), getOperand()), printer,
                        [&](const auto &pair) {
                          printer.printOperand(std::get<0>(pair));
                          printer << " = " << std::get<1>(pair);
                        });
  printer << ')';
  if (!getOperand().empty())
    printer << " : " << getOperandTypes();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  // Both regions use the names in the parentheses.
  printer.shadowRegionArgs(getBody(), getCond().getArguments());
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc start = parser.getCurrentLocation();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  auto parsePair = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parsePair))
    return failure();
  if (!operands.empty() && parser.parseColonTypeList(types))
    return failure();
  if (parser.resolveOperands(operands, types, start, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  result.addTypes(types);
  for (auto [argument, type] : llvm::zip(arguments, types))
    argument.type = type;
  Region *cond = result.addRegion(), *body = result.addRegion();
  return failure(parser.parseKeyword("cond") || parser.parseRegion(*cond, arguments) ||
                 parser.parseKeyword("do") || parser.parseRegion(*body, arguments));
}

LogicalResult WhileOp::verify() {
  // while (C1): operands, results and region arguments have the same types
  if (!areCompatible(getOperandTypes(), getResultTypes()))
    return emitOpError("expects operands to have the types of the results, got ")
           << getOperandTypes() << " and " << getResultTypes();
  for (Region *region : getRegions())
    if (!areCompatible(region->front().getArgumentTypes(), getOperandTypes()))
      return emitOpError("expects the arguments of region #")
             << region->getRegionNumber() << " to have the operand types " << getOperandTypes()
             << ", got " << region->front().getArgumentTypes();
  return success();
}

LogicalResult WhileOp::verifyRegions() {
  // while (C2): cond returns one scalar bool
  FailureOr<OperandRange> condition = returnedValues(*this, getCond());
  if (failed(condition))
    return failure();
  if (condition->size() != 1 || !isScalarOf((*condition)[0].getType(), isBool))
    return emitOpError("expects condition region to return a single value of type tensor<i1>, "
                       "got ")
           << condition->getTypes();
  // while (C3): body returns the operand types
  FailureOr<OperandRange> next = returnedValues(*this, getBody());
  if (failed(next))
    return failure();
  if (!areCompatible(next->getTypes(), getOperandTypes()))
    return emitOpError("expects body region to return the operand types ")
           << getOperandTypes() << ", got " << next->getTypes();
  return success();
}

//===----------------------------------------------------------------------===//
// if and case
//===----------------------------------------------------------------------===//

/// Fails unless `branch` takes nothing and returns the result types of `op`.
static LogicalResult verifyBranch(Operation *op, Region &branch) {
  if (branch.getNumArguments() != 0)
    return op->emitOpError("region #")
           << branch.getRegionNumber() << " must have 0 arguments, but found "
           << branch.getNumArguments();
  FailureOr<OperandRange> returned = returnedValues(op, branch);
  if (failed(returned))
    return failure();
  if (!areCompatible(returned->getTypes(), op->getResultTypes()))
    return op->emitOpError("region #")
           << branch.getRegionNumber() << " must return the result types " << op->getResultTypes()
           << ", but returns " << returned->getTypes();
  return success();
}

LogicalResult IfOp::verifyRegions() {
  // if (C1): both regions take nothing and return the result types
  return failure(failed(verifyBranch(*this, getTrueBranch())) ||
                 failed(verifyBranch(*this, getFalseBranch())));
}

LogicalResult CaseOp::verify() {
  // case (C1): at least one region
  if (getBranches().empty())
    return emitOpError("expects at least one branch");
  return success();
}

LogicalResult CaseOp::verifyRegions() {
  // case (C2): all regions take nothing and return the result types
  for (Region &branch : getBranches())
    if (failed(verifyBranch(*this, branch)))
      return failure();
  return success();
}

LogicalResult OptimizationBarrierOp::verify() {
  // optimization_barrier (C1): results have the types of the operands
  if (areCompatible(getOperandTypes(), getResultTypes()))
    return success();
  return emitOpError("requires the same types for operands and results, got ")
         << getOperandTypes() << " and " << getResultTypes();
}

} // namespace shardwise::stablehlo
