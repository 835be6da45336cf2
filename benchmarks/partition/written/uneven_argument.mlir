sdy.mesh @mesh = <["x"=4]>
func.func public @main(%a: tensor<10x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<10x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.tanh %a : tensor<10x32xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<32xf32>) -> tensor<10x32xf32>
  %2 = stablehlo.add %0, %1 : tensor<10x32xf32>
  return %2 : tensor<10x32xf32>
}
