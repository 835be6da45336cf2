// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of dot numbers, precisions, and the window of a convolution:
//   batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST]
//   stride = [2, 2], pad = [[0, 1], [0, 1]], rhs_dilate = [1, 2], reverse = [false, true]
// What is left out means the default, so lists that are absent and lists of defaults are different
// attributes with different text.

#include "shardwise/dialect/stablehlo/format/AssemblyFormat.h"
#include "shardwise/dialect/stablehlo/format/StructText.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace shardwise::stablehlo {

//===----------------------------------------------------------------------===//
// dot_general
//===----------------------------------------------------------------------===//

/// Parses `= [..] x [..]`.
static ParseResult parseDimsPair(OpAsmParser &parser, SmallVectorImpl<int64_t> &lhs,
                                 SmallVectorImpl<int64_t> &rhs) {
  return failure(parser.parseEqual() || parseDims(parser, lhs) || parser.parseKeyword("x") ||
                 parseDims(parser, rhs));
}

static void printDimsPair(OpAsmPrinter &printer, StringRef key, ArrayRef<int64_t> lhs,
                          ArrayRef<int64_t> rhs) {
  printer << key << " = ";
  printDims(printer, lhs);
  printer << " x ";
  printDims(printer, rhs);
}

ParseResult parseDotDimensionNumbers(OpAsmParser &parser, DotDimensionNumbersAttr &numbers) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  if (succeeded(parser.parseOptionalKeyword("batching_dims")))
    if (parseDimsPair(parser, lhsBatching, rhsBatching) || parser.parseComma())
      return failure();
  if (parser.parseKeyword("contracting_dims") ||
      parseDimsPair(parser, lhsContracting, rhsContracting))
    return failure();
  numbers = DotDimensionNumbersAttr::get(parser.getContext(), lhsBatching, rhsBatching,
                                         lhsContracting, rhsContracting);
  return success();
}

void printDotDimensionNumbers(OpAsmPrinter &printer, Operation *, DotDimensionNumbersAttr numbers) {
  if (!numbers.getLhsBatchingDimensions().empty() || !numbers.getRhsBatchingDimensions().empty()) {
    printDimsPair(printer, "batching_dims", numbers.getLhsBatchingDimensions(),
                  numbers.getRhsBatchingDimensions());
    printer << ", ";
  }
  printDimsPair(printer, "contracting_dims", numbers.getLhsContractingDimensions(),
                numbers.getRhsContractingDimensions());
}

/// Parses `= [DEFAULT, HIGHEST]`.
static ParseResult parsePrecisions(OpAsmParser &parser, ArrayAttr &precision) {
  SmallVector<Attribute> entries;
  auto parseEntry = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    StringRef text;
    if (parser.parseKeyword(&text))
      return failure();
    std::optional<Precision> value = symbolizePrecision(text);
    if (!value)
      return parser.emitError(location)
             << "expected DEFAULT, HIGH or HIGHEST, got '" << text << "'";
    entries.push_back(PrecisionAttr::get(parser.getContext(), *value));
    return success();
  };
  if (parser.parseEqual() ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseEntry))
    return failure();
  precision = parser.getBuilder().getArrayAttr(entries);
  return success();
}

ParseResult parsePrecisionConfig(OpAsmParser &parser, ArrayAttr &precision) {
  if (failed(parser.parseOptionalComma()))
    return success();
  if (parser.parseKeyword("precision"))
    return failure();
  return parsePrecisions(parser, precision);
}

void printPrecisionConfig(OpAsmPrinter &printer, Operation *, ArrayAttr precision) {
  if (!precision)
    return;
  printer << ", precision = [";
  llvm::interleaveComma(precision.getAsRange<PrecisionAttr>(), printer, [&](PrecisionAttr entry) {
    printer << stringifyPrecision(entry.getValue());
  });
  printer << ']';
}

ParseResult parsePrecisionConfigAndAlgorithm(OpAsmParser &parser, ArrayAttr &precision,
                                             DotAlgorithmAttr &algorithm) {
  while (succeeded(parser.parseOptionalComma())) {
    // In this order, each at most once; nothing follows the algorithm.
    if (!precision && !algorithm && succeeded(parser.parseOptionalKeyword("precision"))) {
      if (parsePrecisions(parser, precision))
        return failure();
      continue;
    }
    if (parser.parseKeyword("algorithm") || parser.parseEqual() ||
        parser.parseCustomAttributeWithFallback(algorithm))
      return failure();
    return success();
  }
  return success();
}

void printPrecisionConfigAndAlgorithm(OpAsmPrinter &printer, Operation *op, ArrayAttr precision,
                                      DotAlgorithmAttr algorithm) {
  printPrecisionConfig(printer, op, precision);
  if (!algorithm)
    return;
  printer << ", algorithm = ";
  printer.printStrippedAttrOrType(algorithm);
}

