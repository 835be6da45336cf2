module attributes {test.alone = [#sdy<sub_axis_info(2)4>, #sdy<axis_ref"x":(2)4>, #sdy<mesh_axis"x"=3>, #sdy<tensor_mapping[i, jk]>, #sdy<axis_ref_list{"x", "y":(1)2}>, #sdy.mesh<[]>, #sdy<dimension_sharding{"x", ?}p0>]} {
  sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2]>
  sdy.mesh @reversed = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
  sdy.mesh @one = <[], device_ids=[5]>
  func.func @main(%arg0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y":(2)2}, {?}p1], replicated={"z"}>}, %arg1: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced={"y":(1)2, "z"}>}) {
    %0 = sdy.all_gather [{"y":(2)2}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<16x32xf32>
    %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@mesh, [{}, {"x"}]> : tensor<16x32xf32>
    %2 = sdy.sharded_to_unreduced [{"x"}, {}] %arg1 out_sharding=<@mesh, [{}, {}], unreduced={"x", "y":(1)2, "z"}> : tensor<16x32xf32>
    %3 = sdy.reshard %0 <mesh<["x"=2]>, [{"x"}p1000000, {}]> : tensor<16x32xf32>
    %4:2 = "test.op"(%1, %2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<16x32xf32>, tensor<16x32xf32>) -> (tensor<16x32xf32>, tensor<16x32xf32>)
    %5 = "test.dot"(%1, %2) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [j, k])->([i, j]) {i=16, j=16, k=32} reduction={k} blocked_propagation={i}, custom>} : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x16xf32>
    %6 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"y"}, {}]>] manual_axes={"y"} (%arg2: tensor<4x32xf32>) {
      sdy.return %arg2 : tensor<4x32xf32>
    } : (tensor<16x32xf32>) -> tensor<16x32xf32>
    return
  }
}
