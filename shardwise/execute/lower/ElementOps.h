// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which kernel an element-wise op needs.

#pragma once

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

/// Returns the associative function that a reduction region `(a, b) -> a op b` consists of.
std::optional<ElementOp> reductionOf(mlir::Region &region);

} // namespace shardwise::execute
