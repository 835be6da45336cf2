// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Positions in the text of a program, as editors count them, and what can be read off the text
// around one without parsing it.

#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace shardwise::tools {

/// A place in a text: both from 0, columns in UTF-16 units, as the protocol counts.
struct TextPosition {
  int line = 0;
  int column = 0;
};

/// Returns the place in `text`; its end, or that of the line, if the position is beyond.
const char *find(llvm::StringRef text, TextPosition position);

/// A value by its name in the text.
struct ValueName {
  /// Name of the function around it, without `@`; empty if there is none.
  std::string function;
  /// With `%`, and `#N` if that follows. Empty if there is no value at the place.
  std::string value;

  bool operator==(const ValueName &) const = default;
};

/// Returns the value whose name stands at `place`, a pointer into `text`.
ValueName valueNameAt(llvm::StringRef text, const char *place);

/// Returns the names that may come at `place`, where a sharding is being written: of meshes after
/// `<@`, of axes after a quote in braces. Axes are those of the sharding's mesh (of all meshes, if
/// it has none of `text`) that the sharding does not have yet. Example: at the bar in
/// `<@mesh, [{"x"}, {"|` these are `y` and `z` of `sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>`.
std::vector<std::string> namesInShardingAt(llvm::StringRef text, const char *place);

/// Whether a result other than the first of an op is used before `place` but not defined before,
/// in the function around it: `%pair#1` above, or inside, `%pair:2 = ..`. The stock server crashes
/// on completing the name of a value there.
bool usesLaterResultAt(llvm::StringRef text, const char *place);

} // namespace shardwise::tools
