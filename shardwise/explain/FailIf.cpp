// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions are read by recursive descent:
//
//   condition  := all { 'or' all }
//   all        := comparison { 'and' comparison }
//   comparison := operand ('>' | '>=' | '<' | '<=' | '==' | '!=') operand
//   operand    := NUMBER [UNIT] | "'" TEXT "'" | 'count' '(' path ')' | path
//   path       := KEY { '.' KEY | '[' INDEX ']' }

#include "shardwise/explain/FailIf.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

namespace shardwise::explain {
namespace {

using Json = nlohmann::json;

/// What a number is multiplied with.
constexpr std::pair<std::string_view, double> kUnits[] = {
    {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0},
    {"kB", 1e3},     {"MB", 1e6},        {"GB", 1e9},           {"TB", 1e12},
    {"B", 1.0},      {"ns", 1e-9},       {"us", 1e-6},          {"ms", 1e-3},
    {"s", 1.0},      {"%", 0.01}};

/// A condition that is read and decided in one pass: what it says is needed once, so that no tree
/// is built. Each function returns the comparisons that hold, as text for the message, and an empty
/// text where its part does not hold. Both sides of `and` and `or` are read in any case: a mistake
/// behind an `or` is told even if the first side holds.
class Condition {
public:
  Condition(std::string_view text, const Json &report) : text(text), report(report) {}

  Result<std::string> evaluate() {
    Result<std::string> holds = any();
    skipSpace();
    if (holds.ok() && at < text.size())
      return wrong("expected and, or, or the end");
    return holds;
  }

private:
  Error wrong(const std::string &what) const {
    return invalid(
        fmt::format("condition '{}': {} at '{}'; for example memory.peak_bytes > 80GiB or "
                    "work.repeated > 1.1",
                    text, what, text.substr(std::min(at, text.size()))));
  }
  void skipSpace() {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
  }
  bool take(std::string_view token) {
    skipSpace();
    if (!text.substr(at).starts_with(token))
      return false;
    at += token.size();
    return true;
  }
  /// Takes a word, but no beginning of a longer key: `order` is no `or`.
  bool takeWord(std::string_view word) {
    size_t before = at;
    if (take(word) && (at == text.size() || !isKeyPart(text[at])))
      return true;
    at = before;
    return false;
  }
  static bool isKeyPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  Result<std::string> any();
  Result<std::string> all();
  Result<std::string> comparison();
  Result<Json> operand();
  Result<Json> number();
  Result<Json> path();

