sdy.mesh @flat = <["x"=8]>
sdy.mesh @grid = <["a"=2, "b"=4]>
func.func public @main(%a: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@flat, [{"x"}, {}]>}) -> (tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@grid, [{"a", "b"}, {}]>}) {
  %0 = stablehlo.tanh %a : tensor<64x16xf32>
  return %0 : tensor<64x16xf32>
}
