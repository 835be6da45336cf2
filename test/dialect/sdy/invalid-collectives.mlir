// RUN: shardwise-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// Collectives whose axes and shardings do not agree.

// D40
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{collective on operand without sharding}}
  %0 = sdy.all_gather [{"x"}, {}] %t out_sharding=<@m, [{}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D41
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
sdy.mesh @r = <["x"=2, "y"=4, "z"=8], device_ids=[63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
sdy.mesh @same = <["x"=2, "y"=4, "z"=8]>
sdy.mesh @other = <["u"=8]>
// expected-note@+1 {{operand mesh}}
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{result mesh does not match operand mesh}}
  %0 = sdy.all_gather [{"x"}, {}] %t out_sharding=<@other, [{}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D42
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
sdy.mesh @one = <[], device_ids=[0]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@one, []>}) {
  // expected-error@+1 {{result sharding has rank 2 but operand sharding has rank 0}}
  %0 = sdy.collective_permute %t out_sharding=<@m, [{}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D43
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{result sharding has rank 2 but collective axes has rank 1}}
  %0 = sdy.all_gather [{"y"}] %t out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D44
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{can't apply gathering axis "x" to dimension 0}}
  %0 = sdy.all_gather [{"x"}, {}] %t out_sharding=<@m, [{"y"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D44 of a sub-axis
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{can't apply gathering axis "y":(1)2 to dimension 0}}
  %0 = sdy.all_gather [{"y":(1)2}, {}] %t out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D45
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{result sharding doesn't match expected sharding {"x"} on dimension 0}}
  %0 = sdy.all_gather [{"y"}, {}] %t out_sharding=<@m, [{}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D45 of a slice
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{result sharding doesn't match expected sharding {"x", "y", "z"} on dimension 0}}
  %0 = sdy.all_slice [{"z"}, {}] %t out_sharding=<@m, [{"x", "z", "y"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D45: slicing must merge
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"y":(1)2}, {}]>}) {
  // expected-error@+1 {{expected sharding {"y"} on dimension 0}}
  %0 = sdy.all_slice [{"y":(2)2}, {}] %t out_sharding=<@m, [{"y":(1)2}, {"y":(2)2}]> : tensor<16x32xf32>
  return
}

// -----

// D46
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{parameter list is empty}}
  %0 = sdy.all_to_all [] %t out_sharding=<@m, [{"x", "y"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D47
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{source dimension 2 is out of range [0, 2)}}
  %0 = sdy.all_to_all [{"y"}: 2->1] %t out_sharding=<@m, [{"x"}, {"y"}]> : tensor<16x32xf32>
  return
}

// -----

// D47: negative
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{target dimension -1 is out of range [0, 2)}}
  %0 = sdy.all_to_all [{"y"}: 0->-1] %t out_sharding=<@m, [{"x"}, {"y"}]> : tensor<16x32xf32>
  return
}

// -----

// D48
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{overlapping source/target dimensions: dimension 0}}
  %0 = sdy.all_to_all [{"y"}: 0->0] %t out_sharding=<@m, [{"x", "y"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D49
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}, {}]>}) {
  // expected-error@+1 {{source dimensions are not sorted in ascending order: 0 after 2}}
  %0 = sdy.all_to_all [{"y"}: 2->3, {"x"}: 0->1] %t out_sharding=<@m, [{}, {"x"}, {}, {"y"}]> : tensor<8x8x8x8xf32>
  return
}

// -----

// D45: a dimension that takes no part changes
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {"z"}]>}) {
  // expected-error@+1 {{doesn't match expected sharding {"z"} on dimension 1}}
  %0 = sdy.all_gather [{"y"}, {}] %t out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D50
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  // expected-error@+1 {{cannot add new unreduced axis: "z"}}
  %0 = sdy.all_reduce {"y"} %t out_sharding=<@m, [{"x"}, {}], unreduced={"z"}> : tensor<16x32xf32>
  return
}

// -----

// D50 of a reduce_scatter without operand sharding
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{cannot add new unreduced axis: "z"}}
  %0 = sdy.reduce_scatter [{"x"}, {}] %t out_sharding=<@m, [{"x"}, {}], unreduced={"z"}> : tensor<16x32xf32>
  return
}

// -----

// D53
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"x"}>}) {
  // expected-error@+1 {{cannot reduce max unreduced axes, expected sum}}
  %0 = sdy.all_reduce {"x"} %t out_sharding=<@m, [{}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D54
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"x", "y"}>}) {
  // expected-error@+1 {{cannot change the reduction operator of unreduced axes from max to sum}}
  %0 = sdy.all_reduce max {"x"} %t out_sharding=<@m, [{}, {}], unreduced={"y"}> : tensor<16x32xf32>
  return
}

// -----

