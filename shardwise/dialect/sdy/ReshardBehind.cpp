// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One op and its uses.

#include "shardwise/dialect/sdy/ReshardBehind.h"

#include "shardwise/dialect/sdy/SdyOps.h"

namespace shardwise::sdy {

mlir::Value reshardBehind(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                          TensorShardingAttr sharding) {
  auto reshard = ReshardOp::create(builder, location, value.getType(), value, sharding);
  value.replaceAllUsesExcept(reshard.getResult(), reshard);
  return reshard.getResult();
}

} // namespace shardwise::sdy
