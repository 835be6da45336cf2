sdy.mesh @mesh = <["x"=4]>
func.func public @main(%a: tensor<10x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // Padding that is zero before is one behind this.
  %0 = stablehlo.exponential %a : tensor<10x32xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<10x32xf32>, tensor<f32>) -> tensor<32xf32>
  return %1 : tensor<32xf32>
}
