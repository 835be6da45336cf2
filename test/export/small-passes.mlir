// RUN: shardwise-opt %s -sdy-remove-sharding-groups | FileCheck %s --check-prefix=GROUPS
// RUN: shardwise-opt %s -sdy-sharding-constraint-to-reshard | FileCheck %s --check-prefix=RESHARD
// RUN: shardwise-opt %s -sdy-drop-sharding-rules | FileCheck %s --check-prefix=RULES
// RUN: shardwise-opt %s -sdy-inline-meshes | FileCheck %s --check-prefix=INLINE

sdy.mesh @mesh = <["x"=2]>
// GROUPS-NOT: sdy.sharding_group
// RESHARD-NOT: sdy.sharding_constraint
// RESHARD: sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
// RULES: stablehlo.negate {{%.*}} : tensor<8xf32>
// RULES: stablehlo.abs {{.*}}sdy.sharding_rule
// INLINE-NOT: sdy.mesh
// INLINE: <mesh<["x"=2]>, [{"x"}]>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  sdy.sharding_group %a group_id=0 : tensor<8xf32>
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8xf32>
  %2 = stablehlo.abs %1 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>} : tensor<8xf32>
  return %2 : tensor<8xf32>
}
