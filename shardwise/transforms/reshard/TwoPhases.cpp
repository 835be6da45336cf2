// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions, top_k and prefix sums along a cut dimension, as ops on the whole tensors.
//   1. The dimension of N elements becomes one of g parts, which has the axes, and one of N/g
//      elements, which every device has whole. Nothing moves.
//   2. The first phase is the op along the N/g elements. Each part has its candidates: one element,
//      the k largest and where they are, or what it adds up to.
//   3. A reshard brings the candidates of all parts to every device.
//   4. The second phase is the op once more, along the candidates. They are in the order of the
//      parts, so that of equal ones the first is found, and NaNs behave as in one phase. Prefix
//      sums are corrected instead: by what the parts before their own come to.
// All of it is an ordinary program that means what the op meant; only its shardings say who
// computes what. Example, prefix sums of 8 elements with x=2:
//   %0 = reshape %a               : 2x4 [{"x"}, {}]      1 2 3 4 | 5 6 7 8
//   %1 = reduce_window %0         : 2x4 [{"x"}, {}]      1 3 6 10 | 5 11 18 26
//   %2 = slice %1 [0:2, 3:4]      : 2   [{"x"}]          10 | 26
//   %3 = sdy.reshard %2           : 2   [{}]             10 26 on both
//   %4 = sum of %3 before each    : 2   [{"x"}]          0 | 10
//   %5 = add %1, broadcast of %4  : 2x4 [{"x"}, {}]      1 3 6 10 | 15 21 28 36

#include "shardwise/transforms/reshard/TwoPhases.h"

#include "shardwise/dialect/chlo/ChloOps.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CumulativeWindow.h"
#include "shardwise/dialect/stablehlo/ReducerRegions.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/reshard/ChooseFactorAxes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

namespace shardwise::reshard {

namespace {

using core::AxisList;
using core::Sharding;
using Shape = llvm::SmallVector<int64_t>;

/// Axes of every dimension of a tensor.
using Axes = llvm::SmallVector<AxisList>;

Axes axesOfDims(const Sharding &sharding) {
  Axes axes;
  for (const core::DimSharding &dim : sharding.dims)
    axes.push_back(dim.axes);
  return axes;
}

/// Writes ops together with the placement of their results.
class PlacedOps {
public:
  PlacedOps(mlir::Operation *before, mlir::Attribute mesh, ShardedProgram &program)
      : builder(before), location(before->getLoc()), mesh(mesh), program(program) {}

  template <class Op>
  Op create(mlir::TypeRange types, mlir::ValueRange operands, llvm::ArrayRef<Axes> placements,
            llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    auto op = Op::create(builder, location, types, operands, attributes);
    llvm::SmallVector<sdy::TensorShardingAttr> shardings;
    for (const Axes &axes : placements)
      shardings.push_back(shardingOf(axes));
    sdy::setResultShardings(op, shardings);
    return op;
  }
  /// Says that all results of `op` are placed by `axes`.
  void place(mlir::Operation *op, const Axes &axes) {
    sdy::setResultShardings(
        op, llvm::SmallVector<sdy::TensorShardingAttr>(op->getNumResults(), shardingOf(axes)));
  }
  template <class Op>
  mlir::Value value(mlir::RankedTensorType type, mlir::ValueRange operands, const Axes &axes,
                    llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return create<Op>(mlir::TypeRange(type), operands, axes, attributes)->getResult(0);
  }

  mlir::Value reshape(mlir::Value from, llvm::ArrayRef<int64_t> shape, const Axes &axes) {
    return value<stablehlo::ReshapeOp>(typeOf(from).clone(shape), from, axes);
  }
  mlir::Value broadcast(mlir::Value from, llvm::ArrayRef<int64_t> dims,
                        llvm::ArrayRef<int64_t> shape, const Axes &axes) {
    return value<stablehlo::BroadcastInDimOp>(typeOf(from).clone(shape), from, axes,
                                              named("broadcast_dimensions", dims));
  }
  mlir::Value iota(mlir::RankedTensorType type, int64_t dim, const Axes &axes) {
    return value<stablehlo::IotaOp>(
        type, {}, axes, builder.getNamedAttr("iota_dimension", builder.getI64IntegerAttr(dim)));
  }
  mlir::Value reshard(mlir::Value from, const Axes &axes) {
    return sdy::ReshardOp::create(builder, location, from.getType(), from, shardingOf(axes));
  }

