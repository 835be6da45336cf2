// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searching values, and what to suggest if there are none. The first of these that fits is taken:
//
//   1. `params['w1']`      what the user's source calls an argument of the entry function
//   2. `FILE:LINE`         what is defined on this line, of the program or of the source it records
//   3. `@f:%name`          a value of this function
//   4. `%name`, `%5#1`     a value of the entry function, else of all that have one of this name
//   5. `w1`, `layers.w1`   arguments whose name in the source has these parts, one after the other

#include "shardwise/explain/FindValues.h"

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/explain/Sentences.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

using llvm::StringRef;

namespace shardwise::explain {
namespace {

/// `FILE:LINE`, split.
struct LineAsked {
  StringRef file;
  unsigned line = 0;
};

std::optional<LineAsked> lineIn(StringRef text) {
  auto [before, after] = text.rsplit(':');
  // A name in a function, `@f:%0`, has a colon as well.
  LineAsked asked{before, 0};
  if (text.contains('%') || !text.contains(':') || after.getAsInteger(10, asked.line))
    return std::nullopt;
  return asked;
}

/// The end of the path is enough, and `:12` asks for the program itself.
bool isThisFile(const NameTable &table, StringRef asked) {
  return asked.empty() || StringRef(table.file).ends_with(asked);
}

std::vector<ValueId> findLine(const NameTable &table, const LineAsked &asked) {
  std::vector<ValueId> found;
  std::string origin = fmt::format("{}:{}", asked.file.str(), asked.line);
  bool isHere = isThisFile(table, asked.file);
  for (const auto &[id, value] : table.values) {
    if (!id.isOpResult())
      continue;
    const NamedOp &op = table.ops[id.op];
    bool isOnLine = isHere && (value.line == asked.line || op.line == asked.line);
    if (isOnLine || (!asked.file.empty() && op.origin == origin))
      found.push_back(id);
  }
  return found;
}

/// The parts of a name in the source: `params['layers']['w1']` has three.
std::vector<StringRef> partsOf(StringRef label) {
  llvm::SmallVector<StringRef> parts;
  llvm::SplitString(label, parts, "[]'\". /");
  return {parts.begin(), parts.end()};
}

/// The arguments of the entry function whose name has the parts of `text` in a row.
std::vector<ValueId> findParts(const NameTable &table, StringRef text) {
  std::vector<StringRef> asked = partsOf(text);
  std::vector<ValueId> found;
  for (const auto &[id, label] : table.labels) {
    std::vector<StringRef> parts = partsOf(label);
    bool isInEntry = id.op < static_cast<int64_t>(table.ops.size()) &&
                     table.functions[table.ops[id.op].function] == table.entry;
    if (!asked.empty() && isInEntry &&
        std::search(parts.begin(), parts.end(), asked.begin(), asked.end()) != parts.end())
      found.push_back(id);
  }
  return found;
}

/// The values of all functions whose name `fits`, results of ops first.
template <class FitsT> std::vector<ValueId> whereName(const NameTable &table, FitsT fits) {
  std::vector<ValueId> found;
  for (const auto &[id, value] : table.values)
    if (fits(StringRef(value.name)))
      found.push_back(id);
  std::stable_partition(found.begin(), found.end(),
                        [](const ValueId &id) { return id.isOpResult(); });
  return found;
}

/// The values of all functions that are called `name`. Functions may use a name again.
std::vector<ValueId> named(const NameTable &table, StringRef name) {
  auto called = [&](StringRef asked) {
    return whereName(table, [&](StringRef other) { return other == asked; });
  };
  std::vector<ValueId> found = called(name);
  // `%5#0` of an op with one result is `%5`.
  if (found.empty() && name.ends_with("#0"))
    found = called(name.drop_back(2));
  if (!found.empty())
    return found;
  // `%5` of an op with several results is all of them.
  std::string begin = name.str() + "#";
  found = whereName(table, [&](StringRef other) { return other.starts_with(begin); });
  std::stable_sort(found.begin(), found.end(), [&](const ValueId &a, const ValueId &b) {
    return table.values.at(a).name < table.values.at(b).name;
  });
  return found;
}

/// Arguments of the regions of a loop have the same names, and the same shardings: the last stands
/// for all.
std::vector<ValueId> withoutShadowed(const std::vector<ValueId> &found) {
  auto isShadowed = [&](const ValueId &id) {
    return !id.isOpResult() && std::any_of(found.begin(), found.end(), [&](const ValueId &other) {
      return other.op == id.op && other.index == id.index && other.region > id.region;
    });
  };
  std::vector<ValueId> shown;
  std::copy_if(found.begin(), found.end(), std::back_inserter(shown),
               [&](const ValueId &id) { return !isShadowed(id); });
  return shown;
}

/// The `count` names that differ least from `text`, as a list.
std::string nearest(const NameTable &table, StringRef text, size_t count) {
  // Of equal distances, the first name in the alphabet.
  std::vector<std::pair<unsigned, std::string>> ranked;
  for (const auto &[id, value] : table.values)
    ranked.emplace_back(text.edit_distance(value.name), value.name);
  for (const auto &[id, label] : table.labels)
    for (StringRef part : partsOf(label))
      ranked.emplace_back(text.edit_distance(part), label);
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> names;
  for (const auto &[distance, name] : ranked)
    if (names.size() < count && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  return llvm::join(names, ", ");
}

std::string whyNoLine(const NameTable &table, StringRef text, const LineAsked &asked) {
  if (!isThisFile(table, asked.file))
    return fmt::format("no value of {} comes from {}; give a line of {} itself, or one of the "
                       "source lines that it records",
                       table.file, text.str(), table.file);
  std::vector<unsigned> lines;
  for (const auto &[id, value] : table.values)
    if (id.isOpResult() && table.ops[id.op].line > 0)
      lines.push_back(table.ops[id.op].line);
  if (lines.empty())
    return fmt::format("{} defines no value", table.file);
  auto distance = [&](unsigned line) {
    return line > asked.line ? line - asked.line : asked.line - line;
  };
  unsigned best = *std::min_element(lines.begin(), lines.end(), [&](unsigned a, unsigned b) {
    return std::pair(distance(a), a) < std::pair(distance(b), b);
  });
  return fmt::format("line {} of {} defines no value; the nearest line that does is {}", asked.line,
                     table.file, best);
}

} // namespace

std::vector<ValueId> findValues(const ProgramNames &names, StringRef text) {
  const NameTable &table = names.table();
  for (const auto &[id, label] : table.labels)
    if (text == label && id.op < static_cast<int64_t>(table.ops.size()) &&
        table.functions[table.ops[id.op].function] == table.entry)
      return {id};
  if (auto asked = lineIn(text))
    return findLine(table, *asked);
  StringRef function = table.entry;
  bool namesFunction = text.starts_with("@");
  if (namesFunction)
    std::tie(function, text) = text.drop_front().split(':');
  std::vector<ValueId> candidates = named(table, text);
  std::vector<ValueId> found;
  for (const ValueId &id : candidates) {
    int32_t number = table.ops[id.op].function;
    if (function == (number < 0 ? StringRef() : StringRef(table.functions[number])))
      found.push_back(id);
  }
  if (candidates.empty() && !namesFunction)
    return findParts(table, text);
  return withoutShadowed(found.empty() && !namesFunction ? candidates : found);
}

std::string whyNotFound(const ProgramNames &names, StringRef text) {
  constexpr const char *kForms = "a value is %name, %5#1, @function:%name, the name of an argument "
                                 "in your source, or FILE:LINE of what makes it";
  const NameTable &table = names.table();
  if (auto asked = lineIn(text))
    return whyNoLine(table, text, *asked);
  if (!text.starts_with("@"))
    return fmt::format("{} has no value {}; nearest names: {}; {}", table.file, text.str(),
                       nearest(table, text, 3), kForms);
  auto [name, value] = text.drop_front().split(':');
  std::string function = name.str();
  if (std::find(table.functions.begin(), table.functions.end(), function) == table.functions.end())
    return fmt::format("{} has no function @{}; it has @{}", table.file, function,
                       llvm::join(table.functions, ", @"));
  if (value.empty())
    return fmt::format("@{} is a function; name a value in it, such as @{}:%arg0", function,
                       function);
  return fmt::format("@{} has no value {}; nearest names in {}: {}; {}", function, value.str(),
                     table.file, nearest(table, value, 3), kForms);
}

std::optional<std::string> whyNoDimension(const Explanation &explanation, const ProgramNames &names,
                                          int64_t dim) {
  // The value of highest rank shows best what could have been asked.
  const ExplainedValue *largest = nullptr;
  int64_t rank = 0;
  for (const ExplainedValue &value : explanation.values) {
    if (value.absence != Absence::None)
      continue;
    int64_t rankOfValue = sdy::getShardingRank(value.type);
    if (largest && rankOfValue <= rank)
      continue;
    largest = &value;
    rank = rankOfValue;
  }
  if (!largest || dim < rank)
    return std::nullopt;
  std::string has = rank == 0 ? "none" : rank == 1 ? "only 0" : fmt::format("0 to {}", rank - 1);
  return fmt::format("no value that is explained has dimension {}; {} ({}) has {}", dim,
                     names.nameOf(largest->value), typeText(largest->type), has);
}

} // namespace shardwise::explain
