// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-pad-reshapes: reshapes that split or merge a dimension which is cut, into
// parts that do not come out even on the split side.
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
//
// One dimension D of one side is A, B, .. of the other, and nothing else; both sides are cut. The
// reshape is cut on D and A by axes on which both sides meet:
//   1. by those of both, where the same axes cut D and A, and none B, ..;
//   2. else, where users placed both sides, by those that the sides receive least for, of the axes
//      of D, those of A, and what these begin with, if that is much less than without padding. One
//      side at least is then resharded, or both.
//      `[{"x"}] -> [{"x"}, {"y"}]` of 21 to 7x3 with x=2, y=2 meets on x: 21 elements become 24, a
//      device fetches one of the other, and takes its columns of four rows. What nobody
//      placed may still be placed so that both sides agree.
// Nothing is padded where the number of parts divides A: blocks of one side are blocks of the
// other.

#include "shardwise/core/EvenSharding.h"
#include "shardwise/core/Window.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/reshard/Passes.h"
#include "shardwise/transforms/reshard/PlannedCosts.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace shardwise::reshard {

#define GEN_PASS_DEF_PADRESHAPES
#include "shardwise/transforms/reshard/Passes.h.inc"

namespace {

using llvm::ArrayRef;
using llvm::SmallVector;

/// What padding has to save: a part of what is received without it. There may be cheaper ways
/// without it than are looked at.
constexpr double kGain = 0.8;

/// Dimensions [begin, end) of a shape.
struct DimRange {
  size_t begin = 0;
  size_t end = 0;

  bool isOne() const { return end - begin == 1; }
};

/// `dims` without those of size 1 at both ends, but for one: these are no parts of anything.
DimRange withoutOnes(ArrayRef<int64_t> shape, DimRange dims) {
  while (!dims.isOne() && shape[dims.begin] == 1)
    ++dims.begin;
  while (!dims.isOne() && shape[dims.end - 1] == 1)
    --dims.end;
  return dims;
}

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
    visit(withoutOnes(from, left), withoutOnes(to, right));
  }
}

mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// A dimension of one side, and the dimensions of the other side that it is.
struct Split {
  size_t mergedDim = 0;
  DimRange dims;
  bool isSplit = false; ///< The operand is the merged side.

  DimRange mergedRange() const { return {mergedDim, mergedDim + 1}; }
};

/// `placement` with nothing on `dims`, and `axes` on dimension `to`, behind those that it has; none
/// if other dimensions have some of these axes.
std::optional<core::Sharding> moved(const core::Sharding &placement, DimRange dims, size_t to,
                                    const core::AxisList &axes) {
  core::Sharding result = placement;
  for (size_t dim = dims.begin; dim < dims.end; ++dim)
    result.dims[dim].axes.clear();
  for (const core::DimSharding &dim : result.dims)
    if (core::overlaps(dim.axes, axes))
      return std::nullopt;
  for (const core::Axis &axis : axes)
    core::appendOrMerge(result.dims[to].axes, axis);
  return result;
}

class ReshapePadding {
public:
  ReshapePadding(mlir::Operation *op, ShardedProgram &program, PlannedCosts &costs)
      : op(op), program(program), costs(costs), from(program.placementOf(op->getOperand(0))),
        to(program.placementOf(op->getResult(0))), paddedFrom(typeOf(op->getOperand(0)).getShape()),
        paddedTo(typeOf(op->getResult(0)).getShape()), fromMeeting(from), toMeeting(to) {}

  /// Replaces the op, if that is needed.
  void run() {
    SmallVector<int64_t> fromShape(paddedFrom), toShape(paddedTo);
    if (llvm::is_contained(fromShape, 0))
      return;
    forEachGroup(fromShape, toShape, [&](DimRange left, DimRange right) {
      if (left.isOne() && right.isOne())
        kept.push_back({left.begin, right.begin});
    });
    bool isPadded = false;
    forEachGroup(fromShape, toShape, [&](DimRange left, DimRange right) {
      if (left.isOne() && !right.isOne())
        isPadded |= pad({left.begin, right, /*isSplit=*/true});
      else if (right.isOne() && !left.isOne())
        isPadded |= pad({right.begin, left, /*isSplit=*/false});
    });
    if (isPadded)
      replace(fromShape, toShape);
  }

private:
  /// Both sides of `split`, as they are at the time.
  struct Sides {
    core::Sharding &merged, &split;
    SmallVector<int64_t> &mergedShape, &splitShape;
  };
  Sides sidesOf(const Split &split) {
    return split.isSplit ? Sides{fromMeeting, toMeeting, paddedFrom, paddedTo}
                         : Sides{toMeeting, fromMeeting, paddedTo, paddedFrom};
  }

