// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-split-fourier-transforms: a transform along several dimensions, of which some
// are cut, becomes transforms one behind the other, since each needs only its own dimensions whole.
// What is cut in one of them is then moved to another, which costs what a device has, where the
// whole would be gathered otherwise. A transform along several dimensions is by definition the
// product of those along each, in any order, with these conditions:
//   1. Dimensions that are whole are transformed together, first: nothing moves for them. Then one
//      of the others is transformed, its axes move to another dimension, and so on.
//   2. RFFT makes complex numbers of real ones along its last dimension, so that one comes first,
//      and the others are FFT. IRFFT makes real numbers of complex ones there, so that one comes
//      last, and the others are IFFT.
//   3. An op transforms trailing dimensions; for others it stands between transposes, which are
//      local.
// Values in between are proposed to be cut as the operand is, and the axes of what is transformed
// to have moved to another dimension. Where they are cut in the end is chosen with all other
// placements. Example, %x on [{"x"}, {}]:
//   %r = fft %x, type = FFT, length = [64, 64]
// becomes
//   %0 = fft %x, type = FFT, length = [64]          [{"x"}, {}]  rows, nothing moves
//   %1 = transpose %0, dims = [1, 0]                [{"x"}, {}]  columns: "x" moved
//   %2 = fft %1, type = FFT, length = [64]          [{"x"}, {}]
//   %r = transpose %2, dims = [1, 0]                [{"x"}, {}]  and moves back

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/reshard/Passes.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/Builders.h"

#include <utility>

namespace shardwise::reshard {

#define GEN_PASS_DEF_SPLITFOURIERTRANSFORMS
#include "shardwise/transforms/reshard/Passes.h.inc"

namespace {

using llvm::ArrayRef;
using llvm::SmallVector;
using stablehlo::FftType;

mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// A transform along `dims`, in order, of which the last is that of the real numbers if there is
/// one.
struct Step {
  SmallVector<int64_t> dims;
  FftType type;
};

/// Moves the axes of dimension `from` of `placement` to another one outside of `dims`; drops them
/// if there is none with as many elements. Best are dimensions that they divide; of those, where
/// `after` has them, and else what `isDone` says is transformed and need not be whole any more.
void moveAxes(core::Sharding &placement, int64_t from, ArrayRef<int64_t> dims,
              const core::Sharding &after, ArrayRef<bool> isDone, ArrayRef<int64_t> shape) {
  core::AxisList axes = std::exchange(placement.dims[from].axes, {});
  auto joined = [&](int64_t dim) {
    core::AxisList all = placement.dims[dim].axes;
    for (const core::Axis &axis : axes)
      core::appendOrMerge(all, axis);
    return all;
  };
  auto rankOf = [&](int64_t dim) {
    core::AxisList all = joined(dim);
    int64_t parts = core::shardedSize(all);
    if (llvm::is_contained(dims, dim) || shape[dim] < parts)
      return 0;
    int preference = after.dims[dim].axes == all ? 3 : isDone[dim] ? 2 : 1;
    return shape[dim] % parts == 0 ? 3 + preference : preference;
  };
  int64_t to = 0;
  for (int64_t dim = 1; dim < std::ssize(shape); ++dim)
    if (rankOf(dim) > rankOf(to))
      to = dim;
  if (rankOf(to) > 0)
    placement.dims[to].axes = joined(to);
}

/// Writes the steps of one transform.
class Splitting {
public:
  Splitting(stablehlo::FftOp op, ShardedProgram &program)
      : op(op), program(program), builder(op), mesh(program.meshOf(op->getOperand(0))),
        placement(program.placementOf(op->getOperand(0))),
        after(program.placementOf(op->getResult(0))), isDone(after.dims.size(), false) {}

