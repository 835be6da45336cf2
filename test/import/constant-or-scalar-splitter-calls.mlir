// RUN: shardwise-opt %s -split-input-file -sdy-constant-or-scalar-splitter | FileCheck %s

// Calls and named computations without operands are constants if their bodies hold only constants.

sdy.mesh @mesh = <["a"=2, "b"=2]>
// CHECK-LABEL: func.func @calls
func.func @calls(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %y: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  // CHECK-NEXT: %[[X:.*]] = call @foo_0()
  // CHECK-NEXT: %[[Y:.*]] = call @foo_1()
  // CHECK-NEXT: stablehlo.add %arg0, %[[X]]
  // CHECK-NEXT: stablehlo.add %arg1, %[[Y]]
  %0 = call @foo() : () -> tensor<8x16xf32>
  %2 = stablehlo.add %x, %0 : tensor<8x16xf32>
  %3 = stablehlo.add %y, %0 : tensor<8x16xf32>
  return %2, %3 : tensor<8x16xf32>, tensor<8x16xf32>
}
func.func private @foo() -> tensor<8x16xf32> {
  %1 = stablehlo.constant dense<1.0> : tensor<8x16xf32>
  %2 = stablehlo.negate %1 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}
// CHECK: func.func private @foo_0() -> tensor<8x16xf32> attributes {sdy.original_func_name = "foo"}
// CHECK: func.func private @foo_1() -> tensor<8x16xf32> attributes {sdy.original_func_name = "foo"}

// -----

// CHECK-LABEL: func.func @named
func.func @named(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[X:.*]] = sdy.named_computation<"foo">() () {
  // CHECK: %[[Y:.*]] = sdy.named_computation<"foo">() () {
  // CHECK: stablehlo.add %arg0, %[[X]]
  // CHECK: stablehlo.add %arg1, %[[Y]]
  %0 = sdy.named_computation<"foo">() () {
    %1 = stablehlo.constant dense<1.0> : tensor<8xf32>
    %2 = stablehlo.negate %1 : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : () -> tensor<8xf32>
  %2 = stablehlo.add %x, %0 : tensor<8xf32>
  %3 = stablehlo.add %y, %0 : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}

// -----

// What a copy calls is copied, too, and expressions of several calls are copied as a whole.
// CHECK-LABEL: func.func @nested
func.func @nested(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[I:.*]] = call @ones_1()
  // CHECK-NEXT: %[[J:.*]] = call @ones_4()
  // CHECK-NEXT: %[[F:.*]] = call @outer_3(%[[I]])
  // CHECK-NEXT: %[[G:.*]] = call @outer_6(%[[J]])
  // CHECK-NEXT: stablehlo.add %arg0, %[[F]]
  // CHECK-NEXT: stablehlo.add %arg1, %[[G]]
  %0 = call @ones() : () -> tensor<8xf32>
  %1 = call @outer(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.add %x, %1 : tensor<8xf32>
  %3 = stablehlo.add %y, %1 : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}
func.func private @outer(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @ones() : () -> tensor<8xf32>
  %1 = stablehlo.add %a, %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @ones() -> tensor<8xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A group goes with every copy; a call that nobody uses goes.
// CHECK-LABEL: func.func @groups
func.func @groups(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[X:.*]] = call @ones_0()
  // CHECK-NEXT: sdy.sharding_group %[[X]] group_id=0
  // CHECK-NEXT: %[[Y:.*]] = call @ones_1()
  // CHECK-NEXT: sdy.sharding_group %[[Y]] group_id=0
  // CHECK-NEXT: stablehlo.add %arg0, %[[X]]
  // CHECK-NEXT: stablehlo.add %arg1, %[[Y]]
  %0 = call @ones() : () -> tensor<8xf32>
  %1 = call @ones() : () -> tensor<8xf32>
  call @nothing() : () -> ()
  sdy.sharding_group %0 group_id=0 : tensor<8xf32>
  %2 = stablehlo.add %x, %0 : tensor<8xf32>
  %3 = stablehlo.add %y, %0 : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}
func.func private @ones() -> tensor<8xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @nothing() {
  return
}

// -----

// Not constant: bodies with other ops than constants and what keeps them constant, and functions without body.
// CHECK-LABEL: func.func @varying
func.func @varying(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: call @constrained()
  // CHECK-NEXT: call @called()
  // CHECK-NEXT: call @extern()
  // CHECK-NEXT: call @manual()
  // CHECK-NEXT: stablehlo.add
  %0 = call @constrained() : () -> tensor<8xf32>
  %1 = call @called() : () -> tensor<8xf32>
  %2 = call @extern() : () -> tensor<8xf32>
  %3 = call @manual() : () -> tensor<8xf32>
  %4 = stablehlo.add %0, %0 : tensor<8xf32>
  %5 = stablehlo.add %1, %1 : tensor<8xf32>
  %6 = stablehlo.add %2, %2 : tensor<8xf32>
  %7 = stablehlo.add %3, %3 : tensor<8xf32>
  return %4, %5, %6, %7 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func private @constrained() -> tensor<8xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"b"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @called() -> tensor<8xf32> {
  %0 = stablehlo.custom_call @random() : () -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @extern() -> tensor<8xf32>
func.func private @manual() -> tensor<8xf32> {
  %0 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} () {
    %1 = stablehlo.iota dim = 0 : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : () -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Scalars are not copied.
// CHECK-LABEL: func.func @scalars
func.func @scalars() -> (tensor<f32>, tensor<f32>) {
  // CHECK-NEXT: %[[S:.*]] = call @pi()
  // CHECK-NEXT: return %[[S]], %[[S]]
  %0 = call @pi() : () -> tensor<f32>
  return %0, %0 : tensor<f32>, tensor<f32>
}
func.func private @pi() -> tensor<f32> {
  %0 = stablehlo.constant dense<3.1> : tensor<f32>
  return %0 : tensor<f32>
}
