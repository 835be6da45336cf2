// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LAPACK custom calls as JAX writes them: attributes are characters, in `backend_config` (typed
// FFI) or in the discardable `mhlo.backend_config`.

#include "shardwise/reference/LinearAlgebra.h"

#include <mlir/IR/Diagnostics.h>

namespace shardwise::reference {
namespace {

/// Returns the character attribute `name`, or `otherwise` if it is absent.
char characterOf(stablehlo::CustomCallOp op, llvm::StringRef name, char otherwise) {
  for (mlir::Attribute config :
       {op.getBackendConfig().value_or(mlir::Attribute()), op->getAttr("mhlo.backend_config")})
    if (auto dictionary = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(config))
      if (auto value = dictionary.getAs<mlir::IntegerAttr>(name))
        return static_cast<char>(value.getValue().getZExtValue());
  return otherwise;
}

/// Checks the numbers of operands and results, that results have ranks `ranks` (relative to the
/// rank of the first operand), and that matrices have at least two dimensions.
mlir::LogicalResult checkForm(stablehlo::CustomCallOp op, size_t numOperands,
                              llvm::ArrayRef<int64_t> ranks) {
  auto rankOf = [](mlir::Type type) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    return tensor ? tensor.getRank() : -1;
  };
  bool fits = op.getNumOperands() == numOperands && op.getNumResults() == ranks.size();
  for (size_t i = 0; fits && i < ranks.size(); ++i)
    fits = rankOf(op->getResult(i).getType()) == rankOf(op->getOperand(0).getType()) + ranks[i];
  for (mlir::Type type : op.getOperandTypes())
    fits = fits && rankOf(type) >= 2;
  if (fits)
    return mlir::success();
  return op.emitOpError("custom call target '")
         << op.getCallTargetName() << "' takes " << numOperands << " matrices and gives "
         << ranks.size() << " results; got other numbers or shapes";
}

} // namespace

mlir::FailureOr<bool> tryLapack(stablehlo::CustomCallOp op, Tensors operands, Results &results) {
  llvm::StringRef target = op.getCallTargetName();
  bool isDouble = target.starts_with("lapack_d");
  if (!target.consume_front(isDouble ? "lapack_d" : "lapack_s"))
    return false;
  auto run = [&](size_t numOperands, llvm::ArrayRef<int64_t> ranks,
                 auto compute) -> mlir::FailureOr<bool> {
    if (mlir::failed(checkForm(op, numOperands, ranks)))
      return mlir::failure();
    for (const HostTensor *operand : operands)
      if (operand->type != (isDouble ? DataType::F64 : DataType::F32))
        return op.emitOpError("custom call target '")
               << op.getCallTargetName() << "' takes " << (isDouble ? "f64" : "f32")
               << " matrices, got " << runtime::typeString(*operand);
    results = compute();
    return true;
  };
  bool lower = characterOf(op, "uplo", 'L') == 'L';
  if (target == "potrf_ffi")
    return run(1, {0, -2},
               [&] { return lapackCholesky(*operands[0], lower, op.getResultTypes()); });
  if (target == "getrf_ffi")
    return run(1, {0, -1, -2}, [&] { return lapackLu(*operands[0], op.getResultTypes()); });
  if (target != "trsm_ffi")
    return false;
  TriangularForm form;
  char transposition = characterOf(op, "trans_x", 'N');
  form.leftSide = characterOf(op, "side", 'L') == 'L';
  form.lower = lower;
  form.unitDiagonal = characterOf(op, "diag", 'N') == 'U';
  form.transpose = transposition != 'N';
  form.conjugate = transposition == 'C';
  return run(2, {0}, [&] { return Results{triangularSolve(*operands[0], *operands[1], form)}; });
}

} // namespace shardwise::reference
