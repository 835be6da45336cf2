// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structured attributes and the dialect's types. Structs `<key = value, ..>` accept their
// keys in any order and a trailing comma; they print in the order given here and leave out
// empty lists and zero integers.

#ifndef SHARDWISE_DIALECT_STABLEHLO_STABLEHLOATTRS
#define SHARDWISE_DIALECT_STABLEHLO_STABLEHLOATTRS

include "shardwise/dialect/stablehlo/StablehloEnums.td"
include "mlir/IR/TensorEncoding.td"

class Stablehlo_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Stablehlo_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}
class Stablehlo_CustomAttr<string name, string attrMnemonic, list<Trait> traits = []>
    : Stablehlo_Attr<name, attrMnemonic, traits> {
  let hasCustomAssemblyFormat = 1;
}

def Stablehlo_DimsParameter : ArrayRefParameter<"int64_t", "dimension numbers">;

def Stablehlo_DotDimensionNumbersAttr : Stablehlo_CustomAttr<"DotDimensionNumbers", "dot"> {
  let summary = "batching and contracting dimensions of a dot_general";
  let parameters = (ins
    Stablehlo_DimsParameter:$lhsBatchingDimensions,
    Stablehlo_DimsParameter:$rhsBatchingDimensions,
    Stablehlo_DimsParameter:$lhsContractingDimensions,
    Stablehlo_DimsParameter:$rhsContractingDimensions);
}

def Stablehlo_GatherDimensionNumbersAttr
    : Stablehlo_CustomAttr<"GatherDimensionNumbers", "gather"> {
  let summary = "which dimensions a gather collects, collapses and indexes";
  let parameters = (ins
    Stablehlo_DimsParameter:$offsetDims,
    Stablehlo_DimsParameter:$collapsedSliceDims,
    Stablehlo_DimsParameter:$operandBatchingDims,
    Stablehlo_DimsParameter:$startIndicesBatchingDims,
    Stablehlo_DimsParameter:$startIndexMap,
    "int64_t":$indexVectorDim);
}

def Stablehlo_ScatterDimensionNumbersAttr
    : Stablehlo_CustomAttr<"ScatterDimensionNumbers", "scatter"> {
  let summary = "which dimensions a scatter writes, inserts and indexes";
  let parameters = (ins
    Stablehlo_DimsParameter:$updateWindowDims,
    Stablehlo_DimsParameter:$insertedWindowDims,
    Stablehlo_DimsParameter:$inputBatchingDims,
    Stablehlo_DimsParameter:$scatterIndicesBatchingDims,
    Stablehlo_DimsParameter:$scatterDimsToOperandDims,
    "int64_t":$indexVectorDim);
}

def Stablehlo_ConvDimensionNumbersAttr
    : Stablehlo_CustomAttr<"ConvDimensionNumbers", "conv"> {
  let summary = "roles of the dimensions of a convolution: [b, 0, f]x[0, i, o]->[b, 0, f]";
  let parameters = (ins
    "int64_t":$inputBatchDimension,
    "int64_t":$inputFeatureDimension,
    Stablehlo_DimsParameter:$inputSpatialDimensions,
    "int64_t":$kernelInputFeatureDimension,
    "int64_t":$kernelOutputFeatureDimension,
    Stablehlo_DimsParameter:$kernelSpatialDimensions,
    "int64_t":$outputBatchDimension,
    "int64_t":$outputFeatureDimension,
    Stablehlo_DimsParameter:$outputSpatialDimensions);
}

