// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding that holds what an op needs. The last shards of a dimension that is cut unevenly end in
// padding, where any value may be. Ops that would read it get the value with the padding replaced.

#pragma once

#include "shardwise/core/ReductionKind.h"
#include "shardwise/transforms/partition/LocalProgram.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <variant>

namespace shardwise::partition {

/// An operand that an op reads along padding, and what it must hold there.
struct NeutralOperand {
  /// The identity of a combination, or a scalar: what lies outside of the dimension, null for zero.
  using Filling = std::variant<core::ReductionKind, mlir::Value>;

  unsigned operand = 0;
  /// Dimensions of the operand that are cut unevenly.
  llvm::SmallVector<int64_t, 2> dims;
  Filling filling = core::ReductionKind::Sum;
};

/// The operands of each op that must be neutral, found while all types are global.
using NeutralOperands = llvm::DenseMap<mlir::Operation *, llvm::SmallVector<NeutralOperand, 2>>;

/// Makes operands neutral. Example: 10 rows on x=4 are shards of 3, of which the last has one row;
///
///     %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0]
///
/// takes `select(iota + 3 * x < 10, %0, 0)`. A value is masked once for all ops that want the same
/// constant, and not at all if it holds nothing else.
class PaddingMasks {
public:
  explicit PaddingMasks(LocalProgram &program) : program(program) {}

  /// Replaces `op`'s operands in `neutral`, whose values must have their local types.
  void mask(mlir::Operation *op, llvm::ArrayRef<NeutralOperand> neutral);

private:
  mlir::Value masked(mlir::Operation *user, mlir::Value value, const NeutralOperand &neutral);
  /// Masks before `anchor`; what the padding is filled with is made there by `fill`.
  mlir::Value maskedBefore(mlir::Operation *anchor, mlir::Value value, llvm::ArrayRef<int64_t> dims,
                           llvm::function_ref<mlir::Value(mlir::OpBuilder &)> fill);
  mlir::Value validElements(mlir::OpBuilder &builder, mlir::Operation *user, mlir::Value value,
                            llvm::ArrayRef<int64_t> dims);

  LocalProgram &program;
  /// Masked values of a value.
  struct Known {
    llvm::SmallVector<int64_t, 2> dims;
    mlir::DenseElementsAttr filling;
    mlir::Value value;
  };
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Known, 1>> known;
};

} // namespace shardwise::partition
