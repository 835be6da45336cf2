// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes. Each holds a core value and nothing else, so the text of all of them is read and
// written by the one grammar of core/Text.h.

#ifndef SHARDWISE_DIALECT_SDY_SDYATTRS_TD
#define SHARDWISE_DIALECT_SDY_SDYATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "shardwise/dialect/sdy/SdyDialect.td"

class Sdy_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::shardwise::sdy";
}

def Sdy_PropagationDirection : Sdy_I32Enum<"PropagationDirection",
    "directions in which shardings pass a propagation barrier", [
      I32EnumAttrCase<"None", 0, "NONE">, I32EnumAttrCase<"Forward", 1, "FORWARD">,
      I32EnumAttrCase<"Backward", 2, "BACKWARD">, I32EnumAttrCase<"Both", 3, "BOTH">]>;

def Sdy_ReductionKind : Sdy_I32Enum<"ReductionKind", "how partial values combine", [
      I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">,
      I32EnumAttrCase<"Min", 2, "min">]>;

/// A parameter that is a core value, handed out by reference.
class CoreValue<string type> : AttrParameter<type, "", "const " # type # " &">;

class Sdy_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Sdy_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}

def Sdy_MeshAxisAttr : Sdy_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "named mesh axis and its size";
  let description = "Example: `\"x\"=4`. The size is at least 1.";
  let parameters = (ins CoreValue<"::shardwise::core::MeshAxis">:$axis);
  let genVerifyDecl = 1;
}

def Sdy_MeshAttr : Sdy_Attr<"Mesh", "mesh"> {
  let summary = "grid of devices with named axes";
  let description = [{
    Examples: `<["x"=2, "y"=4]>`, `<["x"=2], device_ids=[1, 0]>`, `<[], device_ids=[5]>`. The
    parameter is valid by construction.
  }];
  let parameters = (ins CoreValue<"::shardwise::core::Mesh">:$mesh);
  let extraClassDeclaration = [{
    bool isEmpty() const { return getMesh().isEmpty(); }
    bool isMaximal() const { return getMesh().isMaximal(); }
  }];
}

def Sdy_SubAxisInfoAttr : Sdy_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "factor of a mesh axis";
  let description = "Example: `(2)4`.";
  let parameters = (ins CoreValue<"::shardwise::core::SubAxis">:$subAxis);
}

def Sdy_AxisRefAttr : Sdy_Attr<"AxisRef", "axis_ref"> {
  let summary = "mesh axis by name, or a factor of it";
  let description = "Examples: `\"x\"`, `\"x\":(2)4`.";
  let parameters = (ins CoreValue<"::shardwise::core::AxisRef">:$axis);
}

def Sdy_DimensionShardingAttr : Sdy_Attr<"DimensionSharding", "dimension_sharding"> {
  let summary = "axes of one tensor dimension";
  let description = "Examples: `{}`, `{\"x\", ?}p1`.";
  let parameters = (ins CoreValue<"::shardwise::core::WrittenDimSharding">:$dim);
}

def Sdy_TensorShardingAttr : Sdy_Attr<"TensorSharding", "sharding"> {
  let summary = "sharding of a tensor";
  let description = [{
    Example: `<@mesh, [{"x"}, {"y":(2)2, ?}p1], replicated={"z"}, unreduced=max{"w"}>`. The mesh is
    a symbol or written in place: `<mesh<["x"=2]>, [{"x"} ]>`. Not checked against the mesh; see
    `resolve` in CoreBridge.h.
  }];
  let parameters = (ins "::mlir::Attribute":$meshOrRef,
                        CoreValue<"::shardwise::core::WrittenSharding">:$sharding);
  let extraClassDeclaration = [{
    int64_t getRank() const { return static_cast<int64_t>(getSharding().dims.size()); }
    /// Symbol of the mesh; null if the mesh is written in place.
    ::mlir::FlatSymbolRefAttr getMeshSymbol() const;
    /// No dimension has axes.
    bool isFullyReplicated() const;
    /// No axes at all: dimensions, replicated, unreduced.
    bool hasNoAxes() const;
  }];
}

def Sdy_TensorShardingPerValueAttr : Sdy_Attr<"TensorShardingPerValue", "sharding_per_value"> {
  let summary = "one sharding per value";
  let description = "Example: `<[<@m, [{\"x\"}]>, <@m, [{}]>]>`.";
  let parameters = (ins ArrayRefParameter<"TensorShardingAttr">:$shardings);
  let extraClassDeclaration = [{
    size_t size() const { return getShardings().size(); }
    bool empty() const { return getShardings().empty(); }
    TensorShardingAttr operator[](size_t index) const { return getShardings()[index]; }
  }];
}

