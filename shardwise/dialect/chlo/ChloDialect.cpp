// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration, attributes, inlining.

#include "shardwise/dialect/chlo/ChloDialect.h"

#include "shardwise/dialect/chlo/ChloOps.h"
#include "shardwise/dialect/stablehlo/format/StructText.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace shardwise::chlo;

#include "shardwise/dialect/chlo/ChloDialect.cpp.inc"

#include "shardwise/dialect/chlo/ChloEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "shardwise/dialect/chlo/ChloAttrs.cpp.inc"

namespace shardwise::chlo {
namespace {

struct ChloInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *, bool) const override { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const override { return true; }
};

} // namespace

void ChloDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "shardwise/dialect/chlo/ChloAttrs.cpp.inc"
      >();
  registerTrigonometricOps(*this);
  registerSpecialOps(*this);
  registerStructuredOps(*this);
  addInterfaces<ChloInlinerInterface>();
}

Attribute RaggedDotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting, ragged, groups;
  auto list = [&](SmallVector<int64_t> &dims) {
    return [&parser, &dims] { return stablehlo::parseDims(parser, dims); };
  };
  auto parseLhsBatching = list(lhsBatching), parseRhsBatching = list(rhsBatching),
       parseLhsContracting = list(lhsContracting), parseRhsContracting = list(rhsContracting),
       parseRagged = list(ragged), parseGroups = list(groups);
  if (parser.parseLess() ||
      stablehlo::parseStructFields(parser, {{"lhs_batching_dimensions", parseLhsBatching},
                                            {"rhs_batching_dimensions", parseRhsBatching},
                                            {"lhs_contracting_dimensions", parseLhsContracting},
                                            {"rhs_contracting_dimensions", parseRhsContracting},
                                            {"lhs_ragged_dimensions", parseRagged},
                                            {"rhs_group_dimensions", parseGroups}}))
    return {};
  return get(parser.getContext(), lhsBatching, rhsBatching, lhsContracting, rhsContracting, ragged,
             groups);
}

void RaggedDotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  stablehlo::StructPrinter fields(printer);
  fields.dims("lhs_batching_dimensions", getLhsBatchingDimensions());
  fields.dims("rhs_batching_dimensions", getRhsBatchingDimensions());
  fields.dims("lhs_contracting_dimensions", getLhsContractingDimensions());
  fields.dims("rhs_contracting_dimensions", getRhsContractingDimensions());
  fields.dims("lhs_ragged_dimensions", getLhsRaggedDimensions());
  fields.dims("rhs_group_dimensions", getRhsGroupDimensions());
}

} // namespace shardwise::chlo
