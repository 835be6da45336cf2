// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file that says for each tensor of a checkpoint how it is cut:
//
//     {"mesh": "[\"x\"=4]", "to_mesh": "[\"x\"=8]",
//      "tensors": [
//        {"name": "*.qkv.weight", "to": "[{\"x\"}, {}]", "segments": {"dim": 0, "sizes": [8, 2,
//        2]}},
//        {"name": "*.weight", "from": "[{}, {\"x\"}]", "to": "[{\"x\"}, {}]"},
//        {"name": "*", "to": "replicated"}]}
//
// The first pattern that fits a name counts; `*` stands for any text, `?` for a character, `[ab]`
// for one of some.

#pragma once

#include "shardwise/files/ArrayLayout.h"
#include "shardwise/support/Result.h"

#include <optional>
#include <string>
#include <vector>

namespace shardwise::files {

/// How tensors of some names are cut; empty texts where nothing is written.
struct CutSpec {
  std::string pattern;
  std::string from;
  std::string to;
  /// Before and after.
  std::optional<Segments> segments;
};

struct CutSpecs {
  std::string mesh;
  std::string toMesh;
  std::vector<CutSpec> tensors;

  /// Returns the first that fits `name`; null if none does.
  const CutSpec *find(const std::string &name) const;
  /// Returns the patterns that are not the first to fit one of `names`, in their order.
  std::vector<std::string> unusedPatterns(const std::vector<std::string> &names) const;
};

/// Parses the text of the file at `path`.
Result<CutSpecs> parseCutSpecs(std::string_view text, const std::string &path);

} // namespace shardwise::files
