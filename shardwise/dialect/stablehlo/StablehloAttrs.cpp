// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text and checks of the struct attributes and types. Mesh attributes and convolution
// numbers have files of their own.

#include "shardwise/dialect/stablehlo/StablehloAttrs.h"

#include "shardwise/dialect/stablehlo/StablehloDialect.h"
#include "shardwise/dialect/stablehlo/format/StructText.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace shardwise::stablehlo;

#include "shardwise/dialect/stablehlo/StablehloEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "shardwise/dialect/stablehlo/StablehloAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "shardwise/dialect/stablehlo/StablehloTypes.cpp.inc"

namespace shardwise::stablehlo {

using Dims = SmallVector<int64_t>;

//===----------------------------------------------------------------------===//
// Registration and dispatch
//===----------------------------------------------------------------------===//

void StablehloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "shardwise/dialect/stablehlo/StablehloAttrs.cpp.inc"
      >();
}

void StablehloDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "shardwise/dialect/stablehlo/StablehloTypes.cpp.inc"
      >();
}

/// `type_extensions<bounds = [4, ?]>`, the older spelling of `bounds<4, ?>`.
static Attribute parseTypeExtensions(AsmParser &parser);

Attribute StablehloDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  StringRef mnemonic;
  Attribute attr;
  SMLoc location = parser.getCurrentLocation();
  OptionalParseResult parsed = generatedAttributeParser(parser, &mnemonic, type, attr);
  if (parsed.has_value())
    return attr;
  if (mnemonic == "type_extensions")
    return parseTypeExtensions(parser);
  parser.emitError(location) << "unknown stablehlo attribute: " << mnemonic;
  return {};
}

void StablehloDialect::printAttribute(Attribute attr, DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attr, printer);
}

//===----------------------------------------------------------------------===//
// Dimension numbers
//===----------------------------------------------------------------------===//

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  Dims lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  if (parser.parseLess() ||
      parseStructFields(
          parser,
          {{"lhs_batching_dimensions", [&] { return parseDims(parser, lhsBatching); }},
           {"rhs_batching_dimensions", [&] { return parseDims(parser, rhsBatching); }},
           {"lhs_contracting_dimensions", [&] { return parseDims(parser, lhsContracting); }},
           {"rhs_contracting_dimensions", [&] { return parseDims(parser, rhsContracting); }}}))
    return {};
  return get(parser.getContext(), lhsBatching, rhsBatching, lhsContracting, rhsContracting);
}

void DotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  StructPrinter fields(printer);
  fields.dims("lhs_batching_dimensions", getLhsBatchingDimensions());
  fields.dims("rhs_batching_dimensions", getRhsBatchingDimensions());
  fields.dims("lhs_contracting_dimensions", getLhsContractingDimensions());
  fields.dims("rhs_contracting_dimensions", getRhsContractingDimensions());
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  Dims offset, collapsed, operandBatching, indicesBatching, indexMap;
  int64_t indexVectorDim = 0;
  if (parser.parseLess() ||
      parseStructFields(
          parser,
          {{"offset_dims", [&] { return parseDims(parser, offset); }},
           {"collapsed_slice_dims", [&] { return parseDims(parser, collapsed); }},
           {"operand_batching_dims", [&] { return parseDims(parser, operandBatching); }},
           {"start_indices_batching_dims", [&] { return parseDims(parser, indicesBatching); }},
           {"start_index_map", [&] { return parseDims(parser, indexMap); }},
           {"index_vector_dim",
            [&]() -> ParseResult { return parser.parseInteger(indexVectorDim); }}}))
    return {};
  return get(parser.getContext(), offset, collapsed, operandBatching, indicesBatching, indexMap,
             indexVectorDim);
}

