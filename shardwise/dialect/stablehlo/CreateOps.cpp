// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and result types of ops that move data.

#include "shardwise/dialect/stablehlo/CreateOps.h"

#include "shardwise/dialect/stablehlo/StablehloOps.h"

namespace shardwise::stablehlo {

namespace {

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::RankedTensorType;

RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<RankedTensorType>(value.getType());
}

template <class Op>
mlir::Value create(mlir::OpBuilder &builder, mlir::Location location, RankedTensorType type,
                   mlir::ValueRange operands, ArrayRef<mlir::NamedAttribute> attributes) {
  return Op::create(builder, location, mlir::TypeRange(type), operands, attributes)->getResult(0);
}

mlir::NamedAttribute list(mlir::OpBuilder &builder, llvm::StringRef name,
                          ArrayRef<int64_t> values) {
  return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
}

} // namespace

mlir::Value createCompare(mlir::OpBuilder &builder, mlir::Location location, mlir::Value lhs,
                          mlir::Value rhs, ComparisonDirection direction) {
  return create<CompareOp>(
      builder, location, typeOf(lhs).clone(builder.getI1Type()), {lhs, rhs},
      builder.getNamedAttr("comparison_direction",
                           ComparisonDirectionAttr::get(builder.getContext(), direction)));
}

mlir::Value createBroadcast(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                            RankedTensorType type, ArrayRef<int64_t> dims) {
  return create<BroadcastInDimOp>(builder, location, type, value,
                                  list(builder, "broadcast_dimensions", dims));
}

mlir::Value createIota(mlir::OpBuilder &builder, mlir::Location location, RankedTensorType type,
                       int64_t dim) {
  return create<IotaOp>(builder, location, type, {},
                        builder.getNamedAttr("iota_dimension", builder.getI64IntegerAttr(dim)));
}

mlir::Value createSlice(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                        ArrayRef<int64_t> starts, ArrayRef<int64_t> limits,
                        ArrayRef<int64_t> strides) {
  SmallVector<int64_t> shape, ones(starts.size(), 1);
  if (strides.empty())
    strides = ones;
  for (auto [start, limit, stride] : llvm::zip_equal(starts, limits, strides))
    shape.push_back(llvm::divideCeil(limit - start, stride));
  return create<SliceOp>(builder, location, typeOf(value).clone(shape), value,
                         {list(builder, "start_indices", starts),
                          list(builder, "limit_indices", limits),
                          list(builder, "strides", strides)});
}

mlir::Value createSlice(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                        int64_t dim, int64_t start, int64_t length) {
  SmallVector<int64_t> starts(typeOf(value).getRank(), 0), limits(typeOf(value).getShape());
  starts[dim] = start;
  limits[dim] = start + length;
  return createSlice(builder, location, value, starts, limits);
}

mlir::Value createDynamicSlice(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                               mlir::ValueRange starts, ArrayRef<int64_t> sizes) {
  SmallVector<mlir::Value> operands{value};
  llvm::append_range(operands, starts);
  return create<DynamicSliceOp>(builder, location, typeOf(value).clone(sizes), operands,
                                list(builder, "slice_sizes", sizes));
}

mlir::Value createPad(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                      mlir::Value filling, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  SmallVector<int64_t> shape(typeOf(value).getShape()), interior(low.size(), 0);
  for (auto [size, before, behind] : llvm::zip_equal(shape, low, high))
    size += before + behind;
  return create<PadOp>(builder, location, typeOf(value).clone(shape), {value, filling},
                       {list(builder, "edge_padding_low", low),
                        list(builder, "edge_padding_high", high),
                        list(builder, "interior_padding", interior)});
}

mlir::Value createConcatenate(mlir::OpBuilder &builder, mlir::Location location,
                              mlir::ValueRange values, int64_t dim) {
  SmallVector<int64_t> shape(typeOf(values.front()).getShape());
  for (mlir::Value behind : values.drop_front())
    shape[dim] += typeOf(behind).getDimSize(dim);
  return create<ConcatenateOp>(builder, location, typeOf(values.front()).clone(shape), values,
                               builder.getNamedAttr("dimension", builder.getI64IntegerAttr(dim)));
}

mlir::Value createTranspose(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                            ArrayRef<int64_t> order) {
  SmallVector<int64_t> shape;
  for (int64_t dim : order)
    shape.push_back(typeOf(value).getDimSize(dim));
  return create<TransposeOp>(builder, location, typeOf(value).clone(shape), value,
                             list(builder, "permutation", order));
}

mlir::Value createFft(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                      FftType type, ArrayRef<int64_t> lengths) {
  SmallVector<int64_t> shape(typeOf(value).getShape());
  mlir::Type element = typeOf(value).getElementType();
  if (type == FftType::RFFT) {
    shape.back() = lengths.back() / 2 + 1;
    element = mlir::ComplexType::get(element);
  } else if (type == FftType::IRFFT) {
    shape.back() = lengths.back();
    element = mlir::cast<mlir::ComplexType>(element).getElementType();
  }
  return create<FftOp>(
      builder, location, RankedTensorType::get(shape, element), value,
      {builder.getNamedAttr("fft_type", FftTypeAttr::get(builder.getContext(), type)),
       list(builder, "fft_length", lengths)});
}

} // namespace shardwise::stablehlo
