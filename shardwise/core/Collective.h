// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives as values: what each does to a sharding, over which groups it runs, and the bytes
// that a device receives. The one table, for planner, sdy verifiers, runtime, executor and reports:
//
// | all_slice               | append unused axes to dimension lists                            |
// | all_gather              | remove a suffix of one or more lists                             |
// | all_to_all              | move suffixes to the end of other lists, dimensions all          |
// |                         | different; with a local transpose the axes arrive in any order   |
// | collective_permute      | any sharding with the same block count in every dimension        |
// | reduce_scatter          | append unreduced axes to dimension lists                         |
// | all_reduce              | unreduced axes become replicated                                 |
// | exchange                | any sharding                                                     |
// | collective_broadcast    | none: devices of a group get what the first one holds            |
// | ragged_all_to_all       | none: devices send as many rows as the data say                  |
// | sharded_to_unreduced    | a suffix of one or more lists becomes unreduced                  |
// | replicated_to_unreduced | unused axes become unreduced                                     |

#pragma once

#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Sharding.h"

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardwise::core {

/// What a collective does. All but `Exchange`, `CollectiveBroadcast` and `RaggedAllToAll` are
/// *uniform*: every device moves the same amount in the same pattern.
enum class CollectiveKind {
  AllSlice,
  AllGather,
  AllToAll,
  CollectivePermute,
  ReduceScatter,
  AllReduce,
  Exchange, ///< Every device fetches each element it lacks once from a holder.
  CollectiveBroadcast,
  ShardedToUnreduced,
  ReplicatedToUnreduced,
  RaggedAllToAll, ///< Sizes and places are values of the program.
};

/// Returns the name in sdy notation, "all_gather".
std::string_view toString(CollectiveKind kind);

/// Whether devices receive partial values of others and combine them with their own.
inline bool combinesPartialValues(CollectiveKind kind) {
  return kind == CollectiveKind::AllReduce || kind == CollectiveKind::ReduceScatter;
}

/// `{axes}: sourceDim->targetDim`: the axes leave the minor end of one dimension's list and are
/// appended to another's.
struct AxisMove {
  AxisList axes;
  int64_t sourceDim = 0;
  int64_t targetDim = 0;

  bool operator==(const AxisMove &) const = default;
};

/// One collective on a sharded tensor. Only the fields of its kind are filled.
struct Collective {
  CollectiveKind kind = CollectiveKind::AllSlice;
  /// AllSlice, ReduceScatter: axes appended; AllGather, ShardedToUnreduced: axes removed; one list
  /// per dimension.
  std::vector<AxisList> dimAxes;
  /// AllToAll: by source dimension, as in `sdy.all_to_all`, if the targets all differ; else by
  /// target dimension and in the order they are appended. No dimension is source of two moves, or
  /// source and target.
  std::vector<AxisMove> moves;
  /// Axes along which partial values are combined, now (AllReduce) or some time
  /// (ReplicatedToUnreduced). In mesh order.
  AxisList reducedAxes;
  /// The sharding it leads to. CollectivePermute and Exchange state it; for the others it follows
  /// from the axes, and `apply` does not read it.
  Sharding after;
  /// AllToAll: blocks of the local buffer are transposed around it, so that the moved axes arrive
  /// in any order. `moves` are by target dimension, in the order appended; what leaves a dimension
  /// is still a suffix of its list.
  bool localTranspose = false;

  bool operator==(const Collective &) const = default;
};

/// Returns the collective as one line: `all_gather [{}, {"y"}] -> [{"x"}, {}]`.
std::string toString(const Collective &collective, const Mesh &mesh);

/// Returns the axes along which devices form groups, in the order of the fields; none for
/// CollectivePermute and Exchange, in which any device may send to any other.
/// Example: all_gather [{"x"}, {"y"}] has {"x", "y"}.
AxisList groupAxes(const Collective &collective);
/// Returns the number of devices in one group, the product of the sizes of `groupAxes`.
int64_t groupSize(const Collective &collective);

/// Why a collective is not possible on a sharding.
struct CollectiveError {
  enum class Reason {
    NumAxisLists,     ///< There is not one axis list per dimension.
    NoSuchDim,        ///< A move names a dimension that is not there.
    DimUsedTwice,     ///< `dim` is source of two moves, or source and target.
    NotMinorEnd,      ///< `axis` is not the minor end of what is left of `dim`.
    Rank,             ///< The stated sharding has another rank.
    BlockCount,       ///< The stated sharding cuts `dim` into another number of blocks.
    CutsDim,          ///< `axis`, appended or made unreduced, cuts the tensor already.
    IsUnreduced,      ///< `axis`, appended or made unreduced, is unreduced already.
    IsNotUnreduced,   ///< `axis` is to be reduced, but the tensor is not unreduced along it.
    ChangesUnreduced, ///< The stated sharding has other unreduced axes.
  };
  Reason reason = Reason::NumAxisLists;
  /// Of the lists or moves of the collective; 0 where the reason names none.
  int64_t dim = 0;
  Axis axis = {};
};

/// Does to `sharding` what `collective` writes, whether or not its axes are free to be used so
/// (`checkAxes` tells). Returns why the lists do not allow it; `sharding` is then as far as it got:
/// dimensions before `dim`, or moves before the one from `dim`, are done, and of `dim` itself what
/// comes after `axis` is gone.
/// Example: all_gather [{}, {"y"}] on [{"x"}, {"z", "y"}] gives [{"x"}, {"z"}].
std::optional<CollectiveError> applyTo(Sharding &sharding, const Collective &collective);

/// Returns the first axis that `collective` cannot use as it does on a tensor sharded as `before`:
/// what is appended or made unreduced must be in no other use, what is reduced must be unreduced.
/// Requires: the lists allow it, see `applyTo`.
std::optional<CollectiveError> checkAxes(const Collective &collective, const Sharding &before);

/// Returns the sharding after `collective` on a tensor sharded as `before`: dimensions closed, no
/// priorities, nothing reserved as replicated. Fails if the table does not allow it.
Result<Sharding> apply(const Collective &collective, const Sharding &before, const Mesh &mesh);

/// Whether a dimension of `size` elements in `blocks` blocks can have every block cut into
/// `parts` by each device alone, and the pieces be put together by plain concatenation: the
/// boundaries of the coarse blocks are boundaries of the fine ones.
///
/// That is so iff `parts` divides the block size, or there is a single block, or one block holds
/// everything. Example: 10 elements, 2 blocks of 5, 3 parts: no, [4, 6) crosses the boundary 5.
bool isAlignedCut(int64_t size, int64_t blocks, int64_t parts);
/// Whether every cut and concatenation of `collective` is aligned (always for collective_permute,
/// exchange and all_reduce).
/// Example: all_gather [{"y"}] on [{"x", "y"}], x=2, y=3, is aligned for 12 elements, not for 10:
/// there the device that holds [4, 6) has elements of both blocks along "x".
bool isAligned(const Collective &collective, const Sharding &before, const Shape &shape);

/// Returns the bytes of the buffer `collective` splits or sends: the local shape of `before`,
/// padded where a dimension is cut unevenly.
/// Example: all_slice [{"y"}] on [{"x"}] of 10 elements of 4 bytes, x=2, y=3, splits blocks of 5
/// into 3 parts of 2: 24 bytes.
int64_t sentBufferBytes(const Collective &collective, const Sharding &before, const Shape &shape,
                        int64_t elementBytes);

/// Returns the bytes a device receives in a collective of `kind` over groups of `groupSize`, where
/// L = `localBytes` is its buffer before (padded to what is split) and g the group size:
///
/// | all_slice, .._to_unreduced | all_gather | all_to_all, reduce_scatter | all_reduce   |
/// | 0                          | (g-1)*L    | L*(g-1)/g                  | 2*L*(g-1)/g  |
///
/// | collective_permute     | collective_broadcast               |
/// | L, where a box changes | L, but for the first of each group |
///
/// Rounded up. These are the bandwidth-optimal algorithms: ring or halving and doubling.
/// Requires: an exchange is none of these; it receives what is missing (planner/LowerBound.h). Nor
/// is a ragged_all_to_all, which receives what its data say. Inline: the planner asks for every
/// state it visits.
inline int64_t receivedBytes(CollectiveKind kind, int64_t localBytes, int64_t groupSize) {
  assert(groupSize >= 1 && localBytes >= 0 && "a group has a device, a buffer a size");
  auto share = [&](int64_t factor) {
    // factor * L * (g-1)/g without overflow: whole parts and rest apart.
    int64_t whole = localBytes / groupSize;
    int64_t rest = localBytes % groupSize;
    int64_t restBytes = (factor * rest * (groupSize - 1) + groupSize - 1) / groupSize;
    return factor * whole * (groupSize - 1) + restBytes;
  };
  switch (kind) {
  case CollectiveKind::AllSlice:
  case CollectiveKind::ShardedToUnreduced:
  case CollectiveKind::ReplicatedToUnreduced:
    return 0;
  case CollectiveKind::AllGather:
    return (groupSize - 1) * localBytes;
  case CollectiveKind::AllToAll:
  case CollectiveKind::ReduceScatter:
    return share(1);
  case CollectiveKind::AllReduce:
    return share(2);
  case CollectiveKind::CollectivePermute:
    return localBytes;
  case CollectiveKind::CollectiveBroadcast:
    return groupSize == 1 ? 0 : localBytes;
  case CollectiveKind::Exchange:
  case CollectiveKind::RaggedAllToAll:
    break;
  }
  assert(false && "has no uniform cost");
  return 0;
}

} // namespace shardwise::core
