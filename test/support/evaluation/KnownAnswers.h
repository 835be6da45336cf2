// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small programs whose results are known: the corners of the specification with numbers. Both
// evaluators are tested on them.

#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace shardwise::reference {

/// A program without arguments. `body` defines %r0, %r1, ...; `expected` has the value of each as
/// an attribute with its type. In `body`, `$N` stands for constant number N of `constants`.
struct KnownAnswer {
  std::string name;
  std::vector<std::string> constants;
  std::string body;
  std::vector<std::string> expected;
  double tolerance = 0.0;     ///< Relative; 0: the same bits.
  std::string functions = {}; ///< Further functions of the module.
};

/// Returns all cases: those of the files in the folder `answers`.
const std::vector<KnownAnswer> &knownAnswers();

/// Returns the cases of an answer file. Lines are `case NAME`, `tolerance T`, `const VALUE`,
/// `expect VALUE`, `function TEXT`, `# comment`, or text of the body.
std::vector<KnownAnswer> readAnswers(const std::string &path);

/// Returns the module that computes `answer`, with a function `main`.
std::string moduleText(const KnownAnswer &answer);

/// For test names: gtest prints cases through this.
inline std::ostream &operator<<(std::ostream &stream, const KnownAnswer &answer) {
  return stream << answer.name;
}

} // namespace shardwise::reference
