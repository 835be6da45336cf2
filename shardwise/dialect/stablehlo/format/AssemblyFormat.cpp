// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Type forms and the small attribute forms. Windows and dot numbers: ContractionFormat.cpp.
//
// Most forms are short for the usual case and have the function type `(T1, ..) -> R` for the rest.
// The short one is printed only if it parses back to the same types:
//   stablehlo.add %a, %b : tensor<4xf32>
//   stablehlo.add %a, %b : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>

#include "shardwise/dialect/stablehlo/format/AssemblyFormat.h"

#include "shardwise/dialect/stablehlo/ElementTypes.h"

using namespace mlir;

namespace shardwise::stablehlo {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

ParseResult parseSameTypes(OpAsmParser &parser, ArrayRef<Type *> slots) {
  SMLoc location = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  // No operand has a function type, so it tells the forms apart.
  auto function = dyn_cast<FunctionType>(type);
  if (!function) {
    for (Type *slot : slots)
      *slot = type;
    return success();
  }
  if (function.getNumInputs() + 1 != slots.size() || function.getNumResults() != 1)
    return parser.emitError(location)
           << "expected " << slots.size() - 1 << " operand types and 1 result type, got "
           << function.getNumInputs() << " and " << function.getNumResults();
  for (auto [slot, input] : llvm::zip(slots.drop_back(), function.getInputs()))
    *slot = input;
  *slots.back() = function.getResult(0);
  return success();
}

static void printFunctionType(OpAsmPrinter &printer, TypeRange operands, Type result) {
  printer.printFunctionalType(operands, TypeRange(result));
}

void printSameTypes(OpAsmPrinter &printer, TypeRange operands, Type result) {
  if (llvm::all_of(operands, [&](Type type) { return type == result; }))
    printer << result;
  else
    printFunctionType(printer, operands, result);
}

ParseResult
parseVariadicSameOperandsAndResultType(OpAsmParser &parser,
                                       ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                                       SmallVectorImpl<Type> &operandTypes, Type &resultType) {
  operandTypes.resize(operands.size());
  SmallVector<Type *> slots;
  for (Type &type : operandTypes)
    slots.push_back(&type);
  slots.push_back(&resultType);
  return parseSameTypes(parser, slots);
}

void printVariadicSameOperandsAndResultType(OpAsmPrinter &printer, Operation *, OperandRange,
                                            TypeRange operandTypes, Type resultType) {
  printSameTypes(printer, operandTypes, resultType);
}

ParseResult parsePairwiseOpType(OpAsmParser &parser, SmallVectorImpl<Type> &operands,
                                SmallVectorImpl<Type> &results) {
  if (parser.parseTypeList(operands))
    return failure();
  results.assign(operands.begin(), operands.end());
  return success();
}

void printPairwiseOpType(OpAsmPrinter &printer, Operation *, TypeRange operands, TypeRange) {
  llvm::interleaveComma(operands, printer);
}

ParseResult parseTupleOpType(OpAsmParser &parser, SmallVectorImpl<Type> &operands, Type &result) {
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseType(result))
    return failure();
  auto tuple = dyn_cast<TupleType>(result);
  if (!tuple)
    return parser.emitError(location) << "expected a tuple type, got " << result;
  llvm::append_range(operands, tuple.getTypes());
  return success();
}

void printTupleOpType(OpAsmPrinter &printer, Operation *, TypeRange, Type result) {
  printer << result;
}

/// Returns the real counterpart of a tensor of complex numbers, null for other types.
static Type realCounterpart(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !isa<ComplexType>(tensor.getElementType()))
    return {};
  return tensor.clone(realElementType(tensor.getElementType()));
}

ParseResult parseComplexOpType(OpAsmParser &parser, Type &lhs, Type &rhs, Type &result) {
  SMLoc location = parser.getCurrentLocation();
  if (parseSameTypes(parser, {&lhs, &rhs, &result}))
    return failure();
  // Three equal types are the short form, which gives the type of the result: operands of `complex`
  // are real and cannot have it.
  if (lhs != result || rhs != result)
    return success();
  lhs = rhs = realCounterpart(result);
  if (!lhs)
    return parser.emitError(location)
           << "expected a tensor with complex element type, got " << result;
  return success();
}

