// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of known targets, and the shapes of each:
//   identities   T -> T
//   functions    tensors of one float or complex type -> the same type
//   topk         batch x n -> batch x k values, batch x k x i32 indices
//   potrf        batch x n x n -> factors, batch x i32 status
//   getrf        batch x m x n -> factors, batch x min(m, n) x i32 pivots, batch x i32 status
//   trsm         batch x n x n, batch of right-hand sides -> solutions
//   collectives  RaggedAllToAll.h
// Nothing else says what a call means, so what would not fit the kernel must be refused here.

#include "shardwise/dialect/stablehlo/CustomCallTargets.h"

#include "shardwise/dialect/stablehlo/RaggedAllToAll.h"
#include "shardwise/dialect/stablehlo/verify/Verification.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace shardwise::stablehlo {
namespace {

/// Fails if the call does not have the form; the text says which form it is.
using Check = LogicalResult (*)(CustomCallOp call);

InFlightDiagnostic misuse(CustomCallOp call) {
  return call.emitOpError("custom call target '") << call.getCallTargetName() << "' ";
}

RankedTensorType tensorOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() ? tensor : RankedTensorType();
}

LogicalResult checkIdentity(CustomCallOp call) {
  if (call.getNumOperands() == 1 && call.getOperandTypes() == call.getResultTypes())
    return success();
  return misuse(call) << "takes one operand and gives a result of the same type, got "
                      << call.getOperandTypes() << " and " << call.getResultTypes();
}

template <size_t NumOperands> LogicalResult checkFunction(CustomCallOp call) {
  RankedTensorType result =
      call.getNumResults() == 1 ? tensorOf(call->getResult(0).getType()) : RankedTensorType();
  bool fits = result && call.getNumOperands() == NumOperands &&
              isFloatOrComplex(result.getElementType()) &&
              llvm::all_of(call.getOperandTypes(), [&](Type type) { return type == result; });
  if (fits)
    return success();
  return misuse(call) << "takes " << NumOperands << " operand(s) and gives a result of one "
                      << "floating-point tensor type, got " << call.getOperandTypes() << " and "
                      << call.getResultTypes();
}

LogicalResult checkTopK(CustomCallOp call) {
  auto attributes = call->getAttrOfType<DictionaryAttr>("mhlo.attributes");
  auto largest = attributes ? attributes.getAs<BoolAttr>("largest") : BoolAttr();
  if (largest && !largest.getValue())
    return misuse(call) << "with largest = false is not supported; negate the operand";
  auto fits = [&] {
    if (call.getNumOperands() != 1 || call.getNumResults() != 2)
      return false;
    RankedTensorType operand = tensorOf(call->getOperand(0).getType());
    RankedTensorType values = tensorOf(call->getResult(0).getType());
    if (!operand || !values || operand.getRank() == 0 || values.getRank() != operand.getRank())
      return false;
    bool isCut = values.getShape().drop_back() == operand.getShape().drop_back() &&
                 values.getShape().back() <= operand.getShape().back();
    Type index = IntegerType::get(call.getContext(), 32);
    return isCut && values.getElementType() == operand.getElementType() &&
           call->getResult(1).getType() == RankedTensorType::get(values.getShape(), index);
  };
  if (fits())
    return success();
  return misuse(call) << "takes a tensor and gives the k largest elements of its last dimension "
                      << "and their i32 indices, got " << call.getOperandTypes() << " and "
                      << call.getResultTypes();
}

//===----------------------------------------------------------------------===//
// LAPACK
//===----------------------------------------------------------------------===//

/// Returns operand `number` if it is a batch of matrices of the type that the target's letter says.
RankedTensorType matrixOperand(CustomCallOp call, unsigned number) {
  RankedTensorType type = tensorOf(call->getOperand(number).getType());
  // LAPACK's names: s is f32, d is f64.
  bool isDouble = call.getCallTargetName().starts_with("lapack_d");
  bool fits = type && type.getRank() >= 2 &&
              (isDouble ? type.getElementType().isF64() : type.getElementType().isF32());
  return fits ? type : RankedTensorType();
}

/// `batch x i32`, or `batch x last x i32`.
RankedTensorType integersOf(RankedTensorType matrices, std::optional<int64_t> last) {
  Shape shape(matrices.getShape().drop_back(2));
  if (last)
    shape.push_back(*last);
  return RankedTensorType::get(shape, IntegerType::get(matrices.getContext(), 32));
}

/// Checks that character `name` is one of `allowed`.
LogicalResult checkCharacter(CustomCallOp call, StringRef name, StringRef allowed) {
  // The first character is what is meant where none is written.
  char value = lapackCharacter(call, name, allowed[0]);
  if (allowed.contains(value))
    return success();
  return misuse(call) << "takes one of the characters \"" << allowed << "\" as " << name
                      << ", got code " << static_cast<int>(static_cast<unsigned char>(value));
}

