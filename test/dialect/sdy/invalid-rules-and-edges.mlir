// RUN: shardwise-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// Sharding rules and debug attributes that break a rule.

// D31
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) {
  // expected-error@+1 {{should have a sharding rule attribute of type OpShardingRuleAttr}}
  %0 = "test.op"(%a, %b) {sdy.sharding_rule = "no rule"} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// D32
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) {
  // expected-error@+1 {{operand - number of values and mappings must match: 2 != 1}}
  %0 = "test.op"(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k])->([i, j]) {i=4, j=6, k=8}>} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// D32: results
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) {
  // expected-error@+1 {{result - number of values and mappings must match: 1 != 2}}
  %0 = "test.op"(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j], [i, j]) {i=4, j=6, k=8}>} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// D33
func.func @f(%a: tensor<?xf32>) {
  // expected-error@+1 {{operand 0 - expected a ranked tensor with a static shape, got 'tensor<?xf32>'}}
  %0 = "test.op"(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=4}>} : (tensor<?xf32>) -> tensor<8xf32>
  return
}

// -----

// D34
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) {
  // expected-error@+1 {{operand 1 - mapping rank must match the rank of the type: 1 != 2}}
  %0 = "test.op"(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k])->([i, j]) {i=4, j=6, k=8}>} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// D34a
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) {
  // expected-error@+1 {{dim 1 must have at least one factor}}
  %0 = "test.op"(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i,], [k, j])->([i, j]) {i=4, j=6, k=8}>} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// D35
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) {
  // expected-error@+1 {{less than num_factors 3}}
  %0 = "test.op"(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, l], [k, j])->([i, j]) {i=4, j=6, k=8}>} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// D36
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) {
  // expected-error@+1 {{cannot reuse factors}}
  %0 = "test.op"(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, i], [k, j])->([i, j]) {i=4, j=6, k=8}>} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// D37
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) {
  // expected-error@+1 {{factor of size 1}}
  %0 = "test.op"(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, kl], [k, j])->([i, j]) {i=4, j=6, k=8, l=1}>} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// D38
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) {
  // expected-error@+1 {{has factor l=3 that isn't used}}
  %0 = "test.op"(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8, l=3}>} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// D39: sorted
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) {
  // expected-error@+1 {{must be sorted}}
  %0 = "test.op"(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} need_replication={j, i}>} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// D39: unique
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) {
  // expected-error@+1 {{must be unique}}
  %0 = "test.op"(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k, k}>} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// D39: range
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) {
  // expected-error@+1 {{must be less than}}
  %0 = "test.op"(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} blocked_propagation={l}>} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// D87
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) {
  // expected-error@+1 {{can only be in one}}
  %0 = "test.op"(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k} permutation={k}>} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// D88
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) {
  // expected-error@+1 {{cannot be in result}}
  %0 = "test.op"(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={i}>} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// D90
// expected-error@+1 {{negative step index: -1}}
func.func private @f() attributes {e = #sdy.propagation_edges<[{step--1 = [{"x" = operand-0 -> [result-0]}]}]>}

// -----

// D90
// expected-error@+1 {{step index 9223372036854775807 is too large; the largest is 2147483647}}
func.func private @f() attributes {e = #sdy.propagation_edges<[{step-9223372036854775807 = [{"x" = operand-0 -> [result-0]}]}]>}

// -----

// D91
// expected-error@+1 {{duplicate step index: 0}}
func.func private @f() attributes {e = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}, {step-0 = [{"y" = operand-0 -> [result-0]}]}]>}

// -----

// D92
// expected-error@+1 {{source is the same as a target: operand-0}}
func.func private @f() attributes {e = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [operand-0]}]}]>}

// -----

// D93
// expected-error@+1 {{duplicate targets: result-0 in step 2 for axis "x"}}
func.func private @f() attributes {e = #sdy.propagation_edges<[{step-2 = [{"x" = operand-0 -> [result-0, result-0]}]}]>}

// -----

// no target
// expected-error@+1 {{expected 'operand' or 'result'}}
func.func private @f() attributes {e = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> []}]}]>}

// -----

// D94a
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
sdy.mesh @other = <["u"=8]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  // expected-error@+1 {{should have an attribute of type PropagationEdgesAttr for sdy.propagation_edges}}
  %0 = "test.op"(%a, %b) {sdy.propagation_edges = "x"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// D94a: array
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
sdy.mesh @other = <["u"=8]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  // expected-error@+1 {{should have an array of PropagationEdgesAttr for sdy.result_propagation_edges}}
  %0 = "test.op"(%a, %b) {sdy.result_propagation_edges = ["x"]} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// D94a: no array
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
sdy.mesh @other = <["u"=8]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  // expected-error@+1 {{should have an array of PropagationEdgesAttr for sdy.block_arg_propagation_edges}}
  %0 = "test.op"(%a, %b) {sdy.block_arg_propagation_edges = 1} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// D94b
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
sdy.mesh @other = <["u"=8]>
func.func @f(%a: tensor<8xf32>, %b: tensor<8xf32>) {
  // expected-error@+1 {{must reference a sharding}}
  %0 = "test.op"(%a, %b) {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// D94c
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
sdy.mesh @other = <["u"=8]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{}]>}) {
  // expected-error@+1 {{expected a common mesh}}
  %0 = "test.op"(%a, %b) {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [operand-1]}]}]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// D94d
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
sdy.mesh @other = <["u"=8]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  // expected-error@+1 {{has the axis "w", which is not in the mesh}}
  %0 = "test.op"(%a, %b) {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"w" = operand-0 -> [operand-1]}]}]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// D94e
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
sdy.mesh @other = <["u"=8]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  // expected-error@+1 {{has the index 2 of an operand, expected it in [0, 2)}}
  %0 = "test.op"(%a, %b) {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-2 -> [operand-1]}]}]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// D94e: results
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
sdy.mesh @other = <["u"=8]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  // expected-error@+1 {{has the index 1 of a result, expected it in [0, 1)}}
  %0 = "test.op"(%a, %b) {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-1]}]}]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}
