// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-join-moves: slices, pads and concatenations along a cut dimension become pads
// of the value that they move, so that every device fetches once what it needs, and that values in
// between, whose sizes seldom divide, need not be cut.
//   1. A slice of a pad is a pad, and so is a pad of a slice unless it would show what was sliced
//      off. Element r of both is element r - low of the value, with
//      low = that of the pad - start of the slice.
//   2. A concatenation of slices is, place by place, one of several such pads. Of a single element
//      any move of the value will do that puts it there: where the value is a multiple as long as
//      the result, a slice with strides, which moves nothing between devices.
//   3. What a reduce_window pads, it can pad itself, if it starts from the padding value: with
//      interior padding, as a dilated base.
// All are done only along a dimension in which the result is cut, without strides and, for
// (1) and (2), interior padding. Example of (1), u of 64 elements:
//   %p = pad %u, low = [1], high = [1]      64 -> 66
//   %r = slice %p [2:66]                    66 -> 64
// becomes
//   %r = pad %u, low = [-1], high = [1]     64 -> 64
// Example of (2), which is how JAX writes a roll:
//   %r = concatenate(slice %u [63:64], slice %u [0:63])
// becomes
//   %a = pad %u, low = [-63], high = [63]
//   %b = pad %u, low = [1], high = [-1]
//   %r = select (iota >= 1), %b, %a
// Example with one element, as JAX writes the even places of an associative scan, %u of 64 elements
// and %e of 31:
//   %r = concatenate(slice %u [0:1], %e)
// becomes
//   %a = slice %u [0:63:2]
//   %b = pad %e, low = [1]
//   %r = select (iota >= 1), %b, %a

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/dialect/stablehlo/WindowDims.h"
#include "shardwise/transforms/reshard/Passes.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace shardwise::reshard {

#define GEN_PASS_DEF_JOINMOVES
#include "shardwise/transforms/reshard/Passes.h.inc"

