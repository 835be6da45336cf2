// RUN: shardwise-opt %s -shardwise-insert-partition-reshards=choose-placements=false | FileCheck %s

sdy.mesh @mesh = <["data"=4, "model"=2]>

// Agreement everywhere: nothing to do.
// CHECK-LABEL: func @agreement
// CHECK-NOT: sdy.reshard
func.func @agreement(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                     %w: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>})
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}]>]>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// A sharded contraction leaves partial sums; reducing them is a reshard.
// CHECK-LABEL: func @contraction
func.func @contraction(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>},
                       %w: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>})
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
  // CHECK: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1
  // CHECK-SAME: #sdy.sharding_per_value<[<@mesh, [{"data"}, {}], unreduced={"model"}>]>
  // CHECK: %[[SUM:.*]] = sdy.reshard %[[DOT]] <@mesh, [{"data"}, {}]>
  // CHECK: return %[[SUM]]
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Maximum over a sharded dimension, and a sum with a start that would count four times: it is added
// behind the sums of the parts.
// CHECK-LABEL: func @reductions
func.func @reductions(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<16xf32>, tensor<16xf32>) {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  // CHECK: %[[MAX:.*]] = stablehlo.reduce(%arg0 init: %{{.*}}) applies stablehlo.maximum
  // CHECK-SAME: unreduced=max{"data"}
  // CHECK: sdy.reshard %[[MAX]] <@mesh, [{}]>
  // CHECK: %[[PARTS:.*]] = stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [1]
  // CHECK-SAME: [<@mesh, [{"data"}, {}]>]
  // CHECK: %[[WHOLE:.*]] = sdy.reshard %[[PARTS]] <@mesh, [{}, {}]>
  // CHECK: stablehlo.reduce(%[[WHOLE]] init: %cst_0) applies stablehlo.add
  // CHECK-NOT: unreduced
  %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
  %1 = stablehlo.reduce(%x init: %one) applies stablehlo.add across dimensions = [0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}

// Operands that disagree: the smaller one moves.
// CHECK-LABEL: func @conflict
func.func @conflict(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                    %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
  // CHECK: %[[MOVED:.*]] = sdy.reshard %arg1 <@mesh, [{"data"}, {}]>
  // CHECK: stablehlo.add %arg0, %[[MOVED]]
  %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// One reshard serves all uses of a value.
// CHECK-LABEL: func @oneReshard
func.func @oneReshard(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[WHOLE:.*]] = sdy.reshard %arg0 <@mesh, [{}]>
  // CHECK-NOT: sdy.reshard
  // CHECK: stablehlo.reverse %[[WHOLE]]
  // CHECK: stablehlo.reverse %[[WHOLE]]
  %0 = stablehlo.reverse %a, dims = [0] : tensor<8xf32>
  %1 = stablehlo.reverse %a, dims = [0] : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Slices, pads and dynamic slices cut the dimensions that they leave alone.
// CHECK-LABEL: func @shapes
func.func @shapes(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %i: tensor<i32>)
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
        tensor<8x17xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
        tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
  // CHECK-NOT: sdy.reshard
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.slice %a [0:8, 4:8] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.pad %a, %z, low = [0, 1], high = [0, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>} : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x17xf32>
  %2 = stablehlo.dynamic_slice %a, %i, %i, sizes = [8, 2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>} : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>
  return %0, %1, %2 : tensor<8x4xf32>, tensor<8x17xf32>, tensor<8x2xf32>
}

// A cut dimension along which elements move stays cut: what is missing is fetched where the op runs.
// CHECK-LABEL: func @shiftedPad
func.func @shiftedPad(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK-NOT: sdy.reshard
  %0 = stablehlo.pad %a, %z, low = [1], high = [-1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Not where its size is not divided; but where blocks begin between elements.
// CHECK-LABEL: func @notCut
func.func @notCut(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) -> (tensor<9xf32>, tensor<24xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: %[[WHOLE:.*]] = sdy.reshard %arg0 <@mesh, [{}]>
  // CHECK: stablehlo.pad %[[WHOLE]]
  // CHECK: %[[CUT:.*]] = stablehlo.pad %arg0
  // CHECK: sdy.reshard %[[CUT]] <@mesh, [{}]>
  %0 = stablehlo.pad %a, %z, low = [1], high = [0], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<9xf32>
  %1 = stablehlo.pad %a, %z, low = [0], high = [-12], interior = [4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<24xf32>
  return %0, %1 : tensor<9xf32>, tensor<24xf32>
}

// An op without a rule works on whole tensors.
// CHECK-LABEL: func @noRule
func.func @noRule(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) {
  // CHECK: %[[WHOLE:.*]] = sdy.reshard %arg0 <@mesh, [{}]>
  // CHECK: %[[CALL:.*]] = stablehlo.custom_call @foo(%[[WHOLE]])
  // CHECK: sdy.reshard %[[CALL]] <@mesh, [{"data"}]>
  %0 = stablehlo.custom_call @foo(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A scatter-add into zeros over sharded updates gives partial sums.
// CHECK-LABEL: func @scatterAdd
func.func @scatterAdd(%indices: tensor<8x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                      %updates: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> tensor<10x6xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<10x6xf32>
  // CHECK: %[[SUM:.*]] = "stablehlo.scatter"
  // CHECK: unreduced={"data"}
  // CHECK: sdy.reshard %[[SUM]] <@mesh, [{}, {}]>
  %0 = "stablehlo.scatter"(%zeros, %indices, %updates) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<10x6xf32>, tensor<8x1xi32>, tensor<8x6xf32>) -> tensor<10x6xf32>
  return %0 : tensor<10x6xf32>
}

// Constants are made anew instead of being moved.
// CHECK-LABEL: func @constants
// CHECK-NOT: sdy.reshard
func.func @constants(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}]>]>} dense<1.0> : tensor<8xf32>
  // CHECK: %[[CUT:.*]] = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}]>]>}
  // CHECK: %[[WHOLE:.*]] = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>}
  // CHECK: stablehlo.reverse %[[WHOLE]]
  %1 = stablehlo.reverse %0, dims = [0] : tensor<8xf32>
  // CHECK: stablehlo.add %arg0, %[[CUT]]
  %2 = stablehlo.add %a, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}]>]>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Decompositions get whole matrices, though their rules let shardings pass; batches are cut.
// CHECK-LABEL: @eigh
// CHECK: %[[WHOLE:.*]] = sdy.reshard %arg0 <@mesh, [{"data"}, {}, {}]>
// CHECK: stablehlo.custom_call @Eigh(%[[WHOLE]])
// CHECK-SAME: sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>, <@mesh, [{"data"}, {}]>]>
func.func @eigh(%a: tensor<4x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}]>}) -> (tensor<4x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}]>}, tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}) {
  %0:2 = stablehlo.custom_call @Eigh(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}]>, <@mesh, [{"data"}, {"model"}]>]>} : (tensor<4x8x8xf32>) -> (tensor<4x8x8xf32>, tensor<4x8xf32>)
  return %0#0, %0#1 : tensor<4x8x8xf32>, tensor<4x8xf32>
}

// A rotation moves elements along the dimension that it names, whose axes go to the other one.
// CHECK-LABEL: @rotate
// CHECK: %[[WHOLE:.*]] = sdy.reshard %arg0 <@mesh, [{}, {"model", "data"}]>
// CHECK: stablehlo.custom_call @_SPMDInternalOp_RotateRight(%[[WHOLE]])
func.func @rotate(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}) {
  %0 = stablehlo.custom_call @_SPMDInternalOp_RotateRight(%a) {backend_config = "dimension=0,amount=1", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
