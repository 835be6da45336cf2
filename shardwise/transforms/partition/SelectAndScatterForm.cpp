// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block of the result gets something of every window that reaches into it, and the choice in such
// a window is made among all of its elements. So a device fetches the windows that reach into its
// block, and what they cover, runs the op on that, and keeps its block of the result. What windows
// that do not exist choose is no matter: their source is zero, also in the padding of a source that
// does not divide (`OperandWindow::readsForPadding`).
//
// With blocks of w elements, stride s, size n and low padding l, the device at place c fetches
//   - windows from number Q = ceil((w c + l - n + 1) / s) on;
//   - elements from X on, where the first of these windows begins, at E = s Q - l, or before.
//
//   1. Where s divides w, X = E, which moves as blocks do, and the block is cut out at a fixed
//   place.
//   2. Else blocks begin at different places in the grid of windows. X = w c - n + 1 is not behind
//   E
//      for any c; each device drops the E - X elements in front of its first window, and cuts its
//      block out at w c - E.
//   3. Padding is never chosen. The op cannot know which elements of a part are padding, so they
//      become copies of the first or last element, whose places get what the copies are given. That
//      is right where the choice goes by an order: a copy is chosen instead of its element at most.
//      With elements a < b a window over b and a copy b' behind it chooses b, or b' for b; over a
//      copy a', a and b it chooses b. NaNs, that lose against what follows, are chosen only if they
//      are the last, as their copies are. Copies of rows follow rows in the same way.
//
// Example, 10 elements of [{"x"}] on x=4, windows of 3 with stride 2 and padding [1, 1]: blocks are
// of 3, and x=1 has elements 3 to 5. Windows 1 to 3 reach into them, Q = ceil((3 + 1 - 2) / 2) = 1,
// which cover 1 to 7; of the elements from X = 1 on that it fetches it drops none, and its block is
// at 2 of what the op gives. x=0 has 0 to 2, Q = ceil(-1 / 2) = 0, and E = -1: what it fetches from
// X = -2 on begins with two elements that are none. Its first window covers a copy of element 0,
// element 0 and element 1; if the copy is chosen, element 0 gets its source.

#include "shardwise/transforms/partition/SelectAndScatterForm.h"

#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/ReducerRegions.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/dialect/stablehlo/WindowDims.h"
#include "shardwise/transforms/partition/IntervalFetch.h"
#include "shardwise/transforms/partition/LocalForms.h"

#include <algorithm>

namespace shardwise::partition {

namespace {

using stablehlo::ComparisonDirection;

mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// A dimension along which the op fetches.
struct FetchedDim {
  int64_t dim = 0;
  core::AxisList axes;
  stablehlo::WindowDim window;
  /// Elements of the whole dimension, and of a block.
  int64_t size = 0;
  int64_t width = 0;
  core::BlockInterval elements;
  core::BlockInterval windows;

  bool drifts() const { return windows.divisor != 1; }
  bool isPadded() const { return window.low != 0 || window.high != 0; }
  /// Elements from the first to the last that the fetched windows cover.
  int64_t covered() const { return (windows.extent - 1) * window.stride + window.size; }
};

class FormBuilder {
public:
  FormBuilder(stablehlo::SelectAndScatterOp op, LocalProgram &program)
      : op(op), program(program), device(program.coordinatesAt(op)), builder(op->getContext()),
        location(op->getLoc()) {
    builder.setInsertionPointAfter(op);
    findDims();
  }

  void build();

private:
  void findDims();
  mlir::Value covered(mlir::Value elements);
  mlir::Value gradient(mlir::Value elements, mlir::Value source);
  mlir::Value blockOf(mlir::Value gradient);

  // Elements outside of a dimension.
  mlir::Value withCopies(mlir::Value elements, const FetchedDim &dim);
  mlir::Value withSharesOfCopies(mlir::Value gradient, const FetchedDim &dim);
  mlir::Value shareOf(mlir::Value gradient, const FetchedDim &dim, mlir::Value areCopies,
                      mlir::Value isElement);

