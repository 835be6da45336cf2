// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of a reduction, sort or scatter as block code: ops become instructions on rows of lanes,
// so that one run of the code does a step of many folds (of one, for sort and scatter). Values from
// outside of the region are scalars, which are spread over a block. Calls are expanded; a callee's
// names get the slots of its last expansion.
//
// Control flow has no form in straight-line code and is refused.

#include "shardwise/execute/lower/LowerRegion.h"

#include "shardwise/dialect/builtin/ConstantOps.h"
#include "shardwise/execute/lower/Lowering.h"

#include <mlir/IR/Diagnostics.h>

#include <array>

namespace shardwise::execute {
namespace {

/// Builds the code of one region.
class RegionLowering {
public:
  RegionLowering(FunctionLowering &lowering, RegionCode &result)
      : lowering(lowering), result(result), program(result.code.program) {}

  LogicalResult run(mlir::Region &region) {
    for (mlir::BlockArgument argument : region.getArguments()) {
      std::optional<TensorType> type = tensorTypeOf(argument.getType());
      if (!type || !type->shape.empty())
        return region.getParentOp()->emitOpError()
               << "has a region on values of type " << argument.getType()
               << ", which is not supported; expected rank-0 tensors of a known element type";
      // External: the thunk points them to its elements, row by row.
      slots[argument] = program.addExternal(type->type);
      result.arguments.push_back(slots[argument]);
    }
    if (mlir::failed(lowerBlock(region.front())))
      return mlir::failure();
    for (mlir::Value value : region.front().getTerminator()->getOperands()) {
      SlotId slot = slotOf(value);
      // Results get memory of their own, apart from arguments, splats and each other.
      DataType type = program.typeOf(slot);
      SlotId copy = program.addInstruction(findElementKernel(ElementOp::Copy, type, type), type,
                                           std::array{slot});
      program.setExternal(copy);
      result.results.push_back(copy);
    }
    program.finish();
    return mlir::success();
  }

private:
  LogicalResult lowerBlock(mlir::Block &block) {
    for (mlir::Operation &op : block.without_terminator())
      if (mlir::failed(lowerOp(op)))
        return mlir::failure();
    return mlir::success();
  }

  LogicalResult lowerOp(mlir::Operation &op) {
    for (mlir::Type type : op.getResultTypes())
      if (std::optional<TensorType> tensor = tensorTypeOf(type); !tensor || !tensor->shape.empty())
        return op.emitOpError() << "of type " << type
                                << " is not supported inside a reduction, sort or scatter "
                                   "region; expected rank-0 tensors of a known element type";
    if (builtin::isConstantOp(op)) {
      mlir::ElementsAttr elements = builtin::constantElementsOf(op);
      std::optional<ConstantData> data = elements ? constantDataOf(elements) : std::nullopt;
      if (!data)
        return op.emitOpError() << "has no readable value";
      slots[op.getResult(0)] = result.code.addConstant(typeOf(op.getResult(0)).type, data->bytes);
      return mlir::success();
    }
    // On rank 0 these are names.
    if (llvm::isa<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp, stablehlo::BroadcastOp,
                  stablehlo::TransposeOp>(op)) {
      slots[op.getResult(0)] = slotOf(op.getOperand(0));
      return mlir::success();
    }
    if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op))
      return lowerCall(call);
    std::optional<ElementInstruction> instruction = elementInstructionOf(op);
    if (!instruction || !isDefined(*instruction))
      return op.emitOpError() << "is not supported inside a reduction, sort or scatter region; "
                                 "expected element-wise ops";
    llvm::SmallVector<SlotId, 3> operands;
    for (mlir::Value operand : op.getOperands())
      operands.push_back(slotOf(operand));
    slots[op.getResult(0)] = addElementOp(program, *instruction, operands);
    return mlir::success();
  }

  LogicalResult lowerCall(mlir::func::CallOp call) {
    auto callee = lowering.moduleLowering().symbols.lookupNearestSymbolFrom<mlir::func::FuncOp>(
        call, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      return call.emitOpError() << "calls " << call.getCalleeAttr() << ", which has no body";
    if (!active.insert(callee).second)
      return call.emitOpError() << "calls " << call.getCalleeAttr()
                                << " recursively; recursion is not supported";
    for (auto [argument, operand] : llvm::zip(callee.getArguments(), call.getOperands()))
      slots[argument] = slotOf(operand);
    if (mlir::failed(lowerBlock(callee.front())))
      return mlir::failure();
    for (auto [value, returned] :
         llvm::zip(call.getResults(), callee.front().getTerminator()->getOperands()))
      slots[value] = slotOf(returned);
    active.erase(callee);
    return mlir::success();
  }

  SlotId slotOf(mlir::Value value) {
    auto found = slots.find(value);
    if (found != slots.end())
      return found->second;
    // Not defined in the region, so it comes from outside: its buffer becomes an operand of the
    // thunk.
    DataType type = typeOf(value).type;
    BufferId buffer = lowering.bufferOf(value);
    result.captured.push_back(buffer);
    return slots[value] = result.code.addScalar(type, buffer);
  }

  FunctionLowering &lowering;
  RegionCode &result;
  BlockProgram &program;
  llvm::DenseMap<mlir::Value, SlotId> slots;
  llvm::DenseSet<mlir::Operation *> active;
};

} // namespace

mlir::FailureOr<RegionCode> lowerRegion(FunctionLowering &lowering, mlir::Region &region) {
  RegionCode code;
  if (mlir::failed(RegionLowering(lowering, code).run(region)))
    return mlir::failure();
  return code;
}

} // namespace shardwise::execute
