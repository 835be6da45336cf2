// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-merge-equal-ops: what is computed twice is computed once.
//   1. Of ops that are equal, in name, attributes, operands, types of results and regions, the
//      first stays and has the uses of all. An op sees those before it in its block and in the
//      blocks around it, as far as these are not isolated from what is around them.
//   2. An op that nobody uses goes, unless it has an effect.
// Ops with effects stay.
//
// That is what MLIR's `cse` does here, where no op only reads memory and regions have one block.
// But to find the equals of an op, `cse` hashes all that the op says, which takes 4,300
// instructions; it runs twice for each program of a device, and finds little. Here the addresses
// of name, operands and types are hashed, which takes a tenth; all else is looked at only where
// these are the same.

#include "shardwise/transforms/partition/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace shardwise::partition {

#define GEN_PASS_DEF_MERGEEQUALOPS
#include "shardwise/transforms/partition/Passes.h.inc"

namespace {

/// Spreads an address over all bits.
uint64_t spread(const void *address) {
  uint64_t hash = reinterpret_cast<uintptr_t>(address) * 0x9E3779B97F4A7C15;
  return hash ^ (hash >> 29);
}

/// The same for equal ops. Properties are in it, as they are all that constants, or slices of one
/// value, differ in; in which order operands stand is not: sums of both orders are equal.
uint64_t looksOf(mlir::Operation *op) {
  uint64_t hash = spread(op->getName().getAsOpaquePointer());
  for (mlir::Value operand : op->getOperands())
    hash += spread(operand.getAsOpaquePointer());
  hash *= 0x9E3779B97F4A7C15;
  for (mlir::Type type : op->getResultTypes())
    hash = (hash ^ (hash >> 32)) + spread(type.getAsOpaquePointer());
  if (op->getPropertiesStorageSize() > 0)
    hash += static_cast<size_t>(op->hashProperties()) * 0x9E3779B97F4A7C15;
  hash += spread(op->getRawDictionaryAttrs().getAsOpaquePointer());
  // The largest numbers have a meaning of their own in a table.
  return hash >> 1;
}

/// Whether an op may be left out if another is equal to it.
bool mayBeMerged(mlir::Operation *op) {
  return !op->hasTrait<mlir::OpTrait::IsTerminator>() && mlir::isMemoryEffectFree(op) &&
         llvm::all_of(op->getRegions(),
                      [](mlir::Region &region) { return region.empty() || region.hasOneBlock(); });
}

/// The ops of a block and of those around it, up to one that is isolated.
class KnownOps {
public:
  /// Returns the first op that is equal to `op`; null if there is none, and `op` is known from here
  /// on.
  mlir::Operation *findOrAdd(mlir::Operation *op) {
    uint64_t looks = looksOf(op);
    llvm::SmallVector<mlir::Operation *, 1> &alike = known[looks];
    for (mlir::Operation *other : alike)
      if (mlir::OperationEquivalence::isEquivalentTo(other, op,
                                                     mlir::OperationEquivalence::IgnoreLocations))
        return other;
    alike.push_back(op);
    added.push_back(looks);
    return nullptr;
  }

  size_t size() const { return added.size(); }
  /// Forgets all but the first `count`.
  void shrink(size_t count) {
    for (; added.size() > count; added.pop_back())
      known[added.back()].pop_back();
  }

private:
  llvm::DenseMap<uint64_t, llvm::SmallVector<mlir::Operation *, 1>> known;
  std::vector<uint64_t> added;
};

class Merger {
public:
  void visit(mlir::Region &region, KnownOps &known) {
    for (mlir::Block &block : region) {
      size_t numOutside = known.size();
      for (mlir::Operation &op : block) {
        visitRegions(&op, known);
        visit(&op, known);
      }
      known.shrink(numOutside);
    }
  }

  /// Erases what is left out. What it uses counted as used until here.
  void finish() {
    for (mlir::Operation *op : leftOut)
      op->erase();
  }

private:
  void visitRegions(mlir::Operation *op, KnownOps &known) {
    if (op->getNumRegions() == 0)
      return;
    KnownOps ofItsOwn;
    bool isIsolated = op->mightHaveTrait<mlir::OpTrait::IsIsolatedFromAbove>();
    for (mlir::Region &region : op->getRegions())
      visit(region, isIsolated ? ofItsOwn : known);
  }

  void visit(mlir::Operation *op, KnownOps &known) {
    if (mlir::isOpTriviallyDead(op)) {
      leftOut.push_back(op);
      return;
    }
    mlir::Operation *first = known.findOrAdd(op);
    if (!first || !mayBeMerged(op))
      return;
    if (mlir::isa<mlir::UnknownLoc>(first->getLoc()))
      first->setLoc(op->getLoc());
    op->replaceAllUsesWith(first);
    leftOut.push_back(op);
  }

  std::vector<mlir::Operation *> leftOut;
};

struct MergeEqualOpsPass : impl::MergeEqualOpsBase<MergeEqualOpsPass> {
  using Base::Base;

  void runOnOperation() override {
    Merger merger;
    KnownOps known;
    for (mlir::Region &region : getOperation()->getRegions())
      merger.visit(region, known);
    merger.finish();
  }
};

} // namespace

} // namespace shardwise::partition
