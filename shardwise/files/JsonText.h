// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON of files that come from users: nothing in it is trusted.

#pragma once

#include "shardwise/support/Result.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardwise::files {

/// Keys are sorted; looking one up is quick, as checkpoints have many.
using Json = nlohmann::json;

/// Parses `text`; `name` stands for the file in errors. Fails with line and column where it is no
/// JSON, where an object has a key twice, and where it nests deeper than any of our files does.
Result<Json> parseJson(std::string_view text, const std::string &name);

/// An object of a file, and how errors call it: `'in/index.json'`, `'specs.json': tensors[2]`.
/// Each function fails if the value is missing or of another kind, and says what was expected.
struct JsonObject {
  const Json &json;
  std::string name;

  /// Fails if there are keys that are not among `keys`.
  Result<void> checkKeys(std::initializer_list<std::string_view> keys) const;
  bool has(const char *key) const { return json.contains(key); }
  Result<std::string> string(const char *key) const;
  /// Whole numbers of at least 0.
  Result<int64_t> size(const char *key) const;
  Result<std::vector<int64_t>> sizes(const char *key) const;
  Result<JsonObject> object(const char *key) const;
};

/// Returns the object that `json` is. Fails if it is none.
Result<JsonObject> asObject(const Json &json, std::string name);

} // namespace shardwise::files
