// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The custom<..> directives of the ops' assembly formats, a parse and a print function each.

#pragma once

#include "shardwise/dialect/stablehlo/StablehloAttrs.h"

#include "mlir/IR/OpImplementation.h"

namespace shardwise::stablehlo {

/// Parses `T` (stored in every slot) or `(T1, ..) -> R` (last slot is the result).
mlir::ParseResult parseSameTypes(mlir::OpAsmParser &parser, llvm::ArrayRef<mlir::Type *> slots);
/// Prints `T` if all types are equal, else `(T1, ..) -> R`.
void printSameTypes(mlir::OpAsmPrinter &printer, mlir::TypeRange operands, mlir::Type result);

/// `: T` when operands and result have one type, else the function type.
template <class... Types>
mlir::ParseResult parseSameOperandsAndResultType(mlir::OpAsmParser &parser, Types &...types) {
  return parseSameTypes(parser, {&types...});
}
template <class... Types>
void printSameOperandsAndResultType(mlir::OpAsmPrinter &printer, mlir::Operation *op, Types...) {
  printSameTypes(printer, op->getOperandTypes(), op->getResult(0).getType());
}

/// The same for any number of operands.
mlir::ParseResult parseVariadicSameOperandsAndResultType(
    mlir::OpAsmParser &parser, llvm::ArrayRef<mlir::OpAsmParser::UnresolvedOperand> operands,
    llvm::SmallVectorImpl<mlir::Type> &operandTypes, mlir::Type &resultType);
void printVariadicSameOperandsAndResultType(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                                            mlir::OperandRange operands,
                                            mlir::TypeRange operandTypes, mlir::Type resultType);

/// `T1, T2`: types of operands and results alike.
mlir::ParseResult parsePairwiseOpType(mlir::OpAsmParser &parser,
                                      llvm::SmallVectorImpl<mlir::Type> &operands,
                                      llvm::SmallVectorImpl<mlir::Type> &results);
void printPairwiseOpType(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::TypeRange operands,
                         mlir::TypeRange results);

/// `tuple<T1, T2>`: the operand types are the members.
mlir::ParseResult parseTupleOpType(mlir::OpAsmParser &parser,
                                   llvm::SmallVectorImpl<mlir::Type> &operands, mlir::Type &result);
void printTupleOpType(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::TypeRange operands,
                      mlir::Type result);

/// `complex-tensor` if both operands have its real counterpart, else the function type.
mlir::ParseResult parseComplexOpType(mlir::OpAsmParser &parser, mlir::Type &lhs, mlir::Type &rhs,
                                     mlir::Type &result);
void printComplexOpType(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type lhs,
                        mlir::Type rhs, mlir::Type result);

/// `P, R` if both branches have type R, else the function type.
mlir::ParseResult parseSelectOpType(mlir::OpAsmParser &parser, mlir::Type &pred, mlir::Type &onTrue,
                                    mlir::Type &onFalse, mlir::Type &result);
void printSelectOpType(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type pred,
                       mlir::Type onTrue, mlir::Type onFalse, mlir::Type result);

/// `e5m10`.
mlir::ParseResult parseExponentMantissa(mlir::OpAsmParser &parser, mlir::IntegerAttr &exponent,
                                        mlir::IntegerAttr &mantissa);
void printExponentMantissa(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                           mlir::IntegerAttr exponent, mlir::IntegerAttr mantissa);

/// `[start:limit:stride, ..]`, the stride only if it is not 1.
mlir::ParseResult parseSliceRanges(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &start,
                                   mlir::DenseI64ArrayAttr &limit,
                                   mlir::DenseI64ArrayAttr &strides);
void printSliceRanges(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                      mlir::DenseI64ArrayAttr start, mlir::DenseI64ArrayAttr limit,
                      mlir::DenseI64ArrayAttr strides);

/// `%a, %b,`: operands, each followed by a comma, before a keyword.
mlir::ParseResult
parseOperandsBeforeAttribute(mlir::OpAsmParser &parser,
                             llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands);
void printOperandsBeforeAttribute(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                                  mlir::OperandRange operands);

/// `[batching_dims = [..] x [..], ]contracting_dims = [..] x [..]`.
mlir::ParseResult parseDotDimensionNumbers(mlir::OpAsmParser &parser,
                                           DotDimensionNumbersAttr &numbers);
void printDotDimensionNumbers(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                              DotDimensionNumbersAttr numbers);

/// `, precision = [A, B]`, if given.
mlir::ParseResult parsePrecisionConfig(mlir::OpAsmParser &parser, mlir::ArrayAttr &precision);
void printPrecisionConfig(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                          mlir::ArrayAttr precision);
/// The same, and `, algorithm = <..>`, if given.
mlir::ParseResult parsePrecisionConfigAndAlgorithm(mlir::OpAsmParser &parser,
                                                   mlir::ArrayAttr &precision,
                                                   DotAlgorithmAttr &algorithm);
void printPrecisionConfigAndAlgorithm(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                                      mlir::ArrayAttr precision, DotAlgorithmAttr algorithm);

/// `[b, 0, f]x[0, i, o]->[b, 0, f]`.
mlir::ParseResult parseConvolutionDimensions(mlir::OpAsmParser &parser,
                                             ConvDimensionNumbersAttr &numbers);
void printConvolutionDimensions(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                                ConvDimensionNumbersAttr numbers);

/// `stride = [..], pad = [[lo, hi], ..], lhs_dilate = [..], rhs_dilate = [..], reverse = [..]`,
/// all optional.
mlir::ParseResult parseWindowAttributes(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &strides,
                                        mlir::DenseIntElementsAttr &padding,
                                        mlir::DenseI64ArrayAttr &lhsDilation,
                                        mlir::DenseI64ArrayAttr &rhsDilation,
                                        mlir::DenseBoolArrayAttr &reversal);
void printWindowAttributes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                           mlir::DenseI64ArrayAttr strides, mlir::DenseIntElementsAttr padding,
                           mlir::DenseI64ArrayAttr lhsDilation, mlir::DenseI64ArrayAttr rhsDilation,
                           mlir::DenseBoolArrayAttr reversal);

/// `@target`, quoted if it is not an identifier.
mlir::ParseResult parseCustomCallTarget(mlir::OpAsmParser &parser, mlir::StringAttr &target);
void printCustomCallTarget(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                           mlir::StringAttr target);

} // namespace shardwise::stablehlo
