// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dynamic slices and their updates. Where a dimension of which they take a part is cut, the window
// can lie on any device, or across a boundary:
//   1. The start is clamped as in the global program. A device looks at `width` elements of its
//      shard, as many as it can have of the window, from `start` on; that is element `shift` of the
//      window, in front of it or behind it too.
//   2. An update is moved by `shift`, and written where there is an element of it; what the shard
//      had stays elsewhere.
//   3. A slice is what the shard has, put at its place among additive identities: the reduction
//      that follows, a sum, has every element once, bit for bit.
// Example: 8 elements on x=2, a window of 3 that starts at 2, so that it has elements 2, 3 and 4:
//            width  start  shift  what is at `start` ..  of the window
//   x=0:       3      1     -1    elements 1, 2, 3       -, 0, 1
//   x=1:       3      0      2    elements 4, 5, 6       2, -, -
// No device needs what another one has, and the work is that of the window, not of the shard. The
// clamped window lies in the global dimension: padding behind its end is outside of it.

#include "shardwise/core/EvenSharding.h"
#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/LocalForms.h"

#include <algorithm>
#include <limits>

namespace shardwise::partition {

namespace {

/// A cut dimension of which a window takes a part.
struct WindowDim {
  int64_t dim = 0;
  int64_t size = 0;  ///< Of the window.
  int64_t width = 0; ///< Elements of the window that a shard can have at most.
  mlir::Value start; ///< In the shard.
  mlir::Value shift; ///< Where `start` is in the window.
};

/// Builds the local form of one op that has a window in its first operand.
class WindowBuilder {
public:
  /// `windowShape` is that of the window in the global program.
  WindowBuilder(mlir::Operation *op, llvm::ArrayRef<int64_t> windowShape, unsigned firstStart,
                LocalProgram &program)
      : builder(op), location(op->getLoc()), device(program.coordinatesAt(op)),
        source(op->getOperand(0)), starts(op->getOperands().drop_front(firstStart)) {
    mlir::RankedTensorType global = program.globalType(source);
    for (int64_t dim = 0; dim < global.getRank(); ++dim) {
      core::AxisList axes = program.axesOf(source, dim);
      if (!axes.empty() && windowShape[dim] != global.getDimSize(dim))
        addDim(dim, global.getDimSize(dim), windowShape[dim], axes);
      else if (starts[dim].getType() != device.constant(0).getType())
        starts[dim] = clamped(starts[dim], global.getDimSize(dim) - windowShape[dim]);
    }
  }

  /// Takes what the shard can have of a window of local shape `windowShape`.
  mlir::Value read(llvm::ArrayRef<int64_t> windowShape) {
    llvm::SmallVector<int64_t> sizes(windowShape);
    for (const WindowDim &window : dims)
      sizes[window.dim] = window.width;
    return stablehlo::createDynamicSlice(builder, location, source, starts, sizes);
  }
  mlir::Value write(mlir::Value update) {
    llvm::SmallVector<mlir::Value> operands{source, update};
    operands.append(starts);
    return createValue<stablehlo::DynamicUpdateSliceOp>(builder, location, source.getType(),
                                                        operands);
  }

  /// Moves `update` so that its elements meet those that `read` takes.
  mlir::Value shifted(mlir::Value update) {
    if (selectsOne())
      return update;
    return moved(update, stablehlo::createZeros(builder, location, scalarLike(update)),
                 [&](const WindowDim &window) {
                   return Move{window.width, add(window.shift, window.width), window.width};
                 });
  }
  /// Puts what `read` took at its place in the window, with additive identities around it.
  mlir::Value placed(mlir::Value read) {
    if (selectsOne()) {
      auto type = mlir::cast<mlir::RankedTensorType>(read.getType());
      return select(isInWindow(type), read,
                    stablehlo::createAdditiveIdentity(builder, location, type));
    }
    return moved(read, stablehlo::createAdditiveIdentity(builder, location, scalarLike(read)),
                 [&](const WindowDim &window) {
                   mlir::Value start = createValue<stablehlo::SubtractOp>(
                       builder, location, window.shift.getType(),
                       {device.constant(window.size), window.shift});
                   return Move{window.size, start, window.size};
                 });
  }