//===----------------------------------------------------------------------===//
// convolution
//===----------------------------------------------------------------------===//

ParseResult parseConvolutionDimensions(OpAsmParser &parser, ConvDimensionNumbersAttr &numbers) {
  FailureOr<ConvDimensionNumbersAttr> parsed = parseConvDimensions(parser);
  if (failed(parsed))
    return failure();
  numbers = *parsed;
  return success();
}

void printConvolutionDimensions(OpAsmPrinter &printer, Operation *,
                                ConvDimensionNumbersAttr numbers) {
  printConvDimensions(printer, numbers);
}

/// Parses `[[lo, hi], ..]` into an n x 2 matrix.
static ParseResult parsePadding(OpAsmParser &parser, DenseIntElementsAttr &padding) {
  SmallVector<int64_t> values;
  auto parsePair = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    SmallVector<int64_t> pair;
    if (parseDims(parser, pair))
      return failure();
    if (pair.size() != 2)
      return parser.emitError(location)
             << "expected a (low, high) pair, got " << pair.size() << " numbers";
    llvm::append_range(values, pair);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parsePair))
    return failure();
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size() / 2), 2},
                                    parser.getBuilder().getI64Type());
  padding = DenseIntElementsAttr::get(type, ArrayRef<int64_t>(values));
  return success();
}

/// Parses `[false, 1]` into flags.
static ParseResult parseFlags(OpAsmParser &parser, DenseBoolArrayAttr &flags) {
  SmallVector<bool> values;
  auto parseValue = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("true"))) {
      values.push_back(true);
      return success();
    }
    if (succeeded(parser.parseOptionalKeyword("false"))) {
      values.push_back(false);
      return success();
    }
    int64_t value = 0;
    if (parser.parseInteger(value))
      return failure();
    values.push_back(value != 0);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseValue))
    return failure();
  flags = parser.getBuilder().getDenseBoolArrayAttr(values);
  return success();
}

static ParseResult parseDimsAttr(OpAsmParser &parser, DenseI64ArrayAttr &dims) {
  SmallVector<int64_t> values;
  if (parseDims(parser, values))
    return failure();
  dims = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

ParseResult parseWindowAttributes(OpAsmParser &parser, DenseI64ArrayAttr &strides,
                                  DenseIntElementsAttr &padding, DenseI64ArrayAttr &lhsDilation,
                                  DenseI64ArrayAttr &rhsDilation, DenseBoolArrayAttr &reversal) {
  StringRef key;
  SMLoc location = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&key)))
    return success();
  llvm::StringSet<> seen;
  while (true) {
    if (!seen.insert(key).second)
      return parser.emitError(location) << "duplicated '" << key << "' entry";
    ParseResult parsed = parser.parseEqual();
    if (succeeded(parsed)) {
      if (key == "stride")
        parsed = parseDimsAttr(parser, strides);
      else if (key == "pad")
        parsed = parsePadding(parser, padding);
      else if (key == "lhs_dilate")
        parsed = parseDimsAttr(parser, lhsDilation);
      else if (key == "rhs_dilate")
        parsed = parseDimsAttr(parser, rhsDilation);
      else if (key == "reverse")
        parsed = parseFlags(parser, reversal);
      else
        return parser.emitError(location)
               << "unknown key '" << key
               << "', expected one of: stride, pad, lhs_dilate, rhs_dilate, reverse";
    }
    if (failed(parsed))
      return failure();
    if (failed(parser.parseOptionalComma()))
      return success();
    location = parser.getCurrentLocation();
    if (parser.parseKeyword(&key))
      return failure();
  }
}

void printWindowAttributes(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr strides,
                           DenseIntElementsAttr padding, DenseI64ArrayAttr lhsDilation,
                           DenseI64ArrayAttr rhsDilation, DenseBoolArrayAttr reversal) {
  bool first = true;
  auto start = [&](StringRef key) {
    printer << (first ? "" : ", ") << key << " = [";
    first = false;
  };
  auto printDimsField = [&](StringRef key, DenseI64ArrayAttr dims) {
    if (!dims)
      return;
    start(key);
    llvm::interleaveComma(dims.asArrayRef(), printer);
    printer << ']';
  };
  printDimsField("stride", strides);
  if (padding) {
    start("pad");
    auto values = padding.getValues<int64_t>();
    for (int64_t pair = 0, end = padding.getNumElements() / 2; pair < end; ++pair)
      printer << (pair ? ", [" : "[") << values[2 * pair] << ", " << values[2 * pair + 1] << ']';
    printer << ']';
  }
  printDimsField("lhs_dilate", lhsDilation);
  printDimsField("rhs_dilate", rhsDilation);
  if (reversal) {
    start("reverse");
    llvm::interleaveComma(reversal.asArrayRef(), printer,
                          [&](bool flag) { printer << (flag ? "true" : "false"); });
    printer << ']';
  }
}

} // namespace shardwise::stablehlo
