// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cholesky and triangular_solve over batches of matrices. f16 and bf16 are computed in f32.

#include "shardwise/execute/lower/LowerLinearAlgebra.h"

namespace shardwise::execute {
namespace {

/// The type to factor matrices of `type` in.
DataType factorType(DataType type) {
  return type == DataType::F16 || type == DataType::BF16 ? DataType::F32 : type;
}

Transpose transposeOf(stablehlo::Transpose transpose) {
  switch (transpose) {
  case stablehlo::Transpose::NO_TRANSPOSE:
    return Transpose::None;
  case stablehlo::Transpose::ADJOINT:
    return Transpose::Adjoint;
  default:
    return Transpose::Plain;
  }
}

} // namespace

void emitCholesky(FunctionLowering &lowering, mlir::Value operand, mlir::Value result,
                  mlir::Value info, bool isLower) {
  TensorType type = typeOf(operand);
  DataType work = factorType(type.type);
  auto thunk = std::make_unique<CholeskyThunk>();
  thunk->batch = MatrixBatch({work, type.shape});
  thunk->isLower = isLower;
  thunk->input = lowering.bufferAs(operand, work);
  int64_t n = thunk->batch.rows;
  thunk->scratch = lowering.scratch((choleskyScratchElements(n) + (isLower ? n * n : 0)) *
                                    runtime::byteSize(work));
  BufferId read = thunk->input;
  BufferId target = thunk->result = lowering.defineAs(result, work);
  std::vector<BufferId> writes = {thunk->scratch, target};
  if (info)
    writes.push_back(thunk->info = lowering.define(info));
  lowering.emit(std::move(thunk), read, writes);
  lowering.finishAs(result, target, work);
}

void emitSolve(FunctionLowering &lowering, mlir::Value a, mlir::Value b, mlir::Value result,
               const SolveOptions &options) {
  DataType work = factorType(typeOf(a).type);
  auto thunk = std::make_unique<TriangularSolveThunk>();
  thunk->left = MatrixBatch({work, typeOf(a).shape});
  thunk->right = MatrixBatch({work, typeOf(b).shape});
  thunk->triangle = options.triangle;
  thunk->isLeft = options.isLeft;
  thunk->transpose = options.transpose;
  thunk->matrix = lowering.bufferAs(a, work);
  thunk->values = lowering.bufferAs(b, work);
  thunk->scratch = lowering.scratch(thunk->scratchBytes());
  BufferId reads[] = {thunk->matrix, thunk->values};
  BufferId target = thunk->result = lowering.defineAs(result, work);
  BufferId writes[] = {thunk->scratch, target};
  int64_t at = lowering.emit(std::move(thunk), reads, writes);
  // From the left the solve works in place; from the right it goes through a transposed copy.
  if (reads[0] != reads[1] && options.isLeft)
    lowering.bufferPlan().mayReplace(target, reads[1], at);
  lowering.finishAs(result, target, work);
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::CholeskyOp op) {
  emitCholesky(lowering, op.getA(), op.getResult(), /*info=*/{}, op.getLower());
  return mlir::success();
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::TriangularSolveOp op) {
  SolveOptions options;
  options.triangle = {op.getLower(), op.getUnitDiagonal()};
  options.isLeft = op.getLeftSide();
  options.transpose = transposeOf(op.getTransposeA());
  emitSolve(lowering, op.getA(), op.getB(), op.getResult(), options);
  return mlir::success();
}

} // namespace shardwise::execute