  mlir::NamedAttribute named(llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
    return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
  }
  static mlir::RankedTensorType typeOf(mlir::Value value) {
    return mlir::cast<mlir::RankedTensorType>(value.getType());
  }

  mlir::OpBuilder builder;
  mlir::Location location;

private:
  sdy::TensorShardingAttr shardingOf(const Axes &axes) {
    Sharding sharding;
    bool isWhole = true;
    for (const AxisList &list : axes) {
      sharding.dims.push_back({list});
      isWhole &= list.empty();
    }
    return program.attributeFor(sharding, isWhole ? mlir::Attribute() : mesh);
  }

  mlir::Attribute mesh;
  ShardedProgram &program;
};

/// The dimensions of the first operand that are computed in two phases, and their axes. Where the
/// others are after step 1.
class Parts {
public:
  Parts(const propagation::ShardingProjection &projection, const propagation::AxesPerFactor &axes,
        std::span<const core::FactorUse> uses)
      : axesOfSplitDims(projection.mapping(0).size()) {
    for (auto [factor, use] : llvm::enumerate(uses))
      if (use.isTwoPhase() && !axes[factor].empty())
        axesOfSplitDims[core::findFactor(projection.mapping(0), factor)->dim] = axes[factor];
  }

  bool isSplit(int64_t dim) const { return !axesOfSplitDims[dim].empty(); }
  const AxisList &axesOf(int64_t dim) const { return axesOfSplitDims[dim]; }
  int64_t numParts(int64_t dim) const { return core::shardedSize(axesOfSplitDims[dim]); }
  /// Where `dim` is after step 1: its elements, behind its parts.
  int64_t placeOf(int64_t dim) const {
    int64_t place = dim;
    for (int64_t d = 0; d <= dim; ++d)
      place += isSplit(d) ? 1 : 0;
    return place;
  }