def Sdy_ManualAxesAttr : Sdy_Attr<"ManualAxes", "manual_axes"> {
  let summary = "names of the axes that a computation handles by itself";
  let description = "Example: `{\"x\", \"y\"}`.";
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$axes);
  let extraClassDeclaration = [{
    bool contains(::llvm::StringRef axis) const;
    bool empty() const { return getAxes().empty(); }
  }];
}

def Sdy_AxisRefListAttr : Sdy_Attr<"AxisRefList", "axis_ref_list"> {
  let summary = "list of axes";
  let description = "Example: `{\"x\", \"y\":(2)2}`.";
  let parameters = (ins CoreValue<"::shardwise::sdy::AxisRefs">:$axes);
  let extraClassDeclaration = "bool empty() const { return getAxes().empty(); }";
}

def Sdy_ListOfAxisRefListsAttr : Sdy_Attr<"ListOfAxisRefLists", "list_of_axis_ref_lists"> {
  let summary = "one list of axes per tensor dimension";
  let description = "Example: `[{\"x\"}, {}, {\"y\", \"z\"}]`.";
  let parameters = (ins CoreValue<"::shardwise::sdy::AxisRefLists">:$lists);
  let extraClassDeclaration = [{
    /// Whether every inner list is empty.
    bool hasNoAxes() const;
  }];
}

def Sdy_AllToAllParamAttr : Sdy_Attr<"AllToAllParam", "all_to_all_param"> {
  let summary = "axes that move from one tensor dimension to another";
  let description = "Example: `{\"x\", \"y\"}: 0->2`.";
  let parameters = (ins CoreValue<"::shardwise::sdy::AllToAllParam">:$param);
}

def Sdy_AllToAllParamListAttr : Sdy_Attr<"AllToAllParamList", "all_to_all_param_list"> {
  let summary = "moves of one all-to-all";
  let description = "Example: `[{\"x\"}: 0->2, {\"y\"}: 1->3]`.";
  let parameters = (ins CoreValue<"::shardwise::sdy::AllToAllParams">:$params);
}

def Sdy_DimMappingAttr : Sdy_Attr<"DimMapping", "dim_mapping"> {
  let summary = "factors of one tensor dimension";
  let description = "Example: `ij`.";
  let parameters = (ins ArrayRefParameter<"int64_t">:$factors);
}

def Sdy_TensorMappingAttr : Sdy_Attr<"TensorMapping", "tensor_mapping"> {
  let summary = "factors of every dimension of a tensor";
  let description = "Example: `[i, jk]`.";
  let parameters = (ins ArrayRefParameter<"DimMappingAttr">:$dims);
}

def Sdy_OpShardingRuleAttr : Sdy_Attr<"OpShardingRule", "op_sharding_rule"> {
  let summary = "loop dimensions of an operation and where its tensors have them";
  let description = [{
    Example: `<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}>`.
  }];
  let parameters = (ins CoreValue<"::shardwise::core::ShardingRule">:$rule);
}

def Sdy_EdgeValueRefAttr : Sdy_Attr<"EdgeValueRef", "edge_value_ref"> {
  let summary = "operand or result of an operation, by number";
  let parameters = (ins CoreValue<"::shardwise::sdy::EdgeValueRef">:$value);
}

def Sdy_AxisToPropagationDetailsAttr
    : Sdy_Attr<"AxisToPropagationDetails", "axis_to_propagation_details"> {
  let summary = "where an axis came from and went to";
  let description = "Example: `{\"x\" = operand-0 -> [result-0, operand-1]}`.";
  let parameters = (ins CoreValue<"::shardwise::sdy::AxisPropagation">:$details);
}

def Sdy_PropagationOneStepAttr : Sdy_Attr<"PropagationOneStep", "propagation_one_step"> {
  let summary = "what propagation did at an operation in one step";
  let description = "Example: `{step-0 = [{\"x\" = operand-0 -> [result-0]}]}`.";
  let parameters = (ins CoreValue<"::shardwise::sdy::PropagationStep">:$step);
}

def Sdy_PropagationEdgesAttr : Sdy_Attr<"PropagationEdges", "propagation_edges"> {
  let summary = "what propagation did at an operation";
  let parameters = (ins CoreValue<"::shardwise::sdy::PropagationSteps">:$steps);
  let genVerifyDecl = 1;
}

#endif // SHARDWISE_DIALECT_SDY_SDYATTRS_TD
