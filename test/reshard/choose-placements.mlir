// RUN: shardwise-opt %s -shardwise-insert-partition-reshards | FileCheck %s
// RUN: shardwise-opt %s -shardwise-insert-partition-reshards=choose-placements=false | FileCheck %s --check-prefix=AS-PROPAGATED

sdy.mesh @mesh = <["x"=8]>

// The operands agree on the contracted factor, but are a 64th of their product: they are gathered.
// CHECK-LABEL: func @outerProduct
// CHECK: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{}, {}]>
// CHECK: %[[B:.*]] = sdy.reshard %arg1 <@mesh, [{}, {}]>
// CHECK: stablehlo.dot_general %[[A]], %[[B]]
// CHECK-NOT: unreduced
// AS-PROPAGATED-LABEL: func @outerProduct
// AS-PROPAGATED: stablehlo.dot_general %arg0, %arg1
// AS-PROPAGATED-SAME: unreduced={"x"}
func.func @outerProduct(%a: tensor<512x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                        %b: tensor<8x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> tensor<512x512xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<512x8xf32>, tensor<8x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// Nobody wrote where the values between are: they stay where they come from.
// CHECK-LABEL: func @chain
// CHECK-NOT: sdy.reshard
// CHECK: return
// AS-PROPAGATED-LABEL: func @chain
// AS-PROPAGATED-COUNT-2: sdy.reshard
func.func @chain(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<64x64xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<64x64xf32>
  %2 = stablehlo.add %1, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// What somebody wrote stays. The marks go.
// CHECK-LABEL: func @written
// CHECK: %[[THERE:.*]] = sdy.reshard %{{.*}} <@mesh, [{"x"}, {}]>
// CHECK: %[[NEGATED:.*]] = stablehlo.negate %[[THERE]]
// CHECK-NOT: written_sharding
// CHECK: sdy.reshard %[[NEGATED]] <@mesh, [{}, {}]>
func.func @written(%a: tensor<512x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                   %b: tensor<8x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> tensor<512x512xf32> {
  %0 = stablehlo.add %a, %a {shardwise.written_sharding, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<512x8xf32>
  %1 = stablehlo.negate %0 {shardwise.written_sharding, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<512x8xf32>
  %2 = stablehlo.dot_general %1, %b, contracting_dims = [1] x [0] : (tensor<512x8xf32>, tensor<8x512xf32>) -> tensor<512x512xf32>
  return %2 : tensor<512x512xf32>
}

// So does what a constraint says, which is a reshard here.
// CHECK-LABEL: func @constraint
// CHECK: %[[THERE:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}, {}]>
// CHECK: %[[TWICE:.*]] = stablehlo.add %[[THERE]], %[[THERE]]
// CHECK: sdy.reshard %[[TWICE]] <@mesh, [{}, {}]>
func.func @constraint(%a: tensor<512x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                      %b: tensor<8x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> tensor<512x512xf32> {
  %0 = sdy.reshard %a <@mesh, [{"x"}, {}]> : tensor<512x8xf32>
  %1 = stablehlo.add %0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<512x8xf32>
  %2 = stablehlo.dot_general %1, %b, contracting_dims = [1] x [0] : (tensor<512x8xf32>, tensor<8x512xf32>) -> tensor<512x512xf32>
  return %2 : tensor<512x512xf32>
}

// To reduce one product would cost more than to gather its operands; the sum of eight is reduced
// once, which is cheaper.
// CHECK-LABEL: func @sumOfProducts
// CHECK-NOT: sdy.reshard %arg
// CHECK: stablehlo.dot_general %arg0, %arg1
// CHECK-SAME: unreduced={"x"}
// CHECK: return
func.func @sumOfProducts(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                         %b: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                         %c: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                         %d: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = stablehlo.dot_general %a, %d, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = stablehlo.add %0, %1 : tensor<64x64xf32>
  %4 = stablehlo.add %3, %2 : tensor<64x64xf32>
  return %4 : tensor<64x64xf32>
}

// The weight of all steps is gathered once: what the loop carries is whole, and so is the product.
// CHECK-LABEL: func @recurrence
// CHECK: %[[W:.*]] = sdy.reshard %arg1 <@mesh, [{}, {}]>
// CHECK: stablehlo.while
// CHECK: stablehlo.dot_general
// CHECK-NOT: unreduced
// CHECK: return %{{.*}} : tensor<64x128xf32>
func.func @recurrence(%x: tensor<64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                      %w: tensor<128x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<12> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %h = %x, %v = %w) : tensor<i32>, tensor<64x128xf32>, tensor<128x128xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>]>}
  cond {
    %1 = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dot_general %h, %v, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
    %2 = stablehlo.tanh %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<64x128xf32>
    %3 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %3, %2, %v : tensor<i32>, tensor<64x128xf32>, tensor<128x128xf32>
  }
  return %0#1 : tensor<64x128xf32>
}

// 12 heads are two on each of six devices; the columns of the product cut them into four times
// three. The product is computed whole, and each device takes its heads of it.
// CHECK-LABEL: func @headsOfAWholeProduct
// CHECK: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1
// CHECK: stablehlo.reshape %[[DOT]] {{.*}} : (tensor<16x48xf32>)
// CHECK-NOT: "x":(1)
// CHECK: return
func.func @headsOfAWholeProduct(
    %a: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
    %w: tensor<32x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
    -> (tensor<16x12x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x":(1)4}]>]>} : (tensor<16x32xf32>, tensor<32x48xf32>) -> tensor<16x48xf32>
  %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<16x48xf32>) -> tensor<16x12x4xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"x"}, {}]> : tensor<16x12x4xf32>
  return %2 : tensor<16x12x4xf32>
}