  /// Step 1.
  mlir::Value split(mlir::Value whole, const Axes &axes, PlacedOps &ops) const {
    Shape shape;
    Axes splitAxes;
    for (auto [dim, size] : llvm::enumerate(PlacedOps::typeOf(whole).getShape())) {
      if (isSplit(dim)) {
        shape.append({numParts(dim), size / numParts(dim)});
        splitAxes.append({axesOf(dim), {}});
      } else {
        shape.push_back(size);
        splitAxes.push_back(axes[dim]);
      }
    }
    return ops.reshape(whole, shape, splitAxes);
  }

private:
  Axes axesOfSplitDims;
};

/// What a form needs to know of the op that it writes in two phases.
struct TwoPhaseOp {
  const Parts &parts;
  /// By operand.
  llvm::SmallVector<Axes> operandAxes;
};

/// A part of negative zeros comes to -0.0.
mlir::Value createIdentity(core::ReductionKind kind, mlir::RankedTensorType type, PlacedOps &ops) {
  if (kind == core::ReductionKind::Sum)
    return stablehlo::createAdditiveIdentity(ops.builder, ops.location, type);
  return stablehlo::createConstant(ops.builder, ops.location, stablehlo::identityOf(kind, type));
}

/// Scalars from which parts start: identities where the reducer has them, so that the start of the
/// program is folded in once.
llvm::SmallVector<mlir::Value> startsOfParts(mlir::Region &reducer, mlir::ValueRange starts,
                                             PlacedOps &ops) {
  llvm::SmallVector<mlir::Value> values(starts);
  for (auto [number, kind] : llvm::enumerate(stablehlo::reductionsOf(reducer)))
    values[number] = createIdentity(kind, PlacedOps::typeOf(starts[number]), ops);
  return values;
}

void copyRegion(mlir::Region &from, mlir::Region &to) {
  mlir::IRMapping mapping;
  from.cloneInto(&to, mapping);
}

/// Folds `dims` of `inputs`, all of one shape and placement.
stablehlo::ReduceOp reduce(mlir::ValueRange inputs, const Axes &axes, mlir::ValueRange starts,
                           llvm::ArrayRef<int64_t> dims, mlir::Region &reducer, PlacedOps &ops) {
  Shape shape;
  Axes keptAxes;
  for (auto [dim, size] : llvm::enumerate(PlacedOps::typeOf(inputs.front()).getShape()))
    if (!llvm::is_contained(dims, int64_t(dim))) {
      shape.push_back(size);
      keptAxes.push_back(axes[dim]);
    }
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value input : inputs)
    types.push_back(PlacedOps::typeOf(input).clone(shape));
  llvm::SmallVector<mlir::Value> operands(inputs);
  operands.append(starts.begin(), starts.end());
  llvm::SmallVector<Axes> placements(inputs.size(), keptAxes);
  auto op =
      ops.create<stablehlo::ReduceOp>(types, operands, placements, ops.named("dimensions", dims));
  copyRegion(reducer, op.getBody());
  return op;
}

/// Both phases are the reduction.
llvm::SmallVector<mlir::Value> writeReduce(stablehlo::ReduceOp op, const TwoPhaseOp &given,
                                           PlacedOps &ops) {
  const Parts &parts = given.parts;
  llvm::SmallVector<mlir::Value> inputs;
  for (auto [number, input] : llvm::enumerate(op.getInputs()))
    inputs.push_back(parts.split(input, given.operandAxes[number], ops));
  // The parts stay, between the dimensions that stay anyway.
  Shape dims, partDims;
  Axes splitAxes, candidateAxes, wholeAxes;
  for (int64_t dim = 0; dim < PlacedOps::typeOf(op.getInputs().front()).getRank(); ++dim) {
    if (parts.isSplit(dim)) {
      partDims.push_back(candidateAxes.size());
      splitAxes.push_back(parts.axesOf(dim));
      candidateAxes.push_back(parts.axesOf(dim));
      wholeAxes.push_back({});
    }
    splitAxes.push_back(parts.isSplit(dim) ? AxisList() : given.operandAxes[0][dim]);
    if (llvm::is_contained(op.getDimensions(), dim)) {
      dims.push_back(parts.placeOf(dim));
    } else {
      candidateAxes.push_back(splitAxes.back());
      wholeAxes.push_back(splitAxes.back());
    }
  }
  auto first = reduce(inputs, splitAxes, startsOfParts(op.getBody(), op.getInitValues(), ops), dims,
                      op.getBody(), ops);
  llvm::SmallVector<mlir::Value> candidates;
  for (mlir::Value candidate : first->getResults())
    candidates.push_back(ops.reshard(candidate, wholeAxes));
  auto second = reduce(candidates, wholeAxes, op.getInitValues(), partDims, op.getBody(), ops);
  return llvm::to_vector_of<mlir::Value>(second->getResults());
}

/// Of every part, the largest and their numbers in the whole dimension; then the largest of these.
llvm::SmallVector<mlir::Value> writeTopK(chlo::TopKOp op, const TwoPhaseOp &given, PlacedOps &ops) {
  mlir::RankedTensorType type = PlacedOps::typeOf(op->getOperand(0));
  int64_t lastDim = type.getRank() - 1, numParts = given.parts.numParts(lastDim);
  int64_t partSize = type.getDimSize(lastDim) / numParts;
  int64_t count = std::min<int64_t>(op.getK(), partSize);
  const Axes &operandAxes = given.operandAxes[0];
  Axes splitAxes(operandAxes);
  splitAxes.push_back({});
  auto topK = [&](mlir::Value operand, int64_t k, const Axes &axes) {
    Shape shape(PlacedOps::typeOf(operand).getShape());
    shape.back() = k;
    llvm::SmallVector<mlir::Type> types;
    for (mlir::Value result : op->getResults())
      types.push_back(PlacedOps::typeOf(result).clone(shape));
    llvm::SmallVector<mlir::NamedAttribute> attributes{
        ops.builder.getNamedAttr("k", ops.builder.getI64IntegerAttr(k)),
        ops.builder.getNamedAttr("is_stable", ops.builder.getBoolAttr(op.getIsStable()))};
    return ops.create<chlo::TopKOp>(types, operand, {axes, axes}, attributes);
  };
  auto first = topK(given.parts.split(op->getOperand(0), operandAxes, ops), count, splitAxes);

  mlir::RankedTensorType indexType = PlacedOps::typeOf(first->getResult(1));
  mlir::Value size = stablehlo::createConstant(
      ops.builder, ops.location,
      mlir::DenseElementsAttr::get(
          indexType.clone(llvm::ArrayRef<int64_t>{}),
          mlir::Attribute(ops.builder.getIntegerAttr(indexType.getElementType(), partSize))));
  mlir::Value offsets =
      ops.value<stablehlo::MulOp>(indexType,
                                  {ops.iota(indexType, lastDim, splitAxes),
                                   ops.broadcast(size, {}, indexType.getShape(), splitAxes)},
                                  splitAxes);
  mlir::Value indices =
      ops.value<stablehlo::AddOp>(indexType, {first->getResult(1), offsets}, splitAxes);

  Shape joined(indexType.getShape().drop_back());
  joined.back() *= count;
  Axes wholeAxes(operandAxes);
  wholeAxes.back() = {};
  auto gathered = [&](mlir::Value candidates) {
    return ops.reshard(ops.reshape(candidates, joined, operandAxes), wholeAxes);
  };
  mlir::Value values = gathered(first->getResult(0));
  indices = gathered(indices);
  auto second = topK(values, static_cast<int64_t>(op.getK()), wholeAxes);

  // The numbers that stand where the largest candidates are.
  mlir::RankedTensorType resultType = PlacedOps::typeOf(second->getResult(1));
  Shape pointShape(resultType.getShape());
  pointShape.push_back(1);
  Axes pointAxes(wholeAxes);
  pointAxes.push_back({});
  mlir::Value points = ops.reshape(second->getResult(1), pointShape, pointAxes);
  Shape batches = llvm::to_vector_of<int64_t>(llvm::seq<int64_t>(0, lastDim));
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      ops.builder.getContext(), /*offsetDims=*/{}, /*collapsedSliceDims=*/{lastDim}, batches,
      batches, /*startIndexMap=*/{lastDim}, /*indexVectorDim=*/lastDim + 1);
  mlir::Value found = ops.value<stablehlo::GatherOp>(
      resultType, {indices, points}, wholeAxes,
      {ops.builder.getNamedAttr("dimension_numbers", numbers),
       ops.named("slice_sizes", Shape(lastDim + 1, 1)),
       ops.builder.getNamedAttr("indices_are_sorted", ops.builder.getBoolAttr(false))});
  return {second->getResult(0), found};
}

