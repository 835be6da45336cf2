// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enumerations, attributes and types of the dialect.

#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"

#include "shardwise/dialect/stablehlo/StablehloEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "shardwise/dialect/stablehlo/StablehloAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "shardwise/dialect/stablehlo/StablehloTypes.h.inc"

namespace shardwise::stablehlo {

/// Returns the accuracy that asks for nothing but `mode`: zero tolerances.
ResultAccuracyAttr defaultResultAccuracy(mlir::MLIRContext *context, ResultAccuracyMode mode);

/// Parses `[b, 0, f]x[0, i, o]->[b, 0, f]`, blanks free.
mlir::FailureOr<ConvDimensionNumbersAttr> parseConvDimensions(mlir::AsmParser &parser);
/// Prints the same.
void printConvDimensions(mlir::AsmPrinter &printer, ConvDimensionNumbersAttr dimensions);

} // namespace shardwise::stablehlo
