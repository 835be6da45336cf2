// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with their sides swapped: what a transpose makes of a product is often one.
//
// Example, a gradient as JAX has it: `transpose(dot_general(g, x), [1, 0])` is `dot_general(x, g)`.

#pragma once

#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVector.h"

namespace shardwise::stablehlo {

/// Returns where the dimensions of `product` with its sides swapped are in its own result:
/// batching ones, the free ones of the right side, those of the left side. A transpose by this
/// order is the swapped product. Example: 8x3x4 times 8x4x5x6, batching [0] with [0], contracting
/// [2] with [1], is 8x3x5x6, and [0, 2, 3, 1] makes 8x5x6x3 of it.
llvm::SmallVector<int64_t> orderOfSwappedSides(DotGeneralOp product);

/// Whether `transpose`, of what has the dimensions of `product`, exchanges its sides.
bool swapsSides(TransposeOp transpose, DotGeneralOp product);

/// Returns the transpose that is all that reads `product`, if it swaps the sides; null
/// if there is none. Then the product can be made with its sides swapped, as the transpose's
/// result.
TransposeOp swappingTransposeOf(DotGeneralOp product);

/// Creates `product` with its sides swapped, and with them what its attributes say of each.
mlir::Value createSwapped(mlir::OpBuilder &builder, mlir::Location location, DotGeneralOp product);

} // namespace shardwise::stablehlo
