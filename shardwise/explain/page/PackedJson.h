// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A smaller form of JSON for pages: lists are stored by column, and what repeats is told once. A
// list of 100,000 objects with the same keys takes about a tenth of its text. unpack.js reads it.
//
// A list that is stored otherwise than as it stands is an object with the key "#", the number of
// its elements, and one of these:
//
//   same      the element that all are
//   flags     booleans as a text of 0 and 1
//   shared,   texts: the i-th begins with `shared[i]` bytes of the one before, and goes on with
//   rest      `rest[i]`
//   pick, of  numbers of elements in the list `of`, which has each once
//   lengths,  lists: their lengths, and all their elements one behind the other
//   items
//   columns   objects with the same keys: by key the list of its values
//
// Objects that have the key "#" or an empty one themselves are {"": [[key, value], ...]}.

#pragma once

#include <nlohmann/json.hpp>

namespace shardwise::explain {

/// Returns `json` in the smaller form. Order of keys and elements is kept.
nlohmann::ordered_json packed(const nlohmann::ordered_json &json);

} // namespace shardwise::explain