LogicalResult checkPotrf(CustomCallOp call) {
  if (failed(checkCharacter(call, "uplo", "LU")))
    return failure();
  RankedTensorType a = call.getNumOperands() == 1 ? matrixOperand(call, 0) : RankedTensorType();
  bool isSquare = a && a.getShape().back() == a.getShape().drop_back().back();
  if (isSquare && call.getNumResults() == 2 && call->getResult(0).getType() == a &&
      call->getResult(1).getType() == integersOf(a, std::nullopt))
    return success();
  return misuse(call) << "takes square matrices and gives their factors and i32 status, got "
                      << call.getOperandTypes() << " and " << call.getResultTypes();
}

LogicalResult checkGetrf(CustomCallOp call) {
  RankedTensorType a = call.getNumOperands() == 1 ? matrixOperand(call, 0) : RankedTensorType();
  if (a && call.getNumResults() == 3 && call->getResult(0).getType() == a) {
    int64_t numPivots = std::min(a.getShape().back(), a.getShape().drop_back().back());
    if (call->getResult(1).getType() == integersOf(a, numPivots) &&
        call->getResult(2).getType() == integersOf(a, std::nullopt))
      return success();
  }
  return misuse(call) << "takes matrices and gives their factors, i32 pivots and i32 status, got "
                      << call.getOperandTypes() << " and " << call.getResultTypes();
}

LogicalResult checkTrsm(CustomCallOp call) {
  if (failed(checkCharacter(call, "side", "LR")) || failed(checkCharacter(call, "uplo", "LU")) ||
      failed(checkCharacter(call, "trans_x", "NTC")) || failed(checkCharacter(call, "diag", "NU")))
    return failure();
  bool hasTwo = call.getNumOperands() == 2 && call.getNumResults() == 1;
  RankedTensorType a = hasTwo ? matrixOperand(call, 0) : RankedTensorType();
  RankedTensorType b = hasTwo ? matrixOperand(call, 1) : RankedTensorType();
  if (a && b && call->getResult(0).getType() == b) {
    bool isLeft = lapackCharacter(call, "side", 'L') == 'L';
    if (triangularSolveShape(a.getShape(), b.getShape(), isLeft))
      return success();
  }
  return misuse(call) << "takes square matrices and right-hand sides that fit them, and gives the "
                      << "solutions, got " << call.getOperandTypes() << " and "
                      << call.getResultTypes();
}

/// All known targets.
const llvm::StringMap<Check> &knownCalls() {
  static const llvm::StringMap<Check> table = {
      {"Sharding", checkIdentity},
      {"annotate_device_placement", checkIdentity},
      {"LayoutConstraint", checkIdentity},
      {kRaggedAllToAll, verifyRaggedAllToAll},
      {"lapack_spotrf_ffi", checkPotrf},
      {"lapack_dpotrf_ffi", checkPotrf},
      {"lapack_strsm_ffi", checkTrsm},
      {"lapack_dtrsm_ffi", checkTrsm},
      {"lapack_sgetrf_ffi", checkGetrf},
      {"lapack_dgetrf_ffi", checkGetrf},
      // Serialised forms of chlo ops.
      {"mhlo.acos", checkFunction<1>},
      {"mhlo.acosh", checkFunction<1>},
      {"mhlo.asin", checkFunction<1>},
      {"mhlo.asinh", checkFunction<1>},
      {"mhlo.atan", checkFunction<1>},
      {"mhlo.atanh", checkFunction<1>},
      {"mhlo.bessel_i1e", checkFunction<1>},
      {"mhlo.cosh", checkFunction<1>},
      {"mhlo.digamma", checkFunction<1>},
      {"mhlo.erf", checkFunction<1>},
      {"mhlo.erf_inv", checkFunction<1>},
      {"mhlo.erfc", checkFunction<1>},
      {"mhlo.lgamma", checkFunction<1>},
      {"mhlo.next_after", checkFunction<2>},
      {"mhlo.polygamma", checkFunction<2>},
      {"mhlo.sinh", checkFunction<1>},
      {"mhlo.square", checkFunction<1>},
      {"mhlo.tan", checkFunction<1>},
      {"mhlo.topk", checkTopK},
      {"mhlo.zeta", checkFunction<2>},
  };
  return table;
}

} // namespace

bool isKnownCallTarget(StringRef target) {
  return knownCalls().contains(target);
}

bool isIdentityTarget(StringRef target) {
  return knownCalls().lookup(target) == checkIdentity;
}

LogicalResult verifyKnownCall(CustomCallOp call) {
  Check check = knownCalls().lookup(call.getCallTargetName());
  return check ? check(call) : success();
}

char lapackCharacter(CustomCallOp call, StringRef name, char otherwise) {
  for (Attribute config :
       {call.getBackendConfig().value_or(Attribute()), call->getAttr("mhlo.backend_config")})
    if (auto dictionary = dyn_cast_or_null<DictionaryAttr>(config))
      if (auto value = dictionary.getAs<IntegerAttr>(name))
        // A code of any width may be written; what is too large is no character.
        return static_cast<char>(
            value.getValue().getActiveBits() <= 8 ? value.getValue().getZExtValue() : 0);
  return otherwise;
}

} // namespace shardwise::stablehlo