  /// What is received if both sides of `split` are resharded so that their `axes` are on dimensions
  /// `mergedTo` and `splitTo`; none if others have these axes.
  std::optional<double> priceOf(const Split &split, const core::AxisList &axes, size_t mergedTo,
                                size_t splitTo) {
    Sides sides = sidesOf(split);
    auto merged = moved(sides.merged, split.mergedRange(), mergedTo, axes);
    auto parts = moved(sides.split, split.dims, splitTo, axes);
    if (!merged || !parts)
      return std::nullopt;
    int64_t bytes = elementBytesOf(op->getResult(0));
    auto change = [&](ArrayRef<int64_t> shape, const core::Sharding &written,
                      const core::Sharding &meeting, bool isOperand) {
      return isOperand ? costs(shape, bytes, written, meeting)
                       : costs(shape, bytes, meeting, written);
    };
    double price = change(sides.mergedShape, sides.merged, *merged, split.isSplit) +
                   change(sides.splitShape, sides.split, *parts, !split.isSplit);
    return mergedTo == split.mergedDim ? price + fetchOf(split, *merged, axes) : price;
  }

  /// What is fetched along the merged dimension, between its blocks and those that are padded.
  double fetchOf(const Split &split, const core::Sharding &merged, const core::AxisList &axes) {
    ArrayRef<int64_t> shape = sidesOf(split).mergedShape;
    int64_t size = shape[split.mergedDim], parts = core::shardedSize(axes);
    int64_t padded = paddedSize(split, parts);
    if (padded == size)
      return 0;
    core::OperandWindow read;
    read.numIndices = split.isSplit ? padded : size;
    auto problem = core::fetchProblem(read, split.isSplit ? size : padded, parts);
    int64_t bytes = elementBytesOf(op->getResult(0));
    for (auto [dim, whole] : llvm::enumerate(shape))
      if (dim != split.mergedDim)
        bytes *= core::shardSize(whole, core::shardedSize(merged.dims[dim].axes));
    auto messages = static_cast<double>(core::planFetch(*problem).steps.size());
    return costs.fetch(static_cast<double>(core::receivedElements(*problem) * bytes), axes) +
           messages * costs.ofMessage();
  }

  /// The size of the merged dimension that `parts` cut into blocks of the split side.
  int64_t paddedSize(const Split &split, int64_t parts) {
    Sides sides = sidesOf(split);
    int64_t major = sides.splitShape[split.dims.begin];
    int64_t minor = sides.mergedShape[split.mergedDim] / major;
    return core::shardSize(major, parts) * parts * minor;
  }

  /// Axes on which both sides of `split` meet; none if no parts have to be padded.
  core::AxisList meetingAxes(const Split &split) {
    Sides sides = sidesOf(split);
    const core::AxisList &merged = sides.merged.dims[split.mergedDim].axes;
    const core::AxisList &major = sides.split.dims[split.dims.begin].axes;
    auto isCut = [&](size_t dim) { return !sides.split.dims[dim].axes.empty(); };
    auto minors = llvm::seq(split.dims.begin + 1, split.dims.end);
    if (merged == major && llvm::none_of(minors, isCut))
      return merged;
    // What one side has whole has to be gathered, or is there.
    if (merged.empty() || (major.empty() && llvm::none_of(minors, isCut)) || !arePlaced())
      return {};
    double most = kGain * priceUnpadded(split);
    core::AxisList best;
    for (const core::AxisList *axes : {&merged, &major})
      for (core::AxisList first = *axes; !first.empty(); first.pop_back())
        if (auto price = priceOf(split, first, split.mergedDim, split.dims.begin);
            price && *price < most) {
          best = first;
          most = *price;
        }
    return best;
  }

