// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds, windows and sorting: ops whose region is a function of scalars.

#ifndef SHARDWISE_DIALECT_STABLEHLO_REDUCTIONOPS
#define SHARDWISE_DIALECT_STABLEHLO_REDUCTIONOPS

include "shardwise/dialect/stablehlo/StablehloAttrs.td"

class Stablehlo_RegionOp<string mnemonic, list<Trait> traits = []>
    : Stablehlo_Op<mnemonic, [RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]
                             # traits>;

def Stablehlo_ReduceOp : Stablehlo_RegionOp<"reduce", [SameVariadicOperandSize]> {
  let summary = "folds dimensions with a function of scalars";
  let description = [{
    **Constraints**
    - n inputs of one shape, n initial values of rank 0, n results
    - dimensions are unique and in range
    - the body is a reducer; result element types are those of its block
  }];
  let arguments = (ins Variadic<Stablehlo_Tensor>:$inputs,
                       Variadic<Stablehlo_Tensor>:$init_values, DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<Stablehlo_Tensor>:$results);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCustomAssemblyFormat = 1;
}

def Stablehlo_ReduceWindowOp
    : Stablehlo_RegionOp<"reduce_window", [SameVariadicOperandSize]> {
  let summary = "folds every position of a sliding window";
  let description = [{
    **Constraints**
    - n inputs of one shape, n initial values of rank 0, n results
    - one window size, stride, dilation and padding pair per dimension, all but the padding
      positive
    - the body is a reducer; result element types are those of its block
  }];
  let arguments = (ins Variadic<Stablehlo_Tensor>:$inputs,
                       Variadic<Stablehlo_Tensor>:$init_values,
                       DenseI64ArrayAttr:$window_dimensions,
                       Stablehlo_OptionalDims:$window_strides,
                       Stablehlo_OptionalDims:$base_dilations,
                       Stablehlo_OptionalDims:$window_dilations,
                       Stablehlo_OptionalPadding:$padding);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<Stablehlo_Tensor>:$results);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Stablehlo_SelectAndScatterOp : Stablehlo_RegionOp<"select_and_scatter"> {
  let summary = "sends each source element to the position its window selects";
  let description = [{
    **Constraints**
    - operand and source have one element type
    - one window size, stride and padding pair per dimension, sizes and strides positive
    - the source has the shape of a window reduction of the operand
    - init_value is rank 0; the result has the shape of the operand
    - select takes two scalars and returns a bool; scatter is a reducer
  }];
  let arguments = (ins Stablehlo_Tensor:$operand, Stablehlo_Tensor:$source,
                       Stablehlo_Tensor:$init_value,
                       Stablehlo_OptionalDims:$window_dimensions,
                       Stablehlo_OptionalDims:$window_strides,
                       Stablehlo_OptionalPadding:$padding);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Stablehlo_SortOp : Stablehlo_RegionOp<"sort", [SameOperandsAndResultShape]> {
  let summary = "permutes all inputs alike so that the comparator holds along a dimension";
  let description = [{
    **Constraints**
    - at least one input; results have the types of the inputs
    - -rank <= dimension < rank
    - the comparator takes two scalars per input and returns a bool
  }];
  let arguments = (ins Variadic<Stablehlo_Tensor>:$inputs,
                       DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
                       Stablehlo_FalseByDefault:$is_stable);
  let regions = (region SizedRegion<1>:$comparator);
  let results = (outs Variadic<Stablehlo_Tensor>:$results);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The sorted dimension, counted from the front.
    int64_t getSortedDimension();
  }];
}

def Stablehlo_MapOp : Stablehlo_RegionOp<"map", [SameOperandsAndResultShape]> {
  let summary = "applies a function of scalars at every index";
  let description = [{
    **Constraints**
    - dimensions are 0 .. rank - 1
    - the computation takes one scalar per input and returns one scalar of the result's
      element type
  }];
  let arguments = (ins Variadic<Stablehlo_Tensor>:$inputs, DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

#endif
