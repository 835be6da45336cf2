// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk that refuses what the compiler does not support. It looks at each op alone and only at
// what can be seen there: names first, as the rest of an op of an unknown dialect means nothing
// here, then types, then the ops that have rules of their own.

#include "shardwise/dialect/stablehlo/SupportedPrograms.h"

#include "shardwise/dialect/stablehlo/CustomCallTargets.h"
#include "shardwise/dialect/stablehlo/ops/CallOps.h"
#include "shardwise/dialect/stablehlo/ops/CollectiveOps.h"
#include "shardwise/dialect/stablehlo/ops/ElementwiseOps.h"
#include "shardwise/dialect/stablehlo/ops/NumericOps.h"
#include "shardwise/dialect/stablehlo/ops/ShapeOps.h"
#include "shardwise/dialect/stablehlo/verify/Verification.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace shardwise::stablehlo {
namespace {

constexpr int kMaxReports = 16;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

struct RefusedOp {
  const char *name;
  const char *reason;
};

constexpr const char *kDynamicShapes = "dynamic shapes; export with static shapes";
constexpr const char *kHostTransfer = "host transfer; pass the data as arguments and results";
constexpr const char *kAsync = "asynchronous ops; export the synchronous form";
constexpr const char *kQuantised = "quantised types; export in floating point";

constexpr RefusedOp kRefusedOps[] = {
    {"stablehlo.dynamic_broadcast_in_dim", kDynamicShapes},
    {"stablehlo.dynamic_conv", kDynamicShapes},
    {"stablehlo.dynamic_gather", kDynamicShapes},
    {"stablehlo.dynamic_iota", kDynamicShapes},
    {"stablehlo.dynamic_pad", kDynamicShapes},
    {"stablehlo.dynamic_reshape", kDynamicShapes},
    {"stablehlo.real_dynamic_slice", kDynamicShapes},
    {"stablehlo.set_dimension_size", kDynamicShapes},
    {"stablehlo.infeed", kHostTransfer},
    {"stablehlo.outfeed", kHostTransfer},
    {"stablehlo.send", kHostTransfer},
    {"stablehlo.recv", kHostTransfer},
    {"stablehlo.async_start", kAsync},
    {"stablehlo.async_done", kAsync},
    {"stablehlo.uniform_quantize", kQuantised},
    {"stablehlo.uniform_dequantize", kQuantised},
    {"stablehlo.rng", "hidden random state; use rng_bit_generator or a counter-based generator"},
    {"stablehlo.einsum", "deprecated; use dot_general"},
    {"stablehlo.unary_einsum", "deprecated; use reduce, transpose and broadcast_in_dim"},
    {"stablehlo.torch_index_select", "deprecated; use gather"},
    {"stablehlo.cross-replica-sum", "deprecated; use all_reduce"},
    {"stablehlo.collective_reduce", "use all_reduce"},
};

struct NamedTarget {
  const char *prefix;
  const char *advice;
};

/// Targets that are no kernels, by how their names start: no compiler can leave them as they are.
constexpr NamedTarget kRefusedTargets[] = {
    {"SPMD", "the form of shard_map before Shardy; export with the Shardy partitioner"},
    {"xla.sdy.", "a Shardy program in its serialised form; export the text of lower(), which has "
                 "sdy ops"},
    {"CustomSPMDPartitioning", "partitioned by Python code of the program that exported it; call "
                               "what it does in jax.shard_map"},
    {"ApproxTopK", "use jax.lax.top_k, which is exact, as this one is on CPUs"},
    {"shape_assertion", kDynamicShapes},
    {"stablehlo.dynamic_", kDynamicShapes},
};

constexpr const char *kCallback = "host callbacks; export without callbacks and debug prints";
constexpr const char *kForGpus = "a kernel for GPUs; export for the CPU";

/// What to do about kernels that JAX calls and that are not here.
constexpr NamedTarget kMissingKernels[] = {
    {"xla_ffi_python_", kCallback},
    {"xla_ffi_partitioned_python_", kCallback},
    {"xla_python_", kCallback},
    {"lapack_", "only potrf, trsm and getrf of f32 and f64 are; compute other factorizations "
                "outside of the program and pass them as arguments"},
    {"cu_threefry2x32", kForGpus},
    {"hip_threefry2x32", kForGpus},
    {"mosaic_gpu", kForGpus},
    {"__gpu$", kForGpus},
    {"triton_kernel_call", kForGpus},
    {"tpu_custom_call", "a kernel for TPUs; export for the CPU, a Pallas kernel with "
                        "interpret=True"},
};

/// The advice for `target`; null if there is none.
template <size_t Count>
const char *adviceFor(StringRef target, const NamedTarget (&targets)[Count]) {
  for (const NamedTarget &named : targets)
    if (target.starts_with(named.prefix))
      return named.advice;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Sizes in bytes, and their sums, stay within 64 bits: elements have 16 bytes at most.
constexpr int64_t kTooManyElements = int64_t{1} << 58;

constexpr const char *kDynamicType = "dynamic shapes are not supported; export with static shapes";

StringRef reasonOfElement(Type type) {
  if (isQuantized(type))
    return "quantised types are not supported; export in floating point";
  auto floatType = dyn_cast<FloatType>(type);
  if (floatType && floatType.getWidth() < 8)
    return "floats of 4 and 6 bits are not supported; convert to f8 or wider";
  return isAnyElement(type)
             ? ""
             : "the element type is not supported; convert to one of StableHLO, such as "
               "f32, bf16, i32 or ui8";
}

} // namespace

StringRef refusalReason(StringRef opName) {
  for (const RefusedOp &op : kRefusedOps)
    if (opName == op.name)
      return op.reason;
  return "";
}

StringRef unsupportedReason(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (!tensor.hasStaticShape())
      return kDynamicType;
    int64_t numElements = 1;
    for (int64_t size : tensor.getShape())
      numElements = saturatingMultiply(numElements, size);
    if (numElements >= kTooManyElements)
      return "tensors of 2^58 elements and more are not supported; make the shape smaller";
    if (tensor.getEncoding())
      return "tensor encodings are not supported; remove the encoding";
    return reasonOfElement(tensor.getElementType());
  }
  if (auto tuple = dyn_cast<TupleType>(type)) {
    for (Type member : tuple.getTypes())
      if (StringRef reason = unsupportedReason(member); !reason.empty())
        return reason;
    return "";
  }
  if (isa<TokenType>(type))
    return "";
  if (isa<UnrankedTensorType>(type))
    return kDynamicType;
  if (isa<BaseMemRefType>(type))
    return "buffers are not supported; export tensors";
  if (isa<FutureType>(type))
    return "asynchronous values are not supported; export the synchronous form";
  return "only tensors are supported; use a tensor of rank 0 for a scalar";
}

