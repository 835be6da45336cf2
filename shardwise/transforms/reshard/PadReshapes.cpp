// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-pad-reshapes: reshapes that split or merge a dimension which is cut, on both
// sides by the same axes, into parts that do not come out even on the split side.
//
// Blocks of 10 elements on x=4 are 3, 3, 3 and 1. Of 5x2 they are 2, 2 and 1 rows, 4, 4 and 2
// elements: no block is a block of the other. With 8 rows all have 2, so the merged side is padded
// to 16 elements, whose blocks of 4 are what each device needs, and sliced behind the reshape:
//   %r = reshape %a : 10 -> 5x2                   [{"x"}] -> [{"x"}, {}]
// becomes
//   %p = pad %a, high = [6] : 10 -> 16            [{"x"}], fetches an element or two
//   %q = reshape %p : 16 -> 8x2                   [{"x"}, {}]
//   %r = slice %q [0:5, 0:2]                      [{"x"}, {}], where it is
// A merge is padded on the split side, and sliced on the merged one.
// Conditions: (1) one dimension D of one side is A, B, .. of the other, and nothing else;
// (2) the same axes cut D and A, and none B, ..; (3) their number of parts does not divide A.

#include "shardwise/core/EvenSharding.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/reshard/Passes.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/Builders.h"

namespace shardwise::reshard {

#define GEN_PASS_DEF_PADRESHAPES
#include "shardwise/transforms/reshard/Passes.h.inc"

namespace {

using llvm::ArrayRef;
using llvm::SmallVector;

/// Dimensions [begin, end) of a shape.
struct DimRange {
  size_t begin = 0;
  size_t end = 0;

  bool isOne() const { return end - begin == 1; }
};

/// Calls `visit` with ranges of dimensions of both shapes that hold equally many elements, the
/// shortest there are. Requires that neither shape is empty.
void forEachGroup(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                  llvm::function_ref<void(DimRange from, DimRange to)> visit) {
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    DimRange left{i, i + 1}, right{j, j + 1};
    int64_t numLeft = from[i++], numRight = to[j++];
    while (numLeft != numRight)
      if (numLeft < numRight)
        numLeft *= from[i++];
      else
        numRight *= to[j++];
    left.end = i;
    right.end = j;
    visit(left, right);
  }
}

mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

class ReshapePadding {
public:
  ReshapePadding(mlir::Operation *op, ShardedProgram &program)
      : op(op), from(program.placementOf(op->getOperand(0))),
        to(program.placementOf(op->getResult(0))), paddedFrom(typeOf(op->getOperand(0)).getShape()),
        paddedTo(typeOf(op->getResult(0)).getShape()) {}

  /// Replaces the op, if that is needed.
  void run() {
    SmallVector<int64_t> fromShape(paddedFrom), toShape(paddedTo);
    if (llvm::is_contained(fromShape, 0))
      return;
    bool isPadded = false;
    forEachGroup(fromShape, toShape, [&](DimRange left, DimRange right) {
      if (left.isOne() && !right.isOne())
        isPadded |= pad(from, left.begin, paddedFrom, to, right, paddedTo);
      else if (right.isOne() && !left.isOne())
        isPadded |= pad(to, right.begin, paddedTo, from, left, paddedFrom);
    });
    if (isPadded)
      replace(fromShape, toShape);
  }

private:
  /// Makes the parts of a split dimension, `dims` of `split`, equal, if the conditions hold.
  static bool pad(const core::Sharding &merged, size_t mergedDim, SmallVector<int64_t> &mergedShape,
                  const core::Sharding &split, DimRange dims, SmallVector<int64_t> &splitShape) {
    const core::AxisList &axes = merged.dims[mergedDim].axes;
    if (axes.empty() || split.dims[dims.begin].axes != axes)
      return false;
    for (size_t dim = dims.begin + 1; dim < dims.end; ++dim)
      if (!split.dims[dim].axes.empty())
        return false;
    int64_t parts = core::shardedSize(axes);
    int64_t major = splitShape[dims.begin];
    if (major % parts == 0)
      return false;
    int64_t minor = mergedShape[mergedDim] / major;
    splitShape[dims.begin] = core::shardSize(major, parts) * parts;
    mergedShape[mergedDim] = splitShape[dims.begin] * minor;
    return true;
  }

  void replace(ArrayRef<int64_t> fromShape, ArrayRef<int64_t> toShape) {
    mlir::OpBuilder builder(op);
    mlir::Location location = op->getLoc();
    mlir::Value operand = op->getOperand(0), result = op->getResult(0);
    SmallVector<int64_t> none(fromShape.size(), 0), high(fromShape.size());
    for (size_t dim = 0; dim < high.size(); ++dim)
      high[dim] = paddedFrom[dim] - fromShape[dim];
    mlir::Value zero =
        stablehlo::createZeros(builder, location, typeOf(operand).clone(ArrayRef<int64_t>{}));
    mlir::Value padded = stablehlo::createPad(builder, location, operand, zero, none, high);
    takePlacement(padded, operand);
    auto reshaped =
        stablehlo::ReshapeOp::create(builder, location, typeOf(result).clone(paddedTo), padded);
    takePlacement(reshaped, result);
    SmallVector<int64_t> starts(toShape.size(), 0);
    mlir::Value sliced = stablehlo::createSlice(builder, location, reshaped, starts, toShape);
    takePlacement(sliced, result);
    result.replaceAllUsesWith(sliced);
    op->erase();
  }

  static void takePlacement(mlir::Value value, mlir::Value like) {
    if (sdy::TensorShardingAttr sharding = sdy::getSharding(like))
      sdy::setSharding(value, sharding);
  }

  mlir::Operation *op;
  core::Sharding from, to;
  SmallVector<int64_t> paddedFrom, paddedTo;
};

struct PadReshapesPass : impl::PadReshapesBase<PadReshapesPass> {
  void runOnOperation() override {
    llvm::FailureOr<ShardedProgram> program = ShardedProgram::create(getOperation());
    if (failed(program))
      return signalPassFailure();
    SmallVector<mlir::Operation *> reshapes;
    getOperation().walk([&](stablehlo::ReshapeOp op) {
      bool isElsewhere = program->isOneDevice(program->meshOf(op->getResult(0)));
      if (!isElsewhere && program->meshOf(op->getResult(0)) == program->meshOf(op->getOperand(0)))
        reshapes.push_back(op);
    });
    for (mlir::Operation *op : reshapes)
      ReshapePadding(op, *program).run();
  }
};

} // namespace

} // namespace shardwise::reshard
