// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops are renamed, put off, fused, or lowered by their family; and the functions of a module.
// An op is, in this order:
// 1. looked through, if it is about tuples, of which only elements have buffers;
// 2. refused, if a type is not one the runtime has;
// 3. *forwarded*, if its result has the bytes of its operand: reshape, bitcast_convert,
//    optimization_barrier, and ops that only concern shardings;
// 4. *deferred*, if its value is cheaper to make where it is used: splat constants, iota,
//    broadcasts; other constants are part of the program;
// 5. added to a group, if it is element-wise;
// 6. lowered to thunks by its family.
//
// Functions that are called once or are short are expanded at the call, where their element-wise
// ops fuse with those of the caller; others are compiled once and called.

#include "shardwise/dialect/builtin/ConstantOps.h"
#include "shardwise/dialect/sdy/LocalCollectives.h"
#include "shardwise/dialect/sdy/PlacementOps.h"
#include "shardwise/dialect/stablehlo/CustomCallTargets.h"
#include "shardwise/dialect/stablehlo/RoundingCall.h"
#include "shardwise/execute/lower/LowerExchange.h"
#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/DisturbThunk.h"
#include "shardwise/execute/thunks/StridedCopy.h"
#include "shardwise/support/MemoryRequest.h"

#include <llvm/ADT/TypeSwitch.h>
#include <mlir/IR/Diagnostics.h>

