// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows looked up in, or added to, a dimension that is cut, by indices that are cut by the same
// axes. Elsewhere two factors never share an axis: a device has one block of each. Here it may,
// since the devices along these axes send each index to the owner of the row that it means, and
// each row once.
//
// Example, `([k, j], [i, l])->([i, j])`, a gather of rows k by indices i, both on {"x"}:
//   device   rows     indices   asks device 0   asks device 1   result
//   0        a, b     3, 0      0               3               d, a
//   1        c, d     2, 3      -               2, 3            c, d

#pragma once

#include "shardwise/core/Axis.h"
#include "shardwise/core/FactorUse.h"
#include "shardwise/core/ShardingRule.h"

#include <cstdint>
#include <span>
#include <vector>

namespace shardwise::core {

/// The collectives of one exchange, each of which waits for the one before: how many come, the
/// indices, the rows.
inline constexpr int64_t kCollectivesPerExchange = 3;

/// An indexed factor of an op along which that is possible.
struct IndexExchange {
  FactorIndex indexed = 0;
  /// The factors along which the indices lie: those of the index vectors and of the slices.
  std::vector<FactorIndex> batch;
  /// Numbers of the tensors, operands first: the indices, and the slices that go with them.
  int64_t indices = 0;
  std::vector<int64_t> slices;
  /// Whether the indices may be cut in no other way: updates over parts of them do not combine, as
  /// of a scatter that adds to what is not zero, where each device would count that. The uses of
  /// the batch factors are partial then, too: they say what changes nothing in padding.
  bool isOnlyWay = false;

  bool operator==(const IndexExchange &) const = default;
};

/// Returns the one of `exchanges` that `axes`, lists by factor, make the op carry out: that whose
/// indexed factor shares axes with the indices; null if there is none.
const IndexExchange *findExchange(std::span<const IndexExchange> exchanges,
                                  std::span<const AxisList> axes);

/// Takes the axes off factors of indices that may be cut by an exchange only, unless the indexed
/// factor has them as well.
void clearUnexchanged(std::span<const IndexExchange> exchanges, std::span<AxisList> axes);

/// Whether devices can have their parts of all factors: no axis is on two of them, but those of the
/// indexed factor of one exchange. These must all be on the indices as well, so that devices along
/// them have all blocks of the rows, and different indices; and no other factor is read from, or
/// written to, by the indices.
bool areCompatible(std::span<const IndexExchange> exchanges, std::span<const FactorUse> uses,
                   std::span<const AxisList> axes);

/// Returns what a device receives if the rows are asked for evenly: of what goes to the owners or
/// comes from them, `bytes` on each device, all but its own share, and how many each has for it.
int64_t exchangedBytes(int64_t bytes, int64_t numDevices);

} // namespace shardwise::core