void GatherDimensionNumbersAttr::print(AsmPrinter &printer) const {
  StructPrinter fields(printer);
  fields.dims("offset_dims", getOffsetDims());
  fields.dims("collapsed_slice_dims", getCollapsedSliceDims());
  fields.dims("operand_batching_dims", getOperandBatchingDims());
  fields.dims("start_indices_batching_dims", getStartIndicesBatchingDims());
  fields.dims("start_index_map", getStartIndexMap());
  fields.integer("index_vector_dim", getIndexVectorDim());
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  Dims window, inserted, inputBatching, indicesBatching, indexMap;
  int64_t indexVectorDim = 0;
  if (parser.parseLess() ||
      parseStructFields(
          parser,
          {{"update_window_dims", [&] { return parseDims(parser, window); }},
           {"inserted_window_dims", [&] { return parseDims(parser, inserted); }},
           {"input_batching_dims", [&] { return parseDims(parser, inputBatching); }},
           {"scatter_indices_batching_dims", [&] { return parseDims(parser, indicesBatching); }},
           {"scatter_dims_to_operand_dims", [&] { return parseDims(parser, indexMap); }},
           {"index_vector_dim",
            [&]() -> ParseResult { return parser.parseInteger(indexVectorDim); }}}))
    return {};
  return get(parser.getContext(), window, inserted, inputBatching, indicesBatching, indexMap,
             indexVectorDim);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter &printer) const {
  StructPrinter fields(printer);
  fields.dims("update_window_dims", getUpdateWindowDims());
  fields.dims("inserted_window_dims", getInsertedWindowDims());
  fields.dims("input_batching_dims", getInputBatchingDims());
  fields.dims("scatter_indices_batching_dims", getScatterIndicesBatchingDims());
  fields.dims("scatter_dims_to_operand_dims", getScatterDimsToOperandDims());
  fields.integer("index_vector_dim", getIndexVectorDim());
}

//===----------------------------------------------------------------------===//
// Aliases, accuracy, algorithms
//===----------------------------------------------------------------------===//

Attribute OutputOperandAliasAttr::parse(AsmParser &parser, Type) {
  Dims outputIndices, operandIndices;
  int64_t operandIndex = 0;
  if (parser.parseLess() ||
      parseStructFields(
          parser,
          {{"output_tuple_indices", [&] { return parseDims(parser, outputIndices); }},
           {"operand_index", [&]() -> ParseResult { return parser.parseInteger(operandIndex); }},
           {"operand_tuple_indices", [&] { return parseDims(parser, operandIndices); }}}))
    return {};
  return get(parser.getContext(), outputIndices, operandIndex, operandIndices);
}

void OutputOperandAliasAttr::print(AsmPrinter &printer) const {
  StructPrinter fields(printer);
  printDims(fields.field("output_tuple_indices"), getOutputTupleIndices());
  fields.field("operand_index") << getOperandIndex();
  printDims(fields.field("operand_tuple_indices"), getOperandTupleIndices());
}

ResultAccuracyAttr defaultResultAccuracy(MLIRContext *context, ResultAccuracyMode mode) {
  return ResultAccuracyAttr::get(context, APFloat(0.0), APFloat(0.0), 0,
                                 ResultAccuracyModeAttr::get(context, mode));
}

Attribute ResultAccuracyAttr::parse(AsmParser &parser, Type) {
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parseStructFields(parser,
                        {{"atol", [&]() -> ParseResult { return parser.parseFloat(atol); }},
                         {"rtol", [&]() -> ParseResult { return parser.parseFloat(rtol); }},
                         {"ulps", [&]() -> ParseResult { return parser.parseInteger(ulps); }},
                         {"mode", [&]() -> ParseResult { return parser.parseAttribute(mode); }}}))
    return {};
  if (!mode)
    mode = ResultAccuracyModeAttr::get(parser.getContext(), ResultAccuracyMode::DEFAULT);
  return parser.getChecked<ResultAccuracyAttr>(location, parser.getContext(), APFloat(atol),
                                               APFloat(rtol), ulps, mode);
}

void ResultAccuracyAttr::print(AsmPrinter &printer) const {
  StructPrinter fields(printer);
  if (!getAtol().isZero())
    fields.field("atol").printFloat(getAtol());
  if (!getRtol().isZero())
    fields.field("rtol").printFloat(getRtol());
  fields.integer("ulps", getUlps());
  fields.field("mode") << getMode();
}

LogicalResult ResultAccuracyAttr::verify(function_ref<InFlightDiagnostic()> emitError, APFloat atol,
                                         APFloat rtol, int64_t ulps, ResultAccuracyModeAttr mode) {
  // result_accuracy (C1): no tolerance is negative
  if (atol.isNegative() || rtol.isNegative() || ulps < 0)
    return emitError() << "expects result accuracy tolerances that are not negative";
  // result_accuracy (C2): tolerances only with mode TOLERANCE
  if (mode.getValue() != ResultAccuracyMode::TOLERANCE &&
      !(atol.isZero() && rtol.isZero() && ulps == 0))
    return emitError() << "expects zero tolerances with result accuracy mode "
                       << stringifyResultAccuracyMode(mode.getValue())
                       << "; only TOLERANCE takes them";
  return success();
}

