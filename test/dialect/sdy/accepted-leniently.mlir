// RUN: shardwise-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect -canonicalize -o /dev/null

// What the rules would forbid but existing files may have: accepted, see docs/design.

// meshes with different device counts
sdy.mesh @a = <["x"=2]>
sdy.mesh @b = <["x"=4]>

// -----

// a manual axis split into sub-axes
sdy.mesh @m = <["x"=4]>
func.func @f(%t: tensor<16xf32>) -> tensor<16xf32> {
  %o = sdy.manual_computation(%t) in_shardings=[<@m, [{"x":(1)2}]>] out_shardings=[<@m, [{"x":(1)2}]>] manual_axes={"x"} (%l: tensor<8xf32>) {
    sdy.return %l : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %o : tensor<16xf32>
}

// -----

// manual axes unsorted, twice, unused
sdy.mesh @m = <["x"=4, "y"=2]>
func.func @f(%t: tensor<16xf32>) -> tensor<16xf32> {
  %o = sdy.manual_computation(%t) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"y", "x", "x"} (%l: tensor<4xf32>) {
    sdy.return %l : tensor<4xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %o : tensor<16xf32>
}

// -----

// different meshes without manual axes
sdy.mesh @m = <["x"=4, "y"=2]>
sdy.mesh @n = <["x"=2, "y"=2]>
func.func @f(%t: tensor<16xf32>) -> tensor<16xf32> {
  %o = sdy.manual_computation(%t) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@n, [{"x"}]>] manual_axes={} (%l: tensor<16xf32>) {
    sdy.return %l : tensor<16xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %o : tensor<16xf32>
}

// -----

// a sharded dimension of size 0, and one that does not divide
sdy.mesh @m = <["x"=4]>
func.func @f(%t: tensor<0xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %u: tensor<3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) { return }

// -----

// sub-axes that do not overlap but cannot coexist
sdy.mesh @m = <["x"=12]>
func.func @f(%t: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(1)2}, {"x":(3)2}]>}) { return }

// -----

// a reduction over an axis that is manual around it
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @f(%t: tensor<16xf32>) -> tensor<16xf32> {
  %o = sdy.manual_computation(%t) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%l: tensor<8xf32>) {
    %0 = sdy.all_reduce {"x"} %l out_sharding=<@m, [{}]> : tensor<8xf32>
    sdy.return %0 : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %o : tensor<16xf32>
}

// -----

// slicing along replicated and unreduced axes
sdy.mesh @m = <["x"=16]>
func.func @f(%t: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{}], replicated={"x"}>}, %u: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) {
  %0 = sdy.all_slice [{"x"}] %t out_sharding=<@m, [{"x"}]> : tensor<16xf32>
  %1 = sdy.all_slice [{"x"}] %u out_sharding=<@m, [{"x"}]> : tensor<16xf32>
  return
}

// -----

// a gather that adds unreduced axes, a slice that drops them
sdy.mesh @m = <["x"=16, "y"=2]>
func.func @f(%t: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = sdy.all_gather [{"x"}] %t out_sharding=<@m, [{}], unreduced=max{"y"}> : tensor<16xf32>
  %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@m, [{"x"}]> : tensor<16xf32>
  return
}

// -----

// an all_reduce that drops other unreduced axes
sdy.mesh @m = <["x"=16, "y"=2]>
func.func @f(%t: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x", "y"}>}) {
  %0 = sdy.all_reduce {"x"} %t out_sharding=<@m, [{}]> : tensor<16xf32>
  return
}

// -----

// an operand whose partial values do not combine by sum
sdy.mesh @m = <["x"=16, "y"=2]>
func.func @f(%t: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}], unreduced=max{"y"}>}) {
  %u = sdy.sharded_to_unreduced [{"x"}] %t out_sharding=<@m, [{}], unreduced={"x", "y"}> : tensor<16xf32>
  return
}

// -----

// partial maxima of a value without sharding
sdy.mesh @m = <["x"=16, "y"=2]>
func.func @f(%t: tensor<16xf32>) {
  %u = sdy.reshard %t <@m, [{}], unreduced=max{"x"}> : tensor<16xf32>
  return
}

// -----

// factor sizes other than the dimension's, also of an empty one; negative group numbers
func.func @f(%t: tensor<16xf32>) {
  %0 = stablehlo.negate %t {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=5}>} : tensor<16xf32>
  %1 = stablehlo.negate %t {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=0}>} : tensor<16xf32>
  sdy.sharding_group %t group_id=-4 : tensor<16xf32>
  return
}

// -----

// another mesh inside a manual body
sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @n = <["y"=8]>
func.func @f(%t: tensor<16xf32>) -> tensor<16xf32> {
  %o = sdy.manual_computation(%t) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%l: tensor<8xf32>) {
    %0 = sdy.reshard %l <@n, [{"y"}]> : tensor<8xf32>
    sdy.return %0 : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %o : tensor<16xf32>
}

// -----

// an edge on an op that is not registered
func.func @f(%t: tensor<16xf32>) {
  %0 = "a.b"(%t) : (tensor<16xf32>) -> tensor<16xf32>
  %1 = sdy.data_flow_edge %0 : tensor<16xf32>
  return
}

// -----

// reshards of reshards with meshes written in place
func.func @f(%t: tensor<16xf32>) -> tensor<16xf32> {
  %0 = sdy.reshard %t <mesh<["x"=2]>, [{"x"}]> : tensor<16xf32>
  %1 = sdy.reshard %0 <mesh<["x"=2]>, [{}]> : tensor<16xf32>
  return %1 : tensor<16xf32>
}
