// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which kernel an element-wise op needs.

#pragma once

#include "shardwise/core/ReductionKind.h"
#include "shardwise/execute/kernels/ElementKernels.h"
#include "shardwise/execute/thunks/BlockProgram.h"

#include <mlir/IR/Operation.h>

#include <optional>

namespace shardwise::execute {

/// An element-wise op as kernel call.
struct ElementInstruction {
  ElementOp op;
  DataType from; ///< Type of the operands; of the branches for select.
  DataType to;   ///< Type of the result.
  KernelArguments arguments;
};

/// Returns the kernel call of `op`; none if it is not element-wise. A kernel need not exist for
/// its types: the look-up tells.
std::optional<ElementInstruction> elementInstructionOf(mlir::Operation &op);

/// Whether kernels compute `instruction`, on its own types or on wider ones.
bool isDefined(const ElementInstruction &instruction);

/// Appends `instruction` to `program` and returns the slot of its result. Elements of narrow types
/// are widened, computed and rounded. Requires `isDefined`.
SlotId addElementOp(BlockProgram &program, const ElementInstruction &instruction,
                    std::span<const SlotId> operands);

/// Returns the reduction that the region `(a, b) -> a op b` consists of; none if it has any other
/// op, so that a kernel may stand for all of it.
std::optional<core::ReductionKind> soleReductionOf(mlir::Region &region);

/// Returns the element-wise op that combines two values by `kind`.
ElementOp elementOpOf(core::ReductionKind kind);

} // namespace shardwise::execute
