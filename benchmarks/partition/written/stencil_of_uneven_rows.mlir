// 33 rows on four devices are 9, 9, 9 and 6. Sums of both neighbours around a ring, as jnp.roll is written.
sdy.mesh @mesh = <["x"=4]>
func.func public @main(%x: tensor<33x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<33x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %x [32:33, 0:64] : (tensor<33x64xf32>) -> tensor<1x64xf32>
  %1 = stablehlo.slice %x [0:32, 0:64] : (tensor<33x64xf32>) -> tensor<32x64xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x64xf32>, tensor<32x64xf32>) -> tensor<33x64xf32>
  %3 = stablehlo.slice %x [1:33, 0:64] : (tensor<33x64xf32>) -> tensor<32x64xf32>
  %4 = stablehlo.slice %x [0:1, 0:64] : (tensor<33x64xf32>) -> tensor<1x64xf32>
  %5 = stablehlo.concatenate %3, %4, dim = 0 : (tensor<32x64xf32>, tensor<1x64xf32>) -> tensor<33x64xf32>
  %6 = stablehlo.add %2, %5 : tensor<33x64xf32>
  return %6 : tensor<33x64xf32>
}
