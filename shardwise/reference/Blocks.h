// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of tensors: cut out, put back, and combined where each is an addend of the whole.

#pragma once

#include "shardwise/core/ReductionKind.h"
#include "shardwise/core/ShardMap.h"
#include "shardwise/runtime/HostTensor.h"

#include <llvm/ADT/ArrayRef.h>

namespace shardwise::reference {

/// Returns the elements of `tensor` in `box`.
runtime::HostTensor takeBox(const runtime::HostTensor &tensor, const core::Box &box);
/// Writes `part` to `box` of `tensor`. Requires a part of its size.
void putBox(runtime::HostTensor &tensor, const core::Box &box, const runtime::HostTensor &part);

/// Returns the box of all elements with index `[start, start + size)` in dimension `dim`.
core::Box intervalOf(const core::Shape &shape, int64_t dim, int64_t start, int64_t size);

/// Combines tensors of one type element by element, first to last. Sums of floats are rounded once.
/// Requires Sum, Max or Min, which is what shardings name.
runtime::HostTensor combine(core::ReductionKind kind,
                            llvm::ArrayRef<const runtime::HostTensor *> parts);

} // namespace shardwise::reference
