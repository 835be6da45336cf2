// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a collective does to a sharding: the one table, used by planner, verifier and tools.
//
// | all_slice          | append unused axes to dimension lists                               |
// | all_gather         | remove a suffix of one or more lists                                |
// | all_to_all         | move suffixes to the end of other lists, dimensions all different;   |
// |                    | with a local transpose the moved axes arrive in any order            |
// | collective_permute | any sharding with the same block count in every dimension           |
// | reduce_scatter     | append unreduced axes to dimension lists                            |
// | all_reduce         | unreduced axes become replicated                                    |
// | exchange           | any sharding                                                        |

#pragma once

#include "shardwise/core/ShardMap.h"
#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/support/Result.h"

namespace shardwise::planner {

/// Returns the sharding after `step` on a tensor sharded as `before`: dimensions closed, no
/// priorities, nothing reserved as replicated. For collective_permute and exchange this is
/// `step.after`, if the table allows it. Fails if the table does not allow the step.
/// Example: all_gather [{}, {"y"}] on [{"x"}, {"z", "y"}] gives [{"x"}, {"z"}].
Result<core::Sharding> apply(const ReshardStep &step, const core::Sharding &before,
                             const core::Mesh &mesh);

/// Whether a dimension of `size` elements in `blocks` blocks can have every block cut into
/// `parts` by each device alone, and the pieces be put together by plain concatenation: the
/// boundaries of the coarse blocks are boundaries of the fine ones.
///
/// That is so iff `parts` divides the block size, or there is a single block, or one block holds
/// everything. Example: 10 elements, 2 blocks of 5, 3 parts: no, [4, 6) crosses the boundary 5.
bool isPlainCut(int64_t size, int64_t blocks, int64_t parts);

/// Whether every cut and concatenation of `step` between these shardings is plain (always for
/// collective_permute, exchange and all_reduce).
bool isPlainStep(const ReshardStep &step, const core::Sharding &before, const core::Shape &shape);

/// Returns the axes along which the devices of a step form groups; none for collective_permute
/// and exchange.
core::AxisList groupAxes(const ReshardStep &step);

/// Returns the devices in one group of `step`: the product of the sizes of the axes it works
/// over; 1 for collective_permute and exchange.
int64_t groupSize(const ReshardStep &step);

/// Returns the bytes of the buffer `step` splits or sends: the local shape of `before`, padded
/// where a dimension is cut unevenly.
int64_t sentBufferBytes(const ReshardStep &step, const core::Sharding &before,
                        const core::Shape &shape, int64_t elementBytes);

} // namespace shardwise::planner
