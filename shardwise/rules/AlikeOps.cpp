// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of which ops sheets follow from kinds say the families in their sheet lines.

#include "shardwise/rules/AlikeOps.h"

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/rules/SheetTable.h"

namespace shardwise::rules {

bool hasSheetOfKind(mlir::Operation *op) {
  const SheetLines *lines = SheetTable::instance().find(op->getName());
  return lines && lines->isOfKind && !sdy::getShardingRule(op);
}

bool areOfOneKind(mlir::Operation *one, mlir::Operation *other) {
  return one->getName() == other->getName() && one->getOperandTypes() == other->getOperandTypes() &&
         one->getResultTypes() == other->getResultTypes() &&
         (one->getPropertiesStorageSize() == 0 ||
          one->getName().compareOpProperties(one->getPropertiesStorage(),
                                             other->getPropertiesStorage()));
}

uint64_t kindHash(mlir::Operation *op) {
  constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
  auto hash = reinterpret_cast<uintptr_t>(op->getName().getAsOpaquePointer()) * kGoldenRatio;
  auto add = [&](mlir::Type type) {
    hash = (hash ^ (hash >> 32) ^ reinterpret_cast<uintptr_t>(type.getAsOpaquePointer())) *
           kGoldenRatio;
  };
  for (mlir::Value operand : op->getOperands())
    add(operand.getType());
  for (mlir::Value result : op->getResults())
    add(result.getType());
  if (op->getPropertiesStorageSize() > 0)
    hash += static_cast<size_t>(op->hashProperties()) * kGoldenRatio;
  return hash;
}

} // namespace shardwise::rules
