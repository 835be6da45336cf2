// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-swap-products, for XLA: a product of which a transpose exchanges the sides is
// made that way.
//
// JAX transposes the gradient of every weight. Where devices add it up XLA has to make the product
// as it is written, and reads it across the lines behind the collective, or copies it before. So
// the transpose moves up to the product, which then has its sides swapped:
//
//   %0 = dot_general %g, %x         32x256 and 32x1024, contracting [0] x [0]: 256x1024
//   %1 = all_reduce %0
//   %2 = transpose %1, [1, 0]       1024x256
// becomes
//   %0 = dot_general %x, %g         1024x256
//   %2 = all_reduce %0
//
// It moves
//   1. if it puts the free dimensions of the right side before those of the left, and does nothing
//      else (SwappedProducts.h);
//   2. through ops of one operand for which the order of dimensions does not matter: element-wise
//      ones, and collectives, of which the dimension is renamed;
//   3. if nothing else reads the product or what these ops give;
//   4. if XLA then has fewer elements to lay out anew. Its quick products, on CPUs, want the
//      contracted dimensions of the left side last. It lays out a left side that has them
//      elsewhere, and beside such a one also a right side that has them elsewhere than first; and
//      as the program is written the result is read across its lines, too. Above %g and the result,
//      32*256 + 256*1024, stand against %x, 32*1024. With 4096 terms in place of 32, and a weight
//      of 4096x64, %x would be more.
//      A transpose right behind a product with such a left side always moves: XLA joins it by
//      exchanging the operands, and then lays out both.

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/dialect/stablehlo/SwappedProducts.h"
#include "shardwise/transforms/partition/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/TypeSwitch.h"

namespace shardwise::partition {

#define GEN_PASS_DEF_SWAPPRODUCTS
#include "shardwise/transforms/partition/Passes.h.inc"

namespace {

using Order = llvm::SmallVector<int64_t>;

/// Whether a transpose may move through `op`; (2) above.
bool isPassed(mlir::Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return false;
  return stablehlo::isElementwise(op) ||
         mlir::isa<stablehlo::AllReduceOp, stablehlo::ReduceScatterOp, stablehlo::AllGatherOp,
                   stablehlo::CollectivePermuteOp>(op);
}

/// A product, what it passes through, and the transpose of that.
struct Chain {
  stablehlo::DotGeneralOp product;
  llvm::SmallVector<mlir::Operation *, 2> passed;
  stablehlo::TransposeOp transpose;
};

/// One side of a product: the tensor and its contracted dimensions.
struct Side {
  mlir::RankedTensorType type;
  llvm::ArrayRef<int64_t> contracted;

  /// Whether the contracted dimensions are those from `first` on.
  bool isContractedFrom(int64_t first) const {
    return llvm::equal(contracted, llvm::seq(first, first + std::ssize(contracted)));
  }
  int64_t numElements() const { return type.getNumElements(); }
};

/// Whether XLA lays out the left side of a product anew.
bool isLaidOut(const Side &left) {
  return !left.isContractedFrom(left.type.getRank() - std::ssize(left.contracted));
}

/// The elements that XLA lays out anew for a product with so many batching dimensions.
int64_t laidOut(const Side &left, const Side &right, int64_t numBatch) {
  if (!isLaidOut(left))
    return 0;
  return left.numElements() + (right.isContractedFrom(numBatch) ? 0 : right.numElements());
}

/// Whether the sides of `product` are better swapped; (4) above. `isBehind`: the transpose reads
/// the product itself.
bool isBetterSwapped(stablehlo::DotGeneralOp product, bool isBehind) {
  stablehlo::DotDimensionNumbersAttr numbers = product.getDotDimensionNumbers();
  Side left{product.getLhs().getType(), numbers.getLhsContractingDimensions()};
  Side right{product.getRhs().getType(), numbers.getRhsContractingDimensions()};
  if (isBehind && isLaidOut(left))
    return true;
  auto numBatch = std::ssize(numbers.getLhsBatchingDimensions());
  return laidOut(right, left, numBatch) <=
         laidOut(left, right, numBatch) + product.getType().getNumElements();
}

/// Returns the chain that begins with `product`; one without a transpose if it is not to be
/// swapped.
Chain chainOf(stablehlo::DotGeneralOp product) {
  Chain chain{product, {}, nullptr};
  mlir::Value value = product.getResult();
  while (value.hasOneUse()) {
    mlir::Operation *user = *value.user_begin();
    if (auto transpose = mlir::dyn_cast<stablehlo::TransposeOp>(user)) {
      if (stablehlo::swapsSides(transpose, product) &&
          isBetterSwapped(product, chain.passed.empty()))
        chain.transpose = transpose;
      break;
    }
    if (!isPassed(user))
      break;
    chain.passed.push_back(user);
    value = user->getResult(0);
  }
  return chain;
}

/// The dimension of a collective is called as the transpose by `order` calls it.
void renameDim(mlir::Operation *op, const Order &order) {
  auto renamed = [&](uint64_t dim) {
    return static_cast<uint64_t>(llvm::find(order, static_cast<int64_t>(dim)) - order.begin());
  };
  llvm::TypeSwitch<mlir::Operation *>(op)
      .Case([&](stablehlo::AllGatherOp gather) {
        gather.setAllGatherDim(renamed(gather.getAllGatherDim()));
      })
      .Case([&](stablehlo::ReduceScatterOp scatter) {
        scatter.setScatterDimension(renamed(scatter.getScatterDimension()));
      });
}

/// Writes `op` of `operand`, which is the transpose of its own by `order`.
mlir::Value turned(mlir::Operation *op, mlir::Value operand, const Order &order) {
  mlir::IRMapping mapping;
  mapping.map(op->getOperand(0), operand);
  mlir::OpBuilder builder(op);
  mlir::Operation *clone = builder.clone(*op, mapping);
  auto type = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  llvm::SmallVector<int64_t> shape;
  for (int64_t dim : order)
    shape.push_back(type.getDimSize(dim));
  clone->getResult(0).setType(type.clone(shape));
  renameDim(clone, order);
  return clone->getResult(0);
}

void swap(Chain &chain) {
  Order order = stablehlo::orderOfSwappedSides(chain.product);
  mlir::OpBuilder builder(chain.product);
  mlir::Value value = stablehlo::createSwapped(builder, chain.product.getLoc(), chain.product);
  for (mlir::Operation *op : chain.passed)
    value = turned(op, value, order);
  chain.transpose.getResult().replaceAllUsesWith(value);
  chain.transpose.erase();
  for (mlir::Operation *op : llvm::reverse(chain.passed))
    op->erase();
  chain.product.erase();
}

class SwapProductsPass : public impl::SwapProductsBase<SwapProductsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    llvm::SmallVector<stablehlo::DotGeneralOp> products;
    getOperation().walk([&](stablehlo::DotGeneralOp product) { products.push_back(product); });
    for (stablehlo::DotGeneralOp product : products)
      if (Chain chain = chainOf(product); chain.transpose)
        swap(chain);
  }
};

} // namespace

} // namespace shardwise::partition
