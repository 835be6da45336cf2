// RUN: shardwise-opt %s -split-input-file -sdy-update-non-divisible-input-output-shardings=keep-written | FileCheck %s

// A closed dimension was written by a user: what does not divide stays.
sdy.mesh @mesh = <["x"=4]>

// CHECK: func.func @written(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>})
func.func @written(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) {
  return %a : tensor<6xf32>
}

// -----

// So was a constraint.
sdy.mesh @mesh = <["x"=4]>

// CHECK: func.func @constrained(%arg0: tensor<6xf32>) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>})
func.func @constrained(%a: tensor<6xf32>) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) {
  %0 = sdy.sharding_constraint %a <@mesh, [{"x", ?}]> : tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

// What propagation chose is cut.
sdy.mesh @mesh = <["x"=4]>

// CHECK: func.func @chosen(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, ?}]>})
func.func @chosen(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) {
  %0 = stablehlo.slice %a [0:6] : (tensor<8xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