def Stablehlo_DotAlgorithmAttr : Stablehlo_Attr<"DotAlgorithm", "dot_algorithm"> {
  let summary = "precisions and number of products of a dot_general";
  let parameters = (ins
    "::mlir::Type":$lhs_precision_type,
    "::mlir::Type":$rhs_precision_type,
    "::mlir::Type":$accumulation_type,
    "int64_t":$lhs_component_count,
    "int64_t":$rhs_component_count,
    "int64_t":$num_primitive_operations,
    "bool":$allow_imprecise_accumulation);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Stablehlo_ChannelHandleAttr : Stablehlo_Attr<"ChannelHandle", "channel_handle"> {
  let summary = "number and type of a channel";
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Stablehlo_OutputOperandAliasAttr
    : Stablehlo_CustomAttr<"OutputOperandAlias", "output_operand_alias"> {
  let summary = "a result of a custom call that shares the buffer of an operand";
  let parameters = (ins
    Stablehlo_DimsParameter:$outputTupleIndices,
    "int64_t":$operandIndex,
    Stablehlo_DimsParameter:$operandTupleIndices);
}

def Stablehlo_ResultAccuracyAttr
    : Stablehlo_CustomAttr<"ResultAccuracy", "result_accuracy"> {
  let summary = "tolerance of the result of a transcendental function";
  let parameters = (ins
    APFloatParameter<"absolute tolerance">:$atol,
    APFloatParameter<"relative tolerance">:$rtol,
    "int64_t":$ulps,
    "::shardwise::stablehlo::ResultAccuracyModeAttr":$mode);
  let constBuilderCall =
    "::shardwise::stablehlo::defaultResultAccuracy($_builder.getContext(), $0)";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Mesh axes as replica groups
//===----------------------------------------------------------------------===//

def Stablehlo_MeshAxisAttr : Stablehlo_CustomAttr<"MeshAxis", "mesh_axis"> {
  let summary = "a named axis and its size";
  let parameters = (ins StringRefParameter<"axis name">:$name, "int64_t":$size);
}

def Stablehlo_MeshAttr : Stablehlo_CustomAttr<"Mesh", "mesh"> {
  let summary = "named grid of devices, with an optional order of the device ids";
  let parameters = (ins
    ArrayRefParameter<"::shardwise::stablehlo::MeshAxisAttr">:$axes,
    OptionalParameter<"::mlir::DenseIntElementsAttr">:$deviceIds);
}

def Stablehlo_SubAxisInfoAttr : Stablehlo_CustomAttr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "the factor (pre_size)size of an axis";
  let parameters = (ins "int64_t":$preSize, "int64_t":$size);
}

def Stablehlo_AxisRefAttr : Stablehlo_CustomAttr<"AxisRef", "axis_ref"> {
  let summary = "an axis of a mesh, or a part of it";
  let parameters = (ins
    StringRefParameter<"axis name">:$name,
    OptionalParameter<"::shardwise::stablehlo::SubAxisInfoAttr">:$subAxisInfo);
}

def Stablehlo_ReplicaGroupMeshAxesAttr
    : Stablehlo_CustomAttr<"ReplicaGroupMeshAxes", "replica_group_mesh_axes"> {
  let summary = "one replica group per coordinate of the mesh axes that are not listed";
  let description = [{
    `mesh` is a `#stablehlo.mesh` or the symbol of an op that holds one (or of an `sdy.mesh`).
    Devices are numbered row-major over the mesh axes; within a group the listed axes vary,
    the first one most major.
  }];
  let parameters = (ins
    "::mlir::Attribute":$mesh,
    ArrayRefParameter<"::shardwise::stablehlo::AxisRefAttr">:$axes);
  let genVerifyDecl = 1;
}

/// Rank-2 list of ids, or mesh axes.
def Stablehlo_ReplicaGroupsAttr
    : AnyAttrOf<[I64ElementsAttr, Stablehlo_ReplicaGroupMeshAxesAttr],
                "i64 elements attribute or replica group mesh axes">;

//===----------------------------------------------------------------------===//
// Tensor encoding and types
//===----------------------------------------------------------------------===//

def Stablehlo_TypeExtensionsAttr : Stablehlo_CustomAttr<"TypeExtensions", "bounds",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "upper bounds of the dynamic dimensions of a tensor type";
  let parameters = (ins Stablehlo_DimsParameter:$bounds);
}

class Stablehlo_TypeDef<string name, string typeMnemonic>
    : TypeDef<Stablehlo_Dialect, name> {
  let mnemonic = typeMnemonic;
}
def Stablehlo_TokenType : Stablehlo_TypeDef<"Token", "token"> {
  let summary = "orders side effects; has no data";
}
def Stablehlo_FutureType : Stablehlo_TypeDef<"Future", "future"> {
  let summary = "tensors that an asynchronous op will deliver";
  let parameters = (ins ArrayRefParameter<"::mlir::Type", "tensor types">:$types);
  let assemblyFormat = "`<` $types `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Lists of attributes
//===----------------------------------------------------------------------===//

def Stablehlo_PrecisionConfigAttr
    : OptionalAttr<TypedArrayAttrBase<Stablehlo_PrecisionAttr, "precision config">>;
def Stablehlo_OptionalAccuracy : DefaultValuedOptionalAttr<Stablehlo_ResultAccuracyAttr,
    "::shardwise::stablehlo::ResultAccuracyMode::DEFAULT">;

/// Shared by convolution and dynamic_conv.
defvar Stablehlo_ConvolutionAttributes = (ins
  Stablehlo_OptionalDims:$window_strides,
  Stablehlo_OptionalPadding:$padding,
  Stablehlo_OptionalDims:$lhs_dilation,
  Stablehlo_OptionalDims:$rhs_dilation,
  OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
  Stablehlo_ConvDimensionNumbersAttr:$dimension_numbers,
  I64Attr:$feature_group_count,
  I64Attr:$batch_group_count,
  Stablehlo_PrecisionConfigAttr:$precision_config);

/// Pure op that is only read and printed.
class Stablehlo_UncheckedOp<string mnemonic, dag args> : Stablehlo_Op<mnemonic, [Pure]> {
  let arguments = args;
  let results = (outs Stablehlo_Tensor:$result);
}

#endif
