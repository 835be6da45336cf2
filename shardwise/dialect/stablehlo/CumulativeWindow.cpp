// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A window of N elements on a dimension of N, moved by one with N-1 elements of padding in front,
// ends at each element in turn; with the padding behind, it begins there. In all other dimensions
// it is a single element.

#include "shardwise/dialect/stablehlo/CumulativeWindow.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace shardwise::stablehlo {

std::optional<CumulativeWindow> cumulativeWindow(ReduceWindowOp op) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(op->getOperand(0).getType());
  if (!type || type.getRank() == 0)
    return std::nullopt;
  auto areOnes = [](std::optional<llvm::ArrayRef<int64_t>> list) {
    return !list || llvm::all_of(*list, [](int64_t value) { return value == 1; });
  };
  if (!areOnes(op.getWindowStrides()) || !areOnes(op.getBaseDilations()) ||
      !areOnes(op.getWindowDilations()))
    return std::nullopt;
  llvm::SmallVector<int64_t> padding(2 * type.getRank(), 0);
  if (auto given = op.getPadding())
    llvm::copy(given->getValues<int64_t>(), padding.begin());
  std::optional<CumulativeWindow> found;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t size = op.getWindowDimensions()[dim];
    int64_t before = padding[2 * dim], behind = padding[2 * dim + 1];
    if (size == 1 && before == 0 && behind == 0)
      continue;
    bool isForward = before == size - 1 && behind == 0;
    bool isReverse = behind == size - 1 && before == 0;
    if (found || size != type.getDimSize(dim) || (!isForward && !isReverse))
      return std::nullopt;
    found = CumulativeWindow{dim, isReverse};
  }
  return found;
}

} // namespace shardwise::stablehlo
