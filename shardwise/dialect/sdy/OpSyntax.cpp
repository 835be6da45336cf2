// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parsers and printers of the pieces.

#include "shardwise/dialect/sdy/OpSyntax.h"

using namespace mlir;

namespace shardwise::sdy {

namespace {

ParseResult parseOptionalKind(OpAsmParser &parser, ReductionKindAttr &kind) {
  StringRef word;
  auto value = ReductionKind::Sum;
  if (succeeded(parser.parseOptionalKeyword(&word, {"sum", "max", "min"})))
    value = *symbolizeReductionKind(word);
  kind = ReductionKindAttr::get(parser.getContext(), value);
  return success();
}

void printOptionalKind(OpAsmPrinter &printer, ReductionKindAttr kind) {
  if (kind && kind.getValue() != ReductionKind::Sum)
    printer << stringifyReductionKind(kind.getValue()) << " ";
}

} // namespace

ParseResult parseStrippedShardings(OpAsmParser &parser, TensorShardingPerValueAttr &shardings) {
  Attribute attr;
  auto parseList = [&](Attribute &result, Type) -> ParseResult {
    SmallVector<TensorShardingAttr> list;
    auto parseOne = [&] { return parser.parseCustomAttributeWithFallback(list.emplace_back()); };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
      return failure();
    result = TensorShardingPerValueAttr::get(parser.getContext(), list);
    return success();
  };
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseCustomAttributeWithFallback(attr, Type(), parseList))
    return failure();
  shardings = dyn_cast<TensorShardingPerValueAttr>(attr);
  if (!shardings)
    return parser.emitError(location) << "expected shardings per value, but got " << attr;
  return success();
}

void printStrippedShardings(OpAsmPrinter &printer, Operation *,
                            TensorShardingPerValueAttr shardings) {
  printer << "[";
  llvm::interleaveComma(shardings.getShardings(), printer, [&](TensorShardingAttr sharding) {
    printer.printStrippedAttrOrType(sharding);
  });
  printer << "]";
}

ParseResult parseBodyWithArguments(OpAsmParser &parser, Region &body) {
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren, /*allowType=*/true,
                               /*allowAttrs=*/true))
    return failure();
  return parser.parseRegion(body, arguments);
}

void printBodyWithArguments(OpAsmPrinter &printer, Operation *, Region &body) {
  printer << "(";
  llvm::interleaveComma(body.getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

ParseResult parseKindAndAxes(OpAsmParser &parser, ReductionKindAttr &kind, AxisRefListAttr &axes) {
  return failure(parseOptionalKind(parser, kind) || parser.parseCustomAttributeWithFallback(axes));
}

ParseResult parseKindAndAxes(OpAsmParser &parser, ReductionKindAttr &kind,
                             ListOfAxisRefListsAttr &axes) {
  return failure(parseOptionalKind(parser, kind) || parser.parseCustomAttributeWithFallback(axes));
}

void printKindAndAxes(OpAsmPrinter &printer, Operation *, ReductionKindAttr kind,
                      AxisRefListAttr axes) {
  printOptionalKind(printer, kind);
  printer.printStrippedAttrOrType(axes);
}

void printKindAndAxes(OpAsmPrinter &printer, Operation *, ReductionKindAttr kind,
                      ListOfAxisRefListsAttr axes) {
  printOptionalKind(printer, kind);
  printer.printStrippedAttrOrType(axes);
}

} // namespace shardwise::sdy
