// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block of the result gets something of every window that reaches into it, and the choice in such
// a window is made among all of its elements. So a device fetches the windows that reach into its
// block, and what they cover, runs the op on that, and keeps its block of the result.
//
// With blocks of w elements, stride s, size n and low padding l, the device at place c fetches
//   - windows from number Q = ceil((w c + l - n + 1) / s) on;
//   - elements from X on, where the first of these windows begins, at E = s Q - l, or before.
//
//   1. Where s divides w, X = E, which moves as blocks do, and the block is cut out at a fixed
//   place.
//   2. Else blocks begin at different places in the grid of windows. X = w c - n + 1 is not behind
//   E for any c; each device drops the E - X elements in front of its first window, and cuts its
//   block out at w c - E.
//   3. At the ends there are windows that do not exist, and elements that do not: padding, which is
//   never chosen. What exists is known by the place of a device, not by all devices together, so
//   each kind of place has a branch, in which the op runs on the windows and elements that are
//   there, with the padding that is there. All that is not reached has what scattering starts from.
//   So the choice may be any, and so may what is done with the chosen: a block sees the windows in
//   the order that they have.
//
// Example, 10 elements of [{"x"}] on x=4, windows of 3 with stride 2 and padding [1, 1]: blocks are
// of 3, and x=1 has elements 3 to 5. Windows 1 to 3 reach into them, Q = ceil((3 + 1 - 2) / 2) = 1,
// which cover 1 to 7; of the elements from X = 1 on that it fetches it drops none, and its block is
// at 2 of what the op gives. x=0 has 0 to 2, Q = ceil(-1 / 2) = 0, and E = -1: windows 0 to 2 cover
// -1 to 5, of which 0 to 5 exist, so its branch has the op on these with a low padding of 1.

#include "shardwise/transforms/partition/SelectAndScatterForm.h"

#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/dialect/stablehlo/WindowDims.h"
#include "shardwise/transforms/partition/IntervalFetch.h"
#include "shardwise/transforms/partition/LocalForms.h"

#include <algorithm>

namespace shardwise::partition {

namespace {

mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// What exists of the windows that a block fetches along a dimension, and of the elements that
/// these cover: ranges of what was fetched, and the padding of the op on it.
struct Existing {
  int64_t windowsBegin = 0, windowsEnd = 0;
  int64_t elementsBegin = 0, elementsEnd = 0;
  int64_t low = 0, high = 0;

  bool isEmpty() const { return windowsBegin == windowsEnd; }
  bool operator==(const Existing &) const = default;
};

/// Blocks in a row of which the same exists, from number `begin` on.
struct Places {
  int64_t begin = 0;
  Existing existing;
};

/// A dimension along which the op fetches.
struct FetchedDim {
  int64_t dim = 0;
  core::AxisList axes;
  stablehlo::WindowDim window;
  /// Elements and windows of the whole dimension, and elements of a block.
  int64_t size = 0;
  int64_t numWindows = 0;
  int64_t width = 0;
  core::BlockInterval elements;
  core::BlockInterval windows;

  bool drifts() const { return windows.divisor != 1; }
  /// Elements from the first to the last that the fetched windows cover.
  int64_t covered() const { return (windows.extent - 1) * window.stride + window.size; }
  /// What has to be added in front of these and behind them so that the block is there, at any
  /// place where it may begin; less than none where the block is cut out.
  int64_t addedInFront() const;
  int64_t addedBehind() const;
  Existing existingOf(int64_t block) const;
  std::vector<Places> places() const;
};

int64_t FetchedDim::addedInFront() const {
  // The block begins from size - stride to size - 1 behind the first window.
  return drifts() ? std::max<int64_t>(0, window.stride - window.size) : elements.start;
}

int64_t FetchedDim::addedBehind() const {
  return drifts() ? std::max<int64_t>(0, window.size - 1 + width - covered())
                  : width - covered() - elements.start;
}

Existing FetchedDim::existingOf(int64_t block) const {
  // Windows [Q, Q + extent), of which [first, end) exist, and what these cover, by element.
  int64_t fetched = windows.begin(block);
  int64_t first = std::max<int64_t>(fetched, 0);
  int64_t end = std::min(fetched + windows.extent, numWindows);
  if (first >= end)
    return {};
  int64_t coveredBegin = window.stride * first - window.low;
  int64_t coveredEnd = window.stride * (end - 1) - window.low + window.size;
  int64_t begin = std::max<int64_t>(coveredBegin, 0), behind = std::min(coveredEnd, size);
  // Windows of nothing but padding choose nothing.
  if (begin >= behind)
    return {};
  int64_t place = window.stride * fetched - window.low;
  return {first - fetched, end - fetched,        begin - place,
          behind - place,  begin - coveredBegin, coveredEnd - behind};
}

std::vector<Places> FetchedDim::places() const {
  std::vector<Places> all;
  for (int64_t block = 0; block < core::shardedSize(axes); ++block)
    if (Existing existing = existingOf(block); all.empty() || all.back().existing != existing)
      all.push_back({block, existing});
  return all;
}

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
  mlir::Value gradientOf(llvm::ArrayRef<Existing> existing, mlir::Value elements,
                         mlir::Value source);
  mlir::Value blockOf(mlir::Value gradient);

