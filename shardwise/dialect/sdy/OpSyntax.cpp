// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parsers and printers of the pieces. Where a stripped attribute stands, an alias `#a` or the full
// attribute may stand as well.

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
  // Asked if no alias comes next.
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

/// Whether a use is outside of `body`, which was just parsed and has no parent op yet.
static bool isUsedOutside(Value value, const Region &body) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    Region *region = user->getParentRegion();
    while (region && region != &body)
      region = region->getParentOp() ? region->getParentRegion() : nullptr;
    return !region;
  });
}

ParseResult parseBodyWithArguments(OpAsmParser &parser, Region &body) {
  llvm::SMLoc place = parser.getCurrentLocation();
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren, /*allowType=*/true,
                               /*allowAttrs=*/true))
    return failure();
  if (parser.parseRegion(body, arguments))
    return failure();
  // A name that was used before the body could be defined in it. If the rest of the op is broken,
  // the body is freed before those who use it.
  WalkResult walked = body.walk([&](Operation *op) {
    bool isSeen =
        llvm::any_of(op->getResults(), [&](Value result) { return isUsedOutside(result, body); });
    return isSeen ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!walked.wasInterrupted())
    return success();
  for (Block &block : body)
    block.dropAllDefinedValueUses();
  return parser.emitError(place, "defines a value in its body that is used outside of it");
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

ParseResult parseCollectiveTypes(OpAsmParser &parser, Type &operand, Type &result) {
  if (failed(parser.parseOptionalLParen())) {
    if (parser.parseType(result))
      return failure();
    operand = result;
    return success();
  }
  return failure(parser.parseType(operand) || parser.parseRParen() || parser.parseArrow() ||
                 parser.parseType(result));
}

void printCollectiveTypes(OpAsmPrinter &printer, Operation *, Type operand, Type result) {
  if (operand != result)
    printer << "(" << operand << ") -> ";
  printer << result;
}

} // namespace shardwise::sdy
