// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fusion of element-wise ops: ops on equally many elements are collected in program order and
// become one pass over memory.
//
// Ops join the open group of their element count. A group is emitted as soon as one of its values
// is needed by anything outside of it; then all its operands exist, because an op that joins makes
// other groups it depends on be emitted first.

#pragma once

#include "shardwise/execute/lower/ElementOps.h"
#include "shardwise/execute/thunks/Thunk.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>

namespace shardwise::execute {

class FunctionLowering;

/// Ops held back, and the kernel call of each.
struct ElementwiseGroup {
  struct Member {
    mlir::Operation *op;
    ElementInstruction instruction;
  };
  llvm::SmallVector<Member, 8> members;
};

/// More ops than this would need more scratch than the cache holds.
inline constexpr size_t kLargestGroup = 64;

/// Emits one thunk for `group`, over `count` elements.
void emitGroup(FunctionLowering &lowering, const ElementwiseGroup &group, int64_t count);

} // namespace shardwise::execute
