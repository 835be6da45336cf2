// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops, branches, the terminator of regions, and the optimization barrier.

#ifndef SHARDWISE_DIALECT_STABLEHLO_CONTROLFLOWOPS
#define SHARDWISE_DIALECT_STABLEHLO_CONTROLFLOWOPS

include "shardwise/dialect/stablehlo/StablehloAttrs.td"

def Stablehlo_WhileOp : Stablehlo_Op<"while", [RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "repeats a body while a condition holds";
  let description = [{
    **Constraints**
    - operands, results and the arguments of both regions have the same types
    - cond returns one scalar bool, body the operand types
  }];
  let arguments = (ins Variadic<Stablehlo_TensorTokenOrBuffer>:$operand);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let results = (outs Variadic<Stablehlo_TensorTokenOrBuffer>:$results);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCustomAssemblyFormat = 1;
}

def Stablehlo_IfOp
    : Stablehlo_Op<"if", [RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let summary = "runs one of two regions";
  let description = [{
    **Constraints**
    - the regions take nothing and return the result types
  }];
  let arguments = (ins Stablehlo_BoolScalar:$pred);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let results = (outs Variadic<Stablehlo_TensorOrToken>:$results);
  let hasRegionVerifier = 1;
}

def Stablehlo_CaseOp
    : Stablehlo_Op<"case", [RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let summary = "runs the region with the given number; out of range means the last one";
  let description = [{
    **Constraints**
    - there is at least one region
    - the regions take nothing and return the result types
  }];
  let arguments = (ins Stablehlo_Int32Scalar:$index);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let results = (outs Variadic<Stablehlo_TensorOrToken>:$results);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Stablehlo_OptimizationBarrierOp : Stablehlo_Op<"optimization_barrier", [Pure]> {
  let summary = "identity that no optimization may look through";
  let description = [{
    **Constraints**
    - results have the types of the operands
  }];
  let arguments = (ins Variadic<Stablehlo_TensorOrToken>:$operand);
  let results = (outs Variadic<Stablehlo_TensorOrToken>:$results);
  let hasVerifier = 1;
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseOpType>(type($operand), type($results))):(`(` `)`)?
  }];
}

def Stablehlo_ReturnOp : Stablehlo_Op<"return", [Pure, Terminator]> {
  let summary = "ends a region";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}

#endif