namespace shardwise::execute {
namespace {

/// A short function without regions and calls is expanded at every call.
constexpr int64_t kShortFunction = 16;

bool isIdentity(mlir::Operation &op) {
  auto custom = llvm::dyn_cast<stablehlo::CustomCallOp>(op);
  // Collectives of sdy, too, are about a program that is not partitioned yet.
  bool isKnown = custom ? stablehlo::isIdentityTarget(custom.getCallTargetName())
                        : llvm::isa<stablehlo::OptimizationBarrierOp>(op) ||
                              (sdy::changesOnlyPlacement(&op) && !sdy::isLocalCollective(&op));
  return isKnown && op.getOperandTypes() == op.getResultTypes();
}

} // namespace

bool FunctionLowering::tryForward(mlir::Operation &op) {
  if (isIdentity(op) || llvm::isa<stablehlo::ReshapeOp>(op)) {
    for (auto [value, source] : llvm::zip(op.getResults(), op.getOperands()))
      forward(value, source);
    return true;
  }
  if (llvm::isa<stablehlo::BitcastConvertOp>(op)) {
    // Elements lie densely with the least significant part first: the bytes are the same. 4xui8 as
    // ui32 has element 0 in its low bits, an order that StableHLO leaves to the implementation.
    TensorType from = typeOf(op.getOperand(0));
    TensorType to = typeOf(op.getResult(0));
    // Types of fewer than 8 bits take a byte each, so they are packed or unpacked.
    if (from.type != to.type &&
        (runtime::bitWidth(from.type) < 8 || runtime::bitWidth(to.type) < 8))
      return false;
    bind(op.getResult(0), bufferOf(op.getOperand(0)));
    return true;
  }
  return false;
}

bool FunctionLowering::tryDefer(mlir::Operation &op) {
  if (mlir::ElementsAttr attr = builtin::constantElementsOf(op)) {
    std::optional<ConstantData> data = constantDataOf(attr);
    if (!data)
      return false;
    // A splat of sdy's constant op, and one without elements, is stored in full below.
    if (data->isSplat && attr.getNumElements() > 0 && llvm::isa<stablehlo::ConstantOp>(op)) {
      deferred[op.getResult(0)] = &op;
      return true;
    }
    if (data->isSplat) {
      MemoryRequest request(typeOf(op.getResult(0)).bytes(), "a constant");
      std::vector<std::byte> all(static_cast<size_t>(request.bytes));
      if (!all.empty())
        fillElements(all.data(), data->bytes.data(), static_cast<int64_t>(data->bytes.size()),
                     attr.getNumElements());
      data->bytes = std::move(all);
    }
    bind(op.getResult(0), plan.addConstant(static_cast<int64_t>(data->bytes.size()),
                                           static_cast<int64_t>(result.constants.size())));
    result.constants.push_back(std::move(data->bytes));
    return true;
  }
  if (llvm::isa<stablehlo::IotaOp, stablehlo::BroadcastInDimOp, stablehlo::BroadcastOp>(op)) {
    deferred[op.getResult(0)] = &op;
    return true;
  }
  return false;
}

LogicalResult FunctionLowering::lowerTupleElement(stablehlo::GetTupleElementOp op) {
  auto tuple = resolve(op.getOperand()).getDefiningOp<stablehlo::TupleOp>();
  if (!tuple)
    return op.emitOpError() << "takes an element of a tuple that is not made by a tuple op; pass "
                               "the elements of tuples around loops, branches and functions "
                               "instead";
  forward(op.getResult(), tuple->getOperand(op.getIndex()));
  return mlir::success();
}

namespace {

void lowerDisturbance(FunctionLowering &lowering, stablehlo::CustomCallOp op,
                      const stablehlo::RoundingCall &call) {
  TensorType type = typeOf(op.getOperand(0));
  auto thunk = std::make_unique<DisturbThunk>();
  thunk->type = type.type;
  thunk->count = elementCount(type.shape);
  thunk->disturbance = {.seed = call.seed, .steps = call.steps, .unusedBits = call.unusedBits};
  BufferId input = thunk->input = lowering.bufferOf(op.getOperand(0));
  BufferId output = thunk->output = lowering.define(op.getResult(0));
  int64_t at = lowering.emit(std::move(thunk), input, output);
  lowering.bufferPlan().mayReplace(output, input, at);
}

LogicalResult lowerCustomCall(FunctionLowering &lowering, stablehlo::CustomCallOp op) {
  if (op.getCallTargetName() == "mhlo.topk")
    return lowerTopK(lowering, *op);
  if (std::optional<LogicalResult> done = lowerLapack(lowering, op))
    return *done;
  if (std::optional<LogicalResult> done = lowerRaggedAllToAll(lowering, op))
    return *done;
  if (auto call = stablehlo::roundingCallOf(op)) {
    lowerDisturbance(lowering, op, *call);
    return mlir::success();
  }
  return op.emitOpError() << "custom call target '" << op.getCallTargetName()
                          << "' is not supported";
}

} // namespace

LogicalResult FunctionLowering::lowerOp(mlir::Operation &op) {
  if (!module.profile)
    return lowerKnownOp(op);
  // Half a loop is no loop: what is wrong in it is told.
  if (llvm::isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp, mlir::func::CallOp>(op))
    return lowerKnownOp(op);
  // What is wrong with an op that is only asked how much memory it takes does not matter.
  mlir::ScopedDiagnosticHandler silence(op.getContext(),
                                        [](mlir::Diagnostic &) { return mlir::success(); });
  return mlir::succeeded(lowerKnownOp(op)) ? mlir::success() : lowerUnknownOp(op);
}

LogicalResult FunctionLowering::lowerKnownOp(mlir::Operation &op) {
  if (auto element = llvm::dyn_cast<stablehlo::GetTupleElementOp>(op))
    return lowerTupleElement(element);
  if (llvm::isa<stablehlo::TupleOp>(op)) // Its elements are looked up through it.
    return mlir::success();
  // Checked once here, so that `typeOf` may be used everywhere below.
  for (mlir::Value value : llvm::concat<mlir::Value>(
           llvm::to_vector(op.getOperands()), llvm::to_vector_of<mlir::Value>(op.getResults())))
    if (!tensorTypeOf(value.getType()))
      return op.emitOpError() << "has a value of type " << value.getType()
                              << ", which is not supported; expected a static tensor of "
                              << builtin::kElementTypes;
  if (tryForward(op) || tryDefer(op))
    return mlir::success();
  if (std::optional<ElementInstruction> instruction = elementInstructionOf(op))
    return addToGroup(op, *instruction);
  llvm::StringRef name = op.getName().getStringRef();
  if (name == "chlo.top_k")
    return lowerTopK(*this, op);
  if (name == "sdy.named_computation")
    return inlineRegion(op);
  if (name == "sdy.sharding_group") // Says that shardings agree; computes nothing.
    return mlir::success();
  return llvm::TypeSwitch<mlir::Operation *, LogicalResult>(&op)
      .Case<stablehlo::BitcastConvertOp, stablehlo::TransposeOp, stablehlo::ReverseOp,
            stablehlo::SliceOp, stablehlo::PadOp, stablehlo::ConcatenateOp,
            stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp, stablehlo::DotGeneralOp,
            stablehlo::ConvolutionOp, stablehlo::GatherOp, stablehlo::ScatterOp,
            stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::SelectAndScatterOp,
            stablehlo::SortOp, stablehlo::MapOp, stablehlo::WhileOp, stablehlo::CaseOp,
            stablehlo::IfOp, stablehlo::RngBitGeneratorOp, stablehlo::AllReduceOp,
            stablehlo::AllGatherOp, stablehlo::ReduceScatterOp, stablehlo::AllToAllOp,
            stablehlo::CollectivePermuteOp, stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp,
            stablehlo::CollectiveBroadcastOp, stablehlo::DotOp, stablehlo::CholeskyOp,
            stablehlo::TriangularSolveOp, stablehlo::FftOp, stablehlo::BatchNormInferenceOp,
            stablehlo::BatchNormTrainingOp, stablehlo::BatchNormGradOp>(
          [&](auto typed) { return execute::lower(*this, typed); })
      .Case<chlo::ScanOp>([&](auto typed) { return execute::lower(*this, typed); })
      .Case<sdy::ExchangeOp>([&](auto typed) { return lowerExchange(*this, typed); })
      .Case<chlo::RaggedDotOp>([&](auto typed) { return lowerRaggedDot(*this, typed); })
      .Case<stablehlo::CreateTokenOp, stablehlo::AfterAllOp>([&](auto typed) {
        // A token has no elements. Collectives, which tokens put in order, run in the order of the
        // program anyway.
        define(typed->getResult(0));
        return mlir::success();
      })
      .Case<mlir::func::CallOp>(
          [&](mlir::func::CallOp call) { return lowerCall(op, call.getCalleeAttr()); })
      .Case<stablehlo::CompositeOp>([&](stablehlo::CompositeOp composite) {
        return lowerCall(op, composite.getDecompositionAttr());
      })
      .Case([&](stablehlo::CustomCallOp custom) { return lowerCustomCall(*this, custom); })
      .Case<stablehlo::GetDimensionSizeOp>([&](stablehlo::GetDimensionSizeOp size) {
        // Shapes are static, so this is a constant.
        auto dim = static_cast<int32_t>(typeOf(op.getOperand(0)).shape[size.getDimension()]);
        auto bytes = std::as_bytes(std::span(&dim, 1));
        bind(op.getResult(0),
             plan.addConstant(sizeof(dim), static_cast<int64_t>(result.constants.size())));
        result.constants.emplace_back(bytes.begin(), bytes.end());
        return mlir::success();
      })
      .Default([](mlir::Operation *other) {
        return other->emitOpError() << "is not supported by the compiled path";
      });
}

ModuleLowering::ModuleLowering(mlir::ModuleOp module, MemoryProfile *profile)
    : module(module), profile(profile) {
  auto count = [&](mlir::Operation &op, mlir::SymbolRefAttr name) {
    if (auto callee = symbols.lookupNearestSymbolFrom<mlir::func::FuncOp>(&op, name))
      ++callSites[callee];
  };
  module.walk([&](mlir::func::CallOp call) { count(*call, call.getCalleeAttr()); });
  module.walk([&](stablehlo::CompositeOp composite) {
    count(*composite, composite.getDecompositionAttr());
  });
}

bool ModuleLowering::shouldInline(mlir::func::FuncOp function) const {
  if (hasOneCallSite(function))
    return true;
  int64_t ops = 0;
  for (mlir::Operation &op : function.front()) {
    bool isSimple =
        op.getNumRegions() == 0 && !llvm::isa<mlir::func::CallOp, stablehlo::CompositeOp>(op);
    if (!isSimple || ++ops > kShortFunction)
      return false;
  }
  return true;
}

mlir::FailureOr<const CompiledFunction *>
ModuleLowering::compiledFunction(mlir::func::FuncOp function, mlir::Operation &user,
                                 const Sharing &sharing) {
  auto found = compiled.find(function);
  if (found != compiled.end())
    return static_cast<const CompiledFunction *>(found->second);
  // Seen again before it was finished: it calls itself, directly or through others.
  if (!inProgress.insert(function).second)
    return user.emitOpError() << "leads to a recursive call of " << function.getSymName()
                              << "; recursion is not supported";
  // Before those that it calls.
  size_t place = functions.size();
  functions.emplace_back();
  mlir::FailureOr<std::unique_ptr<CompiledFunction>> target = lowered(function, sharing, {});
  if (mlir::failed(target))
    return mlir::failure();
  if (function.getOperation() == &user && mlir::failed(overlap(function, sharing, *target)))
    return mlir::failure();
  inProgress.erase(function);
  compiled[function] = target->get();
  functions[place] = std::move(*target);
  return static_cast<const CompiledFunction *>(functions[place].get());
}

} // namespace shardwise::execute
