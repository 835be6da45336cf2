// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds the same run of elements of several buffers; shared by all_reduce and reduce_scatter.

#pragma once

#include "shardwise/runtime/Communicator.h"
#include "shardwise/runtime/Reducer.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace shardwise::runtime {

/// Writes to `output` the fold, in the order of `peers`, of `count` elements that start at element
/// `first` of every peer's input `tensor`. Works in blocks that stay in the nearest cache.
/// `output` may be the place of these elements in one of the inputs.
void foldRun(const Reducer &reducer, std::span<const Publication> peers, size_t tensor,
             int64_t first, int64_t count, std::byte *output);

} // namespace shardwise::runtime
