// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An explanation as a page: one file for a browser, which needs no network. It draws from the
// object of `explain --json` and the source text that are in it.

#pragma once

#include "shardwise/explain/Explain.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardwise::explain {

/// The page is not larger than this, unless transfers and conflicts alone are.
inline constexpr size_t kMostPageBytes = size_t{5} << 20;

/// Has `options` tell of every value of `module`, as much as a page has room for: chains of all
/// values grow faster than programs, so those of large programs are left out, and of small ones
/// with long chains (a thousand layers in a row) those behind the first steps that fill a page.
void explainForPage(mlir::ModuleOp module, ExplainOptions &options);

/// A report that a page compares its own with.
struct OtherReport {
  std::string name;
  const Explanation &explanation;
  const ProgramNames &names;
};

struct PageOptions {
  /// The text of the program, for the source view.
  std::string_view programText;
  /// Folders in which the files that the program names as its source are looked for, as they are
  /// named there. Only what lies below one of them is read.
  std::vector<std::string> sourceRoots;
  /// Shown beside in the view that compares, if there is one.
  std::optional<OtherReport> other = std::nullopt;
};

/// Returns the page. What does not fit into `kMostPageBytes` is left out, and said to be: steps of
/// chains first, then values that nothing else tells of, then text far from what is told.
std::string toHtml(const Explanation &explanation, const ProgramNames &names,
                   const PageOptions &options);

} // namespace shardwise::explain
