// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Custom calls, composites, tuples, attributes, one case per constraint.

// RUN: shardwise-opt %s -split-input-file -verify-diagnostics

// custom_call (C1): both layouts
func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{layout attributes should be specified for either both operands and results or none}}
  %0 = stablehlo.custom_call @f(%a) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// custom_call (C1): number of layouts
func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{number of operands must match the number of operand layouts, 1 != 0}}
  %0 = stablehlo.custom_call @f(%a) {operand_layouts = [], result_layouts = []} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// custom_call (C1): layouts are permutations
func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{layout must be a permutation of [0, 2)}}
  %0 = stablehlo.custom_call @f(%a) {operand_layouts = [dense<[1, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// custom_call (C2): alias operand
func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{expects operandIndex in the output_operand_alias attribute to be in range [0, 1); got: 1}}
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// custom_call (C2): alias indices
func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{output_operand_alias attribute has tuple indices out of bounds}}
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// custom_call (C3): backend_config of the typed FFI
func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{backend_config for api_version API_VERSION_TYPED_FFI must be a dictionary attribute, got ""}}
  %0 = stablehlo.custom_call @f(%a) {api_version = 4 : i32, backend_config = ""} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// custom_call (C3): backend_config
func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{backend_config for api_version API_VERSION_ORIGINAL must be a string attribute, got {}}}
  %0 = stablehlo.custom_call @f(%a) {backend_config = {}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// composite (C1): name
func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{name must be a valid namespaced op name like 'namespace.op', got 'name'}}
  %0 = stablehlo.composite "name" %a {decomposition = @g} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// composite (C2): the function exists
func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{'g' does not reference a valid function}}
  %0 = stablehlo.composite "a.b" %a {decomposition = @g} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// composite (C2): argument types
func.func private @g(tensor<f64>) -> tensor<f32>
func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{has mismatching operands and decomposition argument types ('tensor<f32>' and 'tensor<f64>')}}
  %0 = stablehlo.composite "a.b" %a {decomposition = @g} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// composite (C2): result types
func.func private @g(tensor<f32>) -> tensor<f64>
func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{has mismatching results and decomposition result types ('tensor<f32>' and 'tensor<f64>')}}
  %0 = stablehlo.composite "a.b" %a {decomposition = @g} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// tuple (C1): members
func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{inferred type(s) 'tuple<tensor<f32>>' are incompatible with return type(s) of operation 'tuple<tensor<f64>>'}}
  %0 = "stablehlo.tuple"(%a) : (tensor<f32>) -> tuple<tensor<f64>>
  return
}

// -----

// get_tuple_element (C1): index
func.func @f(%a: tuple<tensor<f32>>) {
  // expected-error@+1 {{index 1 is out of bounds of operand with size 1}}
  %0 = stablehlo.get_tuple_element %a[1] : (tuple<tensor<f32>>) -> tensor<f32>
  return
}

// -----

// get_tuple_element (C2): type
func.func @f(%a: tuple<tensor<f32>>) {
  // expected-error@+1 {{inferred type(s) 'tensor<f32>' are incompatible with return type(s) of operation 'tensor<f64>'}}
  %0 = stablehlo.get_tuple_element %a[0] : (tuple<tensor<f32>>) -> tensor<f64>
  return
}

// -----

// result_accuracy (C2): tolerances without TOLERANCE
func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{expects zero tolerances with result accuracy mode HIGHEST; only TOLERANCE takes them}}
  %0 = stablehlo.tanh %a {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<f32>
  return
}

// -----

// result_accuracy (C1): not negative
func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{expects result accuracy tolerances that are not negative}}
  %0 = stablehlo.tanh %a {result_accuracy = #stablehlo.result_accuracy<atol = -1.0, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<f32>
  return
}

// -----

// enums: opaque spelling only
func.func @f(%a: tensor<f32>) {
  // expected-error@+2 {{expected valid keyword or string}}
  // expected-error@+1 {{failed to parse Stablehlo_ComparisonDirectionAttr parameter 'value'}}
  %0 = "stablehlo.compare"(%a, %a) <{comparison_direction = #stablehlo.comparison_direction<LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return
}

// -----

// unknown attribute
func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{unknown stablehlo attribute: foo}}
  %0 = stablehlo.tanh %a {x = #stablehlo.foo<1>} : tensor<f32>
  return
}

// -----

// future (C1): members are ranked tensors
// expected-error@+1 {{future members must be ranked tensors, got 'f32'}}
func.func private @f(!stablehlo.future<f32>)
