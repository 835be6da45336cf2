// RUN: shardwise-opt %s -sdy-unflatten-call-graph -symbol-dce | FileCheck %s --check-prefix=EQUAL
// RUN: shardwise-opt %s "-sdy-unflatten-call-graph=dedup-functions-fully=true" -symbol-dce -sdy-insert-func-call-reshards | FileCheck %s --check-prefix=FULLY

// Copies of one function become one again: those with equal shardings, or all of them. What the pipeline noted on
// them goes.

sdy.mesh @mesh = <["x"=2]>
// EQUAL: call @f(
// EQUAL: call @f_0(
// EQUAL: call @f(
// EQUAL-NOT: original_func_name
// EQUAL-NOT: @f_1

// FULLY: %[[A:.*]] = call @f({{.*}}[<@mesh, [{"x"}, {}]>]
// FULLY-NEXT: %[[B:.*]] = call @f({{.*}}[<@mesh, [{"x"}, {}]>]
// FULLY-NEXT: %[[C:.*]] = sdy.reshard %[[B]] <@mesh, [{}, {"x"}]>
// FULLY-NEXT: %[[D:.*]] = call @f({{.*}}[<@mesh, [{"x"}, {}]>]
// FULLY-NEXT: return %[[A]], %[[C]], %[[D]]
// FULLY-NOT: func.func private @f_
func.func @main(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @f_0(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = call @f_1(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @f(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  return %a : tensor<8x8xf32>
}
func.func private @f_0(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) attributes {sdy.original_func_name = "f"} {
  return %a : tensor<8x8xf32>
}
func.func private @f_1(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) attributes {sdy.original_func_name = "f"} {
  return %a : tensor<8x8xf32>
}
