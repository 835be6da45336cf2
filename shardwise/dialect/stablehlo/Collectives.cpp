// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of collectives, and where each keeps its groups and its channel: in attributes, or a
// custom call in its backend_config.

#include "shardwise/dialect/stablehlo/Collectives.h"

#include "shardwise/dialect/stablehlo/RaggedAllToAll.h"
#include "shardwise/dialect/stablehlo/ops/CollectiveOps.h"

#include "llvm/ADT/TypeSwitch.h"

namespace shardwise::stablehlo {

using core::CollectiveKind;

std::optional<CollectiveKind> collectiveKind(mlir::Operation *op) {
  return llvm::TypeSwitch<mlir::Operation *, std::optional<CollectiveKind>>(op)
      .Case([](AllGatherOp) { return CollectiveKind::AllGather; })
      .Case([](AllReduceOp) { return CollectiveKind::AllReduce; })
      .Case([](AllToAllOp) { return CollectiveKind::AllToAll; })
      .Case([](CollectiveBroadcastOp) { return CollectiveKind::CollectiveBroadcast; })
      .Case([](CollectivePermuteOp) { return CollectiveKind::CollectivePermute; })
      .Case([](ReduceScatterOp) { return CollectiveKind::ReduceScatter; })
      .Case([](CustomCallOp call) -> std::optional<CollectiveKind> {
        if (isRaggedAllToAll(call))
          return CollectiveKind::RaggedAllToAll;
        return std::nullopt;
      })
      .Default(std::nullopt);
}

namespace {

constexpr llvm::StringLiteral kGroups = "replica_groups", kChannel = "channel_handle",
                              kChannelInConfig = "channel_id";

mlir::DictionaryAttr configOf(CustomCallOp call) {
  return mlir::dyn_cast_or_null<mlir::DictionaryAttr>(call.getBackendConfig().value_or(nullptr));
}

/// Sets entry `name` of the backend_config; removes it if `value` is null.
void setInConfig(CustomCallOp call, llvm::StringRef name, mlir::Attribute value) {
  mlir::NamedAttrList entries(configOf(call));
  if (value)
    entries.set(name, value);
  else
    entries.erase(name);
  call.setBackendConfigAttr(entries.getDictionary(call.getContext()));
}

} // namespace

mlir::Attribute replicaGroupsOf(mlir::Operation *op) {
  if (auto call = mlir::dyn_cast<CustomCallOp>(op)) {
    mlir::DictionaryAttr config = configOf(call);
    return config ? config.get(kGroups) : mlir::Attribute();
  }
  return op->getAttr(kGroups);
}

void setReplicaGroups(mlir::Operation *op, mlir::Attribute groups) {
  if (auto call = mlir::dyn_cast<CustomCallOp>(op))
    return setInConfig(call, kGroups, groups);
  op->setAttr(kGroups, groups);
}

int64_t channelOf(mlir::Operation *op) {
  if (auto call = mlir::dyn_cast<CustomCallOp>(op)) {
    mlir::DictionaryAttr config = configOf(call);
    auto channel = config ? config.getAs<mlir::IntegerAttr>(kChannelInConfig) : mlir::IntegerAttr();
    return channel && channel.getValue().isSignedIntN(64) ? channel.getValue().getSExtValue() : 0;
  }
  auto channel = op->getAttrOfType<ChannelHandleAttr>(kChannel);
  return channel ? channel.getHandle() : 0;
}

void setChannel(mlir::Operation *op, int64_t channel) {
  mlir::Builder builder(op->getContext());
  if (auto call = mlir::dyn_cast<CustomCallOp>(op))
    return setInConfig(call, kChannelInConfig,
                       channel > 0 ? builder.getI64IntegerAttr(channel) : mlir::IntegerAttr());
  if (channel > 0)
    op->setAttr(kChannel, ChannelHandleAttr::get(op->getContext(), channel, /*type=*/1));
  else
    op->removeAttr(kChannel);
}

} // namespace shardwise::stablehlo
