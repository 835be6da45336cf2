// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of the attributes: the core grammar on MLIR's tokens, and the core printers. What is read
// and printed here is an attribute without its `#sdy.name`. A parser that returns null has reported
// why.

#include "shardwise/dialect/sdy/SdyAttrs.h"

#include "shardwise/dialect/sdy/AsmTokens.h"
#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/SdyDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "shardwise/dialect/sdy/SdyEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "shardwise/dialect/sdy/SdyAttrs.cpp.inc"

namespace shardwise::sdy {

void SdyDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "shardwise/dialect/sdy/SdyAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Meshes and axes
//===----------------------------------------------------------------------===//

LogicalResult MeshAxisAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                   core::MeshAxis axis) {
  // A mesh of this axis alone has the same rules.
  if (Result<core::Mesh> mesh = core::Mesh::create({axis}); !mesh)
    return emitError() << mesh.error().message;
  return success();
}

Attribute MeshAxisAttr::parse(AsmParser &parser, Type) {
  AsmTokens tokens(parser);
  core::MeshAxis axis;
  SMLoc location = parser.getCurrentLocation();
  if (!core::parseMeshAxis(tokens, axis))
    return {};
  return getChecked([&] { return parser.emitError(location); }, parser.getContext(), axis);
}

void MeshAxisAttr::print(AsmPrinter &printer) const {
  printer.printString(getAxis().name);
  printer << "=" << getAxis().size;
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  AsmTokens tokens(parser);
  std::vector<core::MeshAxis> axes;
  std::vector<core::DeviceId> deviceIds;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() || !core::parseMesh(tokens, axes, deviceIds) || parser.parseGreater())
    return {};
  // There are no invalid meshes, so this is checked here; shardings are checked by verifiers, which
  // know the mesh and the type.
  Result<core::Mesh> mesh = core::Mesh::create(std::move(axes), std::move(deviceIds));
  if (!mesh) {
    parser.emitError(location) << mesh.error().message;
    return {};
  }
  return MeshAttr::get(parser.getContext(), std::move(*mesh));
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<" << core::toString(getMesh()) << ">";
}

Attribute SubAxisInfoAttr::parse(AsmParser &parser, Type) {
  AsmTokens tokens(parser);
  core::SubAxis subAxis;
  if (!core::parseSubAxis(tokens, subAxis))
    return {};
  return SubAxisInfoAttr::get(parser.getContext(), subAxis);
}

void SubAxisInfoAttr::print(AsmPrinter &printer) const {
  printer << "(" << getSubAxis().preSize << ")" << getSubAxis().size;
}

Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  AsmTokens tokens(parser);
  core::AxisRef axis;
  if (!core::parseAxisRef(tokens, axis))
    return {};
  return AxisRefAttr::get(parser.getContext(), std::move(axis));
}

void AxisRefAttr::print(AsmPrinter &printer) const {
  printer << core::toString(getAxis());
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

Attribute DimensionShardingAttr::parse(AsmParser &parser, Type) {
  AsmTokens tokens(parser);
  core::WrittenDimSharding dim;
  if (!core::parseDimSharding(tokens, dim))
    return {};
  return DimensionShardingAttr::get(parser.getContext(), std::move(dim));
}

void DimensionShardingAttr::print(AsmPrinter &printer) const {
  printer << core::toString(getDim());
}

/// `@mesh` or `mesh<..>`.
static Attribute parseMeshOrRef(AsmParser &parser) {
  if (succeeded(parser.parseOptionalKeyword("mesh")))
    return MeshAttr::parse(parser, Type());
  StringAttr symbol;
  SMLoc location = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalSymbolName(symbol)))
    return FlatSymbolRefAttr::get(symbol);
  parser.emitError(location) << "expecting mesh or flat symbol: '@name' or 'mesh<..>'";
  return {};
}

Attribute TensorShardingAttr::parse(AsmParser &parser, Type) {
  AsmTokens tokens(parser);
  if (parser.parseLess())
    return {};
  Attribute meshOrRef = parseMeshOrRef(parser);
  core::WrittenSharding sharding;
  if (!meshOrRef || parser.parseComma() || !core::parseSharding(tokens, sharding) ||
      parser.parseGreater())
    return {};
  return toAttr(meshOrRef, std::move(sharding));
}

void TensorShardingAttr::print(AsmPrinter &printer) const {
  printer << "<";
  if (auto mesh = dyn_cast<MeshAttr>(getMeshOrRef())) {
    printer << MeshAttr::getMnemonic();
    mesh.print(printer);
  } else {
    printer << getMeshOrRef();
  }
  printer << ", " << core::toString(getSharding()) << ">";
}

FlatSymbolRefAttr TensorShardingAttr::getMeshSymbol() const {
  return dyn_cast<FlatSymbolRefAttr>(getMeshOrRef());
}

bool TensorShardingAttr::isFullyReplicated() const {
  return llvm::all_of(getSharding().dims, [](const auto &dim) { return dim.axes.empty(); });
}

bool TensorShardingAttr::hasNoAxes() const {
  return isFullyReplicated() && getSharding().replicated.empty() && getSharding().unreduced.empty();
}

Attribute TensorShardingPerValueAttr::parse(AsmParser &parser, Type) {
  SmallVector<TensorShardingAttr> shardings;
  auto parseOne = [&] { return parser.parseCustomAttributeWithFallback(shardings.emplace_back()); };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne) ||
      parser.parseGreater())
    return {};
  return TensorShardingPerValueAttr::get(parser.getContext(), shardings);
}

void TensorShardingPerValueAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getShardings(), printer,
                        [&](TensorShardingAttr sharding) { sharding.print(printer); });
  printer << "]>";
}

//===----------------------------------------------------------------------===//
// Axis lists of operations
//===----------------------------------------------------------------------===//

Attribute ManualAxesAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> axes;
  auto parseOne = [&]() -> ParseResult {
    std::string name;
    if (parser.parseString(&name))
      return failure();
    axes.push_back(StringAttr::get(parser.getContext(), name));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parseOne))
    return {};
  return ManualAxesAttr::get(parser.getContext(), axes);
}

void ManualAxesAttr::print(AsmPrinter &printer) const {
  printer << "{";
  llvm::interleaveComma(getAxes(), printer);
  printer << "}";
}

bool ManualAxesAttr::contains(StringRef axis) const {
  return llvm::any_of(getAxes(), [&](StringAttr name) { return name.getValue() == axis; });
}

Attribute AxisRefListAttr::parse(AsmParser &parser, Type) {
  AsmTokens tokens(parser);
  AxisRefs axes;
  if (!core::parseAxisRefList(tokens, axes))
    return {};
  return AxisRefListAttr::get(parser.getContext(), std::move(axes));
}

void AxisRefListAttr::print(AsmPrinter &printer) const {
  printer << core::toString(getAxes());
}

Attribute ListOfAxisRefListsAttr::parse(AsmParser &parser, Type) {
  AxisRefLists lists;
  auto parseOne = [&]() -> ParseResult {
    AxisRefListAttr list;
    if (parser.parseCustomAttributeWithFallback(list))
      return failure();
    lists.push_back(list.getAxes());
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return {};
  return ListOfAxisRefListsAttr::get(parser.getContext(), std::move(lists));
}

void ListOfAxisRefListsAttr::print(AsmPrinter &printer) const {
  printer << toString(getLists());
}

bool ListOfAxisRefListsAttr::hasNoAxes() const {
  return llvm::all_of(getLists(), [](const AxisRefs &axes) { return axes.empty(); });
}

Attribute AllToAllParamAttr::parse(AsmParser &parser, Type) {
  AsmTokens tokens(parser);
  AllToAllParam param;
  SMLoc location = parser.getCurrentLocation();
  if (!core::parseAxisRefList(tokens, param.axes))
    return {};
  // The grammar of lists reads `{}` as well, which moves nothing.
  if (param.axes.empty()) {
    parser.emitError(location) << "expected at least one axis to move";
    return {};
  }
  if (parser.parseColon() || parser.parseInteger(param.source) || parser.parseArrow() ||
      parser.parseInteger(param.target))
    return {};
  return AllToAllParamAttr::get(parser.getContext(), std::move(param));
}

void AllToAllParamAttr::print(AsmPrinter &printer) const {
  printer << toString(getParam());
}

Attribute AllToAllParamListAttr::parse(AsmParser &parser, Type) {
  AllToAllParams params;
  auto parseOne = [&]() -> ParseResult {
    AllToAllParamAttr param;
    if (parser.parseCustomAttributeWithFallback(param))
      return failure();
    params.push_back(param.getParam());
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return {};
  return AllToAllParamListAttr::get(parser.getContext(), std::move(params));
}

void AllToAllParamListAttr::print(AsmPrinter &printer) const {
  printer << "[";
  llvm::interleaveComma(getParams(), printer,
                        [&](const AllToAllParam &param) { printer << toString(param); });
  printer << "]";
}

//===----------------------------------------------------------------------===//
// Sharding rules
//===----------------------------------------------------------------------===//

Attribute DimMappingAttr::parse(AsmParser &parser, Type) {
  AsmTokens tokens(parser);
  core::DimMapping mapping;
  if (!core::parseDimMapping(tokens, mapping))
    return {};
  return toAttr(parser.getContext(), mapping);
}

void DimMappingAttr::print(AsmPrinter &printer) const {
  // Only printed standing alone, after the mnemonic: the blank keeps the two words apart.
  printer << " ";
  for (int64_t factor : getFactors())
    printer << core::factorSymbol(factor);
}

Attribute TensorMappingAttr::parse(AsmParser &parser, Type) {
  AsmTokens tokens(parser);
  core::TensorMapping mapping;
  if (!core::parseTensorMapping(tokens, mapping))
    return {};
  return toAttr(parser.getContext(), mapping);
}

void TensorMappingAttr::print(AsmPrinter &printer) const {
  printer << "[";
  llvm::interleaveComma(getDims(), printer, [&](DimMappingAttr dim) {
    for (int64_t factor : dim.getFactors())
      printer << core::factorSymbol(factor);
  });
  printer << "]";
}

Attribute OpShardingRuleAttr::parse(AsmParser &parser, Type) {
  AsmTokens tokens(parser);
  core::ShardingRule rule;
  if (parser.parseLess() || !core::parseShardingRule(tokens, rule) || parser.parseGreater())
    return {};
  return toAttr(parser.getContext(), std::move(rule));
}

void OpShardingRuleAttr::print(AsmPrinter &printer) const {
  printer << "<" << core::toString(getRule()) << ">";
}

} // namespace shardwise::sdy
