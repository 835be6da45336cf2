// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making the ops that passes need, most of them to move data: each takes what is to be done, and
// finds its attributes and its result type. Starts, limits, sizes and paddings are one per
// dimension.

#pragma once

#include "shardwise/dialect/stablehlo/StablehloAttrs.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace shardwise::stablehlo {

/// Creates the comparison of two tensors of one type, element by element; signed for integers that
/// are.
mlir::Value createCompare(mlir::OpBuilder &builder, mlir::Location location, mlir::Value lhs,
                          mlir::Value rhs, ComparisonDirection direction);

/// Creates `value` repeated to `type`: dimension i of `value` is dimension `dims[i]` of that.
mlir::Value createBroadcast(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                            mlir::RankedTensorType type, llvm::ArrayRef<int64_t> dims = {});

/// Creates a tensor of `type` that counts along `dim`.
mlir::Value createIota(mlir::OpBuilder &builder, mlir::Location location,
                       mlir::RankedTensorType type, int64_t dim);

/// Creates the elements of `value` in [starts, limits), all that are there, or each as far as
/// `strides` from the one before.
mlir::Value createSlice(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                        llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> limits,
                        llvm::ArrayRef<int64_t> strides = {});
/// The same of `length` elements along `dim`, from `start` on, and all along the others.
mlir::Value createSlice(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                        int64_t dim, int64_t start, int64_t length);

/// Creates `sizes` elements of `value` from `starts` on, scalars of one type.
mlir::Value createDynamicSlice(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                               mlir::ValueRange starts, llvm::ArrayRef<int64_t> sizes);

/// Creates `value` with the scalar `filling` before and behind it; negative paddings cut off.
mlir::Value createPad(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                      mlir::Value filling, llvm::ArrayRef<int64_t> low,
                      llvm::ArrayRef<int64_t> high);

/// Creates `values`, of which there is at least one, one behind the other along `dim`.
mlir::Value createConcatenate(mlir::OpBuilder &builder, mlir::Location location,
                              mlir::ValueRange values, int64_t dim);

/// Creates `value` with dimension `order[i]` of it as dimension i.
mlir::Value createTranspose(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                            llvm::ArrayRef<int64_t> order);

/// Creates the Fourier transform of the last dimensions of `value`, one per length.
mlir::Value createFft(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                      FftType type, llvm::ArrayRef<int64_t> lengths);

} // namespace shardwise::stablehlo
