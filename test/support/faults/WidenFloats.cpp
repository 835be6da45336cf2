// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of results and arguments, constants, signatures and the names of LAPACK's routines.

#include "test/support/faults/WidenFloats.h"

#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardwise {
namespace {

Type widened(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(widened(tensor.getElementType()));
  if (auto complex = dyn_cast<ComplexType>(type))
    return ComplexType::get(widened(complex.getElementType()));
  return isa<FloatType>(type) ? Float64Type::get(type.getContext()) : type;
}

ElementsAttr widened(ElementsAttr value) {
  auto dense = dyn_cast<DenseElementsAttr>(value);
  auto type = cast<RankedTensorType>(value.getType());
  if (!dense || widened(type) == type)
    return value;
  auto widen = [](APFloat number) {
    bool losesInfo = false;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    return number;
  };
  auto to = cast<RankedTensorType>(widened(type));
  if (isa<FloatType>(type.getElementType())) {
    SmallVector<APFloat> numbers;
    for (APFloat number : dense.getValues<APFloat>())
      numbers.push_back(widen(number));
    return DenseElementsAttr::get(to, numbers);
  }
  SmallVector<std::complex<APFloat>> numbers;
  for (std::complex<APFloat> number : dense.getValues<std::complex<APFloat>>())
    numbers.emplace_back(widen(number.real()), widen(number.imag()));
  return DenseElementsAttr::get(to, numbers);
}

/// Bits as a float, or a float as bits: the width of the float is that of the bits.
void keepBits(stablehlo::BitcastConvertOp op, Type from, Type to) {
  OpBuilder builder(op);
  if (widened(from) != from)
    op->setOperand(0, stablehlo::ConvertOp::create(builder, op.getLoc(), from, op.getOperand()));
  if (widened(to) == to)
    return;
  op->getResult(0).setType(cast<RankedTensorType>(to));
  builder.setInsertionPointAfter(op);
  auto convert = stablehlo::ConvertOp::create(builder, op.getLoc(), widened(to), op.getResult());
  op.getResult().replaceAllUsesExcept(convert.getResult(), convert);
}

} // namespace

void widenFloats(ModuleOp module) {
  struct Bitcast {
    stablehlo::BitcastConvertOp op;
    Type from, to;
  };
  SmallVector<Bitcast> bitcasts;
  module.walk([&](stablehlo::BitcastConvertOp op) {
    bitcasts.push_back({op, op.getOperand().getType(), op.getType()});
  });
  module.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(widened(argument.getType()));
    for (OpResult result : op->getResults())
      result.setType(widened(result.getType()));
    if (auto constant = dyn_cast<stablehlo::ConstantOp>(op))
      constant->setAttr("value", widened(constant.getValue()));
    if (auto call = dyn_cast<stablehlo::CustomCallOp>(op)) {
      StringRef target = call.getCallTargetName();
      if (target.consume_front("lapack_s"))
        call->setAttr("call_target_name", StringAttr::get(op->getContext(), "lapack_d" + target));
    }
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      SmallVector<Type> inputs, results;
      for (Type type : function.getArgumentTypes())
        inputs.push_back(widened(type));
      for (Type type : function.getResultTypes())
        results.push_back(widened(type));
      function.setType(FunctionType::get(op->getContext(), inputs, results));
    }
  });
  for (const Bitcast &bitcast : bitcasts)
    keepBits(bitcast.op, bitcast.from, bitcast.to);
}

} // namespace shardwise
