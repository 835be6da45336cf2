// RUN: shardwise-opt %s -shardwise-insert-partition-reshards | FileCheck %s
//
// Ops along a cut dimension that are computed twice: on every part, and on what the parts give.

sdy.mesh @mesh = <["x"=4, "y"=2]>

// CHECK-LABEL: func @argmax
func.func @argmax(%a: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>},
                  %n: tensor<8x64xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>},
        tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  // CHECK-DAG: %[[A:.*]] = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}, {}]>]>} : (tensor<8x64xf32>) -> tensor<8x4x16xf32>
  // CHECK-DAG: %[[N:.*]] = stablehlo.reshape %arg1 {{.*}} -> tensor<8x4x16xi32>
  // CHECK: %[[FIRST:.*]]:2 = stablehlo.reduce(%[[A]] init: %[[LOWEST:.*]]), (%[[N]] init: %[[ZERO:.*]]) across dimensions = [2]
  // CHECK-SAME: [<@mesh, [{"y"}, {"x"}]>, <@mesh, [{"y"}, {"x"}]>]
  // CHECK: stablehlo.compare GE
  // CHECK-DAG: %[[VALUES:.*]] = sdy.reshard %[[FIRST]]#0 <@mesh, [{"y"}, {}]> : tensor<8x4xf32>
  // CHECK-DAG: %[[PLACES:.*]] = sdy.reshard %[[FIRST]]#1 <@mesh, [{"y"}, {}]> : tensor<8x4xi32>
  // CHECK: %[[SECOND:.*]]:2 = stablehlo.reduce(%[[VALUES]] init: %[[LOWEST]]), (%[[PLACES]] init: %[[ZERO]]) across dimensions = [1]
  // CHECK-SAME: [<@mesh, [{"y"}]>, <@mesh, [{"y"}]>]
  // CHECK: stablehlo.compare GE
  // CHECK: %[[WHOLE:.*]] = sdy.reshard %[[SECOND]]#1 <@mesh, [{}]> : tensor<8xi32>
  // CHECK: return %[[SECOND]]#0, %[[WHOLE]]
  %0:2 = stablehlo.reduce(%a init: %lowest), (%n init: %zero) across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>, <@mesh, [{}]>]>} : (tensor<8x64xf32>, tensor<8x64xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
   reducer(%p: tensor<f32>, %r: tensor<f32>) (%q: tensor<i32>, %s: tensor<i32>) {
    %t = stablehlo.compare GE, %p, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %u = stablehlo.select %t, %p, %r : tensor<i1>, tensor<f32>
    %v = stablehlo.select %t, %q, %s : tensor<i1>, tensor<i32>
    stablehlo.return %u, %v : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xi32>
}

// A start that counts is folded in behind the candidates; the parts start from what changes nothing.
// CHECK-LABEL: func @productFromTwo
func.func @productFromTwo(%a: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  // CHECK: %[[ONE:.*]] = stablehlo.constant dense<1.0
  // CHECK: stablehlo.reduce(%{{.*}} init: %[[ONE]]) applies stablehlo.multiply across dimensions = [1]
  // CHECK: sdy.reshard {{.*}} : tensor<4x8xf32>
  // CHECK: stablehlo.reduce(%{{.*}} init: %cst) applies stablehlo.multiply across dimensions = [0]
  %0 = stablehlo.reduce(%a init: %two) applies stablehlo.multiply across dimensions = [0] : (tensor<64x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func @topK
func.func @topK(%a: tensor<8x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8x3xf32>, tensor<8x3xi32>) {
  // CHECK: %[[PARTS:.*]] = stablehlo.reshape %arg0 {{.*}} -> tensor<8x4x64xf32>
  // CHECK: %[[VALUES:.*]], %[[INDICES:.*]] = chlo.top_k(%[[PARTS]], k = 3) {{.*}} tensor<8x4x3xi32>
  // CHECK: %[[SIZE:.*]] = stablehlo.constant dense<64> : tensor<i32>
  // CHECK: stablehlo.iota dim = 1 {{.*}} : tensor<8x4x3xi32>
  // CHECK-COUNT-2: sdy.reshard {{.*}} <@mesh, [{}, {}]> : tensor<8x12x
  // CHECK: chlo.top_k({{.*}}, k = 3) {{.*}} : tensor<8x12xf32>
  // CHECK: "stablehlo.gather"
  // CHECK-SAME: (tensor<8x12xi32>, tensor<8x3x1xi32>) -> tensor<8x3xi32>
  %0:2 = chlo.top_k(%a, k = 3) : tensor<8x256xf32> -> (tensor<8x3xf32>, tensor<8x3xi32>)
  return %0#0, %0#1 : tensor<8x3xf32>, tensor<8x3xi32>
}

// Every part adds up by itself, and then the sums of those before it to that.
// CHECK-LABEL: func @prefixSums
func.func @prefixSums(%a: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
    -> (tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: %[[SUMS:.*]] = "stablehlo.reduce_window"(%{{.*}}) <{padding = dense<{{\[\[}}0, 0], [0, 0], [15, 0]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 1, 16>}>
  // CHECK: %[[LAST:.*]] = stablehlo.slice %[[SUMS]] [0:8, 0:4, 15:16]
  // CHECK: %[[TOTALS:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> : tensor<8x4xf32>
  // CHECK: stablehlo.compare LT
  // CHECK: %[[BEFORE:.*]] = stablehlo.reduce(%{{.*}} init: %cst) applies stablehlo.add across dimensions = [2] {{.*}}[{}, {"x"}]{{.*}} (tensor<8x4x4xf32>
  // CHECK: %[[SPREAD:.*]] = stablehlo.broadcast_in_dim %[[BEFORE]], dims = [0, 1]
  // CHECK: stablehlo.add %[[SPREAD]], %[[SUMS]] {{.*}}[{}, {"x"}, {}]
  // CHECK-NOT: sdy.reshard
  %0 = "stablehlo.reduce_window"(%a, %zero) <{padding = dense<[[0, 0], [63, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// Half of all elements are candidates: it costs less to sort whole rows, a part of them each.
// CHECK-LABEL: func @largeTopK
func.func @largeTopK(%a: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
    -> (tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK: %[[ROWS:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}, {}]>
  // CHECK: chlo.top_k(%[[ROWS]], k = 32)
  // CHECK-NOT: sdy.reshard
  %0:2 = chlo.top_k(%a, k = 32) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>]>} : tensor<8x64xf32> -> (tensor<8x32xf32>, tensor<8x32xi32>)
  return %0#0, %0#1 : tensor<8x32xf32>, tensor<8x32xi32>
}

// The axes of the dimension that a sort needs whole go to one that it does not, and back.
// CHECK-LABEL: func @sort
func.func @sort(%a: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>})
    -> (tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
  // CHECK: %[[ROWS:.*]] = sdy.reshard %arg0 <@mesh, [{"y", "x"}, {}]>
  // CHECK: %[[SORTED:.*]] = "stablehlo.sort"(%[[ROWS]])
  // CHECK: sdy.reshard %[[SORTED]] <@mesh, [{"y"}, {"x"}]>
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>} : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// No room: 2 rows do not divide by 4.
// CHECK-LABEL: func @sortOfFewRows
func.func @sortOfFewRows(%a: tensor<2x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<2x64xf32> {
  // CHECK: sdy.reshard %arg0 <@mesh, [{}, {}]>
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x64xf32>) -> tensor<2x64xf32>
  return %0 : tensor<2x64xf32>
}