/// Applies `reducer` to tensors, element by element.
llvm::SmallVector<mlir::Value> applyReducer(mlir::Region &reducer, mlir::ValueRange left,
                                            mlir::ValueRange right, const Axes &axes,
                                            PlacedOps &ops) {
  mlir::IRMapping mapping;
  mapping.map(reducer.getArguments().take_front(left.size()), left);
  mapping.map(reducer.getArguments().drop_front(left.size()), right);
  llvm::ArrayRef<int64_t> shape = PlacedOps::typeOf(left.front()).getShape();
  for (mlir::Operation &scalar : reducer.front().without_terminator()) {
    // Scalar constants are repeated, which keeps those without an attribute for a splat as simple.
    if (mlir::isa<stablehlo::ConstantOp>(scalar)) {
      mlir::Value constant = ops.builder.clone(scalar)->getResult(0);
      mapping.map(scalar.getResult(0), ops.broadcast(constant, {}, shape, axes));
      continue;
    }
    mlir::Operation *op = ops.builder.clone(scalar, mapping);
    for (auto [result, before] : llvm::zip_equal(op->getResults(), scalar.getResults())) {
      result.setType(PlacedOps::typeOf(result).clone(shape));
      mapping.map(before, result);
    }
    ops.place(op, axes);
  }
  llvm::SmallVector<mlir::Value> results;
  for (mlir::Value returned : reducer.front().getTerminator()->getOperands())
    results.push_back(mapping.lookup(returned));
  return results;
}

/// Prefix sums and their kin along one dimension.
class CumulativeForm {
public:
  CumulativeForm(stablehlo::ReduceWindowOp op, const TwoPhaseOp &given, PlacedOps &ops)
      : op(op), parts(given.parts), ops(ops), window(*stablehlo::cumulativeWindow(op)),
        dim(window.dim), numParts(parts.numParts(dim)), wholeAxes(given.operandAxes[0]) {
    splitAxes = wholeAxes;
    splitAxes.insert(splitAxes.begin() + dim + 1, AxisList());
  }

