// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks, effects and text of calls, and checks of tuples.

#include "shardwise/dialect/stablehlo/ops/CallOps.h"
#include "shardwise/dialect/stablehlo/verify/Verification.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace shardwise::stablehlo {

//===----------------------------------------------------------------------===//
// custom_call
//===----------------------------------------------------------------------===//

void CustomCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!getHasSideEffect())
    return;
  // Nothing is known of the target: it may do anything.
  effects.emplace_back(MemoryEffects::Allocate::get());
  effects.emplace_back(MemoryEffects::Free::get());
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

/// Fails unless `layouts` has one permutation per type; tokens have an empty one.
static LogicalResult verifyLayouts(Operation *op, ArrayAttr layouts, ArrayRef<Type> types,
                                   StringRef what) {
  if (layouts.size() != types.size())
    return op->emitOpError("number of ")
           << what << "s must match the number of " << what << " layouts, " << types.size()
           << " != " << layouts.size();
  for (auto [index, type] : llvm::enumerate(types)) {
    auto layout = cast<DenseIntElementsAttr>(layouts[index]);
    auto shaped = dyn_cast<ShapedType>(type);
    int64_t rank = shaped && shaped.hasRank() ? shaped.getRank() : 0;
    if (shaped && !shaped.hasRank())
      continue;
    SmallVector<int64_t> dims;
    if (layout.getNumElements() == rank)
      for (const APInt &dim : layout.getValues<APInt>())
        dims.push_back(dim.getSExtValue());
    if (layout.getNumElements() != rank || !checkDims(dims, rank, "layout"))
      return op->emitOpError("incorrect layout ")
             << layout << " for type " << type << ", layout must be a permutation of [0, " << rank
             << ")";
  }
  return success();
}

/// A single tuple result counts as its members.
static SmallVector<Type> flatTypes(TypeRange types) {
  if (types.size() == 1)
    if (auto tuple = dyn_cast<TupleType>(types.front()))
      return llvm::to_vector(tuple.getTypes());
  return llvm::to_vector(types);
}

/// Returns the part of `type` at `indices` into nested tuples, or null.
static Type tupleMember(Type type, ArrayRef<int64_t> indices) {
  for (int64_t index : indices) {
    auto tuple = dyn_cast<TupleType>(type);
    if (!tuple || index < 0 || index >= static_cast<int64_t>(tuple.size()))
      return {};
    type = tuple.getType(index);
  }
  return type;
}

/// Fails unless the alias names an operand and a result of one type.
static LogicalResult verifyAlias(CustomCallOp op, OutputOperandAliasAttr alias) {
  int64_t operandIndex = alias.getOperandIndex();
  if (operandIndex < 0 || operandIndex >= static_cast<int64_t>(op.getInputs().size()))
    return op.emitOpError("expects operandIndex in the output_operand_alias attribute to be in "
                          "range [0, ")
           << op.getInputs().size() << "); got: " << operandIndex;
  Type operand =
      tupleMember(op.getInputs()[operandIndex].getType(), alias.getOperandTupleIndices());
  Type result = op.getNumResults() == 1
                    ? op.getResult(0).getType()
                    : Type(TupleType::get(op.getContext(), op.getResultTypes()));
  result = tupleMember(result, alias.getOutputTupleIndices());
  if (!operand || !result)
    return op.emitOpError("output_operand_alias attribute has tuple indices out of bounds: ")
           << alias;
  if (operand != result)
    return op.emitOpError("shapes mismatch in the output_operand_alias attribute: operand part has "
                          "type ")
           << operand << " and output part has type " << result;
  return success();
}

LogicalResult CustomCallOp::verify() {
  // custom_call (C1): layouts are both given or both absent, one permutation per value
  if (getOperandLayouts().has_value() != getResultLayouts().has_value())
    return emitOpError("layout attributes should be specified for either both operands and "
                       "results or none");
  if (getOperandLayouts() &&
      (failed(verifyLayouts(*this, *getOperandLayouts(), llvm::to_vector(getOperandTypes()),
                            "operand")) ||
       failed(verifyLayouts(*this, *getResultLayouts(), flatTypes(getResultTypes()), "result"))))
    return failure();
  // custom_call (C2): aliases
  for (auto alias : getOutputOperandAliases().getAsRange<OutputOperandAliasAttr>())
    if (failed(verifyAlias(*this, alias)))
      return failure();
  // custom_call (C3): the kind of backend_config
  bool wantsDictionary = getApiVersion() == CustomCallApiVersion::API_VERSION_TYPED_FFI;
  if (getBackendConfig() && isa<DictionaryAttr>(*getBackendConfig()) != wantsDictionary)
    return emitOpError("backend_config for api_version ")
           << stringifyCustomCallApiVersion(getApiVersion()) << " must be a "
           << (wantsDictionary ? "dictionary" : "string") << " attribute, got "
           << *getBackendConfig();
  return success();
}

