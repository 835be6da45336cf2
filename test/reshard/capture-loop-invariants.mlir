// RUN: shardwise-opt %s -shardwise-capture-loop-invariants | FileCheck %s
// RUN: shardwise-opt %s -shardwise-capture-loop-invariants -shardwise-insert-partition-reshards | FileCheck %s --check-prefix=RESHARD

sdy.mesh @mesh = <["x"=4]>

// What the loop carries and does not change is used as it is before the loop: in the body, in the
// condition, and behind. The loop carries it on, at the place of what it starts from.
// CHECK-LABEL: func @invariant
// CHECK-SAME: %[[N:.*]]: tensor<i32>, %{{.*}}: tensor<16x16xf32> {{.*}}, %[[W:.*]]: tensor<16x16xf32>
// CHECK: %[[LOOP:.*]]:4 = stablehlo.while(%{{.*}}, %{{.*}}, %[[CARRIED:.*]] = %[[W]], %[[END:.*]] = %[[N]])
// CHECK-SAME: attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, []>]>}
// CHECK: stablehlo.compare LT, %{{.*}}, %[[N]]
// CHECK: stablehlo.add %{{.*}}, %[[W]]
// CHECK: stablehlo.return %{{.*}}, %{{.*}}, %[[CARRIED]], %[[END]]
// CHECK: return %[[LOOP]]#1, %[[W]]
// Its reshard stands before the loop, and there is no other.
// RESHARD-LABEL: func @invariant
// RESHARD: sdy.reshard %arg2 <@mesh, [{}, {"x"}]>
// RESHARD: stablehlo.while
// RESHARD-NOT: sdy.reshard
// RESHARD: return
func.func @invariant(%n: tensor<i32>, %h: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                     %w: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
        tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %r:4 = stablehlo.while(%i = %c0, %s = %h, %q = %w, %e = %n) : tensor<i32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<i32>
      attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}, {}]>, <@mesh, [{}, {"x"}]>, <@mesh, []>]>}
    cond {
      %p = stablehlo.compare LT, %i, %e : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %c1 = stablehlo.constant dense<1> : tensor<i32>
      %k = stablehlo.add %i, %c1 : tensor<i32>
      %t = stablehlo.add %s, %q {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<16x16xf32>
      stablehlo.return %k, %t, %q, %e : tensor<i32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<i32>
    }
  return %r#1, %r#2 : tensor<16x16xf32>, tensor<16x16xf32>
}

// An inner loop starts from what the outer one does not change. Two values that are swapped change.
// CHECK-LABEL: func @nested
// CHECK: stablehlo.while(%{{.*}}, %[[A:.*]] = %arg1, %[[B:.*]] = %arg2, %{{.*}} = %arg1)
// CHECK: stablehlo.while(%{{.*}}, %[[S:.*]] = %[[A]], %{{.*}} = %arg1)
// CHECK: %[[T:.*]] = stablehlo.add %[[S]], %arg1
// CHECK: stablehlo.return %{{[^,]*}}, %[[B]], %{{.*}}
func.func @nested(%n: tensor<i32>, %w: tensor<4xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  %r:4 = stablehlo.while(%i = %n, %a = %w, %b = %v, %q = %w) : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %inner:3 = stablehlo.while(%j = %n, %s = %a, %m = %q) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
        cond {
          %p = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %k = stablehlo.add %j, %n : tensor<i32>
          %t = stablehlo.add %s, %m : tensor<4xf32>
          stablehlo.return %k, %t, %m : tensor<i32>, tensor<4xf32>, tensor<4xf32>
        }
      %l = stablehlo.add %i, %n : tensor<i32>
      stablehlo.return %l, %b, %inner#1, %q : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }
  return %r#1 : tensor<4xf32>
}

// Where a user wrote where values are that are carried, they are there.
// CHECK-LABEL: func @written
// CHECK: stablehlo.add %{{.*}}, %iterArg{{.*}} :
// CHECK: return %{{.*}}#1
func.func @written(%n: tensor<i32>, %w: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %r:2 = stablehlo.while(%i = %n, %iterArg = %w) : tensor<i32>, tensor<4xf32>
      attributes {shardwise.written_sharding, sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{}]>]>}
    cond {
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %t = stablehlo.add %iterArg, %iterArg : tensor<4xf32>
      stablehlo.return %i, %iterArg : tensor<i32>, tensor<4xf32>
    }
  return %r#1 : tensor<4xf32>
}
