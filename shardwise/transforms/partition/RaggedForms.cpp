// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// chlo.ragged_dot: a product per group of consecutive slices, of which `group_sizes` says how many
// there are. The sizes are whole on every device, so that a device knows where each group starts in
// the whole tensor, and can say which part of it is its own:
//   1. Group g covers [starts[g], ends[g]) of the ragged dimension; ends are the prefix sums of the
//      sizes, and not beyond the dimension.
//   2. Where the ragged dimension is cut, a device has [offset, offset + width) of it, and of group
//      g what lies in there: the difference of the two bounds, both clamped to this interval.
//   3. Where the groups are cut, a device counts its own only. The slices of groups before its
//      first one are to be skipped, but the op counts from slice 0: so the slices are moved down by
//      as many, and the result, where it has them, back up. Slices of other groups give zeros.
//
// Example of (2), sizes [5, 0, 4] of 12 rows on x=2: ends are [5, 5, 9], starts [0, 5, 5].
//   x=0, rows 0 to 5:   groups have [5, 0, 1]
//   x=1, rows 6 to 11:  groups have [0, 0, 3]
// Example of (3), the same with the groups, four of them, [5, 0, 4, 2], on x=2, rows whole:
//   x=0: its groups have [5, 0], nothing is skipped; rows 5 to 11 are zero
//   x=1: its groups have [4, 2], 5 rows are skipped; rows 0 to 4 and 11 are zero

#include "shardwise/dialect/chlo/RaggedDim.h"
#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/ReducerRegions.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/LocalForms.h"

namespace shardwise::partition {

namespace {

mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// Builds the local form of one op.
class RaggedForm {
public:
  RaggedForm(chlo::RaggedDotOp op, LocalProgram &program)
      : op(op), program(program), device(program.coordinatesAt(op)), builder(op),
        location(op.getLoc()), ragged(op), width(typeOf(op.getLhs()).getDimSize(ragged.lhs)),
        globalWidth(program.globalType(op.getLhs()).getDimSize(ragged.lhs)) {}

  void build() {
    core::AxisList rowAxes = program.axesOf(op.getLhs(), ragged.lhs);
    core::AxisList groupAxes = axesOfGroups();
    if (ragged.isBatching || (rowAxes.empty() && groupAxes.empty()))
      return;
    findBounds();
    if (!rowAxes.empty())
      clampTo(device.offset(rowAxes, width));
    mlir::Value sizes = binary<stablehlo::SubtractOp>(ends, starts);
    if (!groupAxes.empty()) {
      int64_t numGroups = typeOf(sizes).getDimSize(0) / core::shardedSize(groupAxes);
      mlir::Value first = widened(device.offset(groupAxes, numGroups));
      mlir::Value skipped = scalarAt(starts, first);
      sizes = piece(sizes, 0, first, numGroups);
      op.getLhsMutable().set(movedDown(op.getLhs(), ragged.lhs, skipped));
      if (ragged.rhs)
        op.getRhsMutable().set(movedDown(op.getRhs(), *ragged.rhs, skipped));
      if (ragged.result)
        moveResultUp(*ragged.result, skipped);
    }
    op.getGroupSizesMutable().set(sizes);
  }

private:
  core::AxisList axesOfGroups() {
    if (ragged.rhs)
      return program.axesOf(op.getResult(), 0);
    llvm::ArrayRef<int64_t> dims = op.getRaggedDotDimensionNumbers().getRhsGroupDimensions();
    return dims.empty() ? core::AxisList() : program.axesOf(op.getRhs(), dims.front());
  }

  template <class Op> mlir::Value binary(mlir::Value lhs, mlir::Value rhs) {
    return createValue<Op>(builder, location, lhs.getType(), {lhs, rhs});
  }