// D55
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{not equivalent}}
  %0 = sdy.all_reduce {"z"} %t out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D19
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  // expected-error@+1 {{reduction axes are not ordered w.r.t. mesh}}
  %0 = sdy.all_reduce {"y", "x"} %t out_sharding=<@m, [{}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D20
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  // expected-error@+1 {{unknown axis name: "w"}}
  %0 = sdy.all_reduce {"w"} %t out_sharding=<@m, [{}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D21
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{duplicate axis ref: "y"}}
  %0 = sdy.all_slice [{"y"}, {"y"}] %t out_sharding=<@m, [{"x", "y"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D22
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  // expected-error@+1 {{can be merged}}
  %0 = sdy.all_slice [{"z":(1)2, "z":(2)4}, {}] %t out_sharding=<@m, [{"z"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D26: sub-axes of the list must be valid
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  // expected-error@+1 {{doesn't divide the size 8}}
  %0 = sdy.all_reduce {"z":(3)2} %t out_sharding=<@m, [{}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D28: and not overlap
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  // expected-error@+1 {{overlapping sub-axes}}
  %0 = sdy.all_reduce {"z":(1)4, "z":(2)4} %t out_sharding=<@m, [{}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D56
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{reduction axis "x" overlaps with operand}}
  %0 = sdy.all_reduce {"x"} %t out_sharding=<@m, [{"x", "y"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D56: replicated
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], replicated={"z"}>}) {
  // expected-error@+1 {{reduction axis "z":(1)2 overlaps with operand}}
  %0 = sdy.all_reduce {"z":(1)2} %t out_sharding=<@m, [{}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D57
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>}) {
  // expected-error@+1 {{reduction axis "x" overlaps with result unreduced}}
  %0 = sdy.all_reduce {"x"} %t out_sharding=<@m, [{}, {}], unreduced={"x"}> : tensor<16x32xf32>
  return
}

// -----

// D58
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{out_sharding reduction kind must be SUM, got max}}
  %0 = sdy.sharded_to_unreduced [{"y"}, {}] %t out_sharding=<@m, [{"x"}, {}], unreduced=max{"y"}> : tensor<16x32xf32>
  return
}

// -----

// D59
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{+ sharded_to_unreduced_axes: expected {"y"}, got {}}}
  %0 = sdy.sharded_to_unreduced [{"y"}, {}] %t out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D70
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
sdy.mesh @r = <["x"=2, "y"=4, "z"=8], device_ids=[63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
sdy.mesh @same = <["x"=2, "y"=4, "z"=8]>
sdy.mesh @other = <["u"=8]>
// expected-note@+1 {{operand mesh}}
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{result mesh has different axes}}
  %0 = sdy.collective_permute %t out_sharding=<@other, [{"u"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D71
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
sdy.mesh @r = <["x"=2, "y"=4, "z"=8], device_ids=[63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
sdy.mesh @same = <["x"=2, "y"=4, "z"=8]>
sdy.mesh @other = <["u"=8]>
// expected-note@+1 {{operand mesh}}
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{same device ids}}
  %0 = sdy.collective_permute %t out_sharding=<@same, [{"z"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D72
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
sdy.mesh @r = <["x"=2, "y"=4, "z"=8], device_ids=[63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
sdy.mesh @same = <["x"=2, "y"=4, "z"=8]>
sdy.mesh @other = <["u"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{sharded size of result doesn't match operand on dimension 0: 2 != 8}}
  %0 = sdy.collective_permute %t out_sharding=<@r, [{"x"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D58 of r2u
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  // expected-error@+1 {{out_sharding reduction kind must be SUM, got min}}
  %0 = sdy.replicated_to_unreduced {"y"} %t out_sharding=<@m, [{}, {}], unreduced=min{"y"}> : tensor<16x32xf32>
  return
}

// -----

// D74
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  // expected-error@+1 {{the same dimension shardings}}
  %0 = sdy.replicated_to_unreduced {"y"} %t out_sharding=<@m, [{"x", ?}, {}], unreduced={"y"}> : tensor<16x32xf32>
  return
}

// -----

// D75
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  // expected-error@+1 {{must not be empty}}
  %0 = sdy.replicated_to_unreduced {} %t out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D19 of r2u
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  // expected-error@+1 {{r2u axes are not ordered w.r.t. mesh}}
  %0 = sdy.replicated_to_unreduced {"y", "x"} %t out_sharding=<@m, [{}, {}], unreduced={"x", "y"}> : tensor<16x32xf32>
  return
}

// -----

// D76
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  // expected-error@+1 {{r2u axis "x" overlaps with operand dimension}}
  %0 = sdy.replicated_to_unreduced {"x"} %t out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// D77
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>}) {
  // expected-error@+1 {{r2u axis "x" overlaps with operand unreduced}}
  %0 = sdy.replicated_to_unreduced {"x"} %t out_sharding=<@m, [{}, {}], unreduced={"x"}> : tensor<16x32xf32>
  return
}

// -----

// D78
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>}) {
  // expected-error@+1 {{+ r2u_axes: expected {"x", "y"}, got {"y"}}}
  %0 = sdy.replicated_to_unreduced {"y"} %t out_sharding=<@m, [{}, {}], unreduced={"y"}> : tensor<16x32xf32>
  return
}

// -----

// D70 of exchange
sdy.mesh @m = <["x"=2, "y"=4]>
sdy.mesh @other = <["u"=8]>
// expected-note@+1 {{operand mesh}}
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{result mesh has different axes than operand mesh}}
  %0 = sdy.exchange %t out_sharding=<@other, [{"u"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// Exchange: unreduced axes
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"y"}>}) {
  // expected-error@+1 {{moves values and combines none, so operand and result must be unreduced along the same axes by the same function, but are along {"y"} by sum and along {} by sum}}
  %0 = sdy.exchange %t out_sharding=<@m, [{}, {"x"}]> : tensor<16x32xf32>
  return
}

// -----

// Exchange: kind of the reduction
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced=max{"y"}>}) {
  // expected-error@+1 {{but are along {"y"} by max and along {"y"} by min}}
  %0 = sdy.exchange %t out_sharding=<@m, [{}, {"x"}], unreduced=min{"y"}> : tensor<16x32xf32>
  return
}

// -----

// Exchange: an operand without sharding
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{collective on operand without sharding; annotate the operand first}}
  %0 = sdy.exchange %t out_sharding=<@m, [{}, {"x"}]> : tensor<16x32xf32>
  return
}
