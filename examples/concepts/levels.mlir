// Two annotations want "x" on different dimensions of one value: %b through a matrix product, %bias
// through an addition. Element-wise ops go first.

sdy.mesh @mesh = <["x"=4]>

func.func @main(
    %a: tensor<64x64xf32>,
    %b: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %bias: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.add %0, %bias : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
