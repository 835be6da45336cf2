// RUN: shardwise-opt %s -split-input-file -sdy-import-pipeline -sdy-user-priority-propagate | FileCheck %s
// RUN: shardwise-opt %s -split-input-file -sdy-add-data-flow-edges -sdy-basic-propagate -o /dev/null

// Programs on which a step could take axes away that another one gives back.

// "model" is manual, and the source has "model":(2)3, which the argument has not, after "data". The import
// makes it a replicated part, which may not cut the argument. Without the import no sharding says where it
// is, and inside "data" alone stays.
// CHECK-LABEL: func.func @parts_of_a_manual_axis
// CHECK: sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{?}, {"data", ?}], replicated={"model":(2)3}, unreduced={"model":(1)2}>]
// CHECK: sdy.data_flow_edge %arg1 sharding=<@mesh, [{?}, {"data", ?}]>
// CHECK-NEXT: stablehlo.negate {{.*}}[<@mesh, [{?}, {"data", ?}]>]
sdy.mesh @mesh = <["data"=2, "model"=6]>
func.func @parts_of_a_manual_axis(%arg0: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"data", "model":(2)3}]>}) -> (tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"data"}]>}) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{?}, {"data", ?}], unreduced={"model":(1)2}>] out_shardings=[<@mesh, [{?}, {?}], unreduced={"model":(1)2}>] manual_axes={"model"} (%arg1: tensor<24x24xf32>) {
    %1 = stablehlo.negate %arg1 : tensor<24x24xf32>
    sdy.return %1 : tensor<24x24xf32>
  } : (tensor<24x24xf32>) -> tensor<24x24xf32>
  return %0 : tensor<24x24xf32>
}

// -----

// (1)2 and (3)2 cannot coexist, so what is left of "model" has no name that the import could write.
// CHECK-LABEL: func.func @rest_without_a_name
// CHECK: sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{?}, {"data", ?}], unreduced={"model":(1)2, "model":(3)2}>]
// CHECK: sdy.data_flow_edge %arg1 sharding=<@mesh, [{?}, {"data", ?}]>
sdy.mesh @mesh = <["data"=2, "model"=12]>
func.func @rest_without_a_name(%arg0: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"data", "model":(6)2}]>}) -> (tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"data"}]>}) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{?}, {"data", ?}], unreduced={"model":(1)2, "model":(3)2}>] out_shardings=[<@mesh, [{?}, {?}], unreduced={"model":(1)2, "model":(3)2}>] manual_axes={"model"} (%arg1: tensor<24x24xf32>) {
    %1 = stablehlo.negate %arg1 : tensor<24x24xf32>
    sdy.return %1 : tensor<24x24xf32>
  } : (tensor<24x24xf32>) -> tensor<24x24xf32>
  return %0 : tensor<24x24xf32>
}

// -----

// Two names for one mesh: each op gives the shared value the name that its first operand has. The axis
// does not reach it, as it would cut the minor part of a dimension only.
// CHECK-LABEL: func.func @names_of_a_mesh
sdy.mesh @a = <["x"=2]>
sdy.mesh @b = <["x"=2]>
func.func @names_of_a_mesh(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@a, [{}, {"x"}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@b, [{}, {"x"}]>}, %arg2: tensor<32xf32> {sdy.sharding = #sdy.sharding<@b, [{?}]>}) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = stablehlo.custom_call @f(%arg0, %arg2) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [ij])->([i, j]) {i=4, j=8}, custom>} : (tensor<4x8xf32>, tensor<32xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.custom_call @f(%arg1, %arg2) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [ij])->([i, j]) {i=4, j=8}, custom>} : (tensor<4x8xf32>, tensor<32xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Found by changing programs at random.
// CHECK-LABEL: func.func @found
// CHECK: sdy.data_flow_edge {{.*}} sharding=<@mesh, [{}, {"data", ?}]>

sdy.mesh @mesh = <["data"=2, "model"=6]>
func.func @found(%arg0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {?}, {"data", ?}]>}, %arg1: tensor<8xf32>, %arg2: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"data", ?}]>}, %arg3: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"model", ?}]>}, %arg4: tensor<24x24xf32>, %arg5: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"data"}, {?}], unreduced={"model"}>}) -> (tensor<24x24x6x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model":(1)2}, {?}, {"model":(2)3, ?}, {"data", ?}]>}, tensor<48x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model":(1)2, ?}, {?}]>}, tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {}]>}) {
  %0 = stablehlo.compare  GT, %arg0, %arg0,  FLOAT : (tensor<8x8x8x8xf32>, tensor<8x8x8x8xf32>) -> tensor<8x8x8x8xi1>
  %1 = stablehlo.select %0, %arg0, %arg0 : tensor<8x8x8x8xi1>, tensor<8x8x8x8xf32>
  %2 = sdy.named_computation<"layer">(%1, %1) out_shardings=[<@mesh, [{"model":(3)2}, {?}, {}]>] (%arg6: tensor<8x8x8x8xf32>, %arg7: tensor<8x8x8x8xf32>) {
    %8 = stablehlo.dot_general %arg6, %arg7, batching_dims = [3] x [1], contracting_dims = [1, 2] x [0, 3] : (tensor<8x8x8x8xf32>, tensor<8x8x8x8xf32>) -> tensor<8x8x8xf32>
    sdy.return %8 : tensor<8x8x8xf32>
  } : (tensor<8x8x8x8xf32>, tensor<8x8x8x8xf32>) -> tensor<8x8x8xf32>
  %3 = stablehlo.concatenate %arg2, %arg4, dim = 0 : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<48x24xf32>
  %4 = sdy.named_computation<"layer">(%arg3) in_shardings=[<@mesh, [{}, {"data", "model":(2)3, ?}]>] (%arg6: tensor<24x24xf32>) {
    %8 = sdy.manual_computation(%arg6) in_shardings=[<@mesh, [{}, {"data", ?}], unreduced=min{"model":(1)2}>] out_shardings=[<@mesh, [{?}, {?}, {?}, {?}]>] manual_axes={"model"} (%arg7: tensor<24x24xf32>) {
      %9 = stablehlo.broadcast_in_dim %arg7, dims = [1, 3] : (tensor<24x24xf32>) -> tensor<24x24x6x24xf32>
      sdy.return %9 : tensor<24x24x6x24xf32>
    } : (tensor<24x24xf32>) -> tensor<24x24x6x24xf32>
    sdy.sharding_group %8 group_id=0 : tensor<24x24x6x24xf32>
    sdy.return %8 : tensor<24x24x6x24xf32>
  } : (tensor<24x24xf32>) -> tensor<24x24x6x24xf32>
  %5 = stablehlo.power %3, %3 : tensor<48x24xf32>
  %6 = stablehlo.transpose %2, dims = [0, 1, 2] : (tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %7 = stablehlo.divide %6, %arg5 : tensor<8x8x8xf32>
  return %4, %5, %7 : tensor<24x24x6x24xf32>, tensor<48x24xf32>, tensor<8x8x8xf32>
}

