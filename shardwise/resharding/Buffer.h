// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory for elements: aligned, not initialised, shared.

#pragma once

#include "shardwise/support/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace shardwise::resharding {

/// The bytes of a shard; null if there are none. Devices that hold the same may share it.
using Buffer = std::shared_ptr<std::byte>;

/// Returns `bytes` of memory at a multiple of 64. Fails with Infeasible if the system has not as
/// much.
Result<Buffer> allocateBuffer(int64_t bytes);

} // namespace shardwise::resharding