namespace {

//===----------------------------------------------------------------------===//
// Ops that verify but mean nothing
//===----------------------------------------------------------------------===//

/// True if `type` says how elements of `element` can be compared.
bool fitsComparison(ComparisonType type, Type element) {
  switch (type) {
  case ComparisonType::NOTYPE:
    return true;
  case ComparisonType::FLOAT:
    return isa<FloatType, ComplexType>(element);
  case ComparisonType::TOTALORDER:
    return isa<FloatType>(element);
  case ComparisonType::SIGNED:
    return element.isSignlessInteger() && !isBool(element);
  case ComparisonType::UNSIGNED:
    return element.isUnsignedInteger() || isBool(element);
  }
  return false;
}

LogicalResult checkCompare(CompareOp op) {
  std::optional<ComparisonType> type = op.getCompareType();
  Type element = op.getLhs().getType().getElementType();
  if (!type || fitsComparison(*type, element))
    return success();
  return op.emitOpError("is not supported: compare_type ")
         << stringifyComparisonType(*type) << " does not fit the element type " << element;
}

LogicalResult checkConstant(ConstantOp op) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue());
  if (!resource || resource.getRawHandle().getBlob())
    return success();
  return op.emitOpError("is not supported: its value ")
         << op.getValue() << " is not in the file; print the program with all constants, for "
         << "example by lowered.as_text()";
}

/// Members of one group, or -1 if that is not known here (a mesh symbol, no groups).
int64_t groupSize(Attribute groups) {
  if (auto dense = dyn_cast<DenseIntElementsAttr>(groups))
    return dense.empty() ? -1 : dense.getType().getDimSize(1);
  auto axes = cast<ReplicaGroupMeshAxesAttr>(groups);
  auto mesh = dyn_cast<MeshAttr>(axes.getMesh());
  if (!mesh)
    return -1;
  int64_t size = 1;
  for (AxisRefAttr axis : axes.getAxes()) {
    if (axis.getSubAxisInfo()) {
      size = saturatingMultiply(size, axis.getSubAxisInfo().getSize());
      continue;
    }
    for (MeshAxisAttr known : mesh.getAxes())
      if (known.getName() == axis.getName())
        size = saturatingMultiply(size, known.getSize());
  }
  return size;
}

