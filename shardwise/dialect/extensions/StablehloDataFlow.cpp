// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// External models of the data-flow interface: which values of an op must have one sharding. For
// result k, the sources and the other targets are
//   while                  operand k, operand k of the body's return; argument k of both regions
//   case                   operand k of each branch's return
//   optimization_barrier   operand k

#include "shardwise/dialect/extensions/StablehloDataFlow.h"

#include "shardwise/dialect/sdy/SdyInterfaces.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"

namespace shardwise::extensions {

namespace {

using llvm::SmallVector;
using mlir::BlockArgument;
using mlir::Operation;
using mlir::OpOperand;
using mlir::OpResult;
using mlir::Value;

/// What all three have in common: results own the edges, operand k belongs to result k.
template <class Model, class OpT>
struct ResultsOwnEdges : sdy::ShardableDataFlowOpInterface::ExternalModel<Model, OpT> {
  SmallVector<OpResult> getResultOwners(Operation *op) const {
    return llvm::to_vector(op->getOpResults());
  }
  void setBlockArgumentOwnerShardings(Operation *op,
                                      llvm::ArrayRef<sdy::TensorShardingAttr> shardings) const {}
  Value getOwnerOfTarget(Operation *op, Value target) const {
    return target.getDefiningOp() == op ? target : Value();
  }
};

unsigned numberOf(Value owner) {
  return mlir::cast<OpResult>(owner).getResultNumber();
}

OpOperand &terminatorOperand(mlir::Region &region, unsigned i) {
  return region.front().getTerminator()->getOpOperand(i);
}

bool isTerminatorOf(Operation *op, mlir::Region &region) {
  return !region.empty() && op == &region.front().back();
}

struct WhileModel : ResultsOwnEdges<WhileModel, stablehlo::WhileOp> {
  SmallVector<OpOperand *> getSources(Operation *op, Value owner) const {
    auto loop = mlir::cast<stablehlo::WhileOp>(op);
    unsigned i = numberOf(owner);
    return {&op->getOpOperand(i), &terminatorOperand(loop.getBody(), i)};
  }
  Value getOwnerOfTarget(Operation *op, Value target) const {
    if (auto argument = mlir::dyn_cast<BlockArgument>(target))
      return argument.getOwner()->getParentOp() == op ? op->getResult(argument.getArgNumber())
                                                      : Value();
    return target.getDefiningOp() == op ? target : Value();
  }
  Value getOwnerOfSource(Operation *op, OpOperand &source) const {
    auto loop = mlir::cast<stablehlo::WhileOp>(op);
    if (source.getOwner() == op || isTerminatorOf(source.getOwner(), loop.getBody()))
      return op->getResult(source.getOperandNumber());
    return {};
  }
  SmallVector<Value> getOtherTargets(Operation *op, Value owner) const {
    auto loop = mlir::cast<stablehlo::WhileOp>(op);
    unsigned i = numberOf(owner);
    return {loop.getCond().getArgument(i), loop.getBody().getArgument(i)};
  }
};

struct CaseModel : ResultsOwnEdges<CaseModel, stablehlo::CaseOp> {
  SmallVector<OpOperand *> getSources(Operation *op, Value owner) const {
    SmallVector<OpOperand *> sources;
    for (mlir::Region &branch : op->getRegions())
      sources.push_back(&terminatorOperand(branch, numberOf(owner)));
    return sources;
  }
  Value getOwnerOfSource(Operation *op, OpOperand &source) const {
    // The operand of a case is the number of the branch: no edge.
    return source.getOwner()->getParentOp() == op &&
                   source.getOwner() == &source.getOwner()->getBlock()->back()
               ? op->getResult(source.getOperandNumber())
               : Value();
  }
};

struct OptimizationBarrierModel
    : ResultsOwnEdges<OptimizationBarrierModel, stablehlo::OptimizationBarrierOp> {
  SmallVector<OpOperand *> getSources(Operation *op, Value owner) const {
    return {&op->getOpOperand(numberOf(owner))};
  }
  Value getOwnerOfSource(Operation *op, OpOperand &source) const {
    return source.getOwner() == op ? op->getResult(source.getOperandNumber()) : Value();
  }
};

} // namespace

void registerStablehloDataFlow(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](mlir::MLIRContext *context, stablehlo::StablehloDialect *) {
    stablehlo::WhileOp::attachInterface<WhileModel>(*context);
    stablehlo::CaseOp::attachInterface<CaseModel>(*context);
    stablehlo::OptimizationBarrierOp::attachInterface<OptimizationBarrierModel>(*context);
  });
}

} // namespace shardwise::extensions