namespace {

using llvm::ArrayRef;
using llvm::SmallVector;

mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

bool areAll(ArrayRef<int64_t> list, int64_t wanted) {
  return llvm::all_of(list, [&](int64_t entry) { return entry == wanted; });
}

/// Whether `value` is cut along dimension `dim`.
bool isCut(mlir::Value value, int64_t dim, ShardedProgram &program) {
  const core::Sharding &placement = program.placementOf(value);
  return !program.isOneDevice(program.meshOf(value)) && !placement.dims[dim].axes.empty();
}

/// Whether `op` moves elements along a dimension in which `result` is cut.
bool movesAlongCut(mlir::Operation *op, mlir::Value result, ShardedProgram &program) {
  for (int64_t dim = 0; dim < typeOf(result).getRank(); ++dim) {
    if (!isCut(result, dim, program))
      continue;
    if (auto slice = mlir::dyn_cast<stablehlo::SliceOp>(op)) {
      if (slice.getStartIndices()[dim] != 0 ||
          slice.getLimitIndices()[dim] != typeOf(op->getOperand(0)).getDimSize(dim))
        return true;
    } else if (auto pad = mlir::dyn_cast<stablehlo::PadOp>(op)) {
      if (pad.getEdgePaddingLow()[dim] != 0 || pad.getEdgePaddingHigh()[dim] != 0)
        return true;
    }
  }
  return false;
}

/// Creates `pad` of `value` with `padding` in the place of `result`.
mlir::Value createPad(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                      mlir::Value padding, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                      mlir::Value result) {
  mlir::Value pad = stablehlo::createPad(builder, location, value, padding, low, high);
  if (sdy::TensorShardingAttr sharding = sdy::getSharding(result))
    sdy::setSharding(pad, sharding);
  return pad;
}

bool isPlain(stablehlo::SliceOp slice) {
  return areAll(slice.getStrides(), 1);
}
bool isPlain(stablehlo::PadOp pad) {
  return areAll(pad.getInteriorPadding(), 0);
}

/// Replaces a slice of a pad by a pad; returns whether it did.
bool joinWithPad(stablehlo::SliceOp slice, ShardedProgram &program) {
  auto pad = slice->getOperand(0).getDefiningOp<stablehlo::PadOp>();
  mlir::Value result = slice->getResult(0);
  if (!pad || !isPlain(slice) || !isPlain(pad) || !movesAlongCut(slice, result, program) ||
      !movesAlongCut(pad, result, program))
    return false;
  SmallVector<int64_t> low(pad.getEdgePaddingLow()), high(pad.getEdgePaddingHigh());
  for (size_t dim = 0; dim < low.size(); ++dim) {
    low[dim] -= slice.getStartIndices()[dim];
    high[dim] -= typeOf(slice->getOperand(0)).getDimSize(dim) - slice.getLimitIndices()[dim];
  }
  mlir::OpBuilder builder(slice);
  result.replaceAllUsesWith(createPad(builder, slice.getLoc(), pad->getOperand(0),
                                      pad->getOperand(1), low, high, result));
  return true;
}

/// Replaces a pad of a slice by a pad, if the padding covers nothing that was sliced off.
bool joinWithSlice(stablehlo::PadOp pad, ShardedProgram &program) {
  auto slice = pad->getOperand(0).getDefiningOp<stablehlo::SliceOp>();
  mlir::Value result = pad->getResult(0);
  if (!slice || !isPlain(slice) || !isPlain(pad) || !movesAlongCut(slice, result, program) ||
      !movesAlongCut(pad, result, program))
    return false;
  SmallVector<int64_t> low(pad.getEdgePaddingLow()), high(pad.getEdgePaddingHigh());
  for (size_t dim = 0; dim < low.size(); ++dim) {
    int64_t before = slice.getStartIndices()[dim];
    int64_t behind = typeOf(slice->getOperand(0)).getDimSize(dim) - slice.getLimitIndices()[dim];
    if ((before > 0 && low[dim] > 0) || (behind > 0 && high[dim] > 0))
      return false;
    low[dim] -= before;
    high[dim] -= behind;
  }
  mlir::OpBuilder builder(pad);
  result.replaceAllUsesWith(createPad(builder, pad.getLoc(), slice->getOperand(0),
                                      pad->getOperand(1), low, high, result));
  return true;
}

/// Where a part of a concatenation comes from.
struct Part {
  mlir::Value source;
  /// Element r of the result is element r - offset of the source.
  int64_t offset = 0;
  /// The first element of the result that is of this part, and how many are.
  int64_t begin = 0;
  int64_t size = 0;
};

/// The parts of a concatenation of which some are slices along its dimension.
std::optional<SmallVector<Part>> partsOf(stablehlo::ConcatenateOp op) {
  auto dim = static_cast<int64_t>(op.getDimension());
  SmallVector<Part> parts;
  bool anySlice = false;
  int64_t begin = 0;
  for (mlir::Value operand : op->getOperands()) {
    Part part{operand, begin, begin, typeOf(operand).getDimSize(dim)};
    auto slice = operand.getDefiningOp<stablehlo::SliceOp>();
    if (slice && isPlain(slice)) {
      bool isAlong = true;
      for (int64_t d = 0; d < typeOf(operand).getRank(); ++d)
        isAlong &=
            d == dim || typeOf(operand).getDimSize(d) == typeOf(slice->getOperand(0)).getDimSize(d);
      if (isAlong) {
        part.source = slice->getOperand(0);
        part.offset -= slice.getStartIndices()[dim];
        anySlice = true;
      }
    }
    parts.push_back(part);
    begin += part.size;
  }
  return anySlice && parts.size() > 1 ? std::optional(parts) : std::nullopt;
}

/// The slice of the source of `part` with as many elements as `result`, spread over all of it,
/// whose element is the right one where the part is; null if the part has several elements, or the
/// source is no multiple as long.
mlir::Value spread(const Part &part, mlir::Value result, int64_t dim, mlir::OpBuilder &builder,
                   mlir::Location location) {
  auto source = typeOf(part.source);
  // A part of one element is of a result that has some.
  if (part.size != 1)
    return {};
  int64_t size = source.getDimSize(dim), wanted = typeOf(result).getDimSize(dim);
  int64_t stride = size / wanted, start = part.begin - part.offset - part.begin * stride;
  if (stride < 2 || size % wanted != 0 || start < 0 || start >= stride)
    return {};
  int64_t rank = source.getRank();
  SmallVector<int64_t> starts(rank, 0), limits(source.getShape()), strides(rank, 1);
  starts[dim] = start;
  limits[dim] = start + (wanted - 1) * stride + 1;
  strides[dim] = stride;
  mlir::Value slice =
      stablehlo::createSlice(builder, location, part.source, starts, limits, strides);
  if (sdy::TensorShardingAttr sharding = sdy::getSharding(result))
    sdy::setSharding(slice, sharding);
  return slice;
}

/// A value like `result` that is `part` where the part is.
mlir::Value padded(const Part &part, mlir::Value result, int64_t dim, mlir::OpBuilder &builder,
                   mlir::Location location) {
  auto type = typeOf(result);
  mlir::DenseElementsAttr splat;
  if (matchPattern(part.source, mlir::m_Constant(&splat)) && splat.isSplat()) {
    mlir::Value filled = stablehlo::createConstant(builder, location, splat.resizeSplat(type));
    if (sdy::TensorShardingAttr sharding = sdy::getSharding(result))
      sdy::setSharding(filled, sharding);
    return filled;
  }
  if (mlir::Value slice = spread(part, result, dim, builder, location))
    return slice;
  int64_t size = typeOf(part.source).getDimSize(dim);
  SmallVector<int64_t> low(type.getRank(), 0), high(type.getRank(), 0);
  low[dim] = part.offset;
  high[dim] = type.getDimSize(dim) - part.offset - size;
  mlir::Value zero = stablehlo::createZeros(builder, location, type.clone(ArrayRef<int64_t>{}));
  return createPad(builder, location, part.source, zero, low, high, result);
}

/// Replaces a concatenation of slices along a cut dimension by pads.
bool joinSlices(stablehlo::ConcatenateOp op, ShardedProgram &program) {
  auto dim = static_cast<int64_t>(op.getDimension());
  mlir::Value result = op->getResult(0);
  std::optional<SmallVector<Part>> parts = partsOf(op);
  if (!parts || !isCut(result, dim, program))
    return false;
  mlir::OpBuilder builder(op);
  mlir::Location location = op.getLoc();
  auto type = typeOf(result);
  sdy::TensorShardingAttr sharding = sdy::getSharding(result);
  auto like = [&](mlir::Value value) {
    sdy::setSharding(value, sharding);
    return value;
  };
  auto placesType = type.clone(builder.getI32Type());
  mlir::Value places = like(stablehlo::createIota(builder, location, placesType, dim));
  mlir::Value joined;
  for (const Part &part : *parts) {
    mlir::Value moved = padded(part, result, dim, builder, location);
    if (joined) {
      auto begin = mlir::DenseElementsAttr::get(placesType, int32_t(part.begin));
      mlir::Value begins = like(stablehlo::createConstant(builder, location, begin));
      mlir::Value isHere = like(stablehlo::createCompare(builder, location, places, begins,
                                                         stablehlo::ComparisonDirection::GE));
      auto select = stablehlo::SelectOp::create(builder, location, mlir::TypeRange(type),
                                                mlir::ValueRange{isHere, moved, joined},
                                                ArrayRef<mlir::NamedAttribute>());
      moved = like(select->getResult(0));
    }
    joined = moved;
  }
  result.replaceAllUsesWith(joined);
  return true;
}

/// Whether two scalars are one constant, bit for bit.
bool areSameConstants(mlir::Value a, mlir::Value b) {
  if (a == b)
    return true;
  mlir::DenseElementsAttr first = stablehlo::scalarConstantOf(a);
  mlir::DenseElementsAttr second = stablehlo::scalarConstantOf(b);
  return first && second && first.getElementType() == second.getElementType() &&
         first.getRawData() == second.getRawData();
}

/// Lets a reduce_window of one input pad it.
bool joinWithPad(stablehlo::ReduceWindowOp op, ShardedProgram &program) {
  auto pad = op->getOperand(0).getDefiningOp<stablehlo::PadOp>();
  if (!pad || op.getInputs().size() != 1 ||
      !areSameConstants(pad->getOperand(1), op.getInitValues().front()))
    return false;
  int64_t rank = typeOf(pad->getOperand(0)).getRank();
  bool isAlongCut = false;
  SmallVector<int64_t> dilations;
  mlir::DenseIntElementsAttr padding = op.getPaddingAttr();
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t interior = pad.getInteriorPadding()[dim];
    int64_t low = pad.getEdgePaddingLow()[dim], high = pad.getEdgePaddingHigh()[dim];
    stablehlo::WindowDim window = stablehlo::windowDim(op, dim);
    bool isMoved = interior != 0 || low != 0 || high != 0;
    // There is one dilation; an inner one would spread the padding, too.
    if (isMoved && window.baseDilation != 1)
      return false;
    isAlongCut |= isMoved && isCut(op->getResult(0), dim, program);
    dilations.push_back(isMoved ? interior + 1 : window.baseDilation);
    padding = stablehlo::withPadding(padding, rank, dim, window.low + low, window.high + high,
                                     op->getContext());
  }
  if (!isAlongCut)
    return false;
  op->setOperand(0, pad->getOperand(0));
  op.setPaddingAttr(padding);
  op.setBaseDilations(dilations);
  return true;
}

