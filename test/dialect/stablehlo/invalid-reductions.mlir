// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions, windows, sort and map, one case per constraint.

// RUN: shardwise-opt %s -split-input-file -verify-diagnostics

// reduce (C2): dimensions are unique
func.func @f(%a: tensor<4x6xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{dimensions has duplicate dimension 1}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1, 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reduce (C2): dimensions are in range
func.func @f(%a: tensor<4x6xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{dimensions has dimension 2 outside [0, 2)}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 2>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reduce (C1): initial values are scalars
func.func @f(%a: tensor<4x6xf32>, %i: tensor<1xf32>) {
  // expected-error@+1 {{expects initial values of rank 0, got 'tensor<1xf32>'}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

// reduce: result type
func.func @f(%a: tensor<4x6xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<6xf32>'}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

// reducer (C1): number of parameters
func.func @f(%a: tensor<4x6xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{Reduction-region must take 2 parameters, but takes 1 parameter(s)}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%l: tensor<f32>):
    stablehlo.return %l : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reducer (C2): number of results
func.func @f(%a: tensor<4x6xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{Reduction-region here must produce 1 tensors, but produces 2 instead}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %l, %l : tensor<f32>, tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reducer (C4): parameter types
func.func @f(%a: tensor<4x6xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{The type of reduction-region's parameter at index 1 is different than the corresponding result type: 'tensor<i32>' vs 'tensor<f32>'}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<i32>):
    stablehlo.return %l : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reducer (C5): promotable elements
func.func @f(%a: tensor<4x6xi32>, %i: tensor<f32>) {
  // expected-error@+1 {{The element-type of reduction-region's argument at index 1 is expected to be promotable from 'i32', but got 'f32'}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xi32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reducer (C5): width of integers
func.func @f(%a: tensor<4x6xi32>, %i: tensor<i8>) {
  // expected-error@+1 {{The element-type of reduction-region's argument at index 1 is expected to be promotable from 'i32', but got 'i8'}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%l: tensor<i8>, %r: tensor<i8>):
    stablehlo.return %l : tensor<i8>
  }) : (tensor<4x6xi32>, tensor<i8>) -> tensor<4xi8>
  return
}

// -----

// reducer (C5): promotable initial values
func.func @f(%a: tensor<4x6xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{The element-type of reduction-region's result type at index 0 differs from the op's corresponding init-value type: 'f32' vs 'i32'}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

// reducer (C3): scalars
func.func @f(%a: tensor<4x6xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{Reduction-region must return tensors of rank 0, but result #0 is}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%l: tensor<1xf32>, %r: tensor<1xf32>):
    stablehlo.return %l : tensor<1xf32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reduce (C1): at least one input
func.func @f() {
  // expected-error@+1 {{expects at least one input}}
  "stablehlo.reduce"() <{dimensions = array<i64>}> ({
  ^bb0:
    stablehlo.return
  }) : () -> ()
  return
}

// -----

// reduce (C1): inputs of one shape
func.func @f(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expects all inputs to have compatible shapes, got 'tensor<4x6xf32>' and 'tensor<6x4xf32>'}}
  %0:2 = "stablehlo.reduce"(%a, %b, %i, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%l: tensor<f32>, %m: tensor<f32>, %r: tensor<f32>, %s: tensor<f32>):
    stablehlo.return %l, %m : tensor<f32>, tensor<f32>
  }) : (tensor<4x6xf32>, tensor<6x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<6xf32>, tensor<6xf32>)
  return
}

// -----

// reduce text: commutative op
func.func @f(%a: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expected the inner-op to be a commutative binary-op from the stablehlo dialect, with zero region, producing single result}}
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.subtract across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// reduce_window (C2), window (C4): one size per dimension
func.func @f(%a: tensor<4x6xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expects window-dimensions size == operand rank, but got window-dimensions size: 1 and operand rank: 2}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x3xf32>
  return
}

// -----

// reduce_window (C2), window (C3): sizes are positive
func.func @f(%a: tensor<4x6xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expects window to have positive value for 1-th window dimension, but got 0}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1, 0>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x3xf32>
  return
}

// -----

// reduce_window (C2), window (C6): number of strides
func.func @f(%a: tensor<4x6xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expects window_strides to have dimension-size equal to size of window dimensions (2), but got: 0}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x3xf32>
  return
}

// -----

// reduce_window (C2), window (C1): strides are positive
func.func @f(%a: tensor<4x6xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expects window to have positive value for 0-th window_strides, but got 0}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 0, 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x3xf32>
  return
}

// -----

// reduce_window (C2), window (C1): base dilations are positive
func.func @f(%a: tensor<4x6xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expects window to have positive value for 0-th base dilation, but got 0}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{base_dilations = array<i64: 0, 1>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x3xf32>
  return
}

// -----

// reduce_window (C2), window (C1): window dilations are positive
func.func @f(%a: tensor<4x6xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expects window to have positive value for 0-th window dilation, but got -1}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1, 2>, window_dilations = array<i64: -1, 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x3xf32>
  return
}