  std::string_view text;
  const Json &report;
  size_t at = 0;
  /// The unit that the comparison being read is written in: its message tells the value in it.
  struct {
    std::string_view name;
    double factor = 1;
  } written;
};

Result<std::string> Condition::any() {
  Result<std::string> held = all();
  while (held.ok() && takeWord("or")) {
    Result<std::string> other = all();
    if (!other.ok() || held->empty())
      held = std::move(other);
  }
  return held;
}

Result<std::string> Condition::all() {
  Result<std::string> held = comparison();
  while (held.ok() && takeWord("and")) {
    Result<std::string> other = comparison();
    if (!other.ok() || other->empty())
      held = std::move(other);
    else if (!held->empty())
      *held += " and " + *other;
  }
  return held;
}

/// What a value is, for a message.
std::string describe(const Json &value) {
  return value.is_structured() ? std::string(value.type_name()) : value.dump();
}

/// Compares two values of one type; none if they are not.
std::optional<int> compared(const Json &a, const Json &b) {
  if (a.is_number() && b.is_number()) {
    auto x = a.get<double>();
    auto y = b.get<double>();
    return x < y ? -1 : x > y ? 1 : 0;
  }
  if (a.is_string() && b.is_string())
    return a.get_ref<const std::string &>().compare(b.get_ref<const std::string &>());
  if (a.is_boolean() && b.is_boolean())
    return int(a.get<bool>()) - int(b.get<bool>());
  return std::nullopt;
}

Result<std::string> Condition::comparison() {
  skipSpace();
  size_t begin = at;
  written = {};
  Result<Json> left = operand();
  if (!left.ok())
    return left.error();
  std::string_view op;
  for (std::string_view token : {">=", "<=", "==", "!=", ">", "<"})
    if (op.empty() && take(token))
      op = token;
  if (op.empty())
    return wrong("expected >, >=, <, <=, == or !=");
  Result<Json> right = operand();
  if (!right.ok())
    return right.error();
  std::optional<int> order = compared(*left, *right);
  if (!order)
    return invalid(fmt::format("condition '{}': {} and {} cannot be compared", text,
                               describe(*left), describe(*right)));
  bool holds = op == ">"    ? *order > 0
               : op == ">=" ? *order >= 0
               : op == "<"  ? *order < 0
               : op == "<=" ? *order <= 0
               : op == "==" ? *order == 0
                            : *order != 0;
  if (!holds)
    return std::string();
  std::string shown(text.substr(begin, at - begin));
  while (!shown.empty() && shown.back() == ' ')
    shown.pop_back();
  if (left->is_number() && !written.name.empty())
    return fmt::format("{} (is {:.4g}{})", shown, left->get<double>() / written.factor,
                       written.name);
  return fmt::format("{} (is {})", shown, left->dump());
}

Result<Json> Condition::number() {
  double value = 0;
  auto [end, problem] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  if (problem != std::errc())
    return wrong("expected a number");
  at = static_cast<size_t>(end - text.data());
  // Longer units stand before those that they begin with: `ms` before `s`, `KiB` before `B`.
  for (const auto &[unit, factor] : kUnits)
    if (take(unit)) {
      written = {unit, factor};
      return Json(value * factor);
    }
  return Json(value);
}

Result<Json> Condition::operand() {
  skipSpace();
  if (at < text.size() && (std::isdigit(static_cast<unsigned char>(text[at])) || text[at] == '-'))
    return number();
  if (take("'")) {
    size_t end = text.find('\'', at);
    if (end == std::string_view::npos)
      return wrong("expected ' behind the text");
    std::string value(text.substr(at, end - at));
    at = end + 1;
    return Json(value);
  }
  if (takeWord("true"))
    return Json(true);
  if (takeWord("false"))
    return Json(false);
  if (!takeWord("count"))
    return path();
  // `count(conflicts)`: how many entries a list has.
  if (!take("("))
    return wrong("expected (");
  Result<Json> list = path();
  if (!list.ok())
    return list;
  if (!list->is_array())
    return wrong("expected a list to count");
  if (!take(")"))
    return wrong("expected )");
  return Json(list->size());
}

Result<Json> Condition::path() {
  skipSpace();
  const Json *value = &report;
  do {
    size_t begin = at;
    while (at < text.size() && isKeyPart(text[at]))
      ++at;
    std::string key(text.substr(begin, at - begin));
    if (key.empty())
      return wrong("expected a key of the report");
    if (!value->is_object() || !value->contains(key)) {
      // The keys that there are tell more than that this one is missing.
      std::string keys;
      for (const auto &[name, entry] : value->items())
        keys += (keys.empty() ? "" : ", ") + name;
      return invalid(fmt::format("condition '{}': the report has no {} there; it has {}{}", text,
                                 key, value->is_object() ? keys : describe(*value),
                                 key == "summary" ? " (summary needs --topology)" : ""));
    }
    value = &value->at(key);
    while (take("[")) {
      size_t index = 0;
      auto [end, problem] = std::from_chars(text.data() + at, text.data() + text.size(), index);
      if (problem != std::errc() || !value->is_array() || index >= value->size())
        return wrong("expected an index of the list");
      at = static_cast<size_t>(end - text.data());
      if (!take("]"))
        return wrong("expected ]");
      value = &value->at(index);
    }
  } while (take("."));
  return *value;
}

} // namespace

Result<std::string> whatHolds(std::string_view condition, const std::string &json) {
  Json report = Json::parse(json);
  return Condition(condition, report).evaluate();
}

} // namespace shardwise::explain
