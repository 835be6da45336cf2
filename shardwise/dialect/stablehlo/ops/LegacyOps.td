// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deprecated ops, quantisation and asynchronous ops. All but
// `broadcast` are parsed only: checkSupported refuses them.

#ifndef SHARDWISE_DIALECT_STABLEHLO_LEGACYOPS
#define SHARDWISE_DIALECT_STABLEHLO_LEGACYOPS

include "shardwise/dialect/stablehlo/ops/ElementwiseBase.td"

def Stablehlo_BroadcastOp : Stablehlo_Op<"broadcast", [Pure, Stablehlo_InfersTypes]> {
  let summary = "repeats the operand along new leading dimensions";
  let description = [{
    **Constraints**
    - sizes are not negative
  }];
  let arguments = (ins Stablehlo_Tensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)
  }];
}

def Stablehlo_EinsumOp : Stablehlo_UncheckedOp<"einsum",
    (ins Stablehlo_Tensor:$lhs, Stablehlo_Tensor:$rhs, StrAttr:$einsum_config)> {
  let assemblyFormat = [{
    $lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:`
    functional-type(operands, results)
  }];
}
def Stablehlo_UnaryEinsumOp : Stablehlo_UncheckedOp<"unary_einsum",
    (ins Stablehlo_Tensor:$operand, StrAttr:$einsum_config)> {
  let assemblyFormat = [{
    $operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)
  }];
}
def Stablehlo_TorchIndexSelectOp : Stablehlo_UncheckedOp<"torch_index_select",
    (ins Stablehlo_Tensor:$operand, Stablehlo_IntTensor:$index, I64Attr:$dim,
         I64Attr:$batch_dims)>;
def Stablehlo_CrossReplicaSumOp : Stablehlo_Op<"cross-replica-sum"> {
  let arguments = (ins Stablehlo_Tensor:$operand, I64ElementsAttr:$replica_groups);
  let results = (outs Stablehlo_Tensor:$result);
}

def Stablehlo_UniformQuantizeOp : Stablehlo_UnaryBase<"uniform_quantize", Stablehlo_Tensor,
    Stablehlo_Tensor, [SameOperandsAndResultShape]>;
def Stablehlo_UniformDequantizeOp : Stablehlo_UnaryBase<"uniform_dequantize", Stablehlo_Tensor,
    Stablehlo_Tensor, [SameOperandsAndResultShape]>;

def Stablehlo_AsyncStartOp : Stablehlo_Op<"async_start", [IsolatedFromAbove, SingleBlock]> {
  let arguments = (ins Variadic<Stablehlo_TensorOrToken>:$operands);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs AnyType:$result);
}
def Stablehlo_AsyncDoneOp : Stablehlo_Op<"async_done"> {
  let arguments = (ins AnyType:$future);
  let results = (outs Variadic<Stablehlo_TensorOrToken>:$results);
}

#endif