  /// Returns which of the elements that `read` takes are in the window, as `type` with booleans; a
  /// scalar if windows have one element in every cut dimension.
  mlir::Value isInWindow(mlir::RankedTensorType type) {
    mlir::Value all;
    for (const WindowDim &window : dims) {
      mlir::Value inside = selectsOne() ? compare(window.shift, device.constant(0),
                                                  stablehlo::ComparisonDirection::EQ)
                                        : isInWindow(window, type);
      all = all ? createValue<stablehlo::AndOp>(builder, location, inside.getType(), {all, inside})
                : inside;
    }
    return all;
  }

  mlir::Value select(mlir::Value isTaken, mlir::Value taken, mlir::Value otherwise) {
    return createValue<stablehlo::SelectOp>(builder, location, taken.getType(),
                                            {isTaken, taken, otherwise});
  }

private:
  struct Move {
    int64_t padding;   ///< On both sides.
    mlir::Value start; ///< In what is padded.
    int64_t size;
  };

  void addDim(int64_t dim, int64_t globalSize, int64_t size, const core::AxisList &axes) {
    int64_t localSize = core::shardSize(globalSize, core::shardedSize(axes));
    WindowDim window{dim, size, std::min(size, localSize), {}, {}};
    mlir::Value offset = device.offset(axes, localSize);
    mlir::Type type = offset.getType();
    mlir::Value first = createValue<stablehlo::SubtractOp>(
        builder, location, type, {clamped(starts[dim], globalSize - size), offset});
    window.start = createValue<stablehlo::ClampOp>(
        builder, location, type,
        {device.constant(0), first, device.constant(localSize - window.width)});
    window.shift =
        createValue<stablehlo::SubtractOp>(builder, location, type, {window.start, first});
    starts[dim] = window.start;
    dims.push_back(window);
  }

  /// Returns `start` in [0, limit], as i32. It is clamped in its own type, which may be wider, or
  /// may not have the limit.
  mlir::Value clamped(mlir::Value start, int64_t limit) {
    auto type = mlir::cast<mlir::RankedTensorType>(start.getType());
    auto element = mlir::cast<mlir::IntegerType>(type.getElementType());
    unsigned magnitudeBits = element.getWidth() - (element.isUnsigned() ? 0 : 1);
    bool hasLimit = magnitudeBits >= 63 || limit < (int64_t(1) << magnitudeBits);
    auto constant = [&](int64_t value) {
      return stablehlo::createConstant(
          builder, location,
          mlir::DenseElementsAttr::get(type,
                                       mlir::Attribute(builder.getIntegerAttr(element, value))));
    };
    if (!element.isUnsigned())
      start = createValue<stablehlo::MaxOp>(builder, location, type, {start, constant(0)});
    if (hasLimit)
      start = createValue<stablehlo::MinOp>(builder, location, type, {start, constant(limit)});
    mlir::Type i32 = device.constant(0).getType();
    return type == i32 ? start : createValue<stablehlo::ConvertOp>(builder, location, i32, start);
  }

  /// Whether windows have one element in every cut dimension: that is on one device.
  bool selectsOne() const {
    return llvm::all_of(dims, [](const WindowDim &window) { return window.size == 1; });
  }

  mlir::Value isInWindow(const WindowDim &window, mlir::RankedTensorType type) {
    auto i32 = mlir::cast<mlir::RankedTensorType>(window.shift.getType());
    auto line = mlir::RankedTensorType::get({window.width}, i32.getElementType());
    mlir::Value numbers = stablehlo::createIota(builder, location, line, 0);
    mlir::Value places = createValue<stablehlo::AddOp>(
        builder, location, line, {numbers, broadcast(window.shift, line, {})});
    auto bound = [&](int64_t value) { return broadcast(device.constant(value), line, {}); };
    mlir::Value behindStart = compare(places, bound(0), stablehlo::ComparisonDirection::GE);
    mlir::Value beforeEnd = compare(places, bound(window.size), stablehlo::ComparisonDirection::LT);
    mlir::Value inside = createValue<stablehlo::AndOp>(builder, location, behindStart.getType(),
                                                       {behindStart, beforeEnd});
    return broadcast(inside, type.clone(builder.getI1Type()), {window.dim});
  }

