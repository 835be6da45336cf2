// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which function computes which op on one device. Ops are asked for family by family; the first
// family that knows an op computes it, and one that none knows is refused by name. Ops that only
// concern shardings hand their operand on.
//
// A function here says of an op:
//   true      it was known, and its results are defined;
//   false     another family may know it;
//   failure   it was known, and a diagnostic says why it has no result.
// Families do not overlap but for custom calls, whose target is looked at: `tryIdentity` comes
// before `tryCustomCall`, which refuses any target that it does not know. Overloads of `evaluate`
// (Operations.h) find the function of an op by its type, so a family is a list of types by the
// operands that they take.
//
// Tables of which kernel computes what are in execute/ a second time, on purpose: the two
// evaluators are compared with each other, and a table in common would be wrong in both.

#include "shardwise/dialect/builtin/ConstantOps.h"
#include "shardwise/dialect/sdy/PlacementOps.h"
#include "shardwise/dialect/stablehlo/CustomCallTargets.h"
#include "shardwise/dialect/stablehlo/RoundingCall.h"
#include "shardwise/reference/BlockEvaluator.h"
#include "shardwise/reference/ElementTypes.h"
#include "shardwise/reference/LinearAlgebra.h"
#include "shardwise/runtime/Disturbance.h"

#include <llvm/ADT/TypeSwitch.h>
#include <mlir/IR/Diagnostics.h>

