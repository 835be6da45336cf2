// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dialect registration, constants, inlining.

#include "shardwise/dialect/stablehlo/StablehloDialect.h"

#include "shardwise/dialect/stablehlo/ops/ShapeOps.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;

#include "shardwise/dialect/stablehlo/StablehloDialect.cpp.inc"

namespace shardwise::stablehlo {
namespace {

/// Every op may be inlined, and anything into every region.
struct StablehloInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *, bool) const override { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const override { return true; }
};

} // namespace

void StablehloDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerElementwiseUnaryOps(*this);
  registerTranscendentalOps(*this);
  registerElementwiseBinaryOps(*this);
  registerElementwiseMixedOps(*this);
  registerShapeOps(*this);
  registerContractionOps(*this);
  registerIndexingOps(*this);
  registerReductionOps(*this);
  registerControlFlowOps(*this);
  registerCollectiveOps(*this);
  registerNumericOps(*this);
  registerCallOps(*this);
  registerLegacyOps(*this);
  registerDynamicShapeOps(*this);
  addInterfaces<StablehloInlinerInterface>();
}

Operation *StablehloDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                                 Location location) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, location, type, elements);
}

} // namespace shardwise::stablehlo
