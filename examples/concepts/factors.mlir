// Ops of several kinds, for their sharding rules.

func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x32xf32>) -> (tensor<32x8xf32>, tensor<8xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<8x32xf32>) -> tensor<32x8xf32>
  %3 = stablehlo.reshape %1 : (tensor<8x32xf32>) -> tensor<8x4x8xf32>
  %4 = stablehlo.constant dense<0.0> : tensor<f32>
  %5 = stablehlo.reduce(%3 init: %4) applies stablehlo.add across dimensions = [1, 2]
      : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %2, %5 : tensor<32x8xf32>, tensor<8xf32>
}
