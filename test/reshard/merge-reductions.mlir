// RUN: shardwise-opt %s -sdy-merge-reductions | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Three addends, one reduction.
// CHECK-LABEL: func @three
func.func @three(%p: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
                 %q: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<8x8xf32>) {
  %0 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<8x8xf32>
  %2 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = sdy.reshard %2 <@mesh, [{}, {}]> : tensor<8x8xf32>
  %4 = stablehlo.add %1, %3 : tensor<8x8xf32>
  %5 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %6 = sdy.reshard %5 <@mesh, [{}, {}]> : tensor<8x8xf32>
  %7 = stablehlo.subtract %4, %6 : tensor<8x8xf32>
  // CHECK: %[[A:.*]] = stablehlo.dot_general
  // CHECK: %[[B:.*]] = stablehlo.dot_general
  // CHECK: %[[AB:.*]] = stablehlo.add %[[A]], %[[B]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>}
  // CHECK: %[[C:.*]] = stablehlo.dot_general
  // CHECK: %[[ABC:.*]] = stablehlo.subtract %[[AB]], %[[C]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>}
  // CHECK-NEXT: %[[SUM:.*]] = sdy.reshard %[[ABC]] <@mesh, [{}, {}]>
  // CHECK-NEXT: return %[[SUM]]
  return %7 : tensor<8x8xf32>
}

// A partial value that something else uses, and maxima, stay.
// CHECK-LABEL: func @kept
// CHECK-COUNT-4: sdy.reshard
// CHECK-NOT: sdy.reshard
func.func @kept(%p: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
                %q: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) {
  %0 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<8x8xf32>
  %2 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = sdy.reshard %2 <@mesh, [{}, {}]> : tensor<8x8xf32>
  %4 = stablehlo.add %1, %3 : tensor<8x8xf32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %5 = stablehlo.reduce(%p init: %lowest) applies stablehlo.maximum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=max{"y"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %6 = sdy.reshard %5 <@mesh, [{}]> : tensor<8xf32>
  %7 = stablehlo.reduce(%p init: %lowest) applies stablehlo.maximum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=max{"y"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %8 = sdy.reshard %7 <@mesh, [{}]> : tensor<8xf32>
  %9 = stablehlo.add %6, %8 : tensor<8xf32>
  return %4, %1, %9 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>
}

// A loop that accumulates carries partial sums and reduces once; one device starts from what it
// started from. Moves between the reduction and the sum work on partial values.
// CHECK-LABEL: func @loop
// CHECK-SAME: %[[P:.*]]: tensor<8x4xf32> {{.*}}, %[[START:.*]]: tensor<4x8xf32>
func.func @loop(%p: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>},
                %start: tensor<4x8xf32>,
                %q: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<4x8xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  // CHECK: %[[ON_ONE:.*]] = sdy.reshard %[[START]] <@mesh, [{}, {}], unreduced={"y"}>
  // CHECK: %[[LOOP:.*]]:2 = stablehlo.while(%{{.*}} = %{{.*}}, %[[ACC:.*]] = %[[ON_ONE]])
  // CHECK-SAME: <@mesh, [{}, {}], unreduced={"y"}>
  // CHECK-NOT: sdy.reshard
  // CHECK: %[[DOT:.*]] = stablehlo.dot_general
  // CHECK: %[[TURNED:.*]] = stablehlo.transpose %[[DOT]], dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>}
  // CHECK: stablehlo.add %[[ACC]], %[[TURNED]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>}
  // CHECK: stablehlo.return
  // CHECK: %[[SUM:.*]] = sdy.reshard %[[LOOP]]#1 <@mesh, [{}, {}]>
  // CHECK-NEXT: return %[[SUM]]
  %0:2 = stablehlo.while(%i = %c, %acc = %start) : tensor<i32>, tensor<4x8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{}, {}]>]>}
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.dot_general %q, %p, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %3 = sdy.reshard %2 <@mesh, [{}, {}]> : tensor<8x4xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %5 = stablehlo.add %acc, %4 : tensor<4x8xf32>
    stablehlo.return %1, %5 : tensor<i32>, tensor<4x8xf32>
  }
  return %0#1 : tensor<4x8xf32>
}

// Of a loop in a loop, and where only the result of the last round counts.
// CHECK-LABEL: func @nested
// CHECK: %[[ZERO:.*]] = stablehlo.constant {sdy.sharding = {{.*}}unreduced={"y"}>]>} dense<0.000000e+00>
// CHECK: %[[OUTER:.*]]:2 = stablehlo.while(%[[ACC:.*]] = %[[ZERO]], %{{.*}} = %{{.*}})
// CHECK-NOT: sdy.reshard
// CHECK: stablehlo.while(%{{.*}} = %[[ACC]])
// CHECK-NOT: sdy.reshard
// CHECK: %[[LAST:.*]] = sdy.reshard %[[OUTER]]#1
// CHECK-NEXT: %[[SUM:.*]] = sdy.reshard %[[OUTER]]#0
// CHECK-NEXT: return %[[SUM]], %[[LAST]]
func.func @nested(%p: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %q: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<8x8xf32>
  %0:2 = stablehlo.while(%acc = %zero, %last = %q) : tensor<8x8xf32>, tensor<8x8xf32>
  cond {
    %no = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %no : tensor<i1>
  } do {
    %1 = stablehlo.while(%inner = %acc) : tensor<8x8xf32>
    cond {
      %no = stablehlo.constant dense<false> : tensor<i1>
      stablehlo.return %no : tensor<i1>
    } do {
      %2 = stablehlo.dot_general %p, %p, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %3 = sdy.reshard %2 <@mesh, [{}, {}]> : tensor<8x8xf32>
      %4 = stablehlo.add %inner, %3 : tensor<8x8xf32>
      stablehlo.return %4 : tensor<8x8xf32>
    }
    %5 = stablehlo.dot_general %p, %p, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %6 = sdy.reshard %5 <@mesh, [{}, {}]> : tensor<8x8xf32>
    stablehlo.return %1, %6 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  return %0#0, %0#1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// An accumulator that the loop reads stays whole.
// CHECK-LABEL: func @readInLoop
// CHECK: do {
// CHECK: sdy.reshard
func.func @readInLoop(%p: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<8x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<8x8xf32>
  %0 = stablehlo.while(%acc = %zero) : tensor<8x8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>}
  cond {
    %no = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %no : tensor<i1>
  } do {
    %1 = stablehlo.dot_general %p, %p, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<8x8xf32>
    %3 = stablehlo.tanh %acc : tensor<8x8xf32>
    %4 = stablehlo.add %3, %2 : tensor<8x8xf32>
    stablehlo.return %4 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}
