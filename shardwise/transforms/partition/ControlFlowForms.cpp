// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops, branches, calls and computations with a region. Values that flow along an edge have one
// sharding, so their local types agree; bodies of manual and named computations are inlined.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/LocalForms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwise::partition {

namespace {

/// Puts the body in the place of `op`. Its values are what one device has, as are those around
/// it, once both are local.
llvm::LogicalResult inlineBody(mlir::Operation *op, LocalProgram &program) {
  mlir::Block &body = op->getRegion(0).front();
  for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), op->getOperands())) {
    if (argument.getType() != operand.getType())
      return op->emitOpError("operand ")
             << argument.getArgNumber() << " has local type " << operand.getType()
             << ", but the body takes " << argument.getType()
             << "; run shardwise-insert-partition-reshards first";
    program.replaceInTheEnd(argument, operand);
  }
  mlir::Operation *terminator = body.getTerminator();
  for (auto [result, returned] : llvm::zip_equal(op->getResults(), terminator->getOperands())) {
    if (result.getType() != returned.getType())
      return op->emitOpError("result ")
             << result.getResultNumber() << " has local type " << result.getType()
             << ", but the body returns " << returned.getType()
             << "; run shardwise-insert-partition-reshards first";
    program.replaceInTheEnd(result, returned);
  }
  program.inlineInTheEnd(op);
  return llvm::success();
}

/// For ops that say something of shardings and compute nothing: the result is the operand. One that
/// changes a placement should have become collectives before.
llvm::LogicalResult vanish(mlir::Operation *op, LocalProgram &program) {
  if (op->getNumResults() == 1) {
    mlir::Value input = op->getOperand(0), result = op->getResult(0);
    reshard::ShardedProgram &shardings = program.shardings();
    if (!shardings.isAt(input, shardings.placementOf(result), shardings.meshOf(result)))
      return op->emitOpError(
          "changes a sharding and has no local form; run "
          "shardwise-insert-partition-reshards and sdy-reshard-to-collectives first");
    program.replaceInTheEnd(result, input);
  }
  program.eraseInTheEnd(op);
  return llvm::success();
}

} // namespace

void addControlFlowForms(LocalFormRegistry &registry) {
  registry.add<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp, stablehlo::ReturnOp,
               stablehlo::OptimizationBarrierOp, stablehlo::CustomCallOp>(keepForm);
  registry.add<mlir::func::CallOp, mlir::func::ReturnOp>(keepForm);
  registry.add<sdy::ReturnOp>(keepForm);
  registry.add<sdy::ManualComputationOp, sdy::NamedComputationOp>(inlineBody);
  registry.add<sdy::ShardingConstraintOp, sdy::PropagationBarrierOp, sdy::DataFlowEdgeOp,
               sdy::FuncDataFlowEdgeOp, sdy::ShardingGroupOp>(vanish);
}

} // namespace shardwise::partition