  /// Returns the next transform; none if all are done.
  Step next() {
    FftType type = op.getFftType();
    bool isInverse = type == FftType::IFFT || type == FftType::IRFFT;
    int64_t last = std::ssize(isDone) - 1;
    // (1) What is whole now, without the dimension of real numbers if that is not at home in it.
    SmallVector<int64_t> whole, cut;
    for (int64_t dim = last + 1 - std::ssize(op.getFftLength()); dim <= last; ++dim)
      if (!isDone[dim])
        (placement.dims[dim].axes.empty() ? whole : cut).push_back(dim);
    SmallVector<int64_t> dims =
        whole.empty() ? SmallVector<int64_t>(ArrayRef(cut).take_front()) : whole;
    bool hasLast = !dims.empty() && dims.back() == last;
    // (2)
    if (type == FftType::RFFT && !isDone[last] && !hasLast)
      return {{last}, type};
    if (type == FftType::IRFFT && hasLast && whole.size() + cut.size() > dims.size()) {
      dims.pop_back();
      if (dims.empty())
        dims.push_back(cut.front());
      hasLast = false;
    }
    bool isReal = type == FftType::RFFT || type == FftType::IRFFT;
    return {dims, isReal && hasLast ? type : isInverse ? FftType::IFFT : FftType::FFT};
  }

  void write() {
    mlir::Value value = op->getOperand(0);
    for (Step step = next(); !step.dims.empty(); step = next())
      value = transform(value, step);
    if (sdy::TensorShardingAttr sharding = sdy::getSharding(op->getResult(0)))
      sdy::setSharding(value, sharding);
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

private:
  /// Returns `value`, whose dimension i is dimension `order[i]` of the operand, with its placement.
  mlir::Value placed(mlir::Value value, ArrayRef<int64_t> order) {
    core::Sharding inOrder = placement;
    for (auto [i, dim] : llvm::enumerate(order))
      inOrder.dims[i] = placement.dims[dim];
    sdy::setSharding(value, program.attributeFor(inOrder, mesh));
    return value;
  }

  mlir::Value transform(mlir::Value value, const Step &step) {
    auto rank = static_cast<int64_t>(isDone.size());
    auto inOrder = llvm::to_vector(llvm::seq<int64_t>(rank));
    // (3) Those of the step last.
    SmallVector<int64_t> order, back(rank);
    llvm::copy_if(inOrder, std::back_inserter(order),
                  [&](int64_t dim) { return !llvm::is_contained(step.dims, dim); });
    llvm::append_range(order, step.dims);
    for (auto [i, dim] : llvm::enumerate(order))
      back[dim] = static_cast<int64_t>(i);
    bool isInOrder = order == inOrder;
    for (int64_t dim : step.dims)
      if (!placement.dims[dim].axes.empty())
        moveAxes(placement, dim, step.dims, after, isDone, typeOf(value).getShape());
    if (!isInOrder)
      value = placed(stablehlo::createTranspose(builder, op.getLoc(), value, order), order);
    for (int64_t dim : step.dims)
      isDone[dim] = true;
    value = placed(fft(value, step), order);
    if (!isInOrder)
      value = placed(stablehlo::createTranspose(builder, op.getLoc(), value, back), inOrder);
    return value;
  }

  /// The transform of the last dimensions of `value`.
  mlir::Value fft(mlir::Value value, const Step &step) {
    ArrayRef<int64_t> lengthOfAll = op.getFftLength();
    int64_t firstDim = std::ssize(isDone) - std::ssize(lengthOfAll);
    SmallVector<int64_t> lengths;
    for (int64_t dim : step.dims)
      lengths.push_back(lengthOfAll[dim - firstDim]);
    return stablehlo::createFft(builder, op.getLoc(), value, step.type, lengths);
  }

  stablehlo::FftOp op;
  ShardedProgram &program;
  mlir::OpBuilder builder;
  mlir::Attribute mesh;
  /// That of the value that is transformed so far, and that of the result.
  core::Sharding placement, after;
  /// Of every dimension whether it is transformed.
  SmallVector<bool> isDone;
};

struct SplitFourierTransformsPass : impl::SplitFourierTransformsBase<SplitFourierTransformsPass> {
  void runOnOperation() override {
    SmallVector<stablehlo::FftOp> transforms;
    getOperation().walk([&](stablehlo::FftOp op) { transforms.push_back(op); });
    if (transforms.empty())
      return;
    llvm::FailureOr<ShardedProgram> program = ShardedProgram::create(getOperation());
    if (failed(program))
      return signalPassFailure();
    for (stablehlo::FftOp op : transforms) {
      mlir::Value operand = op->getOperand(0);
      if (program->isOneDevice(program->meshOf(operand)))
        continue;
      Splitting splitting(op, *program);
      if (splitting.next().dims.size() < op.getFftLength().size())
        splitting.write();
    }
  }
};

} // namespace

} // namespace shardwise::reshard
