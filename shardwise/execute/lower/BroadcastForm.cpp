// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// broadcast puts its sizes in front; broadcast_in_dim says where the dimensions go.

#include "shardwise/execute/lower/BroadcastForm.h"

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/execute/lower/ElementTypes.h"
#include "shardwise/execute/thunks/StridedCopy.h"

namespace shardwise::execute {

std::vector<int64_t> BroadcastForm::strides(size_t rank) const {
  std::vector<int64_t> shape = typeOf(operand).shape;
  std::vector<int64_t> own = rowMajorStrides(shape);
  std::vector<int64_t> strides(rank, 0);
  for (auto [dim, target] : llvm::enumerate(dimensions))
    if (shape[dim] != 1)
      strides[target] = own[dim];
  return strides;
}

std::optional<BroadcastForm> broadcastFormOf(mlir::Operation *op) {
  if (auto inDim = llvm::dyn_cast_or_null<stablehlo::BroadcastInDimOp>(op))
    return BroadcastForm{inDim.getOperand(),
                         llvm::SmallVector<int64_t>(inDim.getBroadcastDimensions())};
  auto legacy = llvm::dyn_cast_or_null<stablehlo::BroadcastOp>(op);
  if (!legacy)
    return std::nullopt;
  BroadcastForm form = {legacy.getOperand(), {}};
  auto first = static_cast<int64_t>(legacy.getBroadcastSizes().size());
  size_t rank = typeOf(legacy.getOperand()).shape.size();
  for (size_t dim = 0; dim < rank; ++dim)
    form.dimensions.push_back(first + static_cast<int64_t>(dim));
  return form;
}

} // namespace shardwise::execute