namespace shardwise::reference {

bool BlockEvaluator::tryIdentity(mlir::Operation &op) {
  auto custom = llvm::dyn_cast<stablehlo::CustomCallOp>(op);
  bool isIdentity = llvm::isa<stablehlo::OptimizationBarrierOp>(op) ||
                    sdy::changesOnlyPlacement(&op) ||
                    (custom && stablehlo::isIdentityTarget(custom.getCallTargetName()));
  // An op of that name whose types differ is something else, and left to be refused. Values are
  // shared and never change, so a copy of the pointer is a copy of the tensor.
  if (isIdentity && op.getNumOperands() == op.getNumResults() &&
      op.getOperandTypes() == op.getResultTypes()) {
    for (auto [result, operand] : llvm::zip(op.getResults(), op.getOperands()))
      values[result] = TensorPtr(sharedAt(operand));
    return true;
  }
  return false;
}

bool BlockEvaluator::tryTokenOrTuple(mlir::Operation &op) {
  if (llvm::isa<stablehlo::CreateTokenOp, stablehlo::AfterAllOp>(op)) {
    // Nothing to wait for: ops run in the order of the text.
    define(op.getResult(0), HostTensor::zeros(DataType::I1, {0}));
    return true;
  }
  if (llvm::isa<stablehlo::TupleOp>(op)) {
    RuntimeValue tuple;
    for (mlir::Value member : op.getOperands())
      tuple.members.push_back(sharedAt(member));
    values[op.getResult(0)] = TensorPtr(std::make_shared<const RuntimeValue>(std::move(tuple)));
    return true;
  }
  if (auto get = llvm::dyn_cast<stablehlo::GetTupleElementOp>(op)) {
    // A tuple holds pointers to its members, so looking one up copies nothing.
    TensorPtr tuple = sharedAt(get.getOperand());
    values[op.getResult(0)] = tuple->members[static_cast<size_t>(get.getIndex())];
    return true;
  }
  return false;
}

bool BlockEvaluator::tryMovement(mlir::Operation &op) {
  auto one = [&](HostTensor tensor) {
    define(op.getResult(0), std::move(tensor));
    return true;
  };
  auto operand = [&](unsigned number) -> const HostTensor & { return at(op.getOperand(number)); };
  // `from(n)` are the operands from n on, of ops that take any number.
  auto from = [&](unsigned number) { return allOf(op.getOperands().drop_front(number)); };
  return llvm::TypeSwitch<mlir::Operation *, bool>(&op)
      .Case<stablehlo::IotaOp>([&](auto typed) { return one(evaluate(typed)); })
      .Case<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp, stablehlo::TransposeOp,
            stablehlo::ReverseOp, stablehlo::SliceOp, stablehlo::BitcastConvertOp,
            stablehlo::BroadcastOp>([&](auto typed) { return one(evaluate(typed, operand(0))); })
      .Case<stablehlo::PadOp, stablehlo::DotGeneralOp, stablehlo::DotOp, stablehlo::ConvolutionOp,
            stablehlo::GatherOp>(
          [&](auto typed) { return one(evaluate(typed, operand(0), operand(1))); })
      .Case<stablehlo::ConcatenateOp>([&](auto typed) { return one(evaluate(typed, from(0))); })
      .Case<stablehlo::DynamicSliceOp>(
          [&](auto typed) { return one(evaluate(typed, operand(0), from(1))); })
      .Case<stablehlo::DynamicUpdateSliceOp>(
          [&](auto typed) { return one(evaluate(typed, operand(0), operand(1), from(2))); })
      .Default([](mlir::Operation *) { return false; });
}

bool BlockEvaluator::tryNumeric(mlir::Operation &op) {
  auto operands = [&] { return allOf(op.getOperands()); };
  return llvm::TypeSwitch<mlir::Operation *, bool>(&op)
      .Case<stablehlo::FftOp>([&](auto fft) {
        define(op.getResult(0), evaluate(fft, *operands()[0]));
        return true;
      })
      .Case<stablehlo::CholeskyOp>([&](auto typed) {
        define(op.getResult(0), cholesky(*operands()[0], typed.getLower()));
        return true;
      })
      .Case<stablehlo::TriangularSolveOp>([&](auto typed) {
        using stablehlo::Transpose;
        TriangularForm form{typed.getLeftSide(), typed.getLower(), typed.getUnitDiagonal(),
                            typed.getTransposeA() != Transpose::NO_TRANSPOSE,
                            typed.getTransposeA() == Transpose::ADJOINT};
        define(op.getResult(0), triangularSolve(*operands()[0], *operands()[1], form));
        return true;
      })
      .Case<stablehlo::BatchNormInferenceOp, stablehlo::BatchNormTrainingOp,
            stablehlo::BatchNormGradOp>([&](auto typed) {
        define(op.getResults(), evaluate(typed, operands()));
        return true;
      })
      .Default([](mlir::Operation *) { return false; });
}

mlir::FailureOr<bool> BlockEvaluator::tryScalarRegion(mlir::Operation &op) {
  if (!llvm::isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::ScatterOp,
                 stablehlo::SortOp, stablehlo::MapOp, stablehlo::SelectAndScatterOp>(op))
    return false;
  // The region becomes a function of numbers, which is called for each element. To run it as a
  // block of tensors with one element each would take allocations and look-ups for every op of
  // every element. Regions may read values around them, which are known by now.
  auto lookup = [&](mlir::Value value) -> const HostTensor * {
    auto found = values.find(value);
    return found == values.end() ? nullptr : found->second.on(here).get();
  };
  auto operands = allOf(op.getOperands());
  // Translated once per op, not once per element.
  mlir::FailureOr<ScalarRegion> first = ScalarRegion::create(op.getRegion(0), lookup);
  if (mlir::failed(first))
    return mlir::failure();
  if (auto select = llvm::dyn_cast<stablehlo::SelectAndScatterOp>(op)) {
    mlir::FailureOr<ScalarRegion> second = ScalarRegion::create(op.getRegion(1), lookup);
    if (mlir::failed(second))
      return mlir::failure();
    define(op.getResult(0), evaluate(select, operands, *first, *second));
    return true;
  }
  if (llvm::isa<stablehlo::MapOp>(op)) {
    auto function = [&](llvm::ArrayRef<Scalar> elements) { return (*first)(elements)[0]; };
    define(op.getResult(0), applyElementwise(function, op.getResult(0).getType(), operands));
    return true;
  }
  llvm::TypeSwitch<mlir::Operation *>(&op)
      .Case<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::ScatterOp,
            stablehlo::SortOp>(
          [&](auto typed) { define(op.getResults(), evaluate(typed, operands, *first)); });
  return true;
}

mlir::FailureOr<bool> BlockEvaluator::tryOther(mlir::Operation &op) {
  llvm::StringRef name = op.getName().getStringRef();
  if (builtin::isConstantOp(op)) {
    mlir::ElementsAttr elements = builtin::constantElementsOf(op);
    std::optional<HostTensor> tensor = elements ? constantOf(elements) : std::nullopt;
    if (!tensor)
      return op.emitOpError() << "has no readable value";
    define(op.getResult(0), std::move(*tensor));
    return true;
  }
  if (auto size = llvm::dyn_cast<stablehlo::GetDimensionSizeOp>(op)) {
    int64_t dim = static_cast<int64_t>(size.getDimension());
    define(op.getResult(0),
           tensorOf(Scalar::ofInteger(DataType::I32, at(op.getOperand(0)).shape[dim])));
    return true;
  }
  if (auto generator = llvm::dyn_cast<stablehlo::RngBitGeneratorOp>(op)) {
    const HostTensor &state = at(op.getOperand(0));
    if (state.type != DataType::U64 || state.numElements() < 2)
      return op.emitOpError() << "has a state of type " << op.getOperand(0).getType()
                              << "; expected tensor<2xui64> or tensor<3xui64>";
    define(op.getResults(), evaluate(generator, state));
    return true;
  }
  if (name == "chlo.top_k") {
    define(op.getResults(), topK(op.getResultTypes(), at(op.getOperand(0))));
    return true;
  }
  if (auto dot = llvm::dyn_cast<chlo::RaggedDotOp>(op)) {
    int64_t rank = at(op.getOperand(2)).rank();
    auto numBatching =
        static_cast<int64_t>(dot.getRaggedDotDimensionNumbers().getLhsBatchingDimensions().size());
    if (rank != 1 && rank != 1 + numBatching)
      return op.emitOpError() << "has group_sizes of type " << op.getOperand(2).getType()
                              << ", which is not supported; expected one list of sizes, or one for "
                                 "each index of the batching dimensions";
    define(op.getResult(0),
           evaluate(dot, at(op.getOperand(0)), at(op.getOperand(1)), at(op.getOperand(2))));
    return true;
  }
  return false;
}

mlir::FailureOr<bool> BlockEvaluator::tryCustomCall(mlir::Operation &op) {
  auto custom = llvm::dyn_cast<stablehlo::CustomCallOp>(op);
  if (!custom)
    return false;
  if (custom.getCallTargetName() == "mhlo.topk") {
    define(op.getResults(), topK(op.getResultTypes(), at(op.getOperand(0))));
    return true;
  }
  if (auto call = stablehlo::roundingCallOf(custom)) {
    HostTensor tensor = at(op.getOperand(0));
    runtime::disturb(tensor.type, tensor.bytes.data(), tensor.numElements(),
                     {.seed = call->seed, .steps = call->steps, .unusedBits = call->unusedBits});
    define(op.getResult(0), std::move(tensor));
    return true;
  }
  std::optional<Results> results = tryLapack(custom, allOf(op.getOperands()));
  if (!results)
    return op.emitOpError() << "custom call target '" << custom.getCallTargetName()
                            << "' is not supported";
  define(op.getResults(), std::move(*results));
  return true;
}

} // namespace shardwise::reference
