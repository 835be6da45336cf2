// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table from op names to kernels, and what is done where there is none for the types of an op:
// elements of narrow types (8-bit floats, integers of 2 and 4 bits) are widened, computed and
// rounded. Example: add on f8E4M3 is two conversions to f32, an addition in f32, and one conversion
// back, all of which are instructions of one block program.
//
// How an instruction finds its kernel:
//   1. a kernel for its own types (`findElementKernel`);
//   2. else one for the wider type, between conversions. For most ops that is exact up to the last
//      rounding: f32 has all values of f8, and integers of 4 bits are kept in a byte anyway;
//   3. else there is none, and `isDefined` says so before any code is made.
// An op that looks at the width of its type (popcnt, shifts, next_after) has to be kept from 2, or
// told in which form its bits are read: `wideFormOf`.

#include "shardwise/execute/lower/ElementOps.h"

#include "shardwise/dialect/stablehlo/ReducerRegions.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/execute/lower/ElementTypes.h"
#include "shardwise/execute/thunks/Conversion.h"

#include <llvm/ADT/StringMap.h>

#include <algorithm>
#include <array>

namespace shardwise::execute {
namespace {

/// Ops that are told by their name alone. Those that have attributes to look at are in `opOf`. To
/// support a further op, it takes a line here and a kernel.
const llvm::StringMap<ElementOp> &plainOps() {
  static const llvm::StringMap<ElementOp> table = {
      {"stablehlo.abs", ElementOp::Abs},
      {"stablehlo.negate", ElementOp::Negate},
      {"stablehlo.sign", ElementOp::Sign},
      {"stablehlo.not", ElementOp::Not},
      {"stablehlo.popcnt", ElementOp::PopulationCount},
      {"stablehlo.count_leading_zeros", ElementOp::CountLeadingZeros},
      {"stablehlo.ceil", ElementOp::Ceil},
      {"stablehlo.floor", ElementOp::Floor},
      {"stablehlo.round_nearest_afz", ElementOp::RoundAwayFromZero},
      {"stablehlo.round_nearest_even", ElementOp::RoundToEven},
      {"stablehlo.exponential", ElementOp::Exponential},
      {"stablehlo.exponential_minus_one", ElementOp::ExponentialMinusOne},
      {"stablehlo.log", ElementOp::Log},
      {"stablehlo.log_plus_one", ElementOp::LogPlusOne},
      {"stablehlo.logistic", ElementOp::Logistic},
      {"stablehlo.sqrt", ElementOp::Sqrt},
      {"stablehlo.rsqrt", ElementOp::ReciprocalSqrt},
      {"stablehlo.cbrt", ElementOp::CubeRoot},
      {"stablehlo.sine", ElementOp::Sine},
      {"stablehlo.cosine", ElementOp::Cosine},
      {"stablehlo.tan", ElementOp::Tangent},
      {"stablehlo.tanh", ElementOp::HyperbolicTangent},
      {"stablehlo.is_finite", ElementOp::IsFinite},
      {"stablehlo.real", ElementOp::Real},
      {"stablehlo.imag", ElementOp::Imaginary},
      {"stablehlo.complex", ElementOp::MakeComplex},
      {"stablehlo.convert", ElementOp::Convert},
      {"stablehlo.reduce_precision", ElementOp::ReducePrecision},
      {"stablehlo.add", ElementOp::Add},
      {"stablehlo.subtract", ElementOp::Subtract},
      {"stablehlo.multiply", ElementOp::Multiply},
      {"stablehlo.divide", ElementOp::Divide},
      {"stablehlo.remainder", ElementOp::Remainder},
      {"stablehlo.power", ElementOp::Power},
      {"stablehlo.maximum", ElementOp::Maximum},
      {"stablehlo.minimum", ElementOp::Minimum},
      {"stablehlo.atan2", ElementOp::Atan2},
      {"stablehlo.and", ElementOp::And},
      {"stablehlo.or", ElementOp::Or},
      {"stablehlo.xor", ElementOp::Xor},
      {"stablehlo.shift_left", ElementOp::ShiftLeft},
      {"stablehlo.shift_right_logical", ElementOp::ShiftRightLogical},
      {"stablehlo.shift_right_arithmetic", ElementOp::ShiftRightArithmetic},
      {"stablehlo.select", ElementOp::Select},
      {"stablehlo.clamp", ElementOp::Clamp},
      {"chlo.erf", ElementOp::Erf},
      {"chlo.erfc", ElementOp::Erfc},
      {"chlo.erf_inv", ElementOp::ErfInverse},
      {"chlo.square", ElementOp::Square},
      {"chlo.conj", ElementOp::Conjugate},
      {"chlo.acos", ElementOp::Acos},
      {"chlo.acosh", ElementOp::Acosh},
      {"chlo.asin", ElementOp::Asin},
      {"chlo.asinh", ElementOp::Asinh},
      {"chlo.atan", ElementOp::Atan},
      {"chlo.atanh", ElementOp::Atanh},
      {"chlo.cosh", ElementOp::Cosh},
      {"chlo.sinh", ElementOp::Sinh},
      {"chlo.tan", ElementOp::Tangent},
      {"chlo.lgamma", ElementOp::LogGamma},
      {"chlo.digamma", ElementOp::Digamma},
      {"chlo.bessel_i1e", ElementOp::BesselI1e},
      {"chlo.is_inf", ElementOp::IsInfinite},
      {"chlo.is_pos_inf", ElementOp::IsPositiveInfinite},
      {"chlo.is_neg_inf", ElementOp::IsNegativeInfinite},
      {"chlo.next_after", ElementOp::NextAfter},
      {"chlo.polygamma", ElementOp::Polygamma},
      {"chlo.zeta", ElementOp::Zeta},
      {"chlo.mulhi", ElementOp::MultiplyHigh},
  };
  return table;
}

ElementOp comparisonOf(stablehlo::CompareOp op) {
  using stablehlo::ComparisonDirection;
  bool isTotal = op.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
  switch (op.getComparisonDirection()) {
  case ComparisonDirection::EQ:
    return isTotal ? ElementOp::TotalEqual : ElementOp::Equal;
  case ComparisonDirection::NE:
    return isTotal ? ElementOp::TotalNotEqual : ElementOp::NotEqual;
  case ComparisonDirection::GE:
    return isTotal ? ElementOp::TotalGreaterEqual : ElementOp::GreaterEqual;
  case ComparisonDirection::GT:
    return isTotal ? ElementOp::TotalGreater : ElementOp::Greater;
  case ComparisonDirection::LE:
    return isTotal ? ElementOp::TotalLessEqual : ElementOp::LessEqual;
  case ComparisonDirection::LT:
    break;
  }
  return isTotal ? ElementOp::TotalLess : ElementOp::Less;
}

std::optional<ElementOp> opOf(mlir::Operation &op) {
  if (auto compare = llvm::dyn_cast<stablehlo::CompareOp>(op))
    return comparisonOf(compare);
  std::string name = op.getName().getStringRef().str();
  // Serialised programs carry chlo ops as custom calls "mhlo.erf", "mhlo.asin", ...
  if (auto custom = llvm::dyn_cast<stablehlo::CustomCallOp>(op)) {
    llvm::StringRef target = custom.getCallTargetName();
    if (!target.consume_front("mhlo."))
      return std::nullopt;
    name = "chlo." + target.str();
  }
  auto found = plainOps().find(name);
  if (found == plainOps().end())
    return std::nullopt;
  return found->second;
}

/// What an op on parts of complex numbers is on real ones, which StableHLO allows too.
ElementOp onRealNumbers(ElementOp op) {
  switch (op) {
  case ElementOp::Real:
  case ElementOp::Conjugate:
    return ElementOp::Copy;
  case ElementOp::Imaginary:
    return ElementOp::Zero;
  default:
    return op;
  }
}

/// The type that `op` on the narrow type `type` is computed in, and the one its operands are first
/// read as; both `type` itself if it is not narrow, or none has the bits that the op looks at.
struct WideForm {
  DataType reading, computing;
};
WideForm wideFormOf(ElementOp op, DataType type) {
  DataType reading = type;
  bool isSmall = runtime::isSmallInteger(type);
  bool hasTwoBits = type == DataType::I2 || type == DataType::U2;
  // Zeros or the sign have to come in from the left. Example: -1 of i4 is kept as 0xff. popcnt of
  // that is 8; read as ui4 it is 0x0f, and popcnt 4.
  if (isSmall && (op == ElementOp::PopulationCount || op == ElementOp::ShiftRightLogical))
    reading = hasTwoBits ? DataType::U2 : DataType::U4;
  if (isSmall && op == ElementOp::ShiftRightArithmetic)
    reading = hasTwoBits ? DataType::I2 : DataType::I4;
  // A neighbour in a wider type is none in this one: after 1.0 in f32 comes 1.00000012, and that is
  // 1.0 in f8.
  return {reading, op == ElementOp::NextAfter ? type : wideType(reading)};
}

/// Not every pair of types has a kernel: a path may lead through a third, f8E4M3 to i8 through f32.
SlotId addConversion(BlockProgram &program, SlotId slot, DataType to) {
  for (DataType type : conversionPath(program.typeOf(slot), to))
    slot = program.addInstruction(findElementKernel(ElementOp::Convert, program.typeOf(slot), type),
                                  type, std::array{slot});
  return slot;
}

} // namespace

bool isDefined(const ElementInstruction &instruction) {
  const auto &[op, from, to, arguments] = instruction;
  DataType computing = wideFormOf(op, from).computing;
  // A predicate, as of compare, stays what it is: only a result of the operands' type is widened.
  return op == ElementOp::Convert || findElementKernel(op, from, to) ||
         findElementKernel(op, computing, to == from ? computing : to);
}

SlotId addElementOp(BlockProgram &program, const ElementInstruction &instruction,
                    std::span<const SlotId> operands) {
  const auto &[op, from, to, arguments] = instruction;
  if (op == ElementOp::Convert && from != to)
    return addConversion(program, operands[0], to);
  ElementOp plain = op == ElementOp::Convert ? ElementOp::Copy : op;
  if (ElementKernel kernel = findElementKernel(plain, from, to))
    return program.addInstruction(kernel, to, operands, arguments);
  auto [reading, computing] = wideFormOf(op, from);
  llvm::SmallVector<SlotId, 3> wide;
  // First to the type whose extension has the right bits, then to the one that has a kernel.
  for (SlotId operand : operands)
    wide.push_back(addConversion(program, addConversion(program, operand, reading), computing));
  DataType result = to == from ? computing : to;
  SlotId slot =
      program.addInstruction(findElementKernel(plain, computing, result), result, wide, arguments);
  return addConversion(program, slot, to);
}

std::optional<ElementInstruction> elementInstructionOf(mlir::Operation &op) {
  std::optional<ElementOp> kind = opOf(op);
  if (!kind || op.getNumResults() != 1 || op.getNumOperands() == 0)
    return std::nullopt;
  // The predicate of select says nothing about the type it works on.
  unsigned typed = *kind == ElementOp::Select ? 1 : 0;
  std::optional<TensorType> from = tensorTypeOf(op.getOperand(typed).getType());
  std::optional<TensorType> to = tensorTypeOf(op.getResult(0).getType());
  if (!from || !to)
    return std::nullopt;
  ElementInstruction instruction = {
      runtime::isComplex(from->type) ? *kind : onRealNumbers(*kind), from->type, to->type, {}};
  if (auto reduce = llvm::dyn_cast<stablehlo::ReducePrecisionOp>(op)) {
    // More bits than a double has change nothing.
    instruction.arguments.exponentBits =
        static_cast<int32_t>(std::min<uint32_t>(reduce.getExponentBits(), 11));
    instruction.arguments.mantissaBits =
        static_cast<int32_t>(std::min<uint32_t>(reduce.getMantissaBits(), 52));
  }
  return instruction;
}

std::optional<core::ReductionKind> soleReductionOf(mlir::Region &region) {
  mlir::Block &block = region.front();
  // The op and the return: what else there is, e.g. a conversion, would be lost.
  if (!llvm::hasNItems(block, 2) || block.getNumArguments() != 2)
    return std::nullopt;
  return stablehlo::reductionOf(region);
}

ElementOp elementOpOf(core::ReductionKind kind) {
  switch (kind) {
  case core::ReductionKind::Sum:
    return ElementOp::Add;
  case core::ReductionKind::Max:
    return ElementOp::Maximum;
  case core::ReductionKind::Min:
    return ElementOp::Minimum;
  case core::ReductionKind::Product:
    return ElementOp::Multiply;
  case core::ReductionKind::And:
    return ElementOp::And;
  case core::ReductionKind::Or:
    break;
  }
  return ElementOp::Or;
}

} // namespace shardwise::execute
