// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A first pass looks for what the parser says nothing of: keys that are there twice, of which it
// takes the last one.

#include "shardwise/files/JsonText.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace shardwise::files {
namespace {

/// Our files nest 5 deep (index, tensors, a tensor, segments, sizes). Functions on JSON values may
/// recurse: how deep must not be for a file of "[[[[..." to say.
constexpr size_t kDeepest = 32;

/// Keys of the objects that are open, innermost last; lists have a set, too, which stays empty. A
/// function that returns false ends the pass, with `error` for why.
class Checker : public nlohmann::json_sax<Json> {
public:
  std::string error;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool key(string_t &key) override {
    if (keys.back().insert(key).second)
      return true;
    error = fmt::format("the key {} is there twice", Json(key).dump());
    return false;
  }
  bool parse_error(std::size_t, const std::string &,
                   const nlohmann::detail::exception &exception) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: ..."
    std::string_view text = exception.what();
    size_t end = text.find("] ");
    error = text.substr(end == std::string_view::npos ? 0 : end + 2);
    return false;
  }

private:
  bool enter() {
    if (keys.size() >= kDeepest) {
      error = fmt::format("it nests deeper than {} objects and lists", kDeepest);
      return false;
    }
    keys.emplace_back();
    return true;
  }
  bool leave() {
    keys.pop_back();
    return true;
  }

  std::vector<std::set<std::string>> keys;
};

std::optional<int64_t> wholeNumber(const Json &json) {
  if (!json.is_number_unsigned())
    return std::nullopt;
  // The parser has three kinds of numbers: what is written with a minus, a dot or an exponent is
  // none of these, and a whole number of more than 64 bits becomes a float.
  auto value = json.get<uint64_t>();
  return value <= static_cast<uint64_t>(INT64_MAX) ? std::optional(static_cast<int64_t>(value))
                                                   : std::nullopt;
}

/// What `json` is, for a message that says what was expected.
std::string_view kindOf(const Json &json) {
  if (json.is_number() && !wholeNumber(json))
    return "a number that is negative, not whole, or too large";
  return json.type_name();
}

} // namespace

Result<Json> parseJson(std::string_view text, const std::string &name) {
  Checker checker;
  if (!Json::sax_parse(text, &checker))
    return invalid(fmt::format("'{}' is not the JSON that was expected: {}", name, checker.error));
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return invalid(fmt::format("'{}' is no JSON", name));
  return json;
}

Result<JsonObject> asObject(const Json &json, std::string name) {
  if (!json.is_object())
    return invalid(fmt::format("{}: expected an object, got {}", name, kindOf(json)));
  return JsonObject{json, std::move(name)};
}

Result<void> JsonObject::checkKeys(std::initializer_list<std::string_view> keys) const {
  for (const auto &[key, value] : json.items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      return invalid(fmt::format("{}: the key {} is not known; expected {}", name, Json(key).dump(),
                                 fmt::join(keys, ", ")));
  return {};
}

Result<std::string> JsonObject::string(const char *key) const {
  if (!has(key))
    return invalid(fmt::format("{} lacks \"{}\"", name, key));
  if (!json[key].is_string())
    return invalid(
        fmt::format("{}: \"{}\" is {}, expected a string", name, key, kindOf(json[key])));
  return json[key].get<std::string>();
}

Result<int64_t> JsonObject::size(const char *key) const {
  if (!has(key))
    return invalid(fmt::format("{} lacks \"{}\"", name, key));
  if (auto value = wholeNumber(json[key]))
    return *value;
  return invalid(fmt::format("{}: \"{}\" is {}, expected a whole number of at least 0", name, key,
                             kindOf(json[key])));
}

Result<std::vector<int64_t>> JsonObject::sizes(const char *key) const {
  if (!has(key))
    return invalid(fmt::format("{} lacks \"{}\"", name, key));
  std::vector<int64_t> values;
  bool isList = json[key].is_array();
  if (isList)
    for (const Json &element : json[key]) {
      auto value = wholeNumber(element);
      isList = isList && value;
      values.push_back(value.value_or(0));
    }
  if (!isList)
    return invalid(fmt::format("{}: \"{}\" is no list of whole numbers of at least 0", name, key));
  return values;
}

Result<JsonObject> JsonObject::object(const char *key) const {
  if (!has(key))
    return invalid(fmt::format("{} lacks \"{}\"", name, key));
  return asObject(json[key], fmt::format("{}: \"{}\"", name, key));
}

} // namespace shardwise::files
