// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Questions about a choice of axes, asked for every choice that a search looks at: nothing is made
// here but short lists.
//
// Example, `([k, j], [i, l])->([i, j])` with the exchange {indexed k, batch {i}}:
//
//     k        i             meaning
//     {"x"}    {"x"}         an exchange along "x"
//     {"x"}    {"x", "y"}    the same, in each group along "x"; along "y" rows are whole
//     {"x","y"} {"x"}        not possible: devices along "y" have different rows and ask for the
//     same
//     {"x"}    {}            no exchange: each device reads the rows it has, the results are summed

#include "shardwise/core/IndexExchange.h"

#include "shardwise/core/Collective.h"

#include <algorithm>

namespace shardwise::core {
namespace {

/// Whether some exchange allows `axes` on `factor`, which lies along the indices.
bool isCovered(std::span<const IndexExchange> exchanges, FactorIndex factor,
               std::span<const AxisList> axes) {
  return std::ranges::any_of(exchanges, [&](const IndexExchange &exchange) {
    return std::ranges::count(exchange.batch, factor) > 0 &&
           setDifference(axes[factor], axes[exchange.indexed]).empty();
  });
}

/// The axes of all indices.
AxisList axesOfBatch(const IndexExchange &exchange, std::span<const AxisList> axes) {
  AxisList all;
  for (FactorIndex factor : exchange.batch)
    all.insert(all.end(), axes[factor].begin(), axes[factor].end());
  return all;
}

} // namespace

const IndexExchange *findExchange(std::span<const IndexExchange> exchanges,
                                  std::span<const AxisList> axes) {
  auto found = std::ranges::find_if(exchanges, [&](const IndexExchange &exchange) {
    return overlaps(axes[exchange.indexed], axesOfBatch(exchange, axes));
  });
  return found == exchanges.end() ? nullptr : &*found;
}

void clearUnexchanged(std::span<const IndexExchange> exchanges, std::span<AxisList> axes) {
  for (const IndexExchange &exchange : exchanges)
    for (FactorIndex factor : exchange.batch)
      if (exchange.isOnlyWay && !isCovered(exchanges, factor, axes))
        axes[factor].clear();
}

bool areCompatible(std::span<const IndexExchange> exchanges, std::span<const FactorUse> uses,
                   std::span<const AxisList> axes) {
  // 1. No axis is on two factors, but for the indexed factor and a batch factor of the exchange.
  // 2. Where the exchange is the only way to cut the indices, each batch factor's axes are on the
  //    indexed one as well.
  // 3. All axes of the indexed factor are on the batch: devices along one that is not would hold
  // rows
  //    that devices with the same indices ask for, and nobody would put the answers together.
  // 4. No other factor is addressed by the same indices: an index vector has one coordinate for
  // each of
  //    them, and its owner would be found by several at once.
  const IndexExchange *exchange = findExchange(exchanges, axes);
  for (size_t a = 0; a < axes.size(); ++a)
    for (size_t b = a + 1; b < axes.size(); ++b) {
      bool isOfExchange = exchange && (static_cast<FactorIndex>(a) == exchange->indexed ||
                                       static_cast<FactorIndex>(b) == exchange->indexed);
      auto other = static_cast<FactorIndex>(
          exchange && static_cast<FactorIndex>(a) == exchange->indexed ? b : a);
      bool mayShare = isOfExchange && std::ranges::count(exchange->batch, other) > 0;
      if (!mayShare && overlaps(axes[a], axes[b]))
        return false;
    }
  for (const IndexExchange &other : exchanges)
    for (FactorIndex factor : other.batch)
      if (other.isOnlyWay && !isCovered(exchanges, factor, axes))
        return false;
  if (!exchange)
    return true;
  if (!setDifference(axes[exchange->indexed], axesOfBatch(*exchange, axes)).empty())
    return false;
  for (size_t factor = 0; factor < axes.size(); ++factor) {
    bool isAddressed = uses[factor].kind() == FactorUse::Kind::Read ||
                       uses[factor].kind() == FactorUse::Kind::Written;
    if (isAddressed && static_cast<FactorIndex>(factor) != exchange->indexed &&
        !axes[factor].empty())
      return false;
  }
  return true;
}

int64_t exchangedBytes(int64_t bytes, int64_t numDevices) {
  // Of each device, how many indices it has for this one, and where they begin: two i32.
  constexpr int64_t kBytesPerDevice = 8;
  return receivedBytes(CollectiveKind::AllToAll, bytes, numDevices) +
         receivedBytes(CollectiveKind::AllToAll, kBytesPerDevice * numDevices, numDevices);
}

} // namespace shardwise::core