  // Places, as i32 scalars or i32 tensors of one dimension.
  mlir::Value firstFetched(const FetchedDim &dim) {
    return beginOfInterval(builder, location, device, dim.axes, dim.elements);
  }
  mlir::Value firstCovered(const FetchedDim &dim);
  mlir::Value places(mlir::Value first, int64_t count);
  mlir::Value compare(mlir::Value places, ComparisonDirection direction, int64_t place);
  template <class Op> mlir::Value apply(mlir::Value a, mlir::Value b) {
    return createValue<Op>(builder, location, a.getType(), {a, b});
  }
  /// Puts booleans along `dim` over the shape of `like`.
  mlir::Value spread(mlir::Value flags, const FetchedDim &dim, mlir::Value like) {
    return stablehlo::createBroadcast(builder, location, flags,
                                      typeOf(like).clone(builder.getI1Type()), {dim.dim});
  }
  mlir::Value select(mlir::Value flags, mlir::Value a, mlir::Value b) {
    return createValue<stablehlo::SelectOp>(builder, location, a.getType(), {flags, a, b});
  }
  mlir::Value sliceAt(mlir::Value value, llvm::ArrayRef<mlir::Value> starts,
                      llvm::ArrayRef<int64_t> sizes) {
    return stablehlo::createDynamicSlice(builder, location, value, starts, sizes);
  }

