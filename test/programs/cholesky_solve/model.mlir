module @jit_cholesky_solve attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=8]> {stablehlo.mesh = {axes = [{name = "data", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<8x6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}, %arg1: tensor<8x6x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}) -> (tensor<8xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}, tensor<8x6x2xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 3] : (tensor<8x6x2xf32>) -> tensor<8x6x1x2xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2, 3] : (tensor<8x6x2xf32>) -> tensor<8x1x6x2xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2, 3] : (tensor<8x6x1x2xf32>) -> tensor<8x6x6x2xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<8x1x6x2xf32>) -> tensor<8x6x6x2xf32>
    %4 = stablehlo.subtract %2, %3 : tensor<8x6x6x2xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<8x6x6x2xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [3] : (tensor<8x6x6x2xf32>, tensor<f32>) -> tensor<8x6x6xf32>
    %cst_0 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x6x6xf32>
    %8 = stablehlo.multiply %7, %6 : tensor<8x6x6xf32>
    %9 = stablehlo.exponential %8 : tensor<8x6x6xf32>
    %10 = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %11 = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x6xi32>
    %13 = stablehlo.add %10, %12 : tensor<6x6xi32>
    %14 = stablehlo.compare EQ, %13, %11, SIGNED : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %15 = stablehlo.convert %14 : (tensor<6x6xi1>) -> tensor<6x6xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %17 = stablehlo.multiply %16, %15 : tensor<6x6xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [1, 2] : (tensor<6x6xf32>) -> tensor<1x6x6xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<1x6x6xf32>) -> tensor<8x6x6xf32>
    %20 = stablehlo.add %9, %19 : tensor<8x6x6xf32>
    %21 = sdy.sharding_constraint %20 <@mesh, [{"data"}, {}, {}]> : tensor<8x6x6xf32>
    %22 = call @cholesky(%21) : (tensor<8x6x6xf32>) -> tensor<8x6x6xf32>
    %23 = stablehlo.custom_call @lapack_strsm_ffi(%22, %arg1) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=8, j=6, k=6, l=6, m=1, n=6, o=1}, custom>} : (tensor<8x6x6xf32>, tensor<8x6x1xf32>) -> tensor<8x6x1xf32>
    %24 = call @diagonal(%22) : (tensor<8x6x6xf32>) -> tensor<8x6xf32>
    %25 = stablehlo.log %24 : tensor<8x6xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.reduce(%25 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<8xf32>
    %27 = stablehlo.multiply %23, %23 : tensor<8x6x1xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.reduce(%27 init: %cst_3) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x6x1xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_4 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %30 = stablehlo.multiply %29, %28 : tensor<8xf32>
    %31 = stablehlo.subtract %30, %26 : tensor<8xf32>
    %32 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 3] : (tensor<8x6x2xf32>) -> tensor<8x6x1x2xf32>
    %33 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2, 3] : (tensor<8x6x2xf32>) -> tensor<8x1x6x2xf32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2, 3] : (tensor<8x6x1x2xf32>) -> tensor<8x6x6x2xf32>
    %35 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2, 3] : (tensor<8x1x6x2xf32>) -> tensor<8x6x6x2xf32>
    %36 = stablehlo.subtract %34, %35 : tensor<8x6x6x2xf32>
    %37 = stablehlo.multiply %36, %36 : tensor<8x6x6x2xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x6x6x2xf32>
    %39 = stablehlo.multiply %38, %36 : tensor<8x6x6x2xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.reduce(%37 init: %cst_6) applies stablehlo.add across dimensions = [3] : (tensor<8x6x6x2xf32>, tensor<f32>) -> tensor<8x6x6xf32>
    %cst_7 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x6x6xf32>
    %42 = stablehlo.multiply %41, %40 : tensor<8x6x6xf32>
    %43 = stablehlo.exponential %42 : tensor<8x6x6xf32>
    %44 = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %45 = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %46 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<6x6xi32>
    %47 = stablehlo.add %44, %46 : tensor<6x6xi32>
    %48 = stablehlo.compare EQ, %47, %45, SIGNED : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %49 = stablehlo.convert %48 : (tensor<6x6xi1>) -> tensor<6x6xf32>
    %cst_9 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %51 = stablehlo.multiply %50, %49 : tensor<6x6xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [1, 2] : (tensor<6x6xf32>) -> tensor<1x6x6xf32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2] : (tensor<1x6x6xf32>) -> tensor<8x6x6xf32>
    %54 = stablehlo.add %43, %53 : tensor<8x6x6xf32>
    %55 = sdy.sharding_constraint %54 <@mesh, [{"data"}, {}, {}]> : tensor<8x6x6xf32>
    %56:7 = call @cholesky_0(%55) : (tensor<8x6x6xf32>) -> (tensor<8x6x6xf32>, tensor<8x6x6xf32>, tensor<8x6x6xi1>, tensor<8x6x6xf32>, tensor<1x6x6xf32>, tensor<8x6x6xi1>, tensor<8x6x6xf32>)
    %57 = stablehlo.custom_call @lapack_strsm_ffi(%56#0, %arg1) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=8, j=6, k=6, l=6, m=1, n=6, o=1}, custom>} : (tensor<8x6x6xf32>, tensor<8x6x1xf32>) -> tensor<8x6x1xf32>
    %58 = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %59 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<6x6xi32>
    %60 = stablehlo.add %58, %59 : tensor<6x6xi32>
    %61 = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %62 = stablehlo.compare GE, %60, %61, SIGNED : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %63 = stablehlo.broadcast_in_dim %62, dims = [1, 2] : (tensor<6x6xi1>) -> tensor<8x6x6xi1>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x6x6xf32>
    %65:2 = call @diagonal_1(%56#0) : (tensor<8x6x6xf32>) -> (tensor<8x6xf32>, tensor<6x2xi32>)
    %66 = stablehlo.log %65#0 : tensor<8x6xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %67 = stablehlo.reduce(%66 init: %cst_12) applies stablehlo.add across dimensions = [1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<8xf32>
    %68 = stablehlo.multiply %57, %57 : tensor<8x6x1xf32>
    %cst_13 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x6x1xf32>
    %70 = stablehlo.multiply %69, %57 : tensor<8x6x1xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %71 = stablehlo.reduce(%68 init: %cst_14) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x6x1xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_15 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %73 = stablehlo.multiply %72, %71 : tensor<8xf32>
    %74 = stablehlo.subtract %73, %67 : tensor<8xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %75 = stablehlo.reduce(%74 init: %cst_16) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %77 = stablehlo.negate %76 : tensor<8xf32>
    %cst_18 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %79 = stablehlo.multiply %78, %76 : tensor<8xf32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [0] : (tensor<8xf32>) -> tensor<8x6x1xf32>
    %81 = stablehlo.multiply %80, %70 : tensor<8x6x1xf32>
    %82 = stablehlo.broadcast_in_dim %77, dims = [0] : (tensor<8xf32>) -> tensor<8x6xf32>
    %83 = stablehlo.divide %82, %65#0 : tensor<8x6xf32>
    %84 = call @diagonal_2(%65#1, %83) : (tensor<6x2xi32>, tensor<8x6xf32>) -> tensor<8x6x6xf32>
    %85 = stablehlo.custom_call @lapack_strsm_ffi(%56#0, %81) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=8, j=6, k=6, l=6, m=1, n=6, o=1}, custom>} : (tensor<8x6x6xf32>, tensor<8x6x1xf32>) -> tensor<8x6x1xf32>
    %86 = stablehlo.dot_general %85, %57, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [HIGHEST, HIGHEST] : (tensor<8x6x1xf32>, tensor<8x6x1xf32>) -> tensor<8x6x6xf32>
    %87 = stablehlo.negate %86 : tensor<8x6x6xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<8x6x6xf32>
    %89 = stablehlo.select %63, %87, %88 : tensor<8x6x6xi1>, tensor<8x6x6xf32>
    %90 = stablehlo.add %84, %89 : tensor<8x6x6xf32>
    %91 = call @cholesky_3(%56#1, %56#2, %56#3, %56#4, %56#5, %56#6, %90) : (tensor<8x6x6xf32>, tensor<8x6x6xi1>, tensor<8x6x6xf32>, tensor<1x6x6xf32>, tensor<8x6x6xi1>, tensor<8x6x6xf32>, tensor<8x6x6xf32>) -> tensor<8x6x6xf32>
    %92 = sdy.sharding_constraint %91 <@mesh, [{"data"}, {}, {}]> : tensor<8x6x6xf32>
    %93 = stablehlo.multiply %92, %43 : tensor<8x6x6xf32>
    %cst_20 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<8x6x6xf32>
    %95 = stablehlo.multiply %94, %93 : tensor<8x6x6xf32>
    %96 = stablehlo.broadcast_in_dim %95, dims = [0, 1, 2] : (tensor<8x6x6xf32>) -> tensor<8x6x6x2xf32>
    %97 = stablehlo.multiply %96, %39 : tensor<8x6x6x2xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %98 = stablehlo.reduce(%97 init: %cst_21) applies stablehlo.add across dimensions = [2] : (tensor<8x6x6x2xf32>, tensor<f32>) -> tensor<8x6x2xf32>
    %99 = stablehlo.reshape %98 : (tensor<8x6x2xf32>) -> tensor<8x6x1x2xf32>
    %100 = stablehlo.negate %97 : tensor<8x6x6x2xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %101 = stablehlo.reduce(%100 init: %cst_22) applies stablehlo.add across dimensions = [1] : (tensor<8x6x6x2xf32>, tensor<f32>) -> tensor<8x6x2xf32>
    %102 = stablehlo.reshape %101 : (tensor<8x6x2xf32>) -> tensor<8x1x6x2xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %103 = stablehlo.reduce(%102 init: %cst_23) applies stablehlo.add across dimensions = [1] : (tensor<8x1x6x2xf32>, tensor<f32>) -> tensor<8x6x2xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %104 = stablehlo.reduce(%99 init: %cst_24) applies stablehlo.add across dimensions = [2] : (tensor<8x6x1x2xf32>, tensor<f32>) -> tensor<8x6x2xf32>
    %105 = stablehlo.add %103, %104 : tensor<8x6x2xf32>
    return %31, %105 : tensor<8xf32>, tensor<8x6x2xf32>
  }
  func.func private @cholesky(%arg0: tensor<8x6x6xf32>) -> tensor<8x6x6xf32> {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<8x6x6xf32>) -> tensor<8x6x6xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<8x6x6xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x6x6xf32>
    %3 = stablehlo.divide %1, %2 : tensor<8x6x6xf32>
    %4:2 = stablehlo.custom_call @lapack_spotrf_ffi(%3) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i]) {i=8, j=6, k=6, l=6, m=6}, custom>} : (tensor<8x6x6xf32>) -> (tensor<8x6x6xf32>, tensor<8xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %6 = stablehlo.compare EQ, %4#1, %5, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<8xi1>) -> tensor<8x1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x6x6xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<8x1x1xi1>) -> tensor<8x6x6xi1>
    %10 = stablehlo.select %9, %4#0, %8 : tensor<8x6x6xi1>, tensor<8x6x6xf32>
    %11 = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<6x6xi32>
    %13 = stablehlo.add %11, %12 : tensor<6x6xi32>
    %14 = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %15 = stablehlo.compare GE, %13, %14, SIGNED : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %16 = stablehlo.broadcast_in_dim %15, dims = [1, 2] : (tensor<6x6xi1>) -> tensor<8x6x6xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x6x6xf32>
    %18 = stablehlo.select %16, %10, %17 : tensor<8x6x6xi1>, tensor<8x6x6xf32>
    return %18 : tensor<8x6x6xf32>
  }
  func.func private @diagonal(%arg0: tensor<8x6x6xf32>) -> tensor<8x6xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<6xi32>
    %1 = stablehlo.iota dim = 0 : tensor<6xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %3 = stablehlo.compare LT, %0, %2, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_0 = stablehlo.constant dense<6> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %5 = stablehlo.add %0, %4 : tensor<6xi32>
    %6 = stablehlo.select %3, %5, %0 : tensor<6xi1>, tensor<6xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %8 = stablehlo.compare LT, %1, %7, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_2 = stablehlo.constant dense<6> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %10 = stablehlo.add %1, %9 : tensor<6xi32>
    %11 = stablehlo.select %8, %10, %1 : tensor<6xi1>, tensor<6xi32>
    %12 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %14 = stablehlo.concatenate %12, %13, dim = 1 : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x2xi32>
    %15 = "stablehlo.gather"(%arg0, %14) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1, 2], start_index_map = [1, 2], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 8, 1, 1>}> : (tensor<8x6x6xf32>, tensor<6x2xi32>) -> tensor<8x6xf32>
    return %15 : tensor<8x6xf32>
  }
  func.func private @cholesky_0(%arg0: tensor<8x6x6xf32>) -> (tensor<8x6x6xf32>, tensor<8x6x6xf32>, tensor<8x6x6xi1>, tensor<8x6x6xf32>, tensor<1x6x6xf32>, tensor<8x6x6xi1>, tensor<8x6x6xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<8x6x6xf32>) -> tensor<8x6x6xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<8x6x6xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x6x6xf32>
    %3 = stablehlo.divide %1, %2 : tensor<8x6x6xf32>
    %4:2 = stablehlo.custom_call @lapack_spotrf_ffi(%3) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i]) {i=8, j=6, k=6, l=6, m=6}, custom>} : (tensor<8x6x6xf32>) -> (tensor<8x6x6xf32>, tensor<8xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %6 = stablehlo.compare EQ, %4#1, %5, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<8xi1>) -> tensor<8x1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x6x6xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<8x1x1xi1>) -> tensor<8x6x6xi1>
    %10 = stablehlo.select %9, %4#0, %8 : tensor<8x6x6xi1>, tensor<8x6x6xf32>
    %11 = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<6x6xi32>
    %13 = stablehlo.add %11, %12 : tensor<6x6xi32>
    %14 = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %15 = stablehlo.compare GE, %13, %14, SIGNED : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %16 = stablehlo.broadcast_in_dim %15, dims = [1, 2] : (tensor<6x6xi1>) -> tensor<8x6x6xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x6x6xf32>
    %18 = stablehlo.select %16, %10, %17 : tensor<8x6x6xi1>, tensor<8x6x6xf32>
    %19 = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %20 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<6x6xi32>
    %21 = stablehlo.add %19, %20 : tensor<6x6xi32>
    %22 = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %23 = stablehlo.compare GE, %21, %22, SIGNED : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %24 = stablehlo.broadcast_in_dim %23, dims = [1, 2] : (tensor<6x6xi1>) -> tensor<8x6x6xi1>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x6x6xf32>
    %26 = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<6x6xi32>
    %28 = stablehlo.add %26, %27 : tensor<6x6xi32>
    %29 = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %30 = stablehlo.compare EQ, %28, %29, SIGNED : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %31 = stablehlo.convert %30 : (tensor<6x6xi1>) -> tensor<6x6xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %33 = stablehlo.add %32, %31 : tensor<6x6xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [1, 2] : (tensor<6x6xf32>) -> tensor<1x6x6xf32>
    %35 = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %36 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<6x6xi32>
    %37 = stablehlo.add %35, %36 : tensor<6x6xi32>
    %38 = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %39 = stablehlo.compare GE, %37, %38, SIGNED : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %40 = stablehlo.broadcast_in_dim %39, dims = [1, 2] : (tensor<6x6xi1>) -> tensor<8x6x6xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x6x6xf32>
    %42 = stablehlo.select %40, %18, %41 : tensor<8x6x6xi1>, tensor<8x6x6xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x6x6xf32>
    return %42, %18, %24, %25, %34, %40, %43 : tensor<8x6x6xf32>, tensor<8x6x6xf32>, tensor<8x6x6xi1>, tensor<8x6x6xf32>, tensor<1x6x6xf32>, tensor<8x6x6xi1>, tensor<8x6x6xf32>
  }
  func.func private @diagonal_1(%arg0: tensor<8x6x6xf32>) -> (tensor<8x6xf32>, tensor<6x2xi32>) {
    %0 = stablehlo.iota dim = 0 : tensor<6xi32>
    %1 = stablehlo.iota dim = 0 : tensor<6xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %3 = stablehlo.compare LT, %0, %2, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_0 = stablehlo.constant dense<6> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %5 = stablehlo.add %0, %4 : tensor<6xi32>
    %6 = stablehlo.select %3, %5, %0 : tensor<6xi1>, tensor<6xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %8 = stablehlo.compare LT, %1, %7, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_2 = stablehlo.constant dense<6> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %10 = stablehlo.add %1, %9 : tensor<6xi32>
    %11 = stablehlo.select %8, %10, %1 : tensor<6xi1>, tensor<6xi32>
    %12 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %14 = stablehlo.concatenate %12, %13, dim = 1 : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x2xi32>
    %15 = "stablehlo.gather"(%arg0, %14) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1, 2], start_index_map = [1, 2], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 8, 1, 1>}> : (tensor<8x6x6xf32>, tensor<6x2xi32>) -> tensor<8x6xf32>
    return %15, %14 : tensor<8x6xf32>, tensor<6x2xi32>
  }
  func.func private @diagonal_2(%arg0: tensor<6x2xi32>, %arg1: tensor<8x6xf32>) -> tensor<8x6x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x6x6xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1, 2], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x6x6xf32>, tensor<6x2xi32>, tensor<8x6xf32>) -> tensor<8x6x6xf32>
    return %1 : tensor<8x6x6xf32>
  }
  func.func private @cholesky_3(%arg0: tensor<8x6x6xf32>, %arg1: tensor<8x6x6xi1>, %arg2: tensor<8x6x6xf32>, %arg3: tensor<1x6x6xf32>, %arg4: tensor<8x6x6xi1>, %arg5: tensor<8x6x6xf32>, %arg6: tensor<8x6x6xf32>) -> tensor<8x6x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x6x6xf32>
    %1 = stablehlo.select %arg4, %arg6, %0 : tensor<8x6x6xi1>, tensor<8x6x6xf32>
    %2 = stablehlo.dot_general %1, %arg0, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<8x6x6xf32>, tensor<8x6x6xf32>) -> tensor<8x6x6xf32>
    %3 = stablehlo.transpose %2, dims = [0, 2, 1] : (tensor<8x6x6xf32>) -> tensor<8x6x6xf32>
    %4 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1, 2] : (tensor<1x6x6xf32>) -> tensor<8x6x6xf32>
    %5 = stablehlo.divide %3, %4 : tensor<8x6x6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x6x6xf32>
    %7 = stablehlo.select %arg1, %5, %6 : tensor<8x6x6xi1>, tensor<8x6x6xf32>
    %8 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %7) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=8, j=6, k=6, l=6, m=6, n=6, o=6}, custom>} : (tensor<8x6x6xf32>, tensor<8x6x6xf32>) -> tensor<8x6x6xf32>
    %9 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %8) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=8, j=6, k=6, l=6, m=6, n=6, o=6}, custom>} : (tensor<8x6x6xf32>, tensor<8x6x6xf32>) -> tensor<8x6x6xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x6x6xf32>
    %11 = stablehlo.divide %9, %10 : tensor<8x6x6xf32>
    %12 = stablehlo.transpose %11, dims = [0, 2, 1] : (tensor<8x6x6xf32>) -> tensor<8x6x6xf32>
    %13 = stablehlo.add %11, %12 : tensor<8x6x6xf32>
    return %13 : tensor<8x6x6xf32>
  }
}
