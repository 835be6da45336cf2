// RUN: shardwise-opt %s -sdy-update-non-divisible-input-output-shardings | FileCheck %s --check-prefix=DIVISIBLE
// RUN: shardwise-opt %s -sdy-remove-sub-axes-in-input-output-shardings | FileCheck %s --check-prefix=FULL

sdy.mesh @mesh = <["x"=4, "y"=2]>
// DIVISIBLE-LABEL: func.func @main
// DIVISIBLE-SAME: %arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}]>}
// DIVISIBLE-SAME: %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", ?}]>}
// DIVISIBLE-SAME: %arg2: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}
// FULL-LABEL: func.func @main
// FULL-SAME: %arg3: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}]>}
// FULL-SAME: %arg4: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x":(1)2}]>}
func.func @main(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", ?}]>},
                %c: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", ?}]>},
                %d: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x":(1)2, ?}]>},
                %e: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x":(1)2}]>}) {
  return
}
