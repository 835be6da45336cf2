// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-lead-with-blocks, for XLA: what devices gather or scatter is a dimension of
// its own, the first.
//
// XLA lays a gathered value out with the blocks one behind the other, so along any other dimension
// than the first it copies twice: the operand into that layout, the result out of it. On a CPU each
// copy is a kernel that it has to compile. Here the one copy that is needed is a transpose, which
// it can join with what reads the value. With n devices in a group:
//
//   all_gather along dim 1 of 8x4     1. reshape to 1x8x4      2. all_gather along dim 0: n x 8x4
//                                     3. transpose: 8 x n x 4  4. reshape to 8 x n*4
//   reduce_scatter along dim 1,       1. reshape to 8 x n x 4  2. transpose: n x 8x4
//   8 x n*4 to 8x4                    3. reduce_scatter along dim 0: 1x8x4   4. reshape to 8x4
//
// A transpose that has the dimension first anyhow, and is all that reads the result, is made of the
// operand instead, and the blocks need no dimension:
//
//   reduce_scatter along dim 1,       1. transpose: n*4 x 8
//   transposed to 4x8                 2. reduce_scatter along dim 0: 4x8
//
// But not of a product whose sides the transpose swaps: shardwise-swap-products, which runs before,
// has left it where it is, as that moves less.
//
// Left alone are, as nothing would be gained:
//   1. dimensions that only ones precede: their blocks lie one behind the other;
//   2. collectives of several operands, which are the user's;
//   3. groups of one device.

#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/dialect/stablehlo/SwappedProducts.h"
#include "shardwise/transforms/partition/LocalForms.h"
#include "shardwise/transforms/partition/Passes.h"

#include "llvm/ADT/Sequence.h"

namespace shardwise::partition {

#define GEN_PASS_DEF_LEADWITHBLOCKS
#include "shardwise/transforms/partition/Passes.h.inc"

namespace {

using Shape = llvm::SmallVector<int64_t>;

mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// Whether blocks along `dim` of values of these shapes are moved to the front; see above.
bool isMoved(mlir::Operation *op, int64_t dim) {
  if (op->getNumOperands() != 1)
    return false;
  mlir::RankedTensorType before = typeOf(op->getOperand(0)), after = typeOf(op->getResult(0));
  bool isLeading =
      llvm::all_of(before.getShape().take_front(dim), [](int64_t size) { return size == 1; });
  return !isLeading && before.getDimSize(dim) != after.getDimSize(dim);
}

/// The dimensions of a value of `rank`, with the first moved to place `dim`.
Shape withFirstAt(int64_t dim, int64_t rank) {
  Shape order = llvm::to_vector(llvm::seq<int64_t>(1, rank));
  order.insert(order.begin() + dim, 0);
  return order;
}

/// The dimensions of a value of `rank`, with that at place `dim` moved to the front.
Shape withFirstFrom(int64_t dim, int64_t rank) {
  Shape order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  order.erase(order.begin() + dim);
  order.insert(order.begin(), dim);
  return order;
}

/// Whether `value` is a product that has its sides swapped behind `transpose`.
bool isSwappedBy(stablehlo::TransposeOp transpose, mlir::Value value) {
  auto product = value.getDefiningOp<stablehlo::DotGeneralOp>();
  return product && transpose.getPermutation() ==
                        llvm::ArrayRef<int64_t>(stablehlo::orderOfSwappedSides(product));
}

/// The transpose that alone reads what `op` gives, has `dim` first, and swaps no product; null if
/// there is none.
stablehlo::TransposeOp onlyTransposeToFront(mlir::Operation *op, int64_t dim) {
  if (!op->getResult(0).hasOneUse())
    return nullptr;
  auto transpose = mlir::dyn_cast<stablehlo::TransposeOp>(*op->user_begin());
  if (!transpose || transpose.getPermutation().front() != dim ||
      isSwappedBy(transpose, op->getOperand(0)))
    return nullptr;
  return transpose;
}

/// Writes one collective along a first dimension.
class Leader {
public:
  explicit Leader(mlir::Operation *op) : op(op), builder(op), location(op->getLoc()) {}

