// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From shape rules to diagnostics, and the checks that several op families share: reducer
// regions, windows, replica groups.

#pragma once

#include "shardwise/dialect/stablehlo/StablehloAttrs.h"
#include "shardwise/dialect/stablehlo/verify/ShapeInference.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"

namespace shardwise::stablehlo {

/// Returns the type of a value that is known to be a ranked tensor.
inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}
inline ShapeRef shapeOf(mlir::Value value) {
  return tensorType(value).getShape();
}

/// Emits the error of `checked`, if there is one, at `location`.
llvm::LogicalResult report(std::optional<mlir::Location> location, const Result<void> &checked);
/// The same as an error of `op`.
llvm::LogicalResult report(mlir::Operation *op, const Result<void> &checked);

/// Appends the tensor type of `shape` and `element`, or emits the error.
llvm::LogicalResult appendInferred(std::optional<mlir::Location> location,
                                   const Result<Shape> &shape, mlir::Type element,
                                   llvm::SmallVectorImpl<mlir::Type> &types);

/// Fails unless the result types of `op` are compatible with `inferred`.
llvm::LogicalResult verifyInferredTypes(mlir::Operation *op, mlir::TypeRange inferred);
/// Fails unless `shape` is that of the single result; its element type is free.
llvm::LogicalResult verifyInferredShape(mlir::Operation *op, const Result<Shape> &shape);

/// Returns the operands of the `stablehlo.return` that ends `region`; emits an error and
/// fails if the region ends otherwise.
mlir::FailureOr<mlir::OperandRange> returnedValues(mlir::Operation *op, mlir::Region &region);

/// Checks the reducer `region` of `op`: a block with 2n scalar arguments that returns n values
/// of their types, to which the elements of `inputs` and `inits` (empty: none) can be promoted.
/// Sets `elements` to the n returned element types.
llvm::LogicalResult verifyReducer(mlir::Operation *op, mlir::Region &region,
                                  mlir::ValueRange inputs, mlir::ValueRange inits,
                                  llvm::SmallVectorImpl<mlir::Type> &elements);

/// Window attributes as they are on an op; any may be null.
struct WindowAttributes {
  mlir::DenseI64ArrayAttr strides;
  mlir::DenseIntElementsAttr padding;
  mlir::DenseI64ArrayAttr baseDilations;
  mlir::DenseI64ArrayAttr windowDilations;
};
/// Reads (low, high) pairs of an n x 2 matrix. Fails on another shape, or if n is not `rank`.
Result<llvm::SmallVector<int64_t>> paddingPairs(mlir::DenseIntElementsAttr padding, int64_t rank);
/// Makes the window of sizes `sizes`.
Result<Window> windowOf(ShapeRef sizes, const WindowAttributes &attributes);

/// What a collective asks of its replica groups.
struct GroupRules {
  bool allowPadding = false; ///< -1 may fill short rows.
  bool mustCover = true;     ///< The ids are exactly 0 .. k-1.
  bool useGlobalIds = false; ///< Groups must not be empty.
  int64_t groupSize = -1;    ///< Length of the rows, or -1.
};
/// Fails unless `groups`, if they are rows of ids, keep to `rules`. Groups over mesh axes pass.
llvm::LogicalResult verifyReplicaGroups(mlir::Operation *op, mlir::Attribute groups,
                                        const GroupRules &rules);
/// Fails unless the symbol of a mesh in `groups`, if there is one, exists.
llvm::LogicalResult verifyMeshSymbol(mlir::Operation *op, mlir::Attribute groups,
                                     mlir::SymbolTableCollection &symbols);

} // namespace shardwise::stablehlo