/// The combinations that some hardware is known to support.
static bool isKnownAlgorithm(Type lhs, Type rhs, Type accumulation, int64_t primitives,
                             bool imprecise) {
  auto isFloat8 = [](Type type) {
    auto floatType = dyn_cast<FloatType>(type);
    return floatType && floatType.getWidth() == 8;
  };
  if (isFloat8(lhs) && isFloat8(rhs))
    return accumulation.isF32() && primitives == 1;
  if (lhs != rhs || imprecise)
    return false;
  if (primitives == 1) {
    if (lhs == accumulation)
      return lhs.isF16() || lhs.isBF16() || lhs.isF32() || lhs.isF64();
    return accumulation.isF32() && (lhs.isF16() || lhs.isBF16() || lhs.isTF32());
  }
  if (!accumulation.isF32())
    return false;
  // Products of f32 put together from several of narrower parts.
  return (lhs.isBF16() && (primitives == 3 || primitives == 6 || primitives == 9)) ||
         (lhs.isTF32() && primitives == 3);
}

LogicalResult DotAlgorithmAttr::verify(function_ref<InFlightDiagnostic()> emitError, Type lhs,
                                       Type rhs, Type accumulation, int64_t lhsCount,
                                       int64_t rhsCount, int64_t primitives, bool imprecise) {
  // dot_algorithm (C1): precisions are float types
  if (!isa<FloatType>(lhs) || !isa<FloatType>(rhs) || !isa<FloatType>(accumulation))
    return emitError() << "dot algorithm takes float types, got " << lhs << ", " << rhs << ", "
                       << accumulation;
  // dot_algorithm (C2): the combination is a known one
  if (lhsCount == 1 && rhsCount == 1 &&
      isKnownAlgorithm(lhs, rhs, accumulation, primitives, imprecise))
    return success();
  return emitError() << "dot algorithm not known to be supported on any hardware: "
                     << "{lhs:" << lhs << ", rhs:" << rhs << ", accum:" << accumulation
                     << ", lhs_components:" << lhsCount << ", rhs_components:" << rhsCount
                     << ", primitive_ops:" << primitives << ", imprecise:" << imprecise << "}";
}

//===----------------------------------------------------------------------===//
// Tensor encoding and types
//===----------------------------------------------------------------------===//

/// One bound: a number, or `?` for a dimension without one.
static ParseResult parseBound(AsmParser &parser, SmallVectorImpl<int64_t> &bounds) {
  if (succeeded(parser.parseOptionalQuestion())) {
    bounds.push_back(ShapedType::kDynamic);
    return success();
  }
  return parser.parseInteger(bounds.emplace_back());
}

Attribute TypeExtensionsAttr::parse(AsmParser &parser, Type) {
  Dims bounds;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     [&] { return parseBound(parser, bounds); }))
    return {};
  return get(parser.getContext(), bounds);
}

static Attribute parseTypeExtensions(AsmParser &parser) {
  Dims bounds;
  auto parseBounds = [&] {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                          [&] { return parseBound(parser, bounds); });
  };
  if (parser.parseLess() || parseStructFields(parser, {{"bounds", parseBounds}}))
    return {};
  return TypeExtensionsAttr::get(parser.getContext(), bounds);
}

void TypeExtensionsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getBounds(), printer, [&](int64_t bound) {
    if (ShapedType::isDynamic(bound))
      printer << '?';
    else
      printer << bound;
  });
  printer << '>';
}

LogicalResult
TypeExtensionsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                   function_ref<InFlightDiagnostic()> emitError) const {
  // bounds (C1): one entry per dimension
  if (getBounds().size() != shape.size())
    return emitError() << "bounds has " << getBounds().size() << " entries, but the tensor has "
                       << shape.size() << " dimensions";
  // bounds (C2): a static dimension has no bound
  for (auto [dim, bound, size] : llvm::enumerate(getBounds(), shape))
    if (!ShapedType::isDynamic(bound) && !ShapedType::isDynamic(size))
      return emitError() << "static dimension " << dim << " of size " << size
                         << " cannot have the bound " << bound;
  return success();
}

LogicalResult FutureType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<Type> types) {
  // future (C1): members are ranked tensors
  for (Type type : types)
    if (!isa<RankedTensorType>(type))
      return emitError() << "future members must be ranked tensors, got " << type;
  return success();
}

} // namespace shardwise::stablehlo
