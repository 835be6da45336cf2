// RUN: shardwise-opt %s -sdy-insert-explicit-reshards=enable-full-version=true | FileCheck %s
// Reshapes whose axes do not fit the dimensions that they split or join, as Shardy reshards them.

sdy.mesh @mesh = <["a"=3, "b"=2, "c"=6, "d"=8]>
sdy.mesh @cube = <["x"=2, "y"=2, "z"=2]>

// 400 is 40 x 10: of c, 2 divides 40 and 3 is left over. The parts stay apart, and each goes where it fits.
// CHECK-LABEL: func @parts_of_an_axis
func.func @parts_of_an_axis(%x: tensor<6x400xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"c"}]>}) {
  // CHECK-NEXT: sdy.reshard %arg0 <@mesh, [{"c":(2)3, "c":(1)2}, {}]>
  // CHECK-NEXT: stablehlo.reshape
  // CHECK-SAME: <@mesh, [{"c":(2)3}, {"c":(1)2}, {}, {}]>
  %0 = stablehlo.reshape %x : (tensor<6x400xf32>) -> tensor<3x2x40x10xf32>
  return
}

// a fits 3 only, which the operand does not know behind the overflow; nothing is left of b either.
// CHECK-LABEL: func @hidden_factor
func.func @hidden_factor(%x: tensor<192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}) {
  // CHECK-NEXT: sdy.reshard %arg0 <@mesh, [{}]>
  // CHECK-NEXT: stablehlo.reshape %{{.*}} : (tensor<192xf32>) -> tensor<32x2x3xf32>
  %0 = stablehlo.reshape %x : (tensor<192xf32>) -> tensor<32x2x3xf32>
  return
}

// The half of d that 2 takes is lost, since 5 before it is whole; the rest stays on the operand, where it is in
// no stride.
// CHECK-LABEL: func @strides
func.func @strides(%x: tensor<10x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}) {
  // CHECK-NEXT: sdy.reshard %arg0 <@mesh, [{}, {"d":(2)4}]>
  // CHECK-NEXT: stablehlo.reshape %{{.*}} : (tensor<10x3xf32>) -> tensor<5x6xf32>
  %0 = stablehlo.reshape %x : (tensor<10x3xf32>) -> tensor<5x6xf32>
  return
}

// Behind an overflow, only the first factor that the operand does not know depends on the one before it.
// CHECK-LABEL: func @behind_a_hidden_factor
func.func @behind_a_hidden_factor(%x: tensor<120xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c"}]>}) {
  // CHECK-NEXT: sdy.reshard %arg0 <@mesh, [{"c":(1)2, "a"}]>
  // CHECK-NEXT: stablehlo.reshape
  // CHECK-SAME: <@mesh, [{"c":(1)2}, {"a"}, {}, {"c":(2)3}]>
  %0 = stablehlo.reshape %x : (tensor<120xf32>) -> tensor<2x6x5x2xf32>
  return
}

// No dimension of one is a part of one of the other. The result decides, which has more shards; the operand
// keeps what the result does not use.
// CHECK-LABEL: func @nothing_shared
func.func @nothing_shared(%x: tensor<10x18xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d":(2)4}, {"c":(1)2}]>})
    -> (tensor<3x6x5x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c":(3)2}, {}, {"d":(4)2, "c":(1)3}, {}]>}) {
  // CHECK-NEXT: sdy.reshard %arg0 <@mesh, [{"d":(2)2}, {}]>
  // CHECK-NEXT: stablehlo.reshape
  // CHECK-SAME: <@mesh, [{"c":(3)2}, {}, {"d":(4)2, "c":(1)3}, {}]>
  // CHECK-NEXT: return
  %0 = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c":(3)2}, {}, {"d":(4)2, "c":(1)3}, {}]>]>} : (tensor<10x18xf32>) -> tensor<3x6x5x2xf32>
  return %0 : tensor<3x6x5x2xf32>
}

// A dimension is as open as it was, and closed where there was no sharding.
// CHECK-LABEL: func @open
func.func @open(%x: tensor<192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}, %y: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}, {}]>}, %z: tensor<4x8xf32>) {
  // CHECK-NEXT: sdy.reshard %arg0 <@mesh, [{?}]>
  // CHECK-NEXT: stablehlo.reshape
  %0 = stablehlo.reshape %x : (tensor<192xf32>) -> tensor<32x2x3xf32>
  // CHECK-NEXT: sdy.reshard %arg1 <@mesh, [{"b", ?}, {"d"}]>
  // CHECK-NEXT: sdy.reshard %arg2 <@mesh, [{"b"}, {"d"}]>
  // CHECK-NEXT: stablehlo.add
  // CHECK-SAME: <@mesh, [{"b", ?}, {"d", ?}]>
  %1 = stablehlo.add %y, %z {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"d", ?}]>]>} : tensor<4x8xf32>
  return
}

// Behind a barrier it is the barrier's own sharding that is compared with the new one.
// CHECK-LABEL: func @barriers
func.func @barriers(%x: tensor<3x3x3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c":(1)3}, {}, {}, {}]>}, %y: tensor<3x3x3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"c":(1)3}, {}, {}]>}) {
  // CHECK-NEXT: %[[X:.*]] = sdy.propagation_barrier %arg0
  // CHECK-NEXT: %[[AGAIN:.*]] = sdy.reshard %[[X]] <@mesh, [{"c":(1)3}, {}, {}, {}]>
  // CHECK-NEXT: stablehlo.reshape %[[AGAIN]]
  // CHECK-NEXT: sdy.reshard
  // CHECK-NEXT: %[[Y:.*]] = sdy.propagation_barrier %arg1
  // CHECK-NEXT: stablehlo.reshape %[[Y]]
  %0 = sdy.propagation_barrier %x allowed_direction=BACKWARD {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c":(1)3}, {"c":(3)2}, {}, {}]>]>} : tensor<3x3x3x3xf32>
  %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}]>]>} : (tensor<3x3x3x3xf32>) -> tensor<81x1xf32>
  %2 = sdy.propagation_barrier %y allowed_direction=BACKWARD {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c":(1)3}, {}, {}, {}]>]>} : tensor<3x3x3x3xf32>
  %3 = stablehlo.reshape %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}]>]>} : (tensor<3x3x3x3xf32>) -> tensor<81x1xf32>
  return
}

// Factors of one dimension that exchange axes are a reshard, to the sharding that the tensor has.
// CHECK-LABEL: func @exchange
func.func @exchange(%x: tensor<16x16x5xf32> {sdy.sharding = #sdy.sharding<@cube, [{"x", "y"}, {"z"}, {}]>}) {
  // CHECK-NEXT: %[[X:.*]] = sdy.reshard %arg0 <@cube, [{"x", "y"}, {"z"}, {}]>
  // CHECK-NEXT: %[[Y:.*]] = stablehlo.reshape %[[X]]
  // CHECK-SAME: <@cube, [{"x", "y"}, {}, {"z"}]>
  // CHECK-NEXT: sdy.reshard %[[Y]] <@cube, [{"x", "y"}, {}, {}]>
  %0 = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@cube, [{"x", "y"}, {}, {}]>]>} : (tensor<16x16x5xf32>) -> tensor<2x8x80xf32>
  return
}
