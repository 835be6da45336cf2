// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/transforms/reshard/Placements.h"

#include "shardwise/transforms/reshard/ShardedProgram.h"

#include <algorithm>

namespace shardwise::reshard {

Placements::Id Placements::find(const core::Sharding &placement) {
  Key key;
  for (const core::DimSharding &dim : placement.dims)
    key.first.push_back(dim.axes);
  key.first.push_back(placement.unreduced);
  // Where nothing is unreduced there is nothing to combine.
  key.second = placement.unreduced.empty() ? core::ReductionKind::Sum : placement.reduction;
  auto [entry, isNew] = numbers.try_emplace(std::move(key), Id(known.size()));
  if (isNew)
    known.push_back(placement);
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
  auto [entry, isNew] = prices.try_emplace({size, from, to}, 0);
  if (isNew)
    entry->second = costs(sizes[size].first, sizes[size].second, known[from], known[to]);
  return entry->second;
}

bool haveEqualDims(const core::Sharding &a, const core::Sharding &b) {
  return std::ranges::equal(a.dims, b.dims,
                            [](const core::DimSharding &one, const core::DimSharding &other) {
                              return one.axes == other.axes;
                            });
}

} // namespace shardwise::reshard
