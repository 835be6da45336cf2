// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect, tensor type constraints and traits that every op family uses.

#ifndef SHARDWISE_DIALECT_STABLEHLO_STABLEHLOBASE
#define SHARDWISE_DIALECT_STABLEHLO_STABLEHLOBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Stablehlo_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::shardwise::stablehlo";
  let summary = "Tensor programs as JAX and other front ends print them";
  let description = [{
    Reads, verifies and prints the text of the StableHLO dialect (StableHLO specification).
    Ops are pure unless they talk to other processes or to the outside; regions are single
    blocks ended by `stablehlo.return` and may use values of the enclosing scope.
  }];
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr,
                        ::mlir::DialectAsmPrinter &printer) const override;

  private:
    void registerAttributes();
    void registerTypes();

  public:
  }];
}

class Stablehlo_Op<string mnemonic, list<Trait> traits = []>
    : Op<Stablehlo_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Value types
//===----------------------------------------------------------------------===//

/// Ranked tensor whose element type satisfies the C++ function `predicate`.
class Stablehlo_TensorOf<string predicate, string elements>
    : Type<CPred<"::shardwise::stablehlo::isTensorOf($_self, ::shardwise::stablehlo::"
                 # predicate # ")">,
           "ranked tensor of " # elements # " values", "::mlir::RankedTensorType">;

/// The same of rank 0.
class Stablehlo_ScalarOf<string predicate, string elements>
    : Type<CPred<"::shardwise::stablehlo::isScalarOf($_self, ::shardwise::stablehlo::"
                 # predicate # ")">,
           "0D tensor of " # elements # " values", "::mlir::RankedTensorType">;

defvar boolText = "bool";
defvar integerText = "2/4/8/16/32/64-bit integer";
defvar floatText = "4/6/8/16/32/64-bit float";
defvar complexText = "complex type with 32-bit float or 64-bit float elements";
defvar quantText = "quantized";
defvar anyText = !strconcat(floatText, " or ", boolText, " or ", integerText, " or ", complexText,
                            " or ", quantText);

def Stablehlo_Tensor : Stablehlo_TensorOf<"isAnyElement",
    anyText>;
def Stablehlo_BoolTensor : Stablehlo_TensorOf<"isBool", boolText>;
def Stablehlo_IntTensor : Stablehlo_TensorOf<"isInteger", integerText>;
def Stablehlo_BoolOrIntTensor
    : Stablehlo_TensorOf<"isBoolOrInteger", !strconcat(boolText, " or ", integerText)>;
def Stablehlo_FloatTensor
    : Stablehlo_TensorOf<"isFloatOrQuantized", !strconcat(floatText, " or ", quantText)>;
def Stablehlo_PlainFloatTensor : Stablehlo_TensorOf<"isFloat", floatText>;
def Stablehlo_FloatOrComplexTensor : Stablehlo_TensorOf<"isFloatComplexOrQuantized",
    !strconcat(floatText, " or ", complexText, " or ", quantText)>;
def Stablehlo_PlainFloatOrComplexTensor
    : Stablehlo_TensorOf<"isFloatOrComplex", !strconcat(floatText, " or ", complexText)>;
def Stablehlo_IntFloatOrComplexTensor : Stablehlo_TensorOf<"isIntegerFloatComplexOrQuantized",
    !strconcat(integerText, " or ", floatText, " or ", complexText, " or ", quantText)>;
def Stablehlo_SignedFloatOrComplexTensor
    : Stablehlo_TensorOf<"isSignedFloatComplexOrQuantized",
    !strconcat("2/4/8/16/32/64-bit signless integer or ", floatText, " or ", complexText, " or ",
               quantText)>;
def Stablehlo_Float32Or64Tensor
    : Stablehlo_TensorOf<"isFloat32Or64", "32-bit float or 64-bit float">;
def Stablehlo_ComplexTensor : Stablehlo_TensorOf<"isComplex", complexText>;
def Stablehlo_IotaTensor : Stablehlo_TensorOf<"isIntegerFloatComplexOrQuantized",
    !strconcat(integerText, " or ", floatText, " or ", complexText)>;
