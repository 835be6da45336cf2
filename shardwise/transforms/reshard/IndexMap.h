// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A map from the small numbers of a graph, by a table instead of hashes. Thousands of moves look
// millions of numbers up, and each has few: the table is kept from one move to the next, and only
// what was added is taken out again.

#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace shardwise::reshard {

/// Numbers below a bound with what belongs to each, in the order in which they were added.
class IndexMap {
public:
  using Index = int32_t;
  static constexpr int32_t kNone = -1;
  /// Tables that nobody uses, in which all entries are kNone.
  using SpareTables = std::vector<std::vector<int32_t>>;

  /// Of numbers below `bound`; takes a table from `spare`, and puts it back in the end.
  IndexMap(SpareTables &spare, size_t bound) : spare(spare) {
    if (!spare.empty()) {
      places = std::move(spare.back());
      spare.pop_back();
    }
    if (places.size() < bound)
      places.resize(bound, kNone);
  }
  IndexMap(const IndexMap &) = delete;
  IndexMap &operator=(const IndexMap &) = delete;
  ~IndexMap() {
    for (const auto &[index, value] : entries)
      places[index] = kNone;
    spare.push_back(std::move(places));
  }

  /// Adds `index` with `value`, unless it is there.
  void add(Index index, int32_t value = 0) {
    if (places[index] != kNone)
      return;
    places[index] = static_cast<int32_t>(entries.size());
    entries.push_back({index, value});
  }
  /// The place of `index` in `all()`; kNone if it was not added.
  int32_t find(Index index) const { return places[index]; }
  bool contains(Index index) const { return places[index] != kNone; }
  size_t size() const { return entries.size(); }
  llvm::ArrayRef<std::pair<Index, int32_t>> all() const { return entries; }

private:
  SpareTables &spare;
  std::vector<int32_t> places;
  std::vector<std::pair<Index, int32_t>> entries;
};

} // namespace shardwise::reshard
