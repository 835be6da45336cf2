sdy.mesh @mesh = <["x"=8]>
sdy.mesh @turned = <["x"=8], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
func.func public @main(%a: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@turned, [{"x"}, {}]>}) {
  %0 = stablehlo.tanh %a : tensor<64x16xf32>
  return %0 : tensor<64x16xf32>
}