// -----

// reduce_window (C2), window (C5): padding
func.func @f(%a: tensor<4x6xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expects the padding-entries to be in the form of a 2D tensor of shape Nx2}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{padding = dense<[0, 0]> : tensor<2xi64>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x3xf32>
  return
}

// -----

// reduce_window: result type
func.func @f(%a: tensor<4x6xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<4x3xf32>' are incompatible with return type(s) of operation 'tensor<4x4xf32>'}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x4xf32>
  return
}

// -----

// select_and_scatter (C3): source shape
func.func @f(%a: tensor<4x6xf32>, %s: tensor<4x2xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expects source-type to be 'tensor<4x3xf32>', but got 'tensor<4x2xf32>'}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %p = stablehlo.compare GE, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %q = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %q : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<4x2xf32>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// -----

// select_and_scatter (C1): one element type
func.func @f(%a: tensor<4x6xf32>, %s: tensor<4x3xf64>, %i: tensor<f32>) {
  // expected-error@+1 {{expects operand and source to have one element type, got 'f32' and 'f64'}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %p = stablehlo.compare GE, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %q = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %q : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<4x3xf64>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// -----

// select_and_scatter (C2): scalar initial value
func.func @f(%a: tensor<4x6xf32>, %s: tensor<4x3xf32>, %i: tensor<1xf32>) {
  // expected-error@+1 {{expects an initial value of rank 0, got 'tensor<1xf32>'}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %p = stablehlo.compare GE, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %q = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %q : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<4x3xf32>, tensor<1xf32>) -> tensor<4x6xf32>
  return
}

// -----

// select_and_scatter (C4): select returns a bool
func.func @f(%a: tensor<4x6xf32>, %s: tensor<4x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expects the select-region to return one tensor<i1>, but it returns 'tensor<f32>'}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %p = stablehlo.compare GE, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %l : tensor<f32>
  }, {
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %q = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %q : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<4x3xf32>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// -----

// sort (C1): the dimension is in range
func.func @f(%a: tensor<4x6xf32>, %p: tensor<i1>) {
  // expected-error@+1 {{dimension attribute value must be in range [-2, 2), but found 2}}
  %0 = "stablehlo.sort"(%a) <{dimension = 2 : i64}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// sort (C3): parameters of the comparator
func.func @f(%a: tensor<4x6xf32>, %p: tensor<i1>) {
  // expected-error@+1 {{expects the comparator-region to take 'tensor<f32>', 'tensor<f32>', but it takes 'tensor<f32>'}}
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%l: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// sort (C3): result of the comparator
func.func @f(%a: tensor<4x6xf32>, %p: tensor<i1>) {
  // expected-error@+1 {{expects the comparator-region to return one tensor<i1>, but it returns 'tensor<f32>'}}
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %l : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// sort (C2): result types
func.func @f(%a: tensor<4x6xf32>, %p: tensor<i1>) {
  // expected-error@+1 {{inferred type(s) 'tensor<4x6xf32>' are incompatible with return type(s) of operation 'tensor<4x6xf64>'}}
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf64>
  return
}

// -----

// map (C1): order of the dimensions
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{requires monotonically increasing dimension numbers, got 1 at position 0}}
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 1, 0>}> ({
  ^bb0(%l: tensor<f32>):
    stablehlo.return %l : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// map (C1): all dimensions
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{applied to a subset of dimensions currently not supported: got 1 dimensions for rank 2}}
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0>}> ({
  ^bb0(%l: tensor<f32>):
    stablehlo.return %l : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// map (C2): parameters
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{expects the computation to take 'tensor<f32>', but it takes 'tensor<f32>', 'tensor<f32>'}}
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%l: tensor<f32>, %m: tensor<f32>):
    stablehlo.return %l : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// map (C3): result
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{expects the computation to return 'tensor<f32>', but it returns 'tensor<f64>'}}
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%l: tensor<f32>):
    %m = stablehlo.convert %l : (tensor<f32>) -> tensor<f64>
    stablehlo.return %m : tensor<f64>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// reduce_window (C1): initial values are scalars
func.func @f(%a: tensor<4xf32>, %v: tensor<1xf32>) {
  // expected-error@+1 {{expects initial values of rank 0, got 'tensor<1xf32>'}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4xf32>, tensor<1xf32>) -> tensor<3xf32>
  return
}

// -----

// select_and_scatter (C5): scatter is a reducer
func.func @f(%a: tensor<4xf32>, %s: tensor<2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{Reduction-region must take 2 parameters, but takes 1 parameter(s)}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// sort: at least one input
func.func @f() {
  // expected-error@+1 {{expected 1 or more operands, but found 0}}
  "stablehlo.sort"() <{dimension = 0 : i64, is_stable = true}> ({
    %p = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : () -> ()
  return
}

// -----

// map: at least one input
func.func @f() {
  // expected-error@+1 {{expected 1 or more operands, but found 0}}
  %0 = "stablehlo.map"() <{dimensions = array<i64>}> ({
    %p = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : () -> tensor<i1>
  return
}
