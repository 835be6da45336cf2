// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys that are not known are refused: a misspelt "segments" would cut q, k and v as one, and
// nothing would tell until a model gives wrong answers.

#include "shardwise/files/CutSpecs.h"

#include "shardwise/files/DeviceIndex.h"
#include "shardwise/files/JsonText.h"

#include <fmt/format.h>

#include <fnmatch.h>
#include <set>

namespace shardwise::files {
namespace {

/// Reads a text that may be missing.
Result<void> readOptional(const JsonObject &object, const char *key, std::string &text) {
  if (!object.has(key))
    return {};
  Result<std::string> value = object.string(key);
  if (!value)
    return value.error();
  text = std::move(*value);
  return {};
}

Result<CutSpec> parseSpec(const JsonObject &object) {
  if (Result<void> checked = object.checkKeys({"name", "from", "to", "segments"}); !checked)
    return checked.error();
  CutSpec spec;
  Result<std::string> pattern = object.string("name");
  if (!pattern)
    return pattern.error();
  spec.pattern = std::move(*pattern);
  if (Result<void> read = readOptional(object, "from", spec.from); !read)
    return read.error();
  if (Result<void> read = readOptional(object, "to", spec.to); !read)
    return read.error();
  if (!object.has("segments"))
    return spec;
  Result<JsonObject> segments = object.object("segments");
  if (!segments)
    return segments.error();
  Result<Segments> parsed = parseSegments(*segments);
  if (!parsed)
    return parsed.error();
  spec.segments = std::move(*parsed);
  return spec;
}

} // namespace

const CutSpec *CutSpecs::find(const std::string &name) const {
  // The first and not the one that fits best: a list reads from the special to `*`. Without flags,
  // `*` crosses dots and slashes, which names of tensors are full of.
  for (const CutSpec &spec : tensors)
    if (::fnmatch(spec.pattern.c_str(), name.c_str(), 0) == 0)
      return &spec;
  return nullptr;
}

std::vector<std::string> CutSpecs::unusedPatterns(const std::vector<std::string> &names) const {
  std::set<const CutSpec *> used;
  for (const std::string &name : names)
    used.insert(find(name));
  std::vector<std::string> unused;
  for (const CutSpec &spec : tensors)
    if (!used.contains(&spec))
      unused.push_back(spec.pattern);
  return unused;
}

Result<CutSpecs> parseCutSpecs(std::string_view text, const std::string &path) {
  Result<Json> json = parseJson(text, path);
  if (!json)
    return json.error();
  Result<JsonObject> object = asObject(*json, fmt::format("'{}'", path));
  if (!object)
    return object.error();
  if (Result<void> checked = object->checkKeys({"mesh", "to_mesh", "tensors"}); !checked)
    return checked.error();
  CutSpecs specs;
  if (Result<void> read = readOptional(*object, "mesh", specs.mesh); !read)
    return read.error();
  if (Result<void> read = readOptional(*object, "to_mesh", specs.toMesh); !read)
    return read.error();
  if (!object->has("tensors") || !object->json["tensors"].is_array())
    return invalid(fmt::format("'{}': \"tensors\" is missing, or no list of objects", path));
  for (const Json &element : object->json["tensors"]) {
    Result<JsonObject> entry =
        asObject(element, fmt::format("'{}': tensors[{}]", path, specs.tensors.size()));
    if (!entry)
      return entry.error();
    Result<CutSpec> spec = parseSpec(*entry);
    if (!spec)
      return spec.error();
    specs.tensors.push_back(std::move(*spec));
  }
  return specs;
}

} // namespace shardwise::files
