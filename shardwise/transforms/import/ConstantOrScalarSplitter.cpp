// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-constant-or-scalar-splitter: every use of a constant gets its own copy. Constants
// cost nothing to compute twice, but one that two ops share would carry a sharding from one to the
// other:
//   %c = sdy.constant dense<1.0>
//   %0 = stablehlo.add %a, %c      // <@mesh, [{"x"}]>
//   %1 = stablehlo.add %b, %c      // would get "x" by way of %c
// What is copied with the use, `splittable`:
//   1. a constant or an iota;
//   2. an op without side effects that computes element by element, or reshapes, broadcasts or
//      slices, of nothing but constant expressions;
//   3. a call or a named computation of constant expressions, or of nothing, if its body has only
//      (1) to (3). Each copy of a call calls a function of its own, which can then be sharded by
//      itself:
//        %0 = call @ones()
//        %1 = stablehlo.add %a, %0
//        %2 = stablehlo.add %b, %0      // takes call @ones_0()
//   4. a broadcast of a scalar, constant or not: the scalar itself has no dimension that could be
//      sharded.
// sdy-constant-or-scalar-merger merges copies again that got equal shardings.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/ShardingRules.h"
#include "shardwise/transforms/import/CallGraph.h"
#include "shardwise/transforms/import/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace shardwise::importer {

#define GEN_PASS_DEF_CONSTANTORSCALARSPLITTERPASS
#include "shardwise/transforms/import/Passes.h.inc"

namespace {

using mlir::Operation;
using mlir::Value;

bool isScalar(Value value) {
  auto type = mlir::dyn_cast<mlir::ShapedType>(value.getType());
  return type && type.hasRank() && type.getRank() == 0;
}

/// Broadcast of a scalar: as cheap to repeat as a constant.
bool isScalarExpansion(Operation *op) {
  return mlir::isa<stablehlo::BroadcastInDimOp>(op) && isScalar(op->getOperand(0));
}

bool isTrivialOp(Operation *op) {
  return (mlir::isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp, stablehlo::SliceOp>(op) ||
          rules::isElementwise(op)) &&
         mlir::isPure(op);
}

/// Functions larger than this, with what they call, are not taken for constants. Copies of
/// functions that return a constant twice and call each other double with every link of the chain.
constexpr int64_t kMaxConstantOps = 100'000;

bool isConstant(Operation *op) {
  return mlir::isa<sdy::ConstantOp, stablehlo::IotaOp>(op);
}

bool usedByGroupsOnly(Operation *op) {
  return llvm::all_of(op->getUsers(), llvm::IsaPred<sdy::ShardingGroupOp>);
}

class Splitter {
public:
  Splitter(mlir::ModuleOp module, mlir::SymbolTable &symbols) : module(module), symbols(symbols) {}

  mlir::LogicalResult run() {
    replaceConstants();
    module.walk([&](sdy::ShardingGroupOp group) {
      if (Operation *definer = group.getInput().getDefiningOp())
        groupsOf[definer].push_back(group);
    });
    auto order = calleesFirst(module, symbols);
    if (mlir::failed(order))
      return mlir::failure();
    for (mlir::func::FuncOp function : *order) {
      // Inner computations before the ones around them: post-order.
      function.walk([&](sdy::NamedComputationOp op) {
        if (!splitRegion(op.getBody()))
          varyingNames.insert(op.getNameAttr());
      });
      bool isPreserving = splitRegion(function.getBody());
      // What a function without body does is not known.
      if (isPreserving && !function.isExternal() && measure(function) <= kMaxConstantOps)
        preservingFunctions.insert(function);
    }
    return mlir::success();
  }

private:
  /// `stablehlo.constant` is folded, and equal ones are merged, by generic rewriting;
  /// `sdy.constant` is not.
  void replaceConstants() {
    module.walk([](stablehlo::ConstantOp op) {
      mlir::OpBuilder builder(op);
      auto constant = sdy::ConstantOp::create(builder, op.getLoc(), op->getResult(0).getType(),
                                              mlir::cast<mlir::ElementsAttr>(op.getValue()));
      constant->setDiscardableAttrs(op->getDiscardableAttrDictionary());
      op->replaceAllUsesWith(constant);
      op.erase();
    });
  }

  /// Splits the constants of a region that is not split yet. Returns whether the region computes
  /// nothing but constants and ops that keep constants constant.
  bool splitRegion(mlir::Region &region) {
    bool isPreserving = true;
    std::vector<Operation *> originals;
    region.walk<mlir::WalkOrder::PreOrder>([&](Operation *op) {
      // Nobody asks again what the first other op has answered.
      isPreserving = isPreserving && (isConstant(op) || isPreservingOp(op) ||
                                      op->hasTrait<mlir::OpTrait::IsTerminator>() ||
                                      mlir::isa<sdy::DataFlowEdgeOp>(op));
      if (isConstantExpression(op) || isScalarExpansion(op)) {
        // Operands are not split off here: a copy of the op brings copies of them along.
        splittable.insert(op);
        originals.push_back(op);
      } else if (!mlir::isa<sdy::ShardingGroupOp>(op)) {
        for (mlir::OpOperand &operand : op->getOpOperands())
          splitOff(operand);
      }
      // A computation has been split by itself.
      return mlir::isa<sdy::NamedComputationOp>(op) ? mlir::WalkResult::skip()
                                                    : mlir::WalkResult::advance();
    });
    // Where every use got a copy, an original is dead but for groups. What uses others comes after
    // them, so it goes first.
    for (Operation *op : llvm::reverse(originals)) {
      if (!usedByGroupsOnly(op))
        continue;
      for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
        user->erase();
      splittable.erase(op);
      groupsOf.erase(op);
      op->erase();
    }
    return isPreserving;
  }