void printComplexOpType(OpAsmPrinter &printer, Operation *op, Type lhs, Type rhs, Type result) {
  Type real = realCounterpart(result);
  if (lhs == real && rhs == real)
    printer << result;
  else
    printFunctionType(printer, op->getOperandTypes(), result);
}

ParseResult parseSelectOpType(OpAsmParser &parser, Type &pred, Type &onTrue, Type &onFalse,
                              Type &result) {
  SMLoc location = parser.getCurrentLocation();
  Type first;
  if (parser.parseType(first))
    return failure();
  if (auto function = dyn_cast<FunctionType>(first)) {
    if (function.getNumInputs() != 3 || function.getNumResults() != 1)
      return parser.emitError(location)
             << "expected 3 operand types and 1 result type, got " << function.getNumInputs()
             << " and " << function.getNumResults();
    pred = function.getInput(0);
    onTrue = function.getInput(1);
    onFalse = function.getInput(2);
    result = function.getResult(0);
    return success();
  }
  pred = first;
  if (parser.parseComma() || parser.parseType(result))
    return failure();
  onTrue = onFalse = result;
  return success();
}

void printSelectOpType(OpAsmPrinter &printer, Operation *op, Type pred, Type onTrue, Type onFalse,
                       Type result) {
  if (onTrue == result && onFalse == result)
    printer << pred << ", " << result;
  else
    printFunctionType(printer, op->getOperandTypes(), result);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

ParseResult parseExponentMantissa(OpAsmParser &parser, IntegerAttr &exponent,
                                  IntegerAttr &mantissa) {
  SMLoc location = parser.getCurrentLocation();
  StringRef text;
  if (parser.parseKeyword(&text))
    return failure();
  StringRef rest = text;
  int32_t exponentBits = 0, mantissaBits = 0;
  if (!rest.consume_front("e") || rest.consumeInteger(10, exponentBits) ||
      !rest.consume_front("m") || rest.consumeInteger(10, mantissaBits) || !rest.empty())
    return parser.emitError(location)
           << "expected a format like e5m10 (exponent and mantissa bits), got '" << text << "'";
  exponent = parser.getBuilder().getI32IntegerAttr(exponentBits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissaBits);
  return success();
}

void printExponentMantissa(OpAsmPrinter &printer, Operation *, IntegerAttr exponent,
                           IntegerAttr mantissa) {
  printer << 'e' << exponent.getInt() << 'm' << mantissa.getInt();
}

ParseResult parseSliceRanges(OpAsmParser &parser, DenseI64ArrayAttr &start,
                             DenseI64ArrayAttr &limit, DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> starts, limits, steps;
  auto parseRange = [&]() -> ParseResult {
    int64_t &step = steps.emplace_back(1);
    if (parser.parseInteger(starts.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(limits.emplace_back()))
      return failure();
    if (succeeded(parser.parseOptionalColon()))
      return parser.parseInteger(step);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseRange))
    return failure();
  Builder &builder = parser.getBuilder();
  start = builder.getDenseI64ArrayAttr(starts);
  limit = builder.getDenseI64ArrayAttr(limits);
  strides = builder.getDenseI64ArrayAttr(steps);
  return success();
}

void printSliceRanges(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr start,
                      DenseI64ArrayAttr limit, DenseI64ArrayAttr strides) {
  printer << '[';
  llvm::interleaveComma(llvm::zip(start.asArrayRef(), limit.asArrayRef(), strides.asArrayRef()),
                        printer, [&](const auto &range) {
                          printer << std::get<0>(range) << ':' << std::get<1>(range);
                          if (std::get<2>(range) != 1)
                            printer << ':' << std::get<2>(range);
                        });
  printer << ']';
}

ParseResult
parseOperandsBeforeAttribute(OpAsmParser &parser,
                             SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    // A keyword comes next, so this was the last comma.
    if (!parsed.has_value())
      return success();
    if (failed(*parsed) || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
}

void printOperandsBeforeAttribute(OpAsmPrinter &printer, Operation *, OperandRange operands) {
  printer << operands;
  if (!operands.empty())
    printer << ',';
}

ParseResult parseCustomCallTarget(OpAsmParser &parser, StringAttr &target) {
  return parser.parseSymbolName(target);
}

void printCustomCallTarget(OpAsmPrinter &printer, Operation *, StringAttr target) {
  printer.printSymbolName(target.getValue());
}

} // namespace shardwise::stablehlo
