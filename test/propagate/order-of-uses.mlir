// RUN: shardwise-opt %s -sdy-constant-or-scalar-splitter -sdy-add-data-flow-edges -sdy-basic-propagate | FileCheck %s
// RUN: shardwise-opt %s -sdy-add-data-flow-edges -sdy-basic-propagate | FileCheck %s --check-prefix=PARSED

// The users of %value want "z" on different dimensions of what the body returns. The pass lists the
// loop, which was parsed after its body, before the transpose, so that the edge of the loop is
// visited first.

sdy.mesh @mesh = <["z"=2]>

// CHECK: stablehlo.transpose {{.*}}[<@mesh, [{?}, {?}, {"z", ?}]>]
// CHECK: sdy.data_flow_edge %{{.*}}#0 sharding=<@mesh, [{?}, {?}, {"z", ?}]>
// PARSED: stablehlo.transpose {{.*}}[<@mesh, [{"z", ?}, {?}, {?}]>]
func.func @main(%count: tensor<i32>, %isOn: tensor<i1>, %value: tensor<2x2x2xf32>) -> (tensor<2x2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"z"}]>}) {
  %0:2 = stablehlo.while(%a = %value, %b = %count) : tensor<2x2x2xf32>, tensor<i32>
  cond {
    stablehlo.return %isOn : tensor<i1>
  } do {
    %1 = stablehlo.transpose %value, dims = [2, 1, 0] : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    stablehlo.return %1, %count : tensor<2x2x2xf32>, tensor<i32>
  }
  %2 = stablehlo.floor %value : tensor<2x2x2xf32>
  return %2 : tensor<2x2x2xf32>
}
