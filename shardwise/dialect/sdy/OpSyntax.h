// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of custom syntax that the assembly formats in SdyOps.td refer to.

#pragma once

#include "shardwise/dialect/sdy/SdyOps.h"

namespace shardwise::sdy {

/// `[<@m, [{"x"}]>, <@m, []>]`: shardings per value without the outer brackets.
mlir::ParseResult parseStrippedShardings(mlir::OpAsmParser &parser,
                                         TensorShardingPerValueAttr &shardings);
void printStrippedShardings(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                            TensorShardingPerValueAttr shardings);

/// `(%a: tensor<8xf32>) { ... }`: arguments and body of a one-block region.
mlir::ParseResult parseBodyWithArguments(mlir::OpAsmParser &parser, mlir::Region &body);
void printBodyWithArguments(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Region &body);

/// `max {"x"}`: reduction kind, not printed for sums, and axes.
mlir::ParseResult parseKindAndAxes(mlir::OpAsmParser &parser, ReductionKindAttr &kind,
                                   AxisRefListAttr &axes);
mlir::ParseResult parseKindAndAxes(mlir::OpAsmParser &parser, ReductionKindAttr &kind,
                                   ListOfAxisRefListsAttr &axes);
void printKindAndAxes(mlir::OpAsmPrinter &printer, mlir::Operation *op, ReductionKindAttr kind,
                      AxisRefListAttr axes);
void printKindAndAxes(mlir::OpAsmPrinter &printer, mlir::Operation *op, ReductionKindAttr kind,
                      ListOfAxisRefListsAttr axes);

/// `tensor<8xf32>`: the type of operand and result; `(tensor<4xf32>) -> tensor<8xf32>` if they
/// differ.
mlir::ParseResult parseCollectiveTypes(mlir::OpAsmParser &parser, mlir::Type &operand,
                                       mlir::Type &result);
void printCollectiveTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type operand,
                          mlir::Type result);

} // namespace shardwise::sdy
