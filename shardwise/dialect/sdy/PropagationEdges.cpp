// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Debug attributes that say which step of propagation moved which axis along which edge.
//
// Example: `#sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>` on an op: in
// the first step "x" went from its operand 0 to its result 0. Items and their parts can be
// attributes of their own, so each level is parsed as one, or as an alias for one.

#include "shardwise/dialect/sdy/AsmTokens.h"
#include "shardwise/dialect/sdy/CoreBridge.h"

#include "llvm/ADT/DenseSet.h"

#include <fmt/format.h>

#include <limits>

using namespace mlir;

namespace shardwise::sdy {

namespace {

/// Leaves room to number the steps that follow.
constexpr int64_t kMaxStepIndex = std::numeric_limits<int32_t>::max();

/// Reads what follows a word in `operand-0` or `step-3`.
ParseResult parseDashInteger(AsmParser &parser, int64_t &value) {
  return failure(parser.parseMinus() || parser.parseInteger(value));
}

ParseResult parseValueRef(AsmParser &parser, EdgeValueRef &value) {
  value.isResult = succeeded(parser.parseOptionalKeyword("result"));
  if (!value.isResult && parser.parseKeyword("operand", " or 'result'"))
    return failure();
  return parseDashInteger(parser, value.index);
}

/// Reads one item, or an alias for one: `parse` reads the stripped form, `read` the attribute.
template <class AttrT, class Value, class Read>
ParseResult parseNested(AsmParser &parser, std::vector<Value> &values, Read read) {
  AttrT attr;
  if (parser.parseCustomAttributeWithFallback(attr))
    return failure();
  values.push_back(read(attr));
  return success();
}

LogicalResult checkTargets(EmitError emitError, const PropagationStep &step) {
  for (const AxisPropagation &details : step.axes) {
    for (size_t i = 0; i < details.targets.size(); ++i) {
      if (details.targets[i] == details.source)
        return emitError() << "source is the same as a target: " << toString(details.source)
                           << " in step " << step.index << " for axis "
                           << core::toString(details.axis);
      for (size_t j = 0; j < i; ++j)
        if (details.targets[i] == details.targets[j])
          return emitError() << "duplicate targets: " << toString(details.targets[i]) << " in step "
                             << step.index << " for axis " << core::toString(details.axis);
    }
  }
  return success();
}

} // namespace

//===----------------------------------------------------------------------===//
// Text of the values
//===----------------------------------------------------------------------===//

std::string toString(const AxisRefLists &lists) {
  std::string text = "[";
  for (const AxisRefs &axes : lists)
    text += (text.size() > 1 ? ", " : "") + core::toString(axes);
  return text + "]";
}

std::string toString(const AllToAllParam &param) {
  return fmt::format("{}: {}->{}", core::toString(param.axes), param.source, param.target);
}

std::string toString(const EdgeValueRef &value) {
  return fmt::format("{}-{}", value.isResult ? "result" : "operand", value.index);
}

std::string toString(const AxisPropagation &details) {
  std::string targets;
  for (const EdgeValueRef &target : details.targets)
    targets += (targets.empty() ? "" : ", ") + toString(target);
  return fmt::format("{{{} = {} -> [{}]}}", core::toString(details.axis), toString(details.source),
                     targets);
}

std::string toString(const PropagationStep &step) {
  std::string axes;
  for (const AxisPropagation &details : step.axes)
    axes += (axes.empty() ? "" : ", ") + toString(details);
  return fmt::format("{{step-{} = [{}]}}", step.index, axes);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

Attribute EdgeValueRefAttr::parse(AsmParser &parser, Type) {
  EdgeValueRef value;
  if (parseValueRef(parser, value))
    return {};
  return EdgeValueRefAttr::get(parser.getContext(), value);
}

void EdgeValueRefAttr::print(AsmPrinter &printer) const {
  // Only printed standing alone, after the mnemonic: the blank keeps the two words apart.
  printer << " " << toString(getValue());
}

Attribute AxisToPropagationDetailsAttr::parse(AsmParser &parser, Type) {
  AsmTokens tokens(parser);
  AxisPropagation details;
  auto readValue = [](EdgeValueRefAttr attr) { return attr.getValue(); };
  std::vector<EdgeValueRef> source;
  if (parser.parseLBrace() || !core::parseAxisRef(tokens, details.axis) || parser.parseEqual() ||
      parseNested<EdgeValueRefAttr>(parser, source, readValue) || parser.parseArrow() ||
      parser.parseLSquare())
    return {};
  details.source = source.front();
  do {
    if (parseNested<EdgeValueRefAttr>(parser, details.targets, readValue))
      return {};
  } while (succeeded(parser.parseOptionalComma()));
  if (parser.parseRSquare() || parser.parseRBrace())
    return {};
  return AxisToPropagationDetailsAttr::get(parser.getContext(), std::move(details));
}

void AxisToPropagationDetailsAttr::print(AsmPrinter &printer) const {
  printer << toString(getDetails());
}

Attribute PropagationOneStepAttr::parse(AsmParser &parser, Type) {
  PropagationStep step;
  if (parser.parseLBrace() || parser.parseKeyword("step") || parseDashInteger(parser, step.index) ||
      parser.parseEqual() || parser.parseLSquare())
    return {};
  do {
    if (parseNested<AxisToPropagationDetailsAttr>(
            parser, step.axes, [](AxisToPropagationDetailsAttr attr) { return attr.getDetails(); }))
      return {};
  } while (succeeded(parser.parseOptionalComma()));
  if (parser.parseRSquare() || parser.parseRBrace())
    return {};
  return PropagationOneStepAttr::get(parser.getContext(), std::move(step));
}

void PropagationOneStepAttr::print(AsmPrinter &printer) const {
  printer << toString(getStep());
}

LogicalResult PropagationEdgesAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                           PropagationSteps steps) {
  llvm::DenseSet<int64_t> seen;
  for (const PropagationStep &step : steps) {
    if (step.index < 0)
      return emitError() << "negative step index: " << step.index;
    if (step.index > kMaxStepIndex)
      return emitError() << "step index " << step.index << " is too large; the largest is "
                         << kMaxStepIndex;
    if (!seen.insert(step.index).second)
      return emitError() << "duplicate step index: " << step.index;
    if (failed(checkTargets(emitError, step)))
      return failure();
  }
  return success();
}

Attribute PropagationEdgesAttr::parse(AsmParser &parser, Type) {
  PropagationSteps steps;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseLSquare())
    return {};
  do {
    if (parseNested<PropagationOneStepAttr>(
            parser, steps, [](PropagationOneStepAttr attr) { return attr.getStep(); }))
      return {};
  } while (succeeded(parser.parseOptionalComma()));
  if (parser.parseRSquare() || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(location); }, parser.getContext(),
                    std::move(steps));
}

void PropagationEdgesAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getSteps(), printer,
                        [&](const PropagationStep &step) { printer << toString(step); });
  printer << "]>";
}

} // namespace shardwise::sdy
