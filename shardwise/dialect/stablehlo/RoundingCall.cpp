// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameters of the call are an attribute of three integers: seed, steps, unused bits.

#include "shardwise/dialect/stablehlo/RoundingCall.h"

namespace shardwise::stablehlo {
namespace {

constexpr llvm::StringLiteral kTarget = "shardwise.disturb";
constexpr llvm::StringLiteral kParameters = "shardwise.disturbance";

} // namespace

CustomCallOp createRoundingCall(mlir::OpBuilder &builder, mlir::Value operand,
                                const RoundingCall &call) {
  mlir::OperationState state(operand.getLoc(), CustomCallOp::getOperationName());
  state.addOperands(operand);
  state.addTypes(operand.getType());
  state.addAttribute("call_target_name", builder.getStringAttr(kTarget));
  state.addAttribute(kParameters, builder.getDenseI64ArrayAttr({static_cast<int64_t>(call.seed),
                                                                call.steps, call.unusedBits}));
  return llvm::cast<CustomCallOp>(builder.create(state));
}

std::optional<RoundingCall> roundingCallOf(CustomCallOp op) {
  auto parameters = op->getAttrOfType<mlir::DenseI64ArrayAttr>(kParameters);
  if (op.getCallTargetName() != kTarget || !parameters || parameters.size() != 3)
    return std::nullopt;
  return RoundingCall{static_cast<uint64_t>(parameters[0]), parameters[1],
                      static_cast<int>(parameters[2])};
}

} // namespace shardwise::stablehlo
