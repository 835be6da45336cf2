// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs for a program that comes without any: reproducible from a seed on every machine.

#pragma once

#include "shardwise/core/ShardMap.h"
#include "shardwise/runtime/HostTensor.h"

#include <cstdint>

namespace shardwise::driver {

/// Returns a tensor of random values: floats from the normal distribution scaled by 1/4 (its
/// magnitude for f8E8M0FNU, which has no sign), complex numbers with such parts, integers uniform
/// in 0..3 (small, so that they serve as indices; 0..1 for i2), booleans fair. The values depend on
/// `seed` and `index` (the argument's number) alone.
runtime::HostTensor randomTensor(runtime::DataType type, const core::Shape &shape, uint64_t seed,
                                 uint64_t index);

/// Returns the elements of `box` of that tensor, without making others.
runtime::HostTensor randomPart(runtime::DataType type, const core::Shape &shape,
                               const core::Box &box, uint64_t seed, uint64_t index);

} // namespace shardwise::driver
