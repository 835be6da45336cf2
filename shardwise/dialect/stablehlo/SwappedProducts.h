// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products whose sides may be swapped, so that their transpose is no copy.

#pragma once

#include "shardwise/dialect/stablehlo/StablehloOps.h"

namespace shardwise::stablehlo {

/// Returns the transpose that is all that reads `product`, if it does nothing but to put the free
/// dimensions of the right side before those of the left; null if there is none. Then the product
/// can be made with its sides swapped, as the transpose's result.
///
/// Example, a gradient as JAX has it: `transpose(dot_general(g, x), [1, 0])` is `dot_general(x,
/// g)`.
TransposeOp swappingTransposeOf(DotGeneralOp product);

} // namespace shardwise::stablehlo
