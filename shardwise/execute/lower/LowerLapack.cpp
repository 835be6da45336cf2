// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The LAPACK calls that JAX emits for factorisations and solves, on f32 and f64:
// `lapack_spotrf_ffi`, where s is the type (s or d) and potrf the routine.
//
//     potrf   Cholesky             matrix           -> factor, info
//     trsm    triangular solve     matrix, values   -> solution
//     getrf   LU with pivoting     matrix           -> factors, pivots, info
//
// Options are characters as LAPACK has them ('L'ower, 'U'pper), given by their codes in the
// backend_config.

#include "shardwise/execute/lower/LowerLinearAlgebra.h"

#include <mlir/IR/Diagnostics.h>

#include <algorithm>

namespace shardwise::execute {
namespace {

/// The character that a LAPACK call has as attribute `name`; a diagnostic if it is none of
/// `allowed`.
mlir::FailureOr<char> characterOf(stablehlo::CustomCallOp op, llvm::StringRef name,
                                  llvm::StringRef allowed) {
  auto options = op->getAttrOfType<mlir::DictionaryAttr>("mhlo.backend_config");
  if (!options)
    options = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(
        op->getInherentAttr("backend_config").value_or(mlir::Attribute()));
  auto code = options ? options.getAs<mlir::IntegerAttr>(name) : mlir::IntegerAttr();
  bool isCharacter = code && code.getValue().getActiveBits() <= 8;
  char character = isCharacter ? static_cast<char>(code.getValue().getZExtValue()) : '\0';
  if (!code || !allowed.contains(character))
    return op.emitOpError() << "'" << op.getCallTargetName() << "' has no '" << name
                            << "' that is supported; expected the code of one of the characters '"
                            << allowed << "' in its backend_config";
  return character;
}

/// The element type of the LAPACK routine called `lapack_?..._ffi`.
DataType lapackType(llvm::StringRef target) {
  return target.consume_front("lapack_s") ? DataType::F32 : DataType::F64;
}

/// Checks types, counts, ranks and the status results of a LAPACK call.
LogicalResult checkSignature(stablehlo::CustomCallOp op, unsigned numOperands, unsigned numResults,
                             bool isSquare) {
  auto refuse = [&]() {
    return op.emitOpError() << "'" << op.getCallTargetName()
                            << "' has operands and results that do not fit it; expected "
                            << numOperands << " batches of matrices of "
                            << runtime::toString(lapackType(op.getCallTargetName())).data()
                            << ", and " << numResults << " results";
  };
  if (op->getNumOperands() != numOperands || op->getNumResults() != numResults)
    return refuse();
  TensorType matrix = typeOf(op->getOperand(0));
  size_t rank = matrix.shape.size();
  if (rank < 2 || matrix.type != lapackType(op.getCallTargetName()) ||
      (isSquare && matrix.shape[rank - 1] != matrix.shape[rank - 2]))
    return refuse();
  mlir::Value last = op->getOperands().back();
  if (typeOf(last).type != matrix.type || typeOf(last).shape.size() != rank ||
      typeOf(op->getResult(0)) != typeOf(last))
    return refuse();
  std::vector<int64_t> batch(matrix.shape.begin(), matrix.shape.end() - 2);
  if (!std::equal(batch.begin(), batch.end(), typeOf(last).shape.begin()))
    return refuse();
  if (numResults > 1 && typeOf(op->getResults().back()) != TensorType{DataType::I32, batch})
    return refuse();
  if (numResults > 2) {
    // One pivot per row of the smaller side.
    batch.push_back(std::min(matrix.shape[rank - 1], matrix.shape[rank - 2]));
    if (typeOf(op->getResult(1)) != TensorType{DataType::I32, batch})
      return refuse();
  }
  return mlir::success();
}

LogicalResult lowerPotrf(FunctionLowering &lowering, stablehlo::CustomCallOp op) {
  if (mlir::failed(checkSignature(op, 1, 2, /*isSquare=*/true)))
    return mlir::failure();
  mlir::FailureOr<char> triangle = characterOf(op, "uplo", "LU");
  if (mlir::failed(triangle))
    return mlir::failure();
  emitCholesky(lowering, op->getOperand(0), op->getResult(0), op->getResult(1), *triangle == 'L');
  return mlir::success();
}

LogicalResult lowerTrsm(FunctionLowering &lowering, stablehlo::CustomCallOp op) {
  if (mlir::failed(checkSignature(op, 2, 1, /*isSquare=*/true)))
    return mlir::failure();
  mlir::FailureOr<char> side = characterOf(op, "side", "LR");
  mlir::FailureOr<char> triangle = characterOf(op, "uplo", "LU");
  mlir::FailureOr<char> transpose = characterOf(op, "trans_x", "NTC");
  mlir::FailureOr<char> diagonal = characterOf(op, "diag", "NU");
  if (mlir::failed(side) || mlir::failed(triangle) || mlir::failed(transpose) ||
      mlir::failed(diagonal))
    return mlir::failure();
  SolveOptions options;
  options.isLeft = *side == 'L';
  options.triangle = {*triangle == 'L', *diagonal == 'U'};
  options.transpose = *transpose == 'N'   ? Transpose::None
                      : *transpose == 'T' ? Transpose::Plain
                                          : Transpose::Adjoint;
  const std::vector<int64_t> shape = typeOf(op->getOperand(1)).shape;
  // As many rows of b as the matrix has for a x = b, as many columns for x a = b.
  int64_t shared = shape[shape.size() - (options.isLeft ? 2 : 1)];
  if (shared != typeOf(op->getOperand(0)).shape.back())
    return op.emitOpError() << "solves with " << op->getOperand(0).getType() << " for "
                            << op->getOperand(1).getType()
                            << "; expected the size of the matrix in the dimension that is solved";
  emitSolve(lowering, op->getOperand(0), op->getOperand(1), op->getResult(0), options);
  return mlir::success();
}

LogicalResult lowerGetrf(FunctionLowering &lowering, stablehlo::CustomCallOp op) {
  if (mlir::failed(checkSignature(op, 1, 3, /*isSquare=*/false)))
    return mlir::failure();
  auto thunk = std::make_unique<LUThunk>();
  thunk->batch = MatrixBatch(typeOf(op->getOperand(0)));
  BufferId input = thunk->input = lowering.bufferOf(op->getOperand(0));
  BufferId result = thunk->result = lowering.define(op->getResult(0));
  thunk->pivots = lowering.define(op->getResult(1));
  thunk->info = lowering.define(op->getResult(2));
  BufferId writes[] = {thunk->result, thunk->pivots, thunk->info};
  int64_t at = lowering.emit(std::move(thunk), input, writes);
  lowering.bufferPlan().mayReplace(result, input, at);
  return mlir::success();
}

} // namespace

std::optional<LogicalResult> lowerLapack(FunctionLowering &lowering, stablehlo::CustomCallOp op) {
  llvm::StringRef target = op.getCallTargetName();
  if (!target.consume_front("lapack_") || !target.consume_back("_ffi") || target.size() < 2 ||
      !llvm::StringRef("sd").contains(target.front()))
    return std::nullopt;
  llvm::StringRef routine = target.drop_front();
  if (routine == "potrf")
    return lowerPotrf(lowering, op);
  if (routine == "trsm")
    return lowerTrsm(lowering, op);
  if (routine == "getrf")
    return lowerGetrf(lowering, op);
  return std::nullopt;
}

} // namespace shardwise::execute
