// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/transforms/reshard/Placements.h"

#include "shardwise/core/EvenSharding.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace shardwise::reshard {

Placements::Id Placements::find(const core::Sharding &placement, bool hasOwnRows) {
  std::vector<core::AxisList> axes;
  for (const core::DimSharding &dim : placement.dims)
    axes.push_back(dim.axes);
  axes.push_back(placement.unreduced);
  // Where nothing is unreduced there is nothing to combine.
  core::ReductionKind reduction =
      placement.unreduced.empty() ? core::ReductionKind::Sum : placement.reduction;
  Key key(std::move(axes), reduction, hasOwnRows);
  auto [entry, isNew] = numbers.try_emplace(std::move(key), Id(known.size()));
  if (isNew) {
    known.push_back(placement);
    ofOwnRows.push_back(hasOwnRows);
  }
  return entry->second;
}

Placements::Id Placements::sizeOf(mlir::Value tensor) {
  std::pair<core::Shape, int64_t> size{shapeOf(tensor), elementBytesOf(tensor)};
  auto [entry, isNew] = sizeNumbers.try_emplace(size, Id(sizes.size()));
  if (isNew)
    sizes.push_back(std::move(size));
  return entry->second;
}

double Placements::cost(Id size, Id from, Id to) {
  if (from == to)
    return 0;
  if (hasOwnRows(from) || hasOwnRows(to))
    return std::numeric_limits<double>::infinity();
  constexpr int kBits = 21;
  assert(((size | from | to) >> kBits) == 0 && "too many placements for one number");
  uint64_t key = (uint64_t(size) << (2 * kBits)) | (uint64_t(from) << kBits) | uint64_t(to);
  // No key is 0: the places differ.
  auto &[lastKey, lastPrice] = lastPrices[(key * 0x9E3779B97F4A7C15) >> (64 - kLastPricesBits)];
  if (lastKey == key)
    return lastPrice;
  auto [entry, isNew] = prices.try_emplace(key, 0);
  if (isNew)
    entry->second = costs(sizes[size].first, sizes[size].second, known[from], known[to]);
  lastKey = key;
  lastPrice = entry->second;
  return lastPrice;
}

bool Placements::isSliceOf(Id part, Id whole) {
  if (!countsSlices || hasOwnRows(part) || hasOwnRows(whole))
    return false;
  auto [entry, isNew] = slices.try_emplace({part, whole});
  if (isNew)
    entry->second = reshard::isSliceOf(known[part], known[whole]);
  return entry->second;
}

double Placements::heldBytes(Id size, Id placement) const {
  double bytes = double(sizes[size].second);
  for (int64_t extent : core::localShape(sizes[size].first, known[placement]))
    bytes *= double(extent);
  return bytes;
}

bool Placements::isPlain(Id size, Id placement) const {
  auto isWhole = [&](const core::Axis &axis) { return costs.isWholeAxis(axis); };
  auto hasWholeAxes = [&](const core::DimSharding &dim) {
    return std::ranges::all_of(dim.axes, isWhole);
  };
  const core::Sharding &at = known[placement];
  return at.unreduced.empty() && std::ranges::all_of(at.dims, hasWholeAxes) &&
         !core::unevenDim(sizes[size].first, at);
}

void Placements::addNeeded(Needed &places, Id place, double timesRun) {
  auto known = llvm::find_if(places, [&](const auto &other) { return other.first == place; });
  if (known == places.end())
    places.push_back({place, timesRun});
  else
    known->second = std::max(known->second, timesRun);
}

double Placements::costOfAll(Id size, Id placement, const Needed &places) {
  double all = 0;
  for (auto at = places.begin(); at != places.end(); ++at) {
    const auto &[place, timesRun] = *at;
    double fromHere = cost(size, placement, place);
    // What a device has of one that was brought before is sliced from it.
    for (auto before = places.begin(); before != at && fromHere > 0; ++before)
      if (before->second == timesRun && isSliceOf(place, before->first))
        fromHere = 0;
    all += timesRun * fromHere;
  }
  return all;
}

bool isSliceOf(const core::Sharding &part, const core::Sharding &whole) {
  return part.unreduced == whole.unreduced &&
         std::ranges::equal(part.dims, whole.dims,
                            [](const core::DimSharding &one, const core::DimSharding &other) {
                              return core::isPrefixOf(other.axes, one.axes);
                            });
}

bool haveEqualDims(const core::Sharding &a, const core::Sharding &b) {
  return std::ranges::equal(a.dims, b.dims,
                            [](const core::DimSharding &one, const core::DimSharding &other) {
                              return one.axes == other.axes;
                            });
}

} // namespace shardwise::reshard
