// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How two buffers of elements combine into one.

#pragma once

#include "shardwise/core/ReductionKind.h"
#include "shardwise/runtime/DataType.h"
#include "shardwise/support/Result.h"

#include <cstdint>
#include <functional>

namespace shardwise::runtime {

/// Combines elements. `fold(accumulator, operand, count)` sets accumulator[i] to
/// combine(accumulator[i], operand[i]) for `count` elements; it may be called from several threads.
struct Reducer {
  int64_t elementBytes = 0;
  std::function<void(std::byte *accumulator, const std::byte *operand, int64_t count)> fold;
};

/// Returns the reducer of `kind` on elements of `type`.
///
/// Integers wrap around. Max and Min give NaN if either operand is one, and order -0 below +0.
/// F16, BF16 and the 8-bit floats combine in float and round after every step. Complex numbers are
/// ordered by real part, then imaginary part. And and Or are bitwise on integers and logical on I1;
/// on I1, Sum and Max are Or, Product and Min are And.
/// Fails for And and Or on floating point and complex.
Result<Reducer> makeReducer(core::ReductionKind kind, DataType type);

} // namespace shardwise::runtime
