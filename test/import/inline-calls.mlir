// RUN: shardwise-opt %s -split-input-file -shardwise-inline-calls -verify-diagnostics | FileCheck %s

sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @main
// CHECK-NOT: func.call
// CHECK: %[[IN:.*]] = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]>
// CHECK: %[[NEG:.*]] = stablehlo.negate %[[IN]]
// CHECK: %[[SUM:.*]] = stablehlo.add %[[NEG]], %[[NEG]]
// CHECK: return %[[SUM]]
// CHECK-NOT: func.func private
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @outer(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @outer(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = func.call @inner(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.add %0, %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @inner(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Calls in the regions of other ops, and the sharding of a call's result.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @loop
func.func @loop(%a: tensor<8xf32>, %n: tensor<i1>) -> tensor<8xf32> {
  // CHECK: do {
  // CHECK: %[[T:.*]] = stablehlo.tanh
  // CHECK: sdy.sharding_constraint %[[T]] <@mesh, [{"x", ?}]>
  %0:2 = stablehlo.while(%i = %a, %k = %n) : tensor<8xf32>, tensor<i1>
  cond {
    stablehlo.return %k : tensor<i1>
  } do {
    %1 = func.call @body(%i) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %1, %k : tensor<8xf32>, tensor<i1>
  }
  return %0#0 : tensor<8xf32>
}
func.func private @body(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.tanh %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @even(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @even(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @odd(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @odd(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{calls @even, which is recursive}}
  %0 = func.call @even(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func private @external(tensor<8xf32>) -> tensor<8xf32>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{calls @external, which has no body; define it or make it a custom call}}
  %0 = func.call @external(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f0(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @f0(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f1(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f1(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f1(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f2(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f2(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f2(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f3(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f3(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f3(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f4(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f4(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
// expected-error @+1 {{has more than 10000000 ops once its calls are replaced}}
func.func private @f4(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f5(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f5(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f5(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f6(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f6(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f6(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f7(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f7(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f7(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f8(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f8(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f8(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f9(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f9(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f9(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f10(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f10(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f10(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f11(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f11(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f11(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f12(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f12(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f12(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f13(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f13(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f13(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f14(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f14(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f14(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f15(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f15(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f15(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f16(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f16(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f16(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f17(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f17(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f17(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f18(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f18(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f18(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f19(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f19(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f19(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f20(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f20(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f20(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f21(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f21(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f21(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f22(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f22(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f22(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f23(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f23(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f23(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f24(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f24(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f24(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @f25(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @f25(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f25(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.negate %a : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A tuple that a function returns, with a tuple in it.
// CHECK-LABEL: func.func @tuples
// CHECK-NEXT: %[[NEG:.*]] = stablehlo.negate %arg0
// CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[NEG]], %arg0
// CHECK-NEXT: return %[[SUM]]
func.func @tuples(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @pair(%a) : (tensor<8xf32>) -> tuple<tuple<tensor<8xf32>>, tensor<8xf32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tuple<tensor<8xf32>>, tensor<8xf32>>) -> tuple<tensor<8xf32>>
  %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<8xf32>>) -> tensor<8xf32>
  %3 = stablehlo.get_tuple_element %0[1] : (tuple<tuple<tensor<8xf32>>, tensor<8xf32>>) -> tensor<8xf32>
  %4 = stablehlo.add %2, %3 : tensor<8xf32>
  return %4 : tensor<8xf32>
}
func.func private @pair(%a: tensor<8xf32>) -> tuple<tuple<tensor<8xf32>>, tensor<8xf32>> {
  %0 = stablehlo.negate %a : tensor<8xf32>
  %1 = stablehlo.tuple %0 : tuple<tensor<8xf32>>
  %2 = stablehlo.tuple %1, %a : tuple<tuple<tensor<8xf32>>, tensor<8xf32>>
  return %2 : tuple<tuple<tensor<8xf32>>, tensor<8xf32>>
}

// -----

// Composites are calls of their decompositions, which may hold composites again.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @composites
// CHECK-NOT: stablehlo.composite
// CHECK: %[[TANH:.*]] = stablehlo.tanh %arg0
// CHECK: %[[PRODUCT:.*]] = stablehlo.multiply %[[TANH]], %arg0
// CHECK: %[[ASKED:.*]] = sdy.sharding_constraint %[[PRODUCT]] <@mesh, [{"x"}]>
// CHECK: return %[[ASKED]]
// CHECK-NOT: func.func private
func.func @composites(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.composite "own.gelu" %a {decomposition = @gelu, version = 1 : i32, composite_attributes = {approximate = true}, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @gelu(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.composite "own.tanh" %x {decomposition = @tanh} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.multiply %0, %x : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @tanh(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.tanh %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.composite "own.f" %a {decomposition = @f} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{calls @f, which is recursive}}
  %0 = stablehlo.composite "own.f" %a {decomposition = @f} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