//===----------------------------------------------------------------------===//
// composite
//===----------------------------------------------------------------------===//

ParseResult CompositeOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  StringAttr name;
  FunctionType type;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseAttribute(name) || parser.parseOperandList(operands) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), location, result.operands))
    return failure();
  result.getOrAddProperties<Properties>().name = name;
  result.addTypes(type.getResults());
  return success();
}

void CompositeOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getNameAttr();
  if (!getInputs().empty())
    printer << ' ' << getInputs();
  SmallVector<StringRef> elided = {"name"};
  if (getCompositeAttributes().empty())
    elided.push_back("composite_attributes");
  if (getVersion() == 0)
    elided.push_back("version");
  printer.printOptionalAttrDict((*this)->getAttrs(), elided);
  printer << " : ";
  printer.printFunctionalType(*this);
}

OperationName::PrintAssemblyFn CompositeOp::getPrintAssemblyFn() {
  return [](Operation *op, OpAsmPrinter &printer, StringRef defaultDialect) {
    if (op->getNumRegions() != 0)
      return printer.printGenericOp(op, /*printOpName=*/true);
    printOpName(op, printer, defaultDialect);
    cast<CompositeOp>(op).print(printer);
  };
}

/// True for `namespace.op` with at least one dot: a letter first, then letters, digits, `_`,
/// and after the first dot also `$`; no part is empty.
static bool isCompositeName(StringRef name) {
  auto [head, tail] = name.split('.');
  auto isWord = [](StringRef word, bool dollar) {
    return !word.empty() && llvm::all_of(word, [&](char c) {
      return llvm::isAlnum(c) || c == '_' || (dollar && c == '$');
    });
  };
  if (!isWord(head, false) || !llvm::isAlpha(head[0]) || tail.empty())
    return false;
  while (!tail.empty()) {
    auto [part, rest] = tail.split('.');
    if (!isWord(part, true) || (rest.empty() && tail.ends_with(".")))
      return false;
    tail = rest;
  }
  return true;
}

LogicalResult CompositeOp::verify() {
  // composite (C1): the name is dotted
  if (isCompositeName(getName()))
    return success();
  return emitOpError("name must be a valid namespaced op name like 'namespace.op', got '")
         << getName() << "'";
}

LogicalResult CompositeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // composite (C2): the decomposition is a function with the op's types
  auto function =
      symbols.lookupNearestSymbolFrom<FunctionOpInterface>(*this, getDecompositionAttr());
  if (!function)
    return emitOpError() << "'" << getDecomposition() << "' does not reference a valid function";
  if (TypeRange(function.getArgumentTypes()) != TypeRange(getOperandTypes()))
    return emitOpError() << "has mismatching operands and decomposition argument types ("
                         << getOperandTypes() << " and " << function.getArgumentTypes() << ")";
  if (TypeRange(function.getResultTypes()) != TypeRange(getResultTypes()))
    return emitOpError() << "has mismatching results and decomposition result types ("
                         << getResultTypes() << " and " << function.getResultTypes() << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// Tuples
//===----------------------------------------------------------------------===//

LogicalResult TupleOp::verify() {
  // tuple (C1): the result holds the operand types
  if (TypeRange(cast<TupleType>(getType()).getTypes()) == TypeRange(getOperandTypes()))
    return success();
  return emitOpError("inferred type(s) ")
         << TupleType::get(getContext(), getOperandTypes())
         << " are incompatible with return type(s) of operation " << getType();
}

LogicalResult GetTupleElementOp::verify() {
  auto tuple = cast<TupleType>(getOperand().getType());
  int64_t index = static_cast<int32_t>(getIndex());
  // get_tuple_element (C1): the index is in range
  if (index < 0 || index >= static_cast<int64_t>(tuple.size()))
    return emitOpError("index ") << index << " is out of bounds of operand with size "
                                 << tuple.size();
  // get_tuple_element (C2): the result has the type of the element
  if (tuple.getType(index) != getType())
    return emitOpError("inferred type(s) ")
           << tuple.getType(index) << " are incompatible with return type(s) of operation "
           << getType();
  return success();
}

} // namespace shardwise::stablehlo