  llvm::SmallVector<mlir::Value> write() {
    llvm::SmallVector<mlir::Value> inputs;
    for (mlir::Value input : op.getInputs())
      inputs.push_back(parts.split(input, wholeAxes, ops));
    auto inParts = accumulate(inputs);
    llvm::SmallVector<mlir::Value> totals;
    for (mlir::Value accumulated : inParts->getResults())
      totals.push_back(totalOf(accumulated));
    auto before = foldOthers(totals);
    llvm::SmallVector<mlir::Value> corrections;
    for (auto [other, own] : llvm::zip_equal(before->getResults(), inParts->getResults())) {
      Shape dims;
      for (int64_t d = 0; d < PlacedOps::typeOf(other).getRank(); ++d)
        dims.push_back(d <= dim ? d : d + 1);
      corrections.push_back(
          ops.broadcast(other, dims, PlacedOps::typeOf(own).getShape(), splitAxes));
    }
    // What comes first in the dimension is the first argument.
    llvm::SmallVector<mlir::Value> own = llvm::to_vector_of<mlir::Value>(inParts->getResults());
    llvm::SmallVector<mlir::Value> corrected =
        window.isReverse ? applyReducer(op.getBody(), own, corrections, splitAxes, ops)
                         : applyReducer(op.getBody(), corrections, own, splitAxes, ops);
    llvm::SmallVector<mlir::Value> results;
    for (auto [value, result] : llvm::zip_equal(corrected, op->getResults()))
      results.push_back(ops.reshape(value, PlacedOps::typeOf(result).getShape(), wholeAxes));
    return results;
  }

private:
  /// Accumulates within the parts.
  stablehlo::ReduceWindowOp accumulate(mlir::ValueRange inputs) {
    mlir::RankedTensorType type = PlacedOps::typeOf(inputs.front());
    int64_t size = type.getDimSize(dim + 1);
    Shape windows(type.getRank(), 1), padding(2 * type.getRank(), 0);
    windows[dim + 1] = size;
    padding[2 * (dim + 1) + (window.isReverse ? 1 : 0)] = size - 1;
    auto paddingType =
        mlir::RankedTensorType::get({type.getRank(), 2}, ops.builder.getIntegerType(64));
    llvm::SmallVector<mlir::Value> operands(inputs);
    llvm::append_range(operands, op.getInitValues());
    auto accumulated = ops.create<stablehlo::ReduceWindowOp>(
        inputs.getTypes(), operands, llvm::SmallVector<Axes>(inputs.size(), splitAxes),
        {ops.named("window_dimensions", windows),
         ops.builder.getNamedAttr("padding", mlir::DenseIntElementsAttr::get(
                                                 paddingType, llvm::ArrayRef<int64_t>(padding)))});
    copyRegion(op.getBody(), accumulated.getBody());
    return accumulated;
  }

  /// Returns what every part comes to, on all devices.
  mlir::Value totalOf(mlir::Value accumulated) {
    mlir::RankedTensorType type = PlacedOps::typeOf(accumulated);
    Shape starts(type.getRank(), 0), limits(type.getShape()), strides(type.getRank(), 1);
    if (window.isReverse)
      limits[dim + 1] = 1;
    else
      starts[dim + 1] = limits[dim + 1] - 1;
    Shape shape(type.getShape());
    shape[dim + 1] = 1;
    mlir::Value last = ops.value<stablehlo::SliceOp>(type.clone(shape), accumulated, splitAxes,
                                                     {ops.named("start_indices", starts),
                                                      ops.named("limit_indices", limits),
                                                      ops.named("strides", strides)});
    shape.erase(shape.begin() + dim + 1);
    Axes totalAxes(wholeAxes);
    totalAxes[dim] = {};
    return ops.reshard(ops.reshape(last, shape, wholeAxes), totalAxes);
  }

