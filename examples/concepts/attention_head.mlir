// A small chain: product, softmax-like scaling, product. Three thunks and one fused region a device.

sdy.mesh @mesh = <["x"=2]>

func.func @main(
    %q: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %k: tensor<32x16xf32>, %v: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = stablehlo.dot_general %q, %k, contracting_dims = [1] x [0]
      : (tensor<16x32xf32>, tensor<32x16xf32>) -> tensor<16x16xf32>
  %1 = stablehlo.constant dense<0.25> : tensor<16x16xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<16x16xf32>
  %3 = stablehlo.exponential %2 : tensor<16x16xf32>
  %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0]
      : (tensor<16x16xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return %4 : tensor<16x8xf32>
}