  /// What is received without padding, at most: both sides are whole, or cut by what divides, or
  /// along a dimension that the reshape keeps.
  double priceUnpadded(const Split &split) {
    Sides sides = sidesOf(split);
    const core::AxisList &merged = sides.merged.dims[split.mergedDim].axes;
    const core::AxisList &major = sides.split.dims[split.dims.begin].axes;
    int64_t size = sides.splitShape[split.dims.begin];
    double least = std::numeric_limits<double>::infinity();
    auto offer = [&](const core::AxisList &axes, size_t mergedTo, size_t splitTo) {
      least = std::min(least, priceOf(split, axes, mergedTo, splitTo).value_or(least));
    };
    offer({}, split.mergedDim, split.dims.begin);
    for (const core::AxisList *axes : {&merged, &major}) {
      offer(core::evenPrefix(*axes, size), split.mergedDim, split.dims.begin);
      for (auto [fromDim, toDim] : kept)
        offer(*axes, split.isSplit ? fromDim : toDim, split.isSplit ? toDim : fromDim);
    }
    return least;
  }

  /// Whether users said where both sides are: at the border of a function, or by a constraint.
  bool arePlaced() {
    mlir::Value operand = op->getOperand(0);
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(operand);
    bool isOperandPlaced = argument
                               ? mlir::isa<mlir::func::FuncOp>(argument.getOwner()->getParentOp())
                               : operand.getDefiningOp<sdy::ReshardOp>() != nullptr;
    auto isPlacing = [&](mlir::Operation *user) {
      auto reshard = mlir::dyn_cast<sdy::ReshardOp>(user);
      return mlir::isa<mlir::func::ReturnOp>(user) ||
             (reshard && program.placementOf(reshard.getResult()) == to);
    };
    return isOperandPlaced && llvm::all_of(op->getResult(0).getUsers(), isPlacing);
  }

  /// Makes the parts of `split` equal, if that is needed. Returns whether it was.
  bool pad(const Split &split) {
    core::AxisList axes = meetingAxes(split);
    Sides sides = sidesOf(split);
    int64_t parts = core::shardedSize(axes), major = sides.splitShape[split.dims.begin];
    if (major % parts == 0)
      return false;
    sides.merged = *moved(sides.merged, split.mergedRange(), split.mergedDim, axes);
    sides.split = *moved(sides.split, split.dims, split.dims.begin, axes);
    sides.mergedShape[split.mergedDim] = paddedSize(split, parts);
    sides.splitShape[split.dims.begin] = core::shardSize(major, parts) * parts;
    return true;
  }

  /// Values between the sides are where these meet, the result is where it was.
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
    place(padded, operand, fromMeeting);
    auto reshaped =
        stablehlo::ReshapeOp::create(builder, location, typeOf(result).clone(paddedTo), padded);
    place(reshaped, result, toMeeting);
    SmallVector<int64_t> starts(toShape.size(), 0);
    mlir::Value sliced = stablehlo::createSlice(builder, location, reshaped, starts, toShape);
    place(sliced, result, to);
    result.replaceAllUsesWith(sliced);
    op->erase();
  }

  /// Puts `value` at `placement`, on the mesh that `like` is on.
  void place(mlir::Value value, mlir::Value like, const core::Sharding &placement) {
    if (sdy::getSharding(like))
      sdy::setSharding(value, program.attributeFor(placement, program.meshOf(like)));
  }

  mlir::Operation *op;
  ShardedProgram &program;
  PlannedCosts &costs;
  core::Sharding from, to;
  SmallVector<int64_t> paddedFrom, paddedTo;
  /// Dimensions that are the same on both sides.
  SmallVector<std::pair<size_t, size_t>> kept;
  /// Where both sides are around the reshape.
  core::Sharding fromMeeting, toMeeting;
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
    PlannedCosts costs(program->mesh());
    for (mlir::Operation *op : reshapes)
      ReshapePadding(op, *program, costs).run();
  }
};

} // namespace

} // namespace shardwise::reshard