  /// Folds for every part the totals of those before it, behind it if the window is reversed. The
  /// parts get a dimension of their own for that, which is cut: a device folds for its part only.
  stablehlo::ReduceOp foldOthers(mlir::ValueRange totals) {
    auto flags = mlir::RankedTensorType::get({numParts, numParts}, ops.builder.getI1Type());
    mlir::RankedTensorType numbers = flags.clone(ops.builder.getI32Type());
    Axes flagAxes{parts.axesOf(dim), {}};
    mlir::Value isOther = ops.value<stablehlo::CompareOp>(
        flags, {ops.iota(numbers, 1, flagAxes), ops.iota(numbers, 0, flagAxes)}, flagAxes,
        ops.builder.getNamedAttr(
            "comparison_direction",
            stablehlo::ComparisonDirectionAttr::get(
                ops.builder.getContext(), window.isReverse ? stablehlo::ComparisonDirection::GT
                                                           : stablehlo::ComparisonDirection::LT)));
    Shape shape(PlacedOps::typeOf(totals.front()).getShape()), dimsOfTotal;
    for (int64_t d = 0; d < int64_t(shape.size()); ++d)
      dimsOfTotal.push_back(d < dim ? d : d + 1);
    shape.insert(shape.begin() + dim, numParts);
    mlir::Value isFolded = ops.broadcast(isOther, {dim, dim + 1}, shape, splitAxes);
    llvm::SmallVector<mlir::Value> folded;
    for (auto [total, start] : llvm::zip_equal(totals, op.getInitValues()))
      folded.push_back(ops.value<stablehlo::SelectOp>(
          PlacedOps::typeOf(total).clone(shape),
          {isFolded, ops.broadcast(total, dimsOfTotal, shape, splitAxes),
           ops.broadcast(start, {}, shape, splitAxes)},
          splitAxes));
    return reduce(folded, splitAxes, op.getInitValues(), {dim + 1}, op.getBody(), ops);
  }

  stablehlo::ReduceWindowOp op;
  const Parts &parts;
  PlacedOps &ops;
  stablehlo::CumulativeWindow window;
  int64_t dim;
  int64_t numParts;
  Axes wholeAxes;
  Axes splitAxes;
};

/// No dimension of a reshape has the axes of one with a single element: all devices get that.
/// Returns whether there was one.
bool uncutSingleElements(mlir::Operation *op, TwoPhaseOp &given, PlacedOps &ops) {
  bool wasCut = false;
  for (auto [number, axes] : llvm::enumerate(given.operandAxes)) {
    llvm::ArrayRef<int64_t> shape = PlacedOps::typeOf(op->getOperand(number)).getShape();
    bool changes = false;
    for (auto [dim, size] : llvm::enumerate(shape))
      if (size == 1 && !axes[dim].empty() && !given.parts.isSplit(static_cast<int64_t>(dim))) {
        axes[dim] = {};
        changes = true;
      }
    if (changes)
      op->setOperand(number, ops.reshard(op->getOperand(number), axes));
    wasCut |= changes;
  }
  return wasCut;
}

} // namespace

bool needsTwoPhases(std::span<const core::FactorUse> uses, const propagation::AxesPerFactor &axes) {
  for (size_t factor = 0; factor < uses.size(); ++factor)
    if (uses[factor].isTwoPhase() && !axes[factor].empty())
      return true;
  return false;
}

llvm::SmallVector<mlir::Value> writeTwoPhases(mlir::Operation *op,
                                              const propagation::ShardingProjection &projection,
                                              const propagation::AxesPerFactor &axes,
                                              std::span<const core::FactorUse> uses,
                                              mlir::Attribute mesh, ShardedProgram &program) {
  Parts parts(projection, axes, uses);
  TwoPhaseOp given{parts, {}};
  for (int64_t tensor = 0; tensor < projection.numOperands(); ++tensor)
    given.operandAxes.push_back(axesOfDims(shardingOfFactors(projection, tensor, axes)));
  PlacedOps ops(op, mesh, program);
  bool wasCut = uncutSingleElements(op, given, ops);
  auto results =
      llvm::TypeSwitch<mlir::Operation *, llvm::SmallVector<mlir::Value>>(op)
          .Case([&](stablehlo::ReduceOp reduce) { return writeReduce(reduce, given, ops); })
          .Case([&](chlo::TopKOp topK) { return writeTopK(topK, given, ops); })
          .Case([&](stablehlo::ReduceWindowOp window) {
            return CumulativeForm(window, given, ops).write();
          })
          .Default([](mlir::Operation *) -> llvm::SmallVector<mlir::Value> {
            llvm_unreachable("a sheet names a two-phase use that has no form");
          });
  if (wasCut)
    for (auto [number, result] : llvm::enumerate(results)) {
      int64_t tensor = projection.numOperands() + static_cast<int64_t>(number);
      result = ops.reshard(result, axesOfDims(shardingOfFactors(projection, tensor, axes)));
    }
  return results;
}

} // namespace shardwise::reshard
