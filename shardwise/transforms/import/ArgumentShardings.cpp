// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments of functions are kept back, all else goes to the IR.

#include "shardwise/transforms/import/ArgumentShardings.h"

namespace shardwise::importer {

namespace {

/// The function whose argument `value` is; null for all other values.
mlir::func::FuncOp functionOf(mlir::Value value) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return {};
  return mlir::dyn_cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
}

} // namespace

sdy::TensorShardingAttr ArgumentShardings::get(mlir::Value value) const {
  if (mlir::func::FuncOp function = functionOf(value))
    if (auto it = changed.find(function); it != changed.end())
      return it->second[mlir::cast<mlir::BlockArgument>(value).getArgNumber()];
  return sdy::getSharding(value);
}

void ArgumentShardings::set(mlir::Value value, sdy::TensorShardingAttr sharding) {
  mlir::func::FuncOp function = functionOf(value);
  if (!function)
    return sdy::setSharding(value, sharding);
  auto [it, isNew] = changed.try_emplace(function);
  if (isNew)
    it->second = sdy::getFuncArgShardings(function);
  it->second[mlir::cast<mlir::BlockArgument>(value).getArgNumber()] = sharding;
}

void ArgumentShardings::write() {
  for (auto &[function, shardings] : changed)
    sdy::setFuncArgShardings(function, shardings);
  changed.clear();
}

} // namespace shardwise::importer