  mlir::Value constant(mlir::RankedTensorType type, int64_t value) {
    return stablehlo::createConstant(
        builder, location,
        mlir::SplatElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), value)));
  }

  mlir::RankedTensorType scalarType() {
    return mlir::RankedTensorType::get({}, builder.getI64Type());
  }

  /// All counts are of 64 bits: the prefix sums of sizes of a narrow type may be beyond it.
  mlir::Value widened(mlir::Value value) {
    auto type = typeOf(value).clone(builder.getI64Type());
    return type == value.getType()
               ? value
               : createValue<stablehlo::ConvertOp>(builder, location, type, value);
  }

  /// Sets `starts` and `ends` of the groups in the whole tensor. A size below zero counts as zero,
  /// and no group goes beyond the end.
  void findBounds() {
    mlir::Value sizes = widened(op.getGroupSizes());
    mlir::RankedTensorType type = typeOf(sizes);
    mlir::Value limit = constant(type, globalWidth);
    sizes = binary<stablehlo::MaxOp>(sizes, constant(type, 0));
    sizes = binary<stablehlo::MinOp>(sizes, limit); // So that the sums cannot overflow.
    mlir::Value sums = prefixSums(sizes);
    ends = binary<stablehlo::MinOp>(sums, limit);
    starts = binary<stablehlo::MinOp>(binary<stablehlo::SubtractOp>(sums, sizes), limit);
  }

  /// Sums along the last dimension, the groups, up to and including each place.
  mlir::Value prefixSums(mlir::Value sizes) {
    mlir::RankedTensorType type = typeOf(sizes);
    int64_t numGroups = type.getShape().back();
    if (numGroups <= 1)
      return sizes;
    llvm::SmallVector<int64_t> window(type.getRank(), 1);
    llvm::SmallVector<int64_t> padding(2 * type.getRank(), 0);
    window.back() = numGroups;
    padding[2 * type.getRank() - 2] = numGroups - 1;
    auto paddingType = mlir::RankedTensorType::get({type.getRank(), 2}, builder.getI64Type());
    auto sums = stablehlo::ReduceWindowOp::create(
        builder, location, mlir::TypeRange(type),
        mlir::ValueRange{sizes, constant(scalarType(), 0)},
        {builder.getNamedAttr("window_dimensions", builder.getDenseI64ArrayAttr(window)),
         builder.getNamedAttr("padding", mlir::DenseIntElementsAttr::get(
                                             paddingType, llvm::ArrayRef<int64_t>(padding)))});
    stablehlo::buildReducer(builder, location, sums.getBody(), core::ReductionKind::Sum,
                            scalarType());
    return sums->getResult(0);
  }

  /// Lets the bounds be those of what lies in the device's interval, counted from its start.
  void clampTo(mlir::Value offset) {
    mlir::RankedTensorType type = typeOf(ends);
    mlir::Value spread = stablehlo::createBroadcast(builder, location, widened(offset), type);
    for (mlir::Value *bound : {&starts, &ends}) {
      *bound = binary<stablehlo::SubtractOp>(*bound, spread);
      *bound = binary<stablehlo::MaxOp>(*bound, constant(type, 0));
      *bound = binary<stablehlo::MinOp>(*bound, constant(type, width));
    }
  }

  /// Returns `size` elements of `value` along `dim` from `start` on.
  mlir::Value piece(mlir::Value value, int64_t dim, mlir::Value start, int64_t size) {
    llvm::SmallVector<int64_t> sizes(typeOf(value).getShape());
    llvm::SmallVector<mlir::Value> starts;
    for (int64_t d = 0; d < std::ssize(sizes); ++d)
      starts.push_back(d == dim ? start : constant(scalarType(), 0));
    sizes[dim] = size;
    return stablehlo::createDynamicSlice(builder, location, value, starts, sizes);
  }

  /// Returns the element of the vector `value` at `position`, as a scalar.
  mlir::Value scalarAt(mlir::Value value, mlir::Value position) {
    return createValue<stablehlo::ReshapeOp>(builder, location, scalarType(),
                                             piece(value, 0, position, 1));
  }

  /// Returns `value` with `width` zeros along `dim` before or behind it.
  mlir::Value padded(mlir::Value value, int64_t dim, bool isBefore) {
    mlir::RankedTensorType type = typeOf(value);
    llvm::SmallVector<int64_t> none(type.getRank(), 0), some(none);
    some[dim] = width;
    mlir::Value zero =
        stablehlo::createZeros(builder, location, type.clone(llvm::ArrayRef<int64_t>()));
    return stablehlo::createPad(builder, location, value, zero, isBefore ? some : none,
                                isBefore ? none : some);
  }

  /// Returns `value` with slice `skipped` of `dim` first, and zeros behind the last one.
  mlir::Value movedDown(mlir::Value value, int64_t dim, mlir::Value skipped) {
    return piece(padded(value, dim, /*isBefore=*/false), dim, skipped, width);
  }

  /// Moves what the op gives to where the slices were: the first goes to `skipped` of `dim`.
  void moveResultUp(int64_t dim, mlir::Value skipped) {
    mlir::Value start = binary<stablehlo::SubtractOp>(constant(scalarType(), width), skipped);
    builder.setInsertionPointAfter(op);
    mlir::Value whole = padded(op.getResult(), dim, /*isBefore=*/true);
    mlir::Value moved = piece(whole, dim, start, width);
    program.replaceInTheEnd(op.getResult(), moved, whole.getDefiningOp());
  }

  chlo::RaggedDotOp op;
  LocalProgram &program;
  DeviceCoordinates &device;
  mlir::OpBuilder builder;
  mlir::Location location;
  chlo::RaggedDim ragged;
  /// Sizes of the ragged dimension: of what the device has, and of the whole.
  int64_t width, globalWidth;
  mlir::Value starts, ends;
};

llvm::LogicalResult raggedDot(mlir::Operation *op, LocalProgram &program) {
  RaggedForm(mlir::cast<chlo::RaggedDotOp>(op), program).build();
  return llvm::success();
}

} // namespace

void addRaggedForms(LocalFormRegistry &registry) {
  registry.add<chlo::RaggedDotOp>(raggedDot);
}

} // namespace shardwise::partition