  /// Counts the ops of `function` and of what it calls.
  int64_t measure(mlir::func::FuncOp function) {
    int64_t size = 0;
    function.walk([&](Operation *op) {
      ++size;
      if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op))
        // Capped, as sums could overflow.
        size = std::min(size + sizes.lookup(call.getCalleeAttr().getAttr()), kMaxConstantOps + 1);
    });
    sizes[function.getSymNameAttr()] = size;
    return size;
  }

  bool isPreservingOp(Operation *op) {
    if (auto computation = mlir::dyn_cast<sdy::NamedComputationOp>(op))
      return !varyingNames.contains(computation.getNameAttr());
    if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op))
      return preservingFunctions.contains(symbols.lookup(call.getCallee()));
    return isTrivialOp(op);
  }

  bool isConstantExpression(Operation *op) {
    if (isConstant(op))
      return true;
    // Other ops without operands, such as partition_id, differ between devices or runs.
    if (op->getNumOperands() == 0 && !mlir::isa<mlir::func::CallOp, sdy::NamedComputationOp>(op))
      return false;
    // Operands come first: most ops have one that is not constant, and what an op does is asked of
    // its interfaces.
    return llvm::all_of(op->getOperands(),
                        [&](Value operand) {
                          Operation *definer = operand.getDefiningOp();
                          return definer && splittable.contains(definer) &&
                                 isKnownConstant(definer);
                        }) &&
           isPreservingOp(op);
  }

  /// Scalar expansions of values that are not constant can be split, but are not constant.
  bool isKnownConstant(Operation *op) {
    return isConstant(op) || !isScalarExpansion(op) ||
           (op->getOperand(0).getDefiningOp() &&
            splittable.contains(op->getOperand(0).getDefiningOp()));
  }

  /// Gives `operand` its own copy of what it uses. Other operands are set to what they are, too:
  /// all uses of a value are then listed in pre-order. A parsed module lists those in a region
  /// before the one of the op that has it, and propagation, which visits users in the order of the
  /// list, would decide conflicts otherwise than Shardy.
  void splitOff(mlir::OpOperand &operand) {
    Value value = operand.get();
    if (Operation *definer = value.getDefiningOp(); definer && splittable.contains(definer)) {
      mlir::IRMapping mapping;
      clone(value, mapping);
      value = mapping.lookupOrDefault(value);
    }
    operand.set(value);
  }

  /// Clones what computes `value`, next to the original.
  void clone(Value value, mlir::IRMapping &mapping) {
    Operation *op = value.getDefiningOp();
    // Scalars have no sharding that could be carried on. `mapping` has what several operands share,
    // which is copied once.
    if (!op || isScalar(value) || mapping.contains(value) || !splittable.contains(op))
      return;
    for (Value operand : op->getOperands())
      clone(operand, mapping);
    mlir::OpBuilder builder(op);
    Operation *copy = builder.clone(*op, mapping);
    // Calls of one function could not have different shardings.
    if (auto call = mlir::dyn_cast<mlir::func::CallOp>(copy)) {
      auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee());
      int64_t size = sizes.lookup(callee.getSymNameAttr());
      callee = cloneForCall(callee, symbols);
      sizes[callee.getSymNameAttr()] = size;
      call.setCallee(callee.getSymName());
    }
    if (auto groups = groupsOf.find(op); groups != groupsOf.end())
      for (sdy::ShardingGroupOp group : groups->second)
        if (group.getInput() == value)
          builder.clone(*group, mapping);
  }

  mlir::ModuleOp module;
  mlir::SymbolTable &symbols;
  /// Groups of results. Looking for them among the uses would cost all uses for every clone.
  llvm::DenseMap<Operation *, llvm::SmallVector<sdy::ShardingGroupOp, 1>> groupsOf;
  /// Constant expressions and scalar expansions.
  llvm::DenseSet<Operation *> splittable;
  /// Functions visited so far that keep constants constant.
  llvm::DenseSet<Operation *> preservingFunctions;
  /// By name, of the functions visited so far and their copies. See `measure`.
  llvm::DenseMap<mlir::StringAttr, int64_t> sizes;
  /// Names of which some computation visited so far does not. One such computation speaks
  /// for all that have its name, which are copies of one function to Shardy.
  llvm::DenseSet<mlir::StringAttr> varyingNames;
};

class ConstantOrScalarSplitterPass
    : public impl::ConstantOrScalarSplitterPassBase<ConstantOrScalarSplitterPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    if (mlir::failed(Splitter(getOperation(), symbols).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace shardwise::importer
