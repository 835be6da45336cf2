// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of ragged_all_to_all. Nothing but this says what the call means, so what would not fit the
// kernel is refused here.

#include "shardwise/dialect/stablehlo/RaggedAllToAll.h"

#include "shardwise/dialect/stablehlo/StablehloAttrs.h"
#include "shardwise/dialect/stablehlo/verify/Verification.h"

using namespace mlir;

namespace shardwise::stablehlo {
namespace {

constexpr const char *kOperandNames[RaggedOperand::Count] = {
    "operand", "output", "input_offsets", "send_sizes", "output_offsets", "recv_sizes"};

InFlightDiagnostic misuse(CustomCallOp call) {
  return call.emitOpError("custom call target '") << kRaggedAllToAll << "' ";
}

LogicalResult checkRows(CustomCallOp call) {
  auto rows = dyn_cast<RankedTensorType>(call->getOperand(RaggedOperand::Rows).getType());
  auto output = dyn_cast<RankedTensorType>(call->getOperand(RaggedOperand::Output).getType());
  bool fits = rows && output && rows.getRank() > 0 && rows.getRank() == output.getRank() &&
              rows.getElementType() == output.getElementType() &&
              rows.getShape().drop_front() == output.getShape().drop_front();
  if (!fits)
    return misuse(call) << "takes an operand and an output that differ in their numbers of rows "
                        << "only, got " << call->getOperand(RaggedOperand::Rows).getType()
                        << " and " << call->getOperand(RaggedOperand::Output).getType();
  if (call->getResult(0).getType() == output)
    return success();
  return misuse(call) << "gives a result of the type of output, " << output << ", got "
                      << call->getResult(0).getType();
}

LogicalResult checkLists(CustomCallOp call) {
  Type first = call->getOperand(RaggedOperand::InputOffsets).getType();
  for (unsigned number = RaggedOperand::InputOffsets; number < RaggedOperand::Count; ++number) {
    Type type = call->getOperand(number).getType();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getRank() != 1 || !isInteger(tensor.getElementType()))
      return misuse(call) << "takes a list of integers as " << kOperandNames[number] << ", got "
                          << type;
    if (tensor.getShape() != cast<RankedTensorType>(first).getShape())
      return misuse(call) << "takes lists of one length, got " << first << " as "
                          << kOperandNames[RaggedOperand::InputOffsets] << " and " << type << " as "
                          << kOperandNames[number];
  }
  return success();
}

LogicalResult checkGroups(CustomCallOp call) {
  auto config = dyn_cast_or_null<DictionaryAttr>(call.getBackendConfig().value_or(nullptr));
  Attribute groups = config ? config.get("replica_groups") : nullptr;
  auto list = dyn_cast_or_null<DenseIntElementsAttr>(groups);
  bool isList = list && list.getType().getRank() == 2 && !list.empty();
  if (!isList && !isa_and_nonnull<ReplicaGroupMeshAxesAttr>(groups))
    return misuse(call) << "needs replica_groups in its backend_config, a list of groups of equal "
                        << "size as jax.lax.ragged_all_to_all writes it, got "
                        << (groups ? groups : Attribute(config));
  int64_t length =
      cast<RankedTensorType>(call->getOperand(RaggedOperand::InputOffsets).getType()).getDimSize(0);
  if (isList && length % list.getType().getDimSize(1) != 0)
    return misuse(call) << "takes lists with as many elements for each device of a group, got "
                        << length << " for " << list.getType().getDimSize(1) << " devices";
  Attribute channel = config.get("channel_id");
  if (channel && !isa<IntegerAttr>(channel))
    return misuse(call) << "takes an integer as channel_id, got " << channel;
  return success();
}

} // namespace

bool isRaggedAllToAll(Operation *op) {
  auto call = dyn_cast<CustomCallOp>(op);
  return call && call.getCallTargetNameAttr() && call.getCallTargetName() == kRaggedAllToAll;
}

LogicalResult verifyRaggedAllToAll(CustomCallOp call) {
  if (call.getNumOperands() != RaggedOperand::Count || call.getNumResults() != 1)
    return misuse(call) << "takes operand, output, input_offsets, send_sizes, output_offsets and "
                        << "recv_sizes, and gives one result, got " << call.getOperandTypes()
                        << " and " << call.getResultTypes();
  if (failed(checkRows(call)) || failed(checkLists(call)))
    return failure();
  return checkGroups(call);
}

Value createRaggedAllToAll(OpBuilder &builder, Location location, ValueRange operands,
                           Attribute groups, int64_t channel) {
  OperationState state(location, CustomCallOp::getOperationName());
  state.addOperands(operands);
  state.addTypes(operands[RaggedOperand::Output].getType());
  auto &properties = state.getOrAddProperties<CustomCallOp::Properties>();
  properties.call_target_name = builder.getStringAttr(kRaggedAllToAll);
  properties.api_version = CustomCallApiVersionAttr::get(
      builder.getContext(), CustomCallApiVersion::API_VERSION_TYPED_FFI);
  properties.backend_config = builder.getDictionaryAttr(
      {builder.getNamedAttr("channel_id", builder.getI64IntegerAttr(channel)),
       builder.getNamedAttr("replica_groups", groups)});
  return builder.create(state)->getResult(0);
}

} // namespace shardwise::stablehlo
