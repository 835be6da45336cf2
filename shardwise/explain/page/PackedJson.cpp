// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists by column.

#include "shardwise/explain/page/PackedJson.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shardwise::explain {
namespace {

using Json = nlohmann::ordered_json;
/// The elements of a list, which stay where they are.
using Column = std::vector<const Json *>;

/// Shorter lists are left as they are.
constexpr size_t kFewest = 4;
/// Objects with more keys are not looked for a second time: rows of tables differ.
constexpr size_t kMostKeysOfRepeated = 8;

Json packColumn(const Column &column);

Json marked(const Column &column) {
  return {{"#", column.size()}};
}

bool haveSameKeys(const Json &a, const Json &b) {
  return a.size() == b.size() &&
         std::equal(a.items().begin(), a.items().end(), b.items().begin(),
                    [](const auto &x, const auto &y) { return x.key() == y.key(); });
}

bool all(const Column &column, auto isSo) {
  return std::all_of(column.begin(), column.end(), [&](const Json *one) { return isSo(*one); });
}

/// Numbers of elements in the list of the different ones, if that is at most half as long; `keyOf`
/// is equal for equal elements.
Json packRepeated(const Column &column, auto keyOf) {
  std::unordered_map<decltype(keyOf(*column.front())), size_t> numbers;
  Column distinct;
  Json pick = Json::array();
  for (const Json *one : column) {
    auto [known, isNew] = numbers.try_emplace(keyOf(*one), distinct.size());
    if (isNew)
      distinct.push_back(one);
    if (distinct.size() > column.size() / 2)
      return nullptr;
    pick.push_back(known->second);
  }
  Json packed = marked(column);
  packed["pick"] = std::move(pick);
  packed["of"] = packColumn(distinct);
  return packed;
}

/// Names and places in their order differ in their last letters. Texts are cut between characters
/// of ASCII only, so that every part is text; JavaScript counts those as C++ does.
Json packTexts(const Column &column) {
  Json packed = marked(column);
  Json shared = Json::array();
  Json rest = Json::array();
  std::string_view before;
  for (const Json *one : column) {
    std::string_view text = one->get_ref<const std::string &>();
    size_t same = 0;
    while (same < std::min(before.size(), text.size()) && text[same] == before[same] &&
           static_cast<unsigned char>(text[same]) < 0x80)
      ++same;
    shared.push_back(same);
    rest.push_back(text.substr(same));
    before = text;
  }
  packed["shared"] = std::move(shared);
  packed["rest"] = std::move(rest);
  return packed;
}

Json packStrings(const Column &column) {
  Json repeated = packRepeated(
      column, [](const Json &one) { return std::string_view(one.get_ref<const std::string &>()); });
  return repeated.is_null() ? packTexts(column) : repeated;
}

Json packFlags(const Column &column) {
  Json packed = marked(column);
  std::string flags;
  for (const Json *one : column)
    flags += one->get<bool>() ? '1' : '0';
  packed["flags"] = std::move(flags);
  return packed;
}

Json packLists(const Column &column) {
  Json packed = marked(column);
  Json lengths = Json::array();
  Column items;
  for (const Json *list : column) {
    lengths.push_back(list->size());
    for (const Json &item : *list)
      items.push_back(&item);
  }
  packed["lengths"] = std::move(lengths);
  packed["items"] = packColumn(items);
  return packed;
}

Json packObjects(const Column &column) {
  if (column.front()->size() <= kMostKeysOfRepeated)
    if (Json repeated = packRepeated(column,
                                     [](const Json &one) {
                                       return one.dump(-1, ' ', false,
                                                       Json::error_handler_t::replace);
                                     });
        !repeated.is_null())
      return repeated;
  Json columns = Json::object();
  for (const auto &entry : column.front()->items()) {
    Column values;
    for (const Json *one : column)
      values.push_back(&one->at(entry.key()));
    columns[entry.key()] = packColumn(values);
  }
  Json packed = marked(column);
  packed["columns"] = std::move(columns);
  return packed;
}

Json packColumn(const Column &column) {
  if (column.size() >= kFewest) {
    const Json &first = *column.front();
    if (all(column, [&](const Json &one) { return one == first; })) {
      Json same = marked(column);
      same["same"] = packed(first);
      return same;
    }
    if (all(column, [](const Json &one) { return one.is_string(); }))
      return packStrings(column);
    if (all(column, [](const Json &one) { return one.is_boolean(); }))
      return packFlags(column);
    if (all(column, [](const Json &one) { return one.is_array(); }))
      return packLists(column);
    if (all(column, [&](const Json &one) { return one.is_object() && haveSameKeys(one, first); }))
      return packObjects(column);
  }
  Json plain = Json::array();
  for (const Json *one : column)
    plain.push_back(packed(*one));
  return plain;
}

} // namespace

Json packed(const Json &json) {
  if (json.is_array()) {
    Column column;
    for (const Json &one : json)
      column.push_back(&one);
    return packColumn(column);
  }
  if (!json.is_object())
    return json;
  if (json.contains("#") || json.contains("")) {
    Json pairs = Json::array();
    for (const auto &entry : json.items())
      pairs.push_back(Json::array({entry.key(), packed(entry.value())}));
    return Json::object({{"", std::move(pairs)}});
  }
  Json object = Json::object();
  for (const auto &entry : json.items())
    object[entry.key()] = packed(entry.value());
  return object;
}

} // namespace shardwise::explain