  /// The element at which the first of the fetched windows begins: E.
  mlir::Value firstCovered(const FetchedDim &dim);
  mlir::Value numberOf(const FetchedDim &dim, llvm::ArrayRef<Places> places);
  template <class Op> mlir::Value apply(mlir::Value a, mlir::Value b) {
    return createValue<Op>(builder, location, a.getType(), {a, b});
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
                    program.globalType(op->getOperand(1)).getDimSize(fetch.dim),
                    typeOf(op->getResult(0)).getDimSize(fetch.dim), fetch.problem.interval,
                    ofSource->problem.interval});
  }
}

mlir::Value FormBuilder::firstCovered(const FetchedDim &dim) {
  mlir::Value window = beginOfInterval(builder, location, device, dim.axes, dim.windows);
  return apply<stablehlo::SubtractOp>(
      apply<stablehlo::MulOp>(window, device.constant(dim.window.stride)),
      device.constant(dim.window.low));
}

/// The elements that the fetched windows cover, of those that were fetched.
mlir::Value FormBuilder::covered(mlir::Value elements) {
  int64_t rank = typeOf(elements).getRank();
  llvm::SmallVector<int64_t> sizes(typeOf(elements).getShape()), none(rank, 0), behind(rank, 0);
  llvm::SmallVector<mlir::Value> starts(rank, device.constant(0));
  bool drifts = false;
  for (const FetchedDim &dim : dims) {
    if (!dim.drifts())
      continue;
    drifts = true;
    mlir::Value fetched = beginOfInterval(builder, location, device, dim.axes, dim.elements);
    starts[dim.dim] = apply<stablehlo::SubtractOp>(firstCovered(dim), fetched);
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
  return stablehlo::createDynamicSlice(builder, location, elements, starts, sizes);
}

/// Which of `places`, of which there are several, the device is at, from 0 on.
mlir::Value FormBuilder::numberOf(const FetchedDim &dim, llvm::ArrayRef<Places> places) {
  mlir::Value number;
  for (const Places &next : places.drop_front()) {
    mlir::Value isThere =
        stablehlo::createCompare(builder, location, device.coordinate(dim.axes),
                                 device.constant(next.begin), stablehlo::ComparisonDirection::GE);
    mlir::Value one =
        createValue<stablehlo::ConvertOp>(builder, location, device.constant(0).getType(), isThere);
    number = number ? apply<stablehlo::AddOp>(number, one) : one;
  }
  return number;
}

/// The op on what exists of `elements` and `source` along each of the fetched dimensions: its
/// result at the place that it has among all that windows cover, and what is to be added to that.
mlir::Value FormBuilder::gradientOf(llvm::ArrayRef<Existing> existing, mlir::Value elements,
                                    mlir::Value source) {
  mlir::RankedTensorType type = typeOf(elements);
  int64_t rank = type.getRank();
  llvm::SmallVector<int64_t> begins(rank, 0), ends(type.getShape()), shape(type.getShape());
  llvm::SmallVector<int64_t> low(rank, 0), high(rank, 0);
  llvm::SmallVector<int64_t> sourceBegins(rank, 0), sourceEnds(typeOf(source).getShape());
  mlir::DenseIntElementsAttr padding = op.getPaddingAttr();
  for (auto [dim, of] : llvm::zip_equal(dims, existing)) {
    low[dim.dim] = of.elementsBegin + dim.addedInFront();
    high[dim.dim] = dim.covered() - of.elementsEnd + dim.addedBehind();
    shape[dim.dim] = dim.covered() + dim.addedInFront() + dim.addedBehind();
    begins[dim.dim] = of.elementsBegin;
    ends[dim.dim] = of.elementsEnd;
    sourceBegins[dim.dim] = of.windowsBegin;
    sourceEnds[dim.dim] = of.windowsEnd;
    padding = stablehlo::withPadding(padding, rank, dim.dim, of.low, of.high, builder.getContext());
  }
  if (llvm::any_of(existing, [](const Existing &of) { return of.isEmpty(); }))
    return stablehlo::createBroadcast(builder, location, op->getOperand(2), type.clone(shape));
  auto part = [&](mlir::Value value, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to) {
    bool isAll = llvm::equal(to, typeOf(value).getShape()) &&
                 llvm::all_of(from, [](int64_t begin) { return begin == 0; });
    return isAll ? value : stablehlo::createSlice(builder, location, value, from, to);
  };
  mlir::Value existingElements = part(elements, begins, ends);
  mlir::Value existingSource = part(source, sourceBegins, sourceEnds);
  // It stays as it is until all forms are built: they ask for the type of its result.
  auto copy = mlir::cast<stablehlo::SelectAndScatterOp>(builder.clone(*op));
  copy->setOperand(0, existingElements);
  copy->setOperand(1, existingSource);
  copy->getResult(0).setType(existingElements.getType());
  copy.setPaddingAttr(padding);
  auto isZero = [](int64_t number) { return number == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return copy->getResult(0);
  return stablehlo::createPad(builder, location, copy->getResult(0), op->getOperand(2), low, high);
}

/// The op on all that was fetched, in as many branches as there are kinds of places.
mlir::Value FormBuilder::gradient(mlir::Value elements, mlir::Value source) {
  llvm::SmallVector<llvm::SmallVector<Existing>> branches(1);
  mlir::Value branch;
  for (const FetchedDim &dim : dims) {
    std::vector<Places> places = dim.places();
    if (places.size() > 1) {
      mlir::Value number = numberOf(dim, places);
      branch = branch ? apply<stablehlo::AddOp>(
                            apply<stablehlo::MulOp>(
                                branch, device.constant(static_cast<int64_t>(places.size()))),
                            number)
                      : number;
    }
    llvm::SmallVector<llvm::SmallVector<Existing>> next;
    for (const llvm::SmallVector<Existing> &before : branches)
      for (const Places &place : places) {
        next.push_back(before);
        next.back().push_back(place.existing);
      }
    branches = std::move(next);
  }
  if (branches.size() == 1)
    return gradientOf(branches.front(), elements, source);
  // The result is that of the branches.
  auto choice = stablehlo::CaseOp::create(
      builder, location, mlir::TypeRange(elements.getType()), mlir::ValueRange(branch),
      llvm::ArrayRef<mlir::NamedAttribute>{}, static_cast<unsigned>(branches.size()));
  mlir::OpBuilder::InsertionGuard guard(builder);
  for (auto [region, existing] : llvm::zip_equal(choice->getRegions(), branches)) {
    builder.createBlock(&region);
    mlir::Value given = gradientOf(existing, elements, source);
    stablehlo::ReturnOp::create(builder, location, mlir::TypeRange(), mlir::ValueRange(given),
                                llvm::ArrayRef<mlir::NamedAttribute>());
    choice->getResult(0).setType(given.getType());
  }
  return choice->getResult(0);
}

/// The device's block of what the op gives, which is there already where blocks do not drift.
mlir::Value FormBuilder::blockOf(mlir::Value gradient) {
  llvm::SmallVector<mlir::Value> starts(typeOf(gradient).getRank(), device.constant(0));
  bool drifts = false;
  for (const FetchedDim &dim : dims) {
    if (!dim.drifts())
      continue;
    drifts = true;
    mlir::Value behindWindow =
        apply<stablehlo::SubtractOp>(device.offset(dim.axes, dim.width), firstCovered(dim));
    starts[dim.dim] = createWithNumber<stablehlo::AddOp>(builder, location, device, behindWindow,
                                                         dim.addedInFront());
  }
  return drifts ? stablehlo::createDynamicSlice(builder, location, gradient, starts,
                                                typeOf(op->getResult(0)).getShape())
                : gradient;
}

void FormBuilder::build() {
  mlir::Value elements = covered(fetchOperand(op, 0, program));
  mlir::Value result = gradient(elements, fetchOperand(op, 1, program));
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
