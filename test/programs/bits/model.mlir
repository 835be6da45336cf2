module @jit_bits attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=8]> {stablehlo.mesh = {axes = [{name = "data", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<8x6xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %arg1: tensor<8x6xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %arg2: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<8x6xui32> {jax.result_info = "result[0]"}, tensor<8x6xui32> {jax.result_info = "result[1]"}, tensor<8x6x4xui8> {jax.result_info = "result[2]"}, tensor<8x6xi8> {jax.result_info = "result[3]"}, tensor<8x6xi8> {jax.result_info = "result[4]"}, tensor<8x4xi32> {jax.result_info = "result[5]"}, tensor<8x4xf32> {jax.result_info = "result[6]"}, tensor<8x4xf32> {jax.result_info = "result[7]"}, tensor<8x4xf32> {jax.result_info = "result[8]"}, tensor<8x4xi1> {jax.result_info = "result[9]"}, tensor<8x4xf32> {jax.result_info = "result[10]"}, tensor<8x1xui8> {jax.result_info = "result[11]"}, tensor<9x8xf32> {jax.result_info = "result[12]"}, tensor<8x4xf32> {jax.result_info = "result[13]"}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"data"}, {}]> : tensor<8x6xui32>
    %c = stablehlo.constant dense<16> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<8x6xui32>
    %2 = stablehlo.shift_right_logical %0, %1 : tensor<8x6xui32>
    %3 = stablehlo.xor %0, %2 : tensor<8x6xui32>
    %c_0 = stablehlo.constant dense<73244475> : tensor<ui32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<8x6xui32>
    %5 = stablehlo.multiply %3, %4 : tensor<8x6xui32>
    %6 = stablehlo.popcnt %0 : tensor<8x6xui32>
    %7 = stablehlo.count_leading_zeros %0 : tensor<8x6xui32>
    %8 = stablehlo.add %6, %7 : tensor<8x6xui32>
    %9 = stablehlo.bitcast_convert %0 : (tensor<8x6xui32>) -> tensor<8x6x4xui8>
    %c_1 = stablehlo.constant dense<3> : tensor<i8>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i8>) -> tensor<8x6xi8>
    %11 = stablehlo.shift_left %arg1, %10 : tensor<8x6xi8>
    %c_2 = stablehlo.constant dense<2> : tensor<i8>
    %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i8>) -> tensor<8x6xi8>
    %13 = stablehlo.shift_right_arithmetic %arg1, %12 : tensor<8x6xi8>
    %14 = stablehlo.or %11, %13 : tensor<8x6xi8>
    %c_3 = stablehlo.constant dense<3> : tensor<i8>
    %15 = call @floor_divide(%arg1, %c_3) : (tensor<8x6xi8>, tensor<i8>) -> tensor<8x6xi8>
    %c_4 = stablehlo.constant dense<5> : tensor<i8>
    %16 = call @remainder(%arg1, %c_4) : (tensor<8x6xi8>, tensor<i8>) -> tensor<8x6xi8>
    %17 = stablehlo.add %15, %16 : tensor<8x6xi8>
    %18 = stablehlo.bitcast_convert %arg2 : (tensor<8x4xf32>) -> tensor<8x4xi32>
    %c_5 = stablehlo.constant dense<2139095040> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<8x4xi32>
    %20 = stablehlo.and %18, %19 : tensor<8x4xi32>
    %21 = stablehlo.reduce_precision %arg2, format = e5m4 : tensor<8x4xf32>
    %cst = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %23 = stablehlo.remainder %arg2, %22 : tensor<8x4xf32>
    %24 = stablehlo.sign %arg2 : tensor<8x4xf32>
    %25 = call @round(%arg2) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %26 = stablehlo.multiply %24, %25 : tensor<8x4xf32>
    %27 = call @trunc(%arg2) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %28 = stablehlo.add %26, %27 : tensor<8x4xf32>
    %29 = stablehlo.ceil %arg2 : tensor<8x4xf32>
    %30 = stablehlo.add %28, %29 : tensor<8x4xf32>
    %31 = stablehlo.floor %arg2 : tensor<8x4xf32>
    %32 = stablehlo.add %30, %31 : tensor<8x4xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %34 = stablehlo.maximum %arg2, %33 : tensor<8x4xf32>
    %35 = stablehlo.divide %arg2, %34 : tensor<8x4xf32>
    %36 = stablehlo.compare NE, %35, %35, FLOAT : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xi1>
    %37 = call @signbit(%arg2) : (tensor<8x4xf32>) -> tensor<8x4xi1>
    %38 = stablehlo.or %36, %37 : tensor<8x4xi1>
    %39 = call @unwrap(%arg2) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %c_7 = stablehlo.constant dense<2> : tensor<i32>
    %40 = call @remainder_6(%0, %c_7) : (tensor<8x6xui32>, tensor<i32>) -> tensor<8x6xui32>
    %c_8 = stablehlo.constant dense<1> : tensor<ui32>
    %41 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<ui32>) -> tensor<8x6xui32>
    %42 = stablehlo.compare EQ, %40, %41, UNSIGNED : (tensor<8x6xui32>, tensor<8x6xui32>) -> tensor<8x6xi1>
    %43 = call @packbits(%42) : (tensor<8x6xi1>) -> tensor<8x1xui8>
    %cst_9 = stablehlo.constant dense<7.000000e+00> : tensor<f32>
    %44 = stablehlo.pad %arg2, %cst_9, low = [1, -1], high = [0, 2], interior = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<9x8xf32>
    %45 = call @_roll_static(%arg2) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %46 = call @_flip(%45) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %5, %8, %9, %14, %17, %20, %21, %23, %32, %38, %39, %43, %44, %46 : tensor<8x6xui32>, tensor<8x6xui32>, tensor<8x6x4xui8>, tensor<8x6xi8>, tensor<8x6xi8>, tensor<8x4xi32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xi1>, tensor<8x4xf32>, tensor<8x1xui8>, tensor<9x8xf32>, tensor<8x4xf32>
  }
  func.func private @floor_divide(%arg0: tensor<8x6xi8>, %arg1: tensor<i8>) -> tensor<8x6xi8> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i8>) -> tensor<8x6xi8>
    %1 = stablehlo.divide %arg0, %0 : tensor<8x6xi8>
    %2 = stablehlo.sign %arg0 : tensor<8x6xi8>
    %3 = stablehlo.sign %arg1 : tensor<i8>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i8>) -> tensor<8x6xi8>
    %5 = stablehlo.compare NE, %2, %4, SIGNED : (tensor<8x6xi8>, tensor<8x6xi8>) -> tensor<8x6xi1>
    %6 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i8>) -> tensor<8x6xi8>
    %7 = stablehlo.remainder %arg0, %6 : tensor<8x6xi8>
    %c = stablehlo.constant dense<0> : tensor<i8>
    %8 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i8>) -> tensor<8x6xi8>
    %9 = stablehlo.compare NE, %7, %8, SIGNED : (tensor<8x6xi8>, tensor<8x6xi8>) -> tensor<8x6xi1>
    %10 = stablehlo.and %5, %9 : tensor<8x6xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i8>
    %11 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i8>) -> tensor<8x6xi8>
    %12 = stablehlo.subtract %1, %11 : tensor<8x6xi8>
    %13 = call @_where(%10, %12, %1) : (tensor<8x6xi1>, tensor<8x6xi8>, tensor<8x6xi8>) -> tensor<8x6xi8>
    return %13 : tensor<8x6xi8>
  }
  func.func private @_where(%arg0: tensor<8x6xi1>, %arg1: tensor<8x6xi8>, %arg2: tensor<8x6xi8>) -> tensor<8x6xi8> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<8x6xi1>, tensor<8x6xi8>
    return %0 : tensor<8x6xi8>
  }
  func.func private @remainder(%arg0: tensor<8x6xi8>, %arg1: tensor<i8>) -> tensor<8x6xi8> {
    %c = stablehlo.constant dense<0> : tensor<i8>
    %0 = stablehlo.compare EQ, %arg1, %c, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i8>
    %1 = call @_where_0(%0, %c_0, %arg1) : (tensor<i1>, tensor<i8>, tensor<i8>) -> tensor<i8>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i8>) -> tensor<8x6xi8>
    %3 = stablehlo.remainder %arg0, %2 : tensor<8x6xi8>
    %c_1 = stablehlo.constant dense<0> : tensor<i8>
    %4 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i8>) -> tensor<8x6xi8>
    %5 = stablehlo.compare NE, %3, %4, SIGNED : (tensor<8x6xi8>, tensor<8x6xi8>) -> tensor<8x6xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i8>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i8>) -> tensor<8x6xi8>
    %7 = stablehlo.compare LT, %3, %6, SIGNED : (tensor<8x6xi8>, tensor<8x6xi8>) -> tensor<8x6xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i8>
    %8 = stablehlo.compare LT, %1, %c_3, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<i1>) -> tensor<8x6xi1>
    %10 = stablehlo.compare NE, %7, %9, UNSIGNED : (tensor<8x6xi1>, tensor<8x6xi1>) -> tensor<8x6xi1>
    %11 = stablehlo.and %10, %5 : tensor<8x6xi1>
    %12 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i8>) -> tensor<8x6xi8>
    %13 = stablehlo.add %3, %12 : tensor<8x6xi8>
    %14 = stablehlo.select %11, %13, %3 : tensor<8x6xi1>, tensor<8x6xi8>
    return %14 : tensor<8x6xi8>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<i8>, %arg2: tensor<i8>) -> tensor<i8> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i8>
    return %0 : tensor<i8>
  }
  func.func private @round(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %cst = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<8x4xf32>
    %2 = stablehlo.round_nearest_even %1 : tensor<8x4xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %4 = stablehlo.divide %2, %3 : tensor<8x4xf32>
    return %4 : tensor<8x4xf32>
  }
  func.func private @trunc(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %1 = stablehlo.compare LT, %arg0, %0, FLOAT : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xi1>
    %2 = stablehlo.ceil %arg0 : tensor<8x4xf32>
    %3 = stablehlo.floor %arg0 : tensor<8x4xf32>
    %4 = call @_where_1(%1, %2, %3) : (tensor<8x4xi1>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    return %4 : tensor<8x4xf32>
  }
  func.func private @_where_1(%arg0: tensor<8x4xi1>, %arg1: tensor<8x4xf32>, %arg2: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<8x4xi1>, tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
  func.func private @signbit(%arg0: tensor<8x4xf32>) -> tensor<8x4xi1> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<8x4xf32>) -> tensor<8x4xi32>
    %c = stablehlo.constant dense<31> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x4xi32>
    %2 = stablehlo.shift_right_arithmetic %0, %1 : tensor<8x4xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x4xi32>
    %4 = stablehlo.compare NE, %2, %3, SIGNED : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<8x4xi1>
    %5 = stablehlo.convert %4 : tensor<8x4xi1>
    return %5 : tensor<8x4xi1>
  }
  func.func private @unwrap(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %cst = stablehlo.constant dense<6.28318548> : tensor<f32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.divide %cst, %cst_0 : tensor<f32>
    %cst_1 = stablehlo.constant dense<6.28318548> : tensor<f32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.divide %cst_1, %cst_2 : tensor<f32>
    %2 = call @diff(%arg0) : (tensor<8x4xf32>) -> tensor<8x3xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<8x3xf32>
    %4 = stablehlo.add %2, %3 : tensor<8x3xf32>
    %cst_3 = stablehlo.constant dense<6.28318548> : tensor<f32>
    %5 = call @remainder_2(%4, %cst_3) : (tensor<8x3xf32>, tensor<f32>) -> tensor<8x3xf32>
    %6 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<8x3xf32>
    %7 = stablehlo.subtract %5, %6 : tensor<8x3xf32>
    %8 = stablehlo.negate %1 : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<8x3xf32>
    %10 = stablehlo.compare EQ, %7, %9, FLOAT : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xi1>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x3xf32>
    %12 = stablehlo.compare GT, %2, %11, FLOAT : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xi1>
    %13 = stablehlo.and %10, %12 : tensor<8x3xi1>
    %14 = call @_where_3(%13, %1, %7) : (tensor<8x3xi1>, tensor<f32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    %15 = stablehlo.abs %2 : tensor<8x3xf32>
    %16 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x3xf32>
    %17 = stablehlo.compare LT, %15, %16, FLOAT : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xi1>
    %18 = stablehlo.subtract %14, %2 : tensor<8x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %19 = call @_where_4(%17, %c, %18) : (tensor<8x3xi1>, tensor<i32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    %20 = stablehlo.slice %arg0 [0:8, 0:1] : (tensor<8x4xf32>) -> tensor<8x1xf32>
    %21 = stablehlo.slice %arg0 [0:8, 1:4] : (tensor<8x4xf32>) -> tensor<8x3xf32>
    %22 = call @cumsum(%19) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %23 = stablehlo.add %21, %22 : tensor<8x3xf32>
    %24 = stablehlo.concatenate %20, %23, dim = 1 : (tensor<8x1xf32>, tensor<8x3xf32>) -> tensor<8x4xf32>
    return %24 : tensor<8x4xf32>
  }
  func.func private @diff(%arg0: tensor<8x4xf32>) -> tensor<8x3xf32> {
    %0 = stablehlo.slice %arg0 [0:8, 1:4] : (tensor<8x4xf32>) -> tensor<8x3xf32>
    %1 = stablehlo.slice %arg0 [0:8, 0:3] : (tensor<8x4xf32>) -> tensor<8x3xf32>
    %2 = stablehlo.subtract %0, %1 : tensor<8x3xf32>
    return %2 : tensor<8x3xf32>
  }
  func.func private @remainder_2(%arg0: tensor<8x3xf32>, %arg1: tensor<f32>) -> tensor<8x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x3xf32>
    %1 = stablehlo.remainder %arg0, %0 : tensor<8x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x3xf32>
    %3 = stablehlo.compare NE, %1, %2, FLOAT : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x3xf32>
    %5 = stablehlo.compare LT, %1, %4, FLOAT : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.compare LT, %arg1, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i1>) -> tensor<8x3xi1>
    %8 = stablehlo.compare NE, %5, %7, UNSIGNED : (tensor<8x3xi1>, tensor<8x3xi1>) -> tensor<8x3xi1>
    %9 = stablehlo.and %8, %3 : tensor<8x3xi1>
    %10 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x3xf32>
    %11 = stablehlo.add %1, %10 : tensor<8x3xf32>
    %12 = stablehlo.select %9, %11, %1 : tensor<8x3xi1>, tensor<8x3xf32>
    return %12 : tensor<8x3xf32>
  }
  func.func private @_where_3(%arg0: tensor<8x3xi1>, %arg1: tensor<f32>, %arg2: tensor<8x3xf32>) -> tensor<8x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x3xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<8x3xi1>, tensor<8x3xf32>
    return %1 : tensor<8x3xf32>
  }
  func.func private @_where_4(%arg0: tensor<8x3xi1>, %arg1: tensor<i32>, %arg2: tensor<8x3xf32>) -> tensor<8x3xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x3xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<8x3xi1>, tensor<8x3xf32>
    return %2 : tensor<8x3xf32>
  }
  func.func private @cumsum(%arg0: tensor<8x3xf32>) -> tensor<8x3xf32> {
    %0 = call @cumsum_5(%arg0) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    return %0 : tensor<8x3xf32>
  }
  func.func private @cumsum_5(%arg0: tensor<8x3xf32>) -> tensor<8x3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [2, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x3xf32>, tensor<f32>) -> tensor<8x3xf32>
    return %1 : tensor<8x3xf32>
  }
  func.func private @remainder_6(%arg0: tensor<8x6xui32>, %arg1: tensor<i32>) -> tensor<8x6xui32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<ui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %1 = stablehlo.compare EQ, %0, %c, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<ui32>
    %2 = call @_where_7(%1, %c_0, %0) : (tensor<i1>, tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<8x6xui32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<8x6xui32>
    %c_1 = stablehlo.constant dense<0> : tensor<ui32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<8x6xui32>
    %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<8x6xui32>, tensor<8x6xui32>) -> tensor<8x6xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<8x6xui32>
    %8 = stablehlo.compare LT, %4, %7, UNSIGNED : (tensor<8x6xui32>, tensor<8x6xui32>) -> tensor<8x6xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<ui32>
    %9 = stablehlo.compare LT, %2, %c_3, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<8x6xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<8x6xi1>, tensor<8x6xi1>) -> tensor<8x6xi1>
    %12 = stablehlo.and %11, %6 : tensor<8x6xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<8x6xui32>
    %14 = stablehlo.add %4, %13 : tensor<8x6xui32>
    %15 = stablehlo.select %12, %14, %4 : tensor<8x6xi1>, tensor<8x6xui32>
    return %15 : tensor<8x6xui32>
  }
  func.func private @_where_7(%arg0: tensor<i1>, %arg1: tensor<ui32>, %arg2: tensor<ui32>) -> tensor<ui32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<ui32>
    return %0 : tensor<ui32>
  }
  func.func private @packbits(%arg0: tensor<8x6xi1>) -> tensor<8x1xui8> {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<8x6xi1>
    %1 = stablehlo.compare NE, %arg0, %0, UNSIGNED : (tensor<8x6xi1>, tensor<8x6xi1>) -> tensor<8x6xi1>
    %2 = stablehlo.convert %1 : (tensor<8x6xi1>) -> tensor<8x6xui8>
    %3 = stablehlo.iota dim = 0 : tensor<8xui8>
    %4 = stablehlo.reverse %3, dims = [0] : tensor<8xui8>
    %c_0 = stablehlo.constant dense<0> : tensor<ui8>
    %5 = stablehlo.pad %2, %c_0, low = [0, 0], high = [0, 2], interior = [0, 0] : (tensor<8x6xui8>, tensor<ui8>) -> tensor<8x8xui8>
    %6 = stablehlo.reshape %5 : (tensor<8x8xui8>) -> tensor<8x1x8xui8>
    %7 = stablehlo.broadcast_in_dim %4, dims = [2] : (tensor<8xui8>) -> tensor<1x1x8xui8>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<1x1x8xui8>) -> tensor<8x1x8xui8>
    %9 = stablehlo.shift_left %6, %8 : tensor<8x1x8xui8>
    %10 = stablehlo.convert %9 : (tensor<8x1x8xui8>) -> tensor<8x1x8xui32>
    %c_1 = stablehlo.constant dense<0> : tensor<ui32>
    %11 = stablehlo.reduce(%10 init: %c_1) applies stablehlo.add across dimensions = [2] : (tensor<8x1x8xui32>, tensor<ui32>) -> tensor<8x1xui32>
    %12 = stablehlo.convert %11 : (tensor<8x1xui32>) -> tensor<8x1xui8>
    return %12 : tensor<8x1xui8>
  }
  func.func private @_roll_static(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.slice %arg0 [0:8, 2:4] : (tensor<8x4xf32>) -> tensor<8x2xf32>
    %1 = stablehlo.slice %arg0 [0:8, 0:2] : (tensor<8x4xf32>) -> tensor<8x2xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x4xf32>
    return %2 : tensor<8x4xf32>
  }
  func.func private @_flip(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
