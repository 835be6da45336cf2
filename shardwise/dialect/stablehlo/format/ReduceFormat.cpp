// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of `reduce`: a compact form for bodies of one commutative op, and a form with a region.
//   stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (..) -> ..
//   stablehlo.reduce(%a init: %z) across dimensions = [1] : (..) -> ..
//    reducer(%p: tensor<f32>, %q: tensor<f32>)  { .. }
// The compact form has no text for the body, so it is used only if parsing builds the same body.

#include "shardwise/dialect/stablehlo/format/StructText.h"
#include "shardwise/dialect/stablehlo/ops/ControlFlowOps.h"
#include "shardwise/dialect/stablehlo/ops/ReductionOps.h"

using namespace mlir;

namespace shardwise::stablehlo {

/// Returns the only op of the body if the compact form rebuilds it: a commutative stablehlo
/// op of the two block arguments in order, of the first input's element type, whose result
/// is returned.
static Operation *compactBody(ReduceOp op) {
  Region &region = op.getBody();
  if (!region.hasOneBlock() || op.getInputs().empty())
    return nullptr;
  Block &block = region.front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block, 2))
    return nullptr;
  Operation *inner = &block.front();
  auto terminator = dyn_cast<ReturnOp>(block.back());
  if (!terminator || inner->getName().getDialectNamespace() != "stablehlo" ||
      !inner->hasTrait<OpTrait::IsCommutative>() || inner->getNumOperands() != 2 ||
      inner->getNumResults() != 1 || inner->getNumRegions() != 0)
    return nullptr;
  if (inner->getOperand(0) != block.getArgument(0) ||
      inner->getOperand(1) != block.getArgument(1) || terminator.getNumOperands() != 1 ||
      terminator.getOperand(0) != inner->getResult(0))
    return nullptr;
  auto input = dyn_cast<RankedTensorType>(op.getInputs().front().getType());
  auto isInputScalar = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 0 && tensor.getElementType() == input.getElementType();
  };
  if (!input || !isInputScalar(block.getArgument(0).getType()) ||
      !isInputScalar(block.getArgument(1).getType()) ||
      !isInputScalar(inner->getResult(0).getType()))
    return nullptr;
  return inner;
}

void ReduceOp::print(OpAsmPrinter &printer) {
  printer << '(';
  llvm::interleave(
      llvm::zip(getInputs(), getInitValues()), printer,
      [&](const auto &pair) { printer << std::get<0>(pair) << " init: " << std::get<1>(pair); },
      "), (");
  printer << ')';
  Operation *inner = compactBody(*this);
  if (inner)
    printer << " applies " << inner->getName().getStringRef();
  printer << " across dimensions = ";
  printDims(printer, getDimensions());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(*this);
  if (inner)
    return;
  printer.printNewline();
  printer << " reducer";
  Block &block = getBody().front();
  // Arguments are all accumulators, then all elements; text has them in pairs.
  size_t n = block.getNumArguments() / 2;
  for (size_t i = 0; i < n; ++i) {
    printer << (i ? " (" : "(");
    printer.printRegionArgument(block.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(n + i));
    printer << ')';
  }
  printer << "  ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// Fills the body of a compact reduce: `name` applied to two scalars of `element`.
static void buildCompactBody(OpAsmParser &parser, Region &region, OperationName name, Type element,
                             Location location) {
  Type scalar = RankedTensorType::get({}, element);
  Block &block = region.emplaceBlock();
  block.addArguments({scalar, scalar}, {location, location});
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToEnd(&block);
  OperationState state(location, name, block.getArguments(), TypeRange(scalar));
  Operation *inner = builder.create(state);
  ReturnOp::create(builder, location, inner->getResults());
}

/// Parses `reducer(%a: T, %e: T) ... { .. }` into `region`.
static ParseResult parseReducer(OpAsmParser &parser, Region &region, size_t numInputs) {
  if (parser.parseKeyword("reducer"))
    return failure();
  SmallVector<OpAsmParser::Argument> accumulators, elements;
  for (size_t i = 0; i < numInputs; ++i)
    if (parser.parseLParen() ||
        parser.parseArgument(accumulators.emplace_back(), /*allowType=*/true) ||
        parser.parseComma() || parser.parseArgument(elements.emplace_back(), /*allowType=*/true) ||
        parser.parseRParen())
      return failure();
  llvm::append_range(accumulators, elements);
  return parser.parseRegion(region, accumulators);
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc start = parser.getCurrentLocation();
  Location location = parser.getEncodedSourceLoc(parser.getNameLoc());
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  do {
    if (parser.parseLParen() || parser.parseOperand(inputs.emplace_back()) ||
        parser.parseKeyword("init") || parser.parseColon() ||
        parser.parseOperand(inits.emplace_back()) || parser.parseRParen())
      return failure();
  } while (succeeded(parser.parseOptionalComma()));

  std::optional<OperationName> inner;
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    SMLoc nameLocation = parser.getCurrentLocation();
    FailureOr<OperationName> name = parser.parseCustomOperationName();
    if (failed(name))
      return failure();
    if (name->getDialectNamespace() != "stablehlo" || !name->hasTrait<OpTrait::IsCommutative>() ||
        !name->hasTrait<OpTrait::NOperands<2>::Impl>() || !name->hasTrait<OpTrait::OneResult>() ||
        !name->hasTrait<OpTrait::ZeroRegions>())
      return parser.emitError(nameLocation)
             << "expected the inner-op to be a commutative binary-op from the stablehlo dialect, "
                "with zero region, producing single result";
    inner = *name;
  }

  SmallVector<int64_t> dims;
  FunctionType type;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual() ||
      parseDims(parser, dims) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColon() || parser.parseType(type))
    return failure();
  llvm::append_range(inputs, inits);
  if (parser.resolveOperands(inputs, type.getInputs(), start, result.operands))
    return failure();
  result.getOrAddProperties<Properties>().dimensions =
      parser.getBuilder().getDenseI64ArrayAttr(dims);
  result.addTypes(type.getResults());

  Region *body = result.addRegion();
  if (!inner)
    return parseReducer(parser, *body, inits.size());
  // The location written after the op is also that of the ops rebuilt inside.
  std::optional<Location> explicitLocation;
  if (parser.parseOptionalLocationSpecifier(explicitLocation))
    return failure();
  if (explicitLocation)
    result.location = location = *explicitLocation;
  auto first = dyn_cast<RankedTensorType>(type.getInput(0));
  if (!first)
    return parser.emitError(start) << "expected a ranked tensor, got " << type.getInput(0);
  buildCompactBody(parser, *body, *inner, first.getElementType(), location);
  return success();
}

} // namespace shardwise::stablehlo
