// A matrix cut by two axes of different sizes, wanted the other way round. Blocks of 32x16 become
// blocks of 16x32: half of the devices have half of what they want, the others nothing.

sdy.mesh @mesh = <["x"=2, "y"=4]>

func.func @main(
    %a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
    -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
  %0 = stablehlo.tanh %a : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
