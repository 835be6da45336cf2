// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manual and named computations as data-flow operations: argument i of the body is fed by operand
// i, result i by operand i of the terminator.
//
// A manual computation is seen from two sides. With manual {"x"}, an operand and its sharding in
// `in_shardings` are `[{"x", "y"}, {}]` where the block argument is `[{"y"}, {}]`: shardings lose
// their manual axes on the way in, and get them back on the way out.

#include "shardwise/dialect/sdy/ManualAxes.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"

using namespace mlir;

namespace shardwise::sdy {

namespace {

template <class OpT> SmallVector<BlockArgument> bodyArguments(OpT op) {
  return llvm::to_vector(op.getBody().getArguments());
}

template <class OpT> SmallVector<OpOperand *> edgeSources(OpT op, Value owner) {
  if (auto argument = dyn_cast<BlockArgument>(owner))
    return {&op->getOpOperand(argument.getArgNumber())};
  return {&op.getReturn()->getOpOperand(cast<OpResult>(owner).getResultNumber())};
}

template <class OpT> Value ownerOfTarget(OpT op, Value target) {
  if (auto argument = dyn_cast<BlockArgument>(target))
    return argument.getOwner()->getParentOp() == op ? target : Value();
  return target.getDefiningOp() == op ? target : Value();
}

template <class OpT> Value ownerOfSource(OpT op, OpOperand &source) {
  if (source.getOwner() == op)
    return op.getBody().getArgument(source.getOperandNumber());
  if (source.getOwner() == op.getReturn())
    return op->getResult(source.getOperandNumber());
  return {};
}

SmallVector<TensorShardingAttr> toVector(TensorShardingPerValueAttr shardings) {
  return shardings ? llvm::to_vector(shardings.getShardings()) : SmallVector<TensorShardingAttr>();
}

} // namespace

//===----------------------------------------------------------------------===//
// Manual computation
//===----------------------------------------------------------------------===//

ReturnOp ManualComputationOp::getReturn() {
  return cast<ReturnOp>(getBody().front().getTerminator());
}

TensorShardingAttr ManualComputationOp::getBlockArgumentSharding(size_t index) {
  if (!getInShardingsAttr() || !getManualAxesAttr() || index >= getInShardings().size())
    return {};
  return withoutManualAxes(getInShardings()[index], getManualAxes());
}

SmallVector<BlockArgument> ManualComputationOp::getBlockArgumentOwners() {
  return bodyArguments(*this);
}

SmallVector<OpResult> ManualComputationOp::getResultOwners() {
  return llvm::to_vector((*this)->getOpResults());
}

SmallVector<TensorShardingAttr> ManualComputationOp::getBlockArgumentOwnerShardings() {
  return llvm::map_to_vector(getInShardings().getShardings(), [&](TensorShardingAttr sharding) {
    return withoutManualAxes(sharding, getManualAxes());
  });
}

void ManualComputationOp::setBlockArgumentOwnerShardings(ArrayRef<TensorShardingAttr> shardings) {
  SmallVector<TensorShardingAttr> updated(getInShardings().getShardings());
  assert(updated.size() == shardings.size() && "one sharding per block argument");
  // `in_shardings` is written from outside: manual axes of the old sharding go before the new ones.
  for (auto [old, sharding] : llvm::zip_equal(updated, shardings))
    if (sharding)
      old = withManualAxesOf(sharding, old, getManualAxes(), getMesh(old, *this));
  setInShardingsAttr(TensorShardingPerValueAttr::get(getContext(), updated));
}

SmallVector<TensorShardingAttr> ManualComputationOp::getResultOwnerShardings() {
  return toVector(getOutShardings());
}

void ManualComputationOp::setResultOwnerShardings(ArrayRef<TensorShardingAttr> shardings) {
  if (auto filled = makePerValue(getContext(), getResultTypes(), shardings))
    setOutShardingsAttr(filled);
}

SmallVector<OpOperand *> ManualComputationOp::getSources(Value owner) {
  return edgeSources(*this, owner);
}

Value ManualComputationOp::getOwnerOfTarget(Value target) {
  return ownerOfTarget(*this, target);
}

Value ManualComputationOp::getOwnerOfSource(OpOperand &source) {
  return ownerOfSource(*this, source);
}

TensorShardingAttr ManualComputationOp::transformTargetSharding(Value target,
                                                                TensorShardingAttr sharding,
                                                                EdgeTransform when) {
  // The source of a block argument is seen from outside, with manual axes; that of a result from
  // inside, without.
  bool isArgument = isa<BlockArgument>(target);
  if (isArgument == (when == EdgeTransform::AfterPropagation))
    return withoutManualAxes(sharding, getManualAxes());
  TensorShardingAttr global = isArgument
                                  ? getInShardings()[cast<BlockArgument>(target).getArgNumber()]
                                  : getOutShardings()[cast<OpResult>(target).getResultNumber()];
  return withManualAxesOf(sharding, global, getManualAxes(), getMesh(global, *this));
}

bool ManualComputationOp::shouldKeepOwnerShardingsDivisible() {
  return true;
}

//===----------------------------------------------------------------------===//
// Named computation
//===----------------------------------------------------------------------===//

ReturnOp NamedComputationOp::getReturn() {
  return cast<ReturnOp>(getBody().front().getTerminator());
}

SmallVector<BlockArgument> NamedComputationOp::getBlockArgumentOwners() {
  return bodyArguments(*this);
}

SmallVector<OpResult> NamedComputationOp::getResultOwners() {
  return llvm::to_vector((*this)->getOpResults());
}

SmallVector<TensorShardingAttr> NamedComputationOp::getBlockArgumentOwnerShardings() {
  return toVector(getInShardingsAttr());
}

void NamedComputationOp::setBlockArgumentOwnerShardings(ArrayRef<TensorShardingAttr> shardings) {
  if (auto filled = makePerValue(getContext(), getOperandTypes(), shardings))
    setInShardingsAttr(filled);
  else
    removeInShardingsAttr();
}

SmallVector<TensorShardingAttr> NamedComputationOp::getResultOwnerShardings() {
  return toVector(getOutShardingsAttr());
}

void NamedComputationOp::setResultOwnerShardings(ArrayRef<TensorShardingAttr> shardings) {
  if (auto filled = makePerValue(getContext(), getResultTypes(), shardings))
    setOutShardingsAttr(filled);
  else
    removeOutShardingsAttr();
}

SmallVector<OpOperand *> NamedComputationOp::getSources(Value owner) {
  return edgeSources(*this, owner);
}

Value NamedComputationOp::getOwnerOfTarget(Value target) {
  return ownerOfTarget(*this, target);
}

Value NamedComputationOp::getOwnerOfSource(OpOperand &source) {
  return ownerOfSource(*this, source);
}

//===----------------------------------------------------------------------===//
// Defaults of the interface
//===----------------------------------------------------------------------===//

SmallVector<TensorShardingAttr> detail::resultOwnerShardings(Operation *op) {
  return llvm::to_vector(getResultShardings(op));
}

void detail::setResultOwnerShardings(Operation *op, ArrayRef<TensorShardingAttr> shardings) {
  setResultShardings(op, shardings);
}

} // namespace shardwise::sdy
