// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interfaces through which passes see operations of any dialect.

#ifndef SHARDWISE_DIALECT_SDY_SDYINTERFACES_TD
#define SHARDWISE_DIALECT_SDY_SDYINTERFACES_TD

include "mlir/IR/OpBase.td"

def Sdy_ShardableDataFlowOpInterface : OpInterface<"ShardableDataFlowOpInterface"> {
  let cppNamespace = "::shardwise::sdy";
  let description = [{
    An operation that passes values through its regions: loops, branches, calls of a region.

    A *data-flow edge* joins sources (operands of the operation or of its terminators) with
    targets (results or block arguments) that are all the same value as seen from outside or
    inside. One target is its fixed *owner*; the edge's sharding is the owner's. Propagation treats
    an edge like an identity operation from sources to targets.
  }];
  let methods = [
    InterfaceMethod<"Block arguments that own an edge.",
      "::llvm::SmallVector<::mlir::BlockArgument>", "getBlockArgumentOwners", (ins), "",
      "return {};">,
    InterfaceMethod<"Results that own an edge.",
      "::llvm::SmallVector<::mlir::OpResult>", "getResultOwners", (ins)>,
    InterfaceMethod<[{Shardings of the block-argument owners, in their order; empty if none is set,
      else null where an owner has none.}],
      "::llvm::SmallVector<::shardwise::sdy::TensorShardingAttr>", "getBlockArgumentOwnerShardings",
      (ins), "", "return {};">,
    InterfaceMethod<"Sets the shardings of all block-argument owners.",
      "void", "setBlockArgumentOwnerShardings",
      (ins "::llvm::ArrayRef<::shardwise::sdy::TensorShardingAttr>":$shardings), "", "">,
    InterfaceMethod<[{Shardings of the result owners, in their order; empty if none is set, else
      null where an owner has none.}],
      "::llvm::SmallVector<::shardwise::sdy::TensorShardingAttr>", "getResultOwnerShardings",
      (ins), "", "return ::shardwise::sdy::detail::resultOwnerShardings($_op);">,
    InterfaceMethod<"Sets the shardings of all result owners.",
      "void", "setResultOwnerShardings",
      (ins "::llvm::ArrayRef<::shardwise::sdy::TensorShardingAttr>":$shardings), "",
      "::shardwise::sdy::detail::setResultOwnerShardings($_op, shardings);">,
    InterfaceMethod<"Operands whose values reach the edge of `owner`.",
      "::llvm::SmallVector<::mlir::OpOperand *>", "getSources", (ins "::mlir::Value":$owner)>,
    InterfaceMethod<"Owner of the edge that `target` belongs to; null if it belongs to none.",
      "::mlir::Value", "getOwnerOfTarget", (ins "::mlir::Value":$target)>,
    InterfaceMethod<"Owner of the edge that `source` feeds; null if it feeds none.",
      "::mlir::Value", "getOwnerOfSource", (ins "::mlir::OpOperand &":$source)>,
    InterfaceMethod<"Targets of the edge of `owner` other than the owner.",
      "::llvm::SmallVector<::mlir::Value>", "getOtherTargets", (ins "::mlir::Value":$owner), "",
      "return {};">,
    InterfaceMethod<[{Sharding of `target` as propagation has to see it, before and after it works
      on the edge. Example: inside a manual computation the manual axes are not visible.}],
      "::shardwise::sdy::TensorShardingAttr", "transformTargetSharding",
      (ins "::mlir::Value":$target, "::shardwise::sdy::TensorShardingAttr":$sharding,
           "::shardwise::sdy::EdgeTransform":$when), "", "return sharding;">,
    InterfaceMethod<"Whether the shardings of owners must divide their dimensions evenly.",
      "bool", "shouldKeepOwnerShardingsDivisible", (ins), "", "return false;">,
  ];
}

def Sdy_ShardingRuleOpInterface : OpInterface<"ShardingRuleOpInterface"> {
  let cppNamespace = "::shardwise::sdy";
  let description = "An operation, of any dialect, that brings its own sharding rule.";
  let methods = [
    InterfaceMethod<"Sharding rule of the operation.",
      "::shardwise::sdy::OpShardingRuleAttr", "getShardingRule", (ins)>,
    InterfaceMethod<"Whether shardings of results must divide their dimensions evenly.",
      "bool", "shouldKeepOutputShardingsDivisible", (ins), "", "return false;">,
  ];
}

def Sdy_CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::shardwise::sdy";
  let description = [{
    A change of placement of one tensor. The operand and the result have the same global type.

    In a per-device program types are those of shards. What gave the operand says nothing of its
    placement there: the op does, by `sdy.in_sharding`, which marks it as local.

    ```mlir
    // "x"=2
    %g = sdy.all_gather [{"x"} ] %t out_sharding=<@m, [{} ]>
        {sdy.in_sharding = #sdy.sharding<@m, [{"x"} ]>} : (tensor<4xf32>) -> tensor<8xf32>
    ```

    **Constraints**
    - Of a local one, operand and result are the shards of one type: of `shardwise.global_type`, or
      of that which all blocks of the operand make.
    - The operand has a sharding, unless `allowMissingInputSharding`.
    - `out_sharding` is valid for the result type.
    - Operand and result are on equal meshes, unless `allowDifferentMeshes`.
    - The shardings of operand and result have the same rank.
  }];
  let methods = [
    InterfaceMethod<"Sharding of the result.",
      "::shardwise::sdy::TensorShardingAttr", "getOutSharding", (ins)>,
    InterfaceMethod<"Sets the sharding of the result.",
      "void", "setOutShardingAttr", (ins "::shardwise::sdy::TensorShardingAttr":$sharding)>,
    InterfaceMethod<"The operand.",
      "::mlir::TypedValue<::mlir::ShapedType>", "getTensor", (ins)>,
    InterfaceMethod<"Type of the result: global, unless the op is local.",
      "::mlir::Type", "getGlobalType", (ins), "", "return $_op->getResult(0).getType();">,
    InterfaceMethod<"Whether operand and result may be on different meshes.",
      "bool", "allowDifferentMeshes", (ins), "", "return false;">,
    InterfaceMethod<"Whether the operand may be without sharding.",
      "bool", "allowMissingInputSharding", (ins), "", "return false;">,
  ];
  let verify = "return ::shardwise::sdy::detail::verifyCollective($_op);";
}

#endif // SHARDWISE_DIALECT_SDY_SDYINTERFACES_TD