  stablehlo::SelectAndScatterOp op;
  LocalProgram &program;
  DeviceCoordinates &device;
  mlir::OpBuilder builder;
  mlir::Location location;
  llvm::SmallVector<FetchedDim> dims;
};

void FormBuilder::findDims() {
  llvm::ArrayRef<reshard::IntervalFetch> fetches = program.fetchesOf(op);
  for (const reshard::IntervalFetch &fetch : fetches) {
    if (fetch.operand != 0)
      continue;
    // The source is cut along the same dimensions.
    const reshard::IntervalFetch *ofSource =
        llvm::find_if(fetches, [&](const reshard::IntervalFetch &other) {
          return other.operand == 1 && other.dim == fetch.dim;
        });
    dims.push_back({fetch.dim, fetch.axes, stablehlo::windowDim(op, fetch.dim),
                    program.globalType(op->getOperand(0)).getDimSize(fetch.dim),
                    typeOf(op->getResult(0)).getDimSize(fetch.dim), fetch.problem.interval,
                    ofSource->problem.interval});
  }
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// E: the element at which the first of the fetched windows begins.
mlir::Value FormBuilder::firstCovered(const FetchedDim &dim) {
  if (!dim.drifts())
    return firstFetched(dim);
  mlir::Value window = beginOfInterval(builder, location, device, dim.axes, dim.windows);
  return apply<stablehlo::SubtractOp>(
      apply<stablehlo::MulOp>(window, device.constant(dim.window.stride)),
      device.constant(dim.window.low));
}

mlir::Value FormBuilder::places(mlir::Value first, int64_t count) {
  auto type = mlir::RankedTensorType::get({count}, builder.getI32Type());
  return apply<stablehlo::AddOp>(stablehlo::createIota(builder, location, type, 0),
                                 stablehlo::createBroadcast(builder, location, first, type));
}

mlir::Value FormBuilder::compare(mlir::Value places, ComparisonDirection direction, int64_t place) {
  mlir::Value other =
      stablehlo::createBroadcast(builder, location, device.constant(place), typeOf(places));
  return stablehlo::createCompare(builder, location, places, other, direction);
}

//===----------------------------------------------------------------------===//
// Elements outside of a dimension
//===----------------------------------------------------------------------===//

/// `elements` with the first one in front of it, and the last one behind it.
mlir::Value FormBuilder::withCopies(mlir::Value elements, const FetchedDim &dim) {
  mlir::RankedTensorType type = typeOf(elements);
  mlir::Value first = firstFetched(dim);
  mlir::Value at = places(first, type.getDimSize(dim.dim));
  auto copy = [&](int64_t element, ComparisonDirection isOutside) {
    llvm::SmallVector<mlir::Value> starts(type.getRank(), device.constant(0));
    llvm::SmallVector<int64_t> sizes(type.getShape());
    // Where a device has not got the element none of its windows has a copy.
    starts[dim.dim] = apply<stablehlo::SubtractOp>(device.constant(element), first);
    sizes[dim.dim] = 1;
    auto allDims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    mlir::Value copies = stablehlo::createBroadcast(
        builder, location, sliceAt(elements, starts, sizes), type, allDims);
    elements = select(spread(compare(at, isOutside, element), dim, elements), copies, elements);
  };
  if (dim.window.low > 0)
    copy(0, ComparisonDirection::LT);
  if (dim.window.high > 0)
    copy(dim.size - 1, ComparisonDirection::GT);
  return elements;
}

/// What `areCopies` have of `gradient` along `dim`, summed up, at the place where `isElement`.
mlir::Value FormBuilder::shareOf(mlir::Value gradient, const FetchedDim &dim, mlir::Value areCopies,
                                 mlir::Value isElement) {
  mlir::RankedTensorType type = typeOf(gradient);
  mlir::Value zeros = stablehlo::createZeros(builder, location, type);
  auto scalar = mlir::RankedTensorType::get({}, type.getElementType());
  llvm::SmallVector<int64_t> rest, restShape;
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    if (static_cast<int64_t>(i) != dim.dim) {
      rest.push_back(static_cast<int64_t>(i));
      restShape.push_back(size);
    }
  auto sum = stablehlo::ReduceOp::create(
      builder, location, mlir::TypeRange(type.clone(restShape)),
      mlir::ValueRange{select(spread(areCopies, dim, gradient), gradient, zeros),
                       stablehlo::createZeros(builder, location, scalar)},
      {builder.getNamedAttr("dimensions", builder.getDenseI64ArrayAttr({dim.dim}))});
  stablehlo::buildReducer(builder, location, sum.getBody(), core::ReductionKind::Sum, scalar);
  mlir::Value all = stablehlo::createBroadcast(builder, location, sum->getResult(0), type, rest);
  return select(spread(isElement, dim, gradient), all, zeros);
}

/// `gradient` with what copies were given at the places of their elements.
mlir::Value FormBuilder::withSharesOfCopies(mlir::Value gradient, const FetchedDim &dim) {
  mlir::Value at = places(firstCovered(dim), typeOf(gradient).getDimSize(dim.dim));
  auto addShare = [&](int64_t element, ComparisonDirection isOutside) {
    gradient =
        apply<stablehlo::AddOp>(gradient, shareOf(gradient, dim, compare(at, isOutside, element),
                                                  compare(at, ComparisonDirection::EQ, element)));
  };
  if (dim.window.low > 0)
    addShare(0, ComparisonDirection::LT);
  if (dim.window.high > 0)
    addShare(dim.size - 1, ComparisonDirection::GT);
  return gradient;
}

//===----------------------------------------------------------------------===//
// The op on what is fetched
//===----------------------------------------------------------------------===//

/// The elements that the fetched windows cover, of those that were fetched.
mlir::Value FormBuilder::covered(mlir::Value elements) {
  int64_t rank = typeOf(elements).getRank();
  llvm::SmallVector<int64_t> sizes(typeOf(elements).getShape()), none(rank, 0), behind(rank, 0);
  llvm::SmallVector<mlir::Value> starts(rank, device.constant(0));
  bool drifts = false;
  for (const FetchedDim &dim : dims) {
    if (dim.isPadded())
      elements = withCopies(elements, dim);
    if (!dim.drifts())
      continue;
    drifts = true;
    starts[dim.dim] = apply<stablehlo::SubtractOp>(firstCovered(dim), firstFetched(dim));
    sizes[dim.dim] = dim.covered();
    // The last windows may reach beyond what is fetched where they do not reach into the block.
    behind[dim.dim] =
        std::max<int64_t>(0, dim.window.stride - 1 + dim.covered() - dim.elements.extent);
  }
  if (!drifts)
    return elements;
  mlir::Value zero = stablehlo::createZeros(
      builder, location, mlir::RankedTensorType::get({}, typeOf(elements).getElementType()));
  if (behind != none)
    elements = stablehlo::createPad(builder, location, elements, zero, none, behind);
  return sliceAt(elements, starts, sizes);
}

/// The op itself, which has no padding along fetched dimensions.
mlir::Value FormBuilder::gradient(mlir::Value elements, mlir::Value source) {
  // It stays as it is until all forms are built: they ask for the type of its result.
  auto copy = mlir::cast<stablehlo::SelectAndScatterOp>(builder.clone(*op));
  copy->setOperand(0, elements);
  copy->setOperand(1, source);
  copy->getResult(0).setType(elements.getType());
  for (const FetchedDim &dim : dims)
    if (dim.isPadded())
      copy.setPaddingAttr(stablehlo::withPadding(copy.getPaddingAttr(), typeOf(elements).getRank(),
                                                 dim.dim, 0, 0, builder.getContext()));
  return copy->getResult(0);
}

/// The device's block of what the op gives. Elements that no window covers have what scattering
/// starts from.
mlir::Value FormBuilder::blockOf(mlir::Value gradient) {
  mlir::RankedTensorType block = typeOf(op->getResult(0)), type = typeOf(gradient);
  llvm::SmallVector<int64_t> low(block.getRank(), 0), high(block.getRank(), 0);
  llvm::SmallVector<mlir::Value> starts(block.getRank(), device.constant(0));
  bool drifts = false;
  for (const FetchedDim &dim : dims) {
    int64_t length = type.getDimSize(dim.dim);
    if (!dim.drifts()) {
      low[dim.dim] = dim.elements.start;
      high[dim.dim] = dim.width - length - dim.elements.start;
      continue;
    }
    drifts = true;
    // The block begins from size - stride to size - 1 behind the first window.
    low[dim.dim] = std::max<int64_t>(0, dim.window.stride - dim.window.size);
    high[dim.dim] = std::max<int64_t>(0, dim.window.size - 1 + dim.width - length);
    mlir::Value behindWindow =
        apply<stablehlo::SubtractOp>(device.offset(dim.axes, dim.width), firstCovered(dim));
    starts[dim.dim] = apply<stablehlo::AddOp>(behindWindow, device.constant(low[dim.dim]));
  }
  auto isZero = [](int64_t number) { return number == 0; };
  if (!llvm::all_of(low, isZero) || !llvm::all_of(high, isZero))
    gradient = stablehlo::createPad(builder, location, gradient, op->getOperand(2), low, high);
  return drifts ? sliceAt(gradient, starts, block.getShape()) : gradient;
}

void FormBuilder::build() {
  mlir::Value elements = covered(fetchOperand(op, 0, program));
  mlir::Value result = gradient(elements, fetchOperand(op, 1, program));
  for (const FetchedDim &dim : dims)
    if (dim.isPadded())
      result = withSharesOfCopies(result, dim);
  program.replaceInTheEnd(op->getResult(0), blockOf(result));
  program.eraseInTheEnd(op);
}

} // namespace

llvm::LogicalResult selectAndScatterForm(mlir::Operation *op, LocalProgram &program) {
  if (!program.fetchesOf(op).empty())
    FormBuilder(mlir::cast<stablehlo::SelectAndScatterOp>(op), program).build();
  return llvm::success();
}

} // namespace shardwise::partition