/// Shapes, as operands of the ops with dynamic shapes.
def Stablehlo_DimensionTensor
    : Stablehlo_TensorOf<"isDimensionSize", !strconcat(integerText, " or index")>;
def Stablehlo_Int32Scalar : Stablehlo_ScalarOf<"isInt32", "32-bit signless integer">;
def Stablehlo_UInt32Scalar : Stablehlo_ScalarOf<"isUInt32", "32-bit unsigned integer">;
def Stablehlo_BoolScalar : Stablehlo_ScalarOf<"isBool", boolText>;
def Stablehlo_IntScalar : Stablehlo_ScalarOf<"isInteger", integerText>;
def Stablehlo_AnyScalar : Stablehlo_ScalarOf<"isAnyElement",
    anyText>;

def Stablehlo_Token : Type<CPred<"::shardwise::stablehlo::isToken($_self)">, "token">;
def Stablehlo_Tuple : Type<CPred<"::llvm::isa<::mlir::TupleType>($_self)">, "tuple",
                           "::mlir::TupleType">;
/// Tensor or token: what control flow ops carry. Buffers appear in loops only.
def Stablehlo_TensorOrToken
    : Type<CPred<"::shardwise::stablehlo::isTensorOrToken($_self)">,
           "ranked tensor of any element type values or token">;
def Stablehlo_TensorTokenOrBuffer
    : Type<CPred<"::shardwise::stablehlo::isTensorTokenOrBuffer($_self)">,
           "ranked tensor of any element type values or token or memref">;
/// Whatever crosses a custom call.
def Stablehlo_CallValue : Type<CPred<"::shardwise::stablehlo::isCallValue($_self)">,
    "tensor of any element type values or token or tuple or memref or future">;

//===----------------------------------------------------------------------===//
// Traits
//===----------------------------------------------------------------------===//

/// The op applies one scalar function at every index (rank-0 operands are broadcast).
def Stablehlo_Elementwise : NativeOpTrait<"Elementwise"> {
  let cppNamespace = "::shardwise::stablehlo";
}

/// All operands and the result have one shape and one element type; gives the result type.
def Stablehlo_CompatibleTypes : NativeOpTrait<"CompatibleOperandsAndResultType", [], [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange given) {
      return ::shardwise::stablehlo::areCompatible(inferred, given);
    }
  }]> {
  let cppNamespace = "::shardwise::stablehlo";
}
defvar Stablehlo_SameTypes = [Stablehlo_CompatibleTypes, InferTypeOpInterface];

/// Result types are computed from the operands and compared with those given. The op
/// defines `inferReturnTypes(location, adaptor, types)`.
def Stablehlo_InfersTypesTrait : NativeOpTrait<"InfersTypes", [], [{
    static ::llvm::LogicalResult inferReturnTypes(
        std::optional<::mlir::Location> location, Adaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::Type> &types);
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange given) {
      return ::shardwise::stablehlo::areCompatible(inferred, given);
    }
  }], [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &inferredReturnTypes) {
      return $cppClass::inferReturnTypes(
          location, Adaptor(operands, attributes, properties, regions), inferredReturnTypes);
    }
  }]> {
  let cppNamespace = "::shardwise::stablehlo";
}
def Stablehlo_InfersTypes : TraitList<[
  DeclareOpInterfaceMethods<InferTypeOpInterface>, Stablehlo_InfersTypesTrait]>;

//===----------------------------------------------------------------------===//
// Attribute kinds
//===----------------------------------------------------------------------===//

/// `array<i1: ..>`; one flag per spatial dimension.
def Stablehlo_OptionalDims : OptionalAttr<DenseI64ArrayAttr>;
/// n x 2 matrix of (low, high).
def Stablehlo_OptionalPadding : OptionalAttr<I64ElementsAttr>;
def Stablehlo_FalseByDefault : DefaultValuedOptionalAttr<BoolAttr, "false">;

#endif