struct JoinMovesPass : impl::JoinMovesBase<JoinMovesPass> {
  void runOnOperation() override {
    llvm::FailureOr<ShardedProgram> program = ShardedProgram::create(getOperation());
    if (failed(program))
      return signalPassFailure();
    SmallVector<mlir::Operation *> moves;
    getOperation().walk([&](mlir::Operation *op) {
      if (mlir::isa<stablehlo::SliceOp, stablehlo::PadOp, stablehlo::ConcatenateOp,
                    stablehlo::ReduceWindowOp>(op))
        moves.push_back(op);
    });
    // In program order: what a move becomes is joined with the next one.
    for (mlir::Operation *op : moves) {
      if (auto slice = mlir::dyn_cast<stablehlo::SliceOp>(op))
        joinWithPad(slice, *program);
      else if (auto pad = mlir::dyn_cast<stablehlo::PadOp>(op))
        joinWithSlice(pad, *program);
      else if (auto concatenate = mlir::dyn_cast<stablehlo::ConcatenateOp>(op))
        joinSlices(concatenate, *program);
      else if (auto reduce = mlir::dyn_cast<stablehlo::ReduceWindowOp>(op))
        joinWithPad(reduce, *program);
    }
    for (mlir::Operation *op : llvm::reverse(moves))
      if (op->use_empty() && mlir::isPure(op))
        op->erase();
  }
};

} // namespace

} // namespace shardwise::reshard