/// The verifier accepts any multiple of the operand's size (all_gather C4); the devices of a group
/// fill it only if there are as many of them.
LogicalResult checkAllGatherFactor(AllGatherOp op) {
  int64_t members = groupSize(op.getReplicaGroups()), dim = op.getAllGatherDim();
  for (auto [operand, result] : llvm::zip(op.getOperands(), op.getResults())) {
    int64_t from = shapeOf(operand)[dim], to = shapeOf(result)[dim];
    if (members != -1 && saturatingMultiply(from, members) != to)
      return op.emitOpError("is not supported: the result size ")
             << to << " of dimension " << dim << " is not the operand size " << from << " times "
             << members << ", the members of a group";
  }
  return success();
}

LogicalResult checkRemainder(RemOp op) {
  if (!isComplex(op.getType().getElementType()))
    return success();
  return op.emitOpError("is not supported: complex numbers have no remainder");
}

LogicalResult checkRandomState(RngBitGeneratorOp op) {
  RankedTensorType state = op.getInitialState().getType();
  bool isVector = state.getRank() == 1 && state.getElementType().isUnsignedInteger(64);
  int64_t words = isVector ? state.getDimSize(0) : 0;
  bool threeWords = words == 3 && op.getRngAlgorithm() != RngAlgorithm::THREE_FRY;
  Type element = op.getOutput().getType().getElementType();
  if (!isInteger(element) && !isFloat(element))
    return op.emitOpError("is not supported: random bits of type ")
           << element << "; expected integers or floats";
  if (words == 2 || threeWords)
    return success();
  return op.emitOpError("is not supported: algorithm ")
         << stringifyRngAlgorithm(op.getRngAlgorithm()) << " takes a state of type tensor<2xui64>"
         << (op.getRngAlgorithm() == RngAlgorithm::THREE_FRY ? "" : " or tensor<3xui64>")
         << ", got " << state;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

class SupportChecker {
public:
  explicit SupportChecker(MLIRContext *context) {
    for (const RefusedOp &op : kRefusedOps)
      refusedOps.try_emplace(OperationName(op.name, context), op.reason);
  }

  LogicalResult check(Operation *op) {
    if (failed(checkName(op)) || failed(checkTypes(op)))
      return failure();
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      return checkFunction(function);
    if (auto call = dyn_cast<CustomCallOp>(op))
      return checkCustomCall(call);
    if (auto constant = dyn_cast<ConstantOp>(op))
      return checkConstant(constant);
    if (auto compare = dyn_cast<CompareOp>(op))
      return checkCompare(compare);
    if (auto gather = dyn_cast<AllGatherOp>(op))
      return checkAllGatherFactor(gather);
    if (auto rng = dyn_cast<RngBitGeneratorOp>(op))
      return checkRandomState(rng);
    if (auto remainder = dyn_cast<RemOp>(op))
      return checkRemainder(remainder);
    if (auto module = dyn_cast<ModuleOp>(op))
      return checkModule(module);
    return success();
  }

private:
  LogicalResult checkName(Operation *op) {
    OperationName name = op->getName();
    if (!name.isRegistered())
      return op->emitOpError("is not supported: unknown op of dialect '")
             << name.getDialectNamespace() << "'; lower it to StableHLO first";
    auto refused = refusedOps.find(name);
    if (refused != refusedOps.end())
      return op->emitOpError("is not supported: ") << refused->second;
    Dialect *dialect = name.getDialect();
    // A program has many ops, but few dialects and types: what was found of these is kept.
    auto [known, isNew] = dialects.try_emplace(dialect, false);
    if (isNew)
      known->second = llvm::is_contained({"builtin", "func", "stablehlo", "chlo", "sdy"},
                                         dialect->getNamespace());
    if (known->second)
      return success();
    return op->emitOpError("is not supported: ops of dialect '")
           << dialect->getNamespace() << "' are not; lower them to StableHLO first";
  }

  LogicalResult checkType(Operation *op, Type type) {
    auto [reason, isNew] = reasons.try_emplace(type);
    if (isNew)
      reason->second = unsupportedReason(type);
    if (reason->second.empty())
      return success();
    return op->emitOpError("is not supported: type ") << type << ": " << reason->second;
  }

  /// Every value is a result or a block argument, so operands need no look.
  LogicalResult checkTypes(Operation *op) {
    for (Type type : op->getResultTypes())
      if (failed(checkType(op, type)))
        return failure();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (failed(checkType(op, type)))
            return failure();
    return success();
  }

  LogicalResult checkFunction(FunctionOpInterface function) {
    for (TypeRange types :
         {TypeRange(function.getArgumentTypes()), TypeRange(function.getResultTypes())})
      for (Type type : types) {
        if (failed(checkType(function, type)))
          return failure();
        if (isa<TupleType>(type) && function.isPublic())
          return function.emitOpError("is not supported: tuples as arguments or results; export "
                                      "one tensor per element");
        if (isa<TokenType>(type))
          return function.emitOpError("is not supported: tokens as arguments or results (ordered "
                                      "effects); export without ordered effects");
      }
    return checkEnds(function);
  }

  /// Whether a custom call that is refused names the function as its computation: JAX writes these
  /// as regions, and what is to be done is said at the call.
  static bool isOfRefusedCall(FunctionOpInterface function) {
    auto module = function->getParentOfType<ModuleOp>();
    WalkResult walk = module.walk([&](CustomCallOp call) {
      auto computations = call->getAttrOfType<ArrayAttr>("called_computations");
      bool isNamed = computations && llvm::any_of(computations, [&](Attribute one) {
                       auto symbol = dyn_cast<FlatSymbolRefAttr>(one);
                       return symbol && symbol.getAttr() == function.getNameAttr();
                     });
      return isNamed && adviceFor(call.getCallTargetName(), kRefusedTargets)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    return walk.wasInterrupted();
  }

  /// Other ops end regions, and say nothing of what a function returns.
  LogicalResult checkEnds(FunctionOpInterface function) {
    for (Block &block : function.getFunctionBody())
      if (block.back().getName().getStringRef() != "func.return" && !isOfRefusedCall(function))
        return block.back().emitOpError("ends function @")
               << function.getName() << ", expected 'func.return'; write 'return'";
    return success();
  }

  /// What is not known may be a kernel of the user's.
  LogicalResult checkCustomCall(CustomCallOp call) {
    StringRef target = call.getCallTargetName();
    if (isKnownCallTarget(target))
      return verifyKnownCall(call);
    if (const char *reason = adviceFor(target, kRefusedTargets))
      return call.emitOpError("custom call target '") << target << "' is not supported: " << reason;
    return success();
  }

  LogicalResult checkModule(ModuleOp module) {
    auto polymorphic = module->getAttrOfType<BoolAttr>("jax.uses_shape_polymorphism");
    if (polymorphic && polymorphic.getValue())
      return module.emitOpError("is not supported: jax.uses_shape_polymorphism: ")
             << kDynamicShapes;
    return success();
  }

  llvm::DenseMap<OperationName, StringRef> refusedOps;
  llvm::DenseMap<Dialect *, bool> dialects;
  llvm::DenseMap<Type, StringRef> reasons;
};

} // namespace

/// The place of `op`; where it names no file, behind it that of the first call of its function. JAX
/// writes a factorization as a function whose ops have its name alone, and calls it at the user's
/// line.
static Location placeOf(Operation *op) {
  constexpr int kMaxCalls = 8;
  Location place = op->getLoc();
  for (int i = 0; i < kMaxCalls && !place->findInstanceOf<FileLineColLoc>(); ++i) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    if (!function || !function->getParentOp())
      break;
    auto uses = SymbolTable::getSymbolUses(function, function->getParentOp());
    if (!uses || uses->empty())
      break;
    op = uses->begin()->getUser();
    place = CallSiteLoc::get(place, op->getLoc());
  }
  return place;
}

/// Checks ops in program order, an op before those in its regions, until there are enough reports:
/// one refusal does not end the walk, so that a run shows more than the first thing to change.
///
/// To find the place of an op can take a walk through the program, so it is asked for refused ops
/// alone: each op is checked in silence, and one that is refused again, to be heard.
static LogicalResult checkAll(ModuleOp module,
                              llvm::function_ref<LogicalResult(Operation *)> check) {
  int numReports = 0;
  bool isSilent = true;
  ScopedDiagnosticHandler handler(module.getContext(),
                                  [&](Diagnostic &) { return success(isSilent); });
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (succeeded(check(op)))
      return WalkResult::advance();
    const Location own = op->getLoc();
    op->setLoc(placeOf(op));
    isSilent = false;
    (void)check(op);
    isSilent = true;
    op->setLoc(own);
    return ++numReports < kMaxReports ? WalkResult::advance() : WalkResult::interrupt();
  });
  return success(numReports == 0);
}

LogicalResult checkSupported(ModuleOp module) {
  SupportChecker checker(module.getContext());
  return checkAll(module, [&](Operation *op) { return checker.check(op); });
}

LogicalResult checkKernels(ModuleOp module) {
  return checkAll(module, [](Operation *op) -> LogicalResult {
    auto call = dyn_cast<CustomCallOp>(op);
    if (!call || isKnownCallTarget(call.getCallTargetName()))
      return success();
    const char *advice = adviceFor(call.getCallTargetName(), kMissingKernels);
    return call.emitOpError("custom call target '")
           << call.getCallTargetName() << "' has no kernel that could be run: "
           << (advice ? advice : "lower it to StableHLO ops before export")
           << "; 'shardwise partition' and 'shardwise explain' need none";
  });
}

} // namespace shardwise::stablehlo
