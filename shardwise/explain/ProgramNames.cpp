// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ops and values are called.

#include "shardwise/explain/ProgramNames.h"

#include <fmt/format.h>

namespace shardwise::explain {

std::string ProgramNames::nameOf(const ValueId &id) const {
  auto value = names.values.find(id);
  if (value == names.values.end())
    return id.isKnown() ? "a value of " + opName(id.op) : "a value";
  int32_t function = names.ops[id.op].function;
  bool isInEntry = function < 0 || names.functions[function] == names.entry;
  return isInEntry ? value->second.name
                   : fmt::format("@{}:{}", names.functions[function], value->second.name);
}

std::string ProgramNames::nameOf(const ValueRef &value) const {
  return value.isResult() ? fmt::format("result {}", value.result) : nameOf(value.id);
}

std::string ProgramNames::opName(int64_t op) const {
  return op < 0 ? "an op" : names.ops[op].name;
}

const SourceScope &ProgramNames::scopeOf(int64_t op) const {
  static const SourceScope kNone;
  return op < 0 ? kNone : names.ops[op].scope;
}

Place ProgramNames::placeOf(int64_t op) const {
  return op < 0 ? Place() : Place{names.ops[op].line, names.ops[op].column};
}

Place ProgramNames::placeOf(const ValueId &id) const {
  auto value = names.values.find(id);
  if (!id.isOpResult() && value != names.values.end() && value->second.line > 0)
    return {value->second.line, value->second.column};
  return placeOf(id.op);
}

std::string ProgramNames::textOf(const Place &place) const {
  return place.line < 0 ? names.file
                        : fmt::format("{}:{}:{}", names.file, place.line, place.column);
}

std::string ProgramNames::sourceOf(int64_t op) const {
  if (op < 0)
    return "";
  const NamedOp &named = names.ops[op];
  std::string text = named.origin;
  if (!named.scope.direction.empty())
    text += fmt::format("{}({})", text.empty() ? "" : " ", named.scope.direction);
  if (!named.scope.path.empty())
    text += fmt::format("{}in {}", text.empty() ? "" : " ", named.scope.path);
  return text;
}

std::vector<std::string> ProgramNames::framesOf(int64_t op) const {
  std::vector<std::string> texts;
  if (op < 0)
    return texts;
  for (int32_t number : names.ops[op].frames) {
    const SourceFrame &frame = names.frames[number];
    texts.push_back(frame.place() + (frame.function.empty() ? "" : " in " + frame.function));
  }
  return texts;
}

std::string ProgramNames::functionOf(int64_t op) const {
  if (op < 0 || names.ops[op].frames.empty())
    return "";
  return names.frames[names.ops[op].frames[names.ops[op].shownFrame]].function;
}

std::string ProgramNames::labelOf(const ValueRef &value) const {
  if (value.isResult())
    return static_cast<size_t>(value.result) < names.resultLabels.size()
               ? names.resultLabels[value.result]
               : "";
  auto label = names.labels.find(value.id);
  return label == names.labels.end() ? "" : label->second;
}

} // namespace shardwise::explain