  /// Pads `value` by `padding` along the cut dimensions and takes a part of what that gives. Starts
  /// that lie outside take nothing but padding.
  mlir::Value moved(mlir::Value value, mlir::Value padding,
                    llvm::function_ref<Move(const WindowDim &)> moveOf) {
    auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
    llvm::SmallVector<int64_t> edges(type.getRank(), 0), sizes(type.getShape());
    llvm::SmallVector<mlir::Value> starts(type.getRank(), device.constant(0));
    for (const WindowDim &window : dims) {
      Move move = moveOf(window);
      edges[window.dim] = move.padding;
      starts[window.dim] = move.start;
      sizes[window.dim] = move.size;
    }
    mlir::Value padded = stablehlo::createPad(builder, location, value, padding, edges, edges);
    return stablehlo::createDynamicSlice(builder, location, padded, starts, sizes);
  }

  mlir::Value add(mlir::Value value, int64_t number) {
    return createValue<stablehlo::AddOp>(builder, location, value.getType(),
                                         {value, device.constant(number)});
  }

  mlir::Value compare(mlir::Value lhs, mlir::Value rhs, stablehlo::ComparisonDirection direction) {
    return stablehlo::createCompare(builder, location, lhs, rhs, direction);
  }

  mlir::Value broadcast(mlir::Value value, mlir::RankedTensorType type,
                        llvm::ArrayRef<int64_t> dimsOfValue) {
    return stablehlo::createBroadcast(builder, location, value, type, dimsOfValue);
  }

  static mlir::RankedTensorType scalarLike(mlir::Value value) {
    return mlir::cast<mlir::RankedTensorType>(value.getType()).clone(llvm::ArrayRef<int64_t>{});
  }

  mlir::OpBuilder builder;
  mlir::Location location;
  DeviceCoordinates &device;
  mlir::Value source;
  llvm::SmallVector<mlir::Value> starts;
  llvm::SmallVector<WindowDim> dims;
};

llvm::LogicalResult replace(mlir::Operation *op, mlir::Value by, LocalProgram &program) {
  program.replaceInTheEnd(op->getResult(0), by);
  program.eraseInTheEnd(op);
  return llvm::success();
}

/// Whether `op` takes a part of a dimension of its first operand that is cut.
bool takesPartOfCutDim(mlir::Operation *op, llvm::ArrayRef<int64_t> windowShape,
                       LocalProgram &program) {
  mlir::Value source = op->getOperand(0);
  mlir::RankedTensorType global = program.globalType(source);
  for (int64_t dim = 0; dim < global.getRank(); ++dim)
    if (!program.axesOf(source, dim).empty() && windowShape[dim] != global.getDimSize(dim))
      return true;
  return false;
}

llvm::LogicalResult dynamicSlice(mlir::Operation *op, LocalProgram &program) {
  auto slice = mlir::cast<stablehlo::DynamicSliceOp>(op);
  auto local = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  llvm::SmallVector<int64_t> window(slice.getSliceSizes());
  if (!takesPartOfCutDim(op, window, program)) {
    slice.setSliceSizes(local.getShape());
    return llvm::success();
  }
  WindowBuilder form(op, window, /*firstStart=*/1, program);
  return replace(op, form.placed(form.read(local.getShape())), program);
}

llvm::LogicalResult dynamicUpdateSlice(mlir::Operation *op, LocalProgram &program) {
  mlir::Value update = op->getOperand(1);
  mlir::RankedTensorType window = program.globalType(update);
  if (!takesPartOfCutDim(op, window.getShape(), program))
    return llvm::success();
  WindowBuilder form(op, window.getShape(), /*firstStart=*/2, program);
  mlir::Value before = form.read(mlir::cast<mlir::RankedTensorType>(update.getType()).getShape());
  mlir::Value isWritten = form.isInWindow(mlir::cast<mlir::RankedTensorType>(before.getType()));
  return replace(op, form.write(form.select(isWritten, form.shifted(update), before)), program);
}

} // namespace

void addDynamicSliceForms(LocalFormRegistry &registry) {
  registry.add<stablehlo::DynamicSliceOp>(dynamicSlice);
  registry.add<stablehlo::DynamicUpdateSliceOp>(dynamicUpdateSlice);
}

} // namespace shardwise::partition
