// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration. Checks of attributes on operations of other dialects are in
// AttributeVerifiers.cpp.

#include "shardwise/dialect/sdy/SdyDialect.h"

#include "shardwise/dialect/sdy/Bytecode.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingChecks.h"

#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;

#include "shardwise/dialect/sdy/SdyDialect.cpp.inc"

namespace shardwise::sdy {

namespace {

/// Everything may be inlined; a `sdy.return` hands its operands to the uses of the results.
struct Inliner final : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *, bool) const override { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const override { return true; }

  void handleTerminator(Operation *op, ValueRange valuesToReplace) const override {
    for (auto [value, operand] : llvm::zip_equal(valuesToReplace, op->getOperands()))
      value.replaceAllUsesWith(operand);
  }
};

} // namespace

void SdyDialect::initialize() {
  registerAttributes();
  attachShardingUses(getContext());
  addOperations<
#define GET_OP_LIST
#include "shardwise/dialect/sdy/SdyOps.cpp.inc"
      >();
  addInterfaces<Inliner>();
  addBytecodeInterface(*this);
}

} // namespace shardwise::sdy
