// 30 lines on four devices are 8, 8, 8 and 6.
sdy.mesh @mesh = <["x"=4]>
func.func public @main(%x: tensor<2x30x16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}, %w: tensor<3x3x8x16xf32>, %v: tensor<3x3x16x8xf32>)
    -> (tensor<2x15x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x30x16x8xf32>, tensor<3x3x8x16xf32>) -> tensor<2x30x16x16xf32>
  %1 = stablehlo.tanh %0 : tensor<2x30x16x16xf32>
  %2 = stablehlo.convolution(%1, %v) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x30x16x16xf32>, tensor<3x3x16x8xf32>) -> tensor<2x15x8x8xf32>
  return %2 : tensor<2x15x8x8xf32>
}