  void gather(int64_t dim) {
    if (stablehlo::TransposeOp transpose = onlyTransposeToFront(op, dim))
      return transposedFirst<stablehlo::AllGatherOp>(transpose, "all_gather_dim");
    mlir::RankedTensorType block = typeOf(op->getOperand(0)), whole = typeOf(op->getResult(0));
    Shape first(block.getShape());
    first.insert(first.begin(), 1);
    mlir::Value own = reshape(op->getOperand(0), first);
    first.front() = whole.getDimSize(dim) / block.getDimSize(dim);
    mlir::Value blocks = collect<stablehlo::AllGatherOp>(own, first, "all_gather_dim");
    replaceBy(
        stablehlo::createTranspose(builder, location, blocks, withFirstAt(dim, std::ssize(first))));
  }

  void scatter(int64_t dim) {
    if (stablehlo::TransposeOp transpose = onlyTransposeToFront(op, dim))
      return transposedFirst<stablehlo::ReduceScatterOp>(transpose, "scatter_dimension");
    mlir::RankedTensorType whole = typeOf(op->getOperand(0)), block = typeOf(op->getResult(0));
    Shape cut(block.getShape());
    cut.insert(cut.begin() + dim, whole.getDimSize(dim) / block.getDimSize(dim));
    mlir::Value blocks = stablehlo::createTranspose(
        builder, location, reshape(op->getOperand(0), cut), withFirstFrom(dim, std::ssize(cut)));
    Shape first(block.getShape());
    first.insert(first.begin(), 1);
    replaceBy(collect<stablehlo::ReduceScatterOp>(blocks, first, "scatter_dimension"));
  }

private:
  /// The collective behind the transpose that is all that reads it.
  template <class Op>
  void transposedFirst(stablehlo::TransposeOp transpose, llvm::StringRef dimName) {
    mlir::Value turned = stablehlo::createTranspose(builder, transpose.getLoc(), op->getOperand(0),
                                                    transpose.getPermutation());
    mlir::Value result = collect<Op>(turned, typeOf(transpose.getResult()).getShape(), dimName);
    transpose.getResult().replaceAllUsesWith(result);
    transpose.erase();
    op->erase();
  }

  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape) {
    return createValue<stablehlo::ReshapeOp>(builder, location, typeOf(value).clone(shape), value);
  }

  /// The collective with its groups, its channel and its computation, but along the first
  /// dimension.
  template <class Op>
  mlir::Value collect(mlir::Value value, llvm::ArrayRef<int64_t> shape, llvm::StringRef dimName) {
    mlir::NamedAttrList attributes(op->getAttrDictionary());
    attributes.set(dimName, builder.getI64IntegerAttr(0));
    auto collected = Op::create(builder, location, mlir::TypeRange(typeOf(value).clone(shape)),
                                mlir::ValueRange(value), attributes.getAttrs());
    for (auto [to, from] : llvm::zip_equal(collected->getRegions(), op->getRegions()))
      to.takeBody(from);
    return collected->getResult(0);
  }

  void replaceBy(mlir::Value value) {
    op->getResult(0).replaceAllUsesWith(reshape(value, typeOf(op->getResult(0)).getShape()));
    op->erase();
  }

  mlir::Operation *op;
  mlir::OpBuilder builder;
  mlir::Location location;
};

class LeadWithBlocksPass : public impl::LeadWithBlocksBase<LeadWithBlocksPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    // With a collective its transpose is erased, so that a walk would lose its place.
    llvm::SmallVector<mlir::Operation *> collectives;
    getOperation().walk([&](mlir::Operation *op) {
      if (mlir::isa<stablehlo::AllGatherOp, stablehlo::ReduceScatterOp>(op))
        collectives.push_back(op);
    });
    for (mlir::Operation *op : collectives) {
      if (auto gather = mlir::dyn_cast<stablehlo::AllGatherOp>(op)) {
        int64_t dim = gather.getAllGatherDim();
        if (isMoved(op, dim))
          Leader(op).gather(dim);
      } else if (auto scatter = mlir::dyn_cast<stablehlo::ReduceScatterOp>(op)) {
        int64_t dim = scatter.getScatterDimension();
        if (isMoved(op, dim))
          Leader(op).scatter(dim);
      }
    }
  }
};

} // namespace

} // namespace shardwise::partition
