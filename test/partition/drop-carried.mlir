// RUN: shardwise-opt %s -shardwise-drop-carried | FileCheck %s

// %q is given on as it is and used by nobody: it goes. So does what an outer loop carried for an
// inner one.
// CHECK-LABEL: func @nested
// CHECK: %[[OUTER:.*]]:2 = stablehlo.while(%{{.*}} = %arg0, %{{.*}} = %arg1) : tensor<i32>, tensor<4xf32>
// CHECK: %[[INNER:.*]] = stablehlo.while(%{{.*}} = %{{.*}}) : tensor<4xf32>
// CHECK: stablehlo.return %{{[^,]*}}, %[[INNER]] : tensor<i32>, tensor<4xf32>
// CHECK: return %[[OUTER]]#1
func.func @nested(%n: tensor<i32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %r:3 = stablehlo.while(%i = %n, %q = %w, %s = %w) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %inner:2 = stablehlo.while(%t = %s, %m = %q) : tensor<4xf32>, tensor<4xf32>
        cond {
          %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %u = stablehlo.add %t, %w : tensor<4xf32>
          stablehlo.return %u, %m : tensor<4xf32>, tensor<4xf32>
        }
      %k = stablehlo.add %i, %n : tensor<i32>
      stablehlo.return %k, %q, %inner#0 : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    }
  return %r#2 : tensor<4xf32>
}

// Used in the condition, in the body, behind the loop, or changed: all of these stay.
// CHECK-LABEL: func @used
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
func.func @used(%n: tensor<i32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:6 = stablehlo.while(%i = %n, %e = %n, %a = %w, %b = %w, %c = %w, %d = %w) : tensor<i32>, tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %p = stablehlo.compare LT, %i, %e : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %k = stablehlo.add %i, %n : tensor<i32>
      %t = stablehlo.add %c, %a : tensor<4xf32>
      %u = stablehlo.tanh %w : tensor<4xf32>
      stablehlo.return %k, %e, %a, %b, %t, %u : tensor<i32>, tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }
  return %r#3, %r#4 : tensor<4xf32>, tensor<4xf32>
}
