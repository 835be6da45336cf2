// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading of answer files.

#include "test/support/evaluation/KnownAnswers.h"

#include <fstream>
#include <optional>

namespace shardwise::reference {

const std::vector<KnownAnswer> &knownAnswers() {
  static const std::vector<KnownAnswer> all = [] {
    std::vector<KnownAnswer> cases;
    for (const char *file : {"corners", "elementwise", "complex_numbers", "special", "shapes",
                             "structured", "numeric", "types"}) {
      std::vector<KnownAnswer> part =
          readAnswers(std::string(SHARDWISE_ANSWERS_DIR "/") + file + ".txt");
      cases.insert(cases.end(), part.begin(), part.end());
    }
    return cases;
  }();
  return all;
}

std::vector<KnownAnswer> readAnswers(const std::string &path) {
  std::vector<KnownAnswer> cases;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    auto rest = [&](const char *keyword) -> std::optional<std::string> {
      std::string prefix = std::string(keyword) + " ";
      if (line.compare(0, prefix.size(), prefix) != 0)
        return std::nullopt;
      return line.substr(prefix.size());
    };
    if (line.empty() || line[0] == '#')
      continue;
    if (auto name = rest("case"))
      cases.push_back({*name, {}, {}, {}});
    else if (auto tolerance = rest("tolerance"))
      cases.back().tolerance = std::stod(*tolerance);
    else if (auto constant = rest("const"))
      cases.back().constants.push_back(*constant);
    else if (auto value = rest("expect"))
      cases.back().expected.push_back(*value);
    else if (auto function = rest("function"))
      cases.back().functions += *function + "\n";
    else
      cases.back().body += line + "\n";
  }
  // A file that is gone must not pass for one without cases.
  if (cases.empty())
    cases.push_back(
        {"noCasesIn_" + path.substr(path.rfind('/') + 1, path.rfind('.') - path.rfind('/') - 1),
         {},
         "missing",
         {}});
  return cases;
}

std::string moduleText(const KnownAnswer &answer) {
  std::string body;
  for (size_t i = 0; i < answer.constants.size(); ++i)
    body += "  %k" + std::to_string(i) + " = stablehlo.constant " + answer.constants[i] + "\n";
  for (char character : answer.body)
    body += character == '$' ? "%k" : std::string(1, character);
  std::string types;
  std::string values;
  for (size_t i = 0; i < answer.expected.size(); ++i) {
    const std::string &value = answer.expected[i];
    types += (i ? ", " : "") + value.substr(value.rfind(" : ") + 3);
    values += (i ? ", %r" : "%r") + std::to_string(i);
  }
  return "func.func @main() -> (" + types + ") {\n" + body + "\n  return " + values + " : " +
         types + "\n}\n" + answer.functions;
}

} // namespace shardwise::reference
