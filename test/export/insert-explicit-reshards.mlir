// RUN: shardwise-opt %s -sdy-insert-explicit-reshards | FileCheck %s --check-prefixes=CHECK,MIN
// RUN: shardwise-opt %s -sdy-insert-explicit-reshards=enable-full-version=true | FileCheck %s --check-prefixes=CHECK,FULL
// What Shardy gives for the same programs.

sdy.mesh @mesh = <["a"=4, "b"=2, "c"=2]>
sdy.mesh @other_order = <["a"=4, "b"=2, "c"=2], device_ids=[1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]>
sdy.mesh @other_axes = <["a"=4, "b"=4]>
sdy.mesh @six = <["d"=6]>
sdy.mesh @one = <[], device_ids=[0]>

// The concatenated dimension is whole; its axes go to the other one as far as they divide it.
// CHECK-LABEL: func @concatenate
func.func @concatenate(%x: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>},
                       %y: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> tensor<64x32xf32> {
  // CHECK-NEXT: %[[X:.*]] = sdy.reshard %arg0 <@mesh, [{}, {"a", "b"}]>
  // CHECK-NEXT: %[[Y:.*]] = sdy.reshard %arg1 <@mesh, [{}, {"a", "b"}]>
  // CHECK-NEXT: %[[ALL:.*]] = stablehlo.concatenate %[[X]], %[[Y]]
  // CHECK-SAME: <@mesh, [{}, {"a", "b"}]>
  // CHECK-NEXT: sdy.reshard %[[ALL]] <@mesh, [{"b"}, {"a"}]>
  %0 = stablehlo.concatenate %x, %y, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {"a"}]>]>} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// Most of the sharded tensors decide on which order of devices an op works; with other axes nothing
// is done.
// CHECK-LABEL: func @meshes
func.func @meshes(%x: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>},
                  %y: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@other_order, [{}, {"a"}]>},
                  %z: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@other_axes, [{}, {"a"}]>}) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
  // CHECK-NEXT: sdy.reshard %arg0 <@other_order, [{}, {"a", "b"}]>
  // CHECK-NEXT: sdy.reshard %arg1 <@other_order, [{}, {"a", "b"}]>
  // CHECK-NEXT: stablehlo.concatenate
  // CHECK-NEXT: sdy.reshard {{.*}} <@other_order, [{"b"}, {"a"}]>
  // CHECK-NEXT: stablehlo.concatenate %arg0, %arg2
  // CHECK-SAME: <@other_axes, [{"b"}, {"a"}]>
  %0 = stablehlo.concatenate %x, %y, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@other_order, [{"b"}, {"a"}]>]>} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %1 = stablehlo.concatenate %x, %z, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@other_axes, [{"b"}, {"a"}]>]>} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  return %0, %1 : tensor<64x32xf32>, tensor<64x32xf32>
}

// Both versions reshard operands of calls, right behind the value.
// CHECK-LABEL: func @calls
func.func @calls(%x: tensor<12x18xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) -> tensor<12x18xf32> {
  // CHECK-NEXT: %[[X:.*]] = sdy.reshard %arg0 <@mesh, [{"a"}, {}]>
  // CHECK-NEXT: stablehlo.negate %arg0
  // CHECK-NEXT: call @callee(%[[X]])
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>} : tensor<12x18xf32>
  %1 = func.call @callee(%x) : (tensor<12x18xf32>) -> tensor<12x18xf32>
  return %1 : tensor<12x18xf32>
}
func.func private @callee(%x: tensor<12x18xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})
    -> (tensor<12x18xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  return %x : tensor<12x18xf32>
}

// Only the full version: the factor with more votes wins, sums are combined, results go back.
// CHECK-LABEL: func @dot
func.func @dot(%x: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>},
               %y: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>})
    -> (tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {}]>}) {
  // MIN-NEXT: stablehlo.dot
  // MIN-NEXT: return
  // FULL-NEXT: %[[X:.*]] = sdy.reshard %arg0 <@mesh, [{"c"}, {"a", "b"}]>
  // FULL-NEXT: %[[DOT:.*]] = stablehlo.dot %[[X]], %arg1
  // FULL-NEXT: %[[SUM:.*]] = sdy.all_reduce {"a", "b"} %[[DOT]] out_sharding=<@mesh, [{"c"}, {}]>
  // FULL-NEXT: return %[[SUM]]
  %0 = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}]>]>} : (tensor<32x16xf32>, tensor<16x8xf32>) -> tensor<32x8xf32>
  return %0 : tensor<32x8xf32>
}

// Of two tensors, the one with more elements or shards keeps its sharding, without a halo if possible.
// CHECK-LABEL: func @two_tensors
func.func @two_tensors(%x: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>})
    -> (tensor<16x16xf32>, tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"c"}]>}) {
  // FULL-NEXT: %[[X:.*]] = sdy.reshard %arg0 <@mesh, [{}, {"a"}]>
  // FULL-NEXT: stablehlo.transpose %[[X]]
  // FULL-SAME: <@mesh, [{"a"}, {}]>
  // FULL-NEXT: %[[Y:.*]] = sdy.reshard %arg0 <@mesh, [{}, {"c"}]>
  // FULL-NEXT: %[[REVERSED:.*]] = stablehlo.reverse %[[Y]]
  // CHECK: return
  %0 = stablehlo.transpose %x, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = stablehlo.reverse %x, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"c"}]>]>} : tensor<16x16xf32>
  return %0, %1 : tensor<16x16xf32>, tensor<16x16xf32>
}

// b does not divide 5, so it goes on to 4; there it would be cut in strides, and is dropped.
// CHECK-LABEL: func @reshape_with_overflow
func.func @reshape_with_overflow(%x: tensor<20x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>})
    -> (tensor<5x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"a"}]>}) {
  // FULL-NEXT: sdy.reshard %arg0 <@mesh, [{}, {"a":(2)2}]>
  // FULL-NEXT: stablehlo.reshape
  // FULL-SAME: <@mesh, [{}, {}, {"a":(2)2}]>
  // FULL-NEXT: sdy.reshard {{.*}} <@mesh, [{}, {}, {"a"}]>
  // CHECK: return
  %0 = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"a"}]>]>} : (tensor<20x8xf32>) -> tensor<5x4x8xf32>
  return %0 : tensor<5x4x8xf32>
}

// A rule written by hand is left alone.
// CHECK-LABEL: func @custom_rule
func.func @custom_rule(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) {
  // CHECK-NEXT: stablehlo.custom_call @f(%arg0)
  // CHECK-NEXT: return
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}, custom>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// The full version reshards at data-flow edges, outside of the region where the value is, and where
// a function returns.
// CHECK-LABEL: func @regions
func.func @regions(%x: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}, %i: tensor<i32>) -> tensor<16x16xf32> {
  // FULL-NEXT: %[[INIT:.*]] = sdy.reshard %arg0 <@mesh, [{"a"}, {}]>
  // FULL-NEXT: %[[LOOP:.*]]:2 = stablehlo.while(%{{.*}} = %[[INIT]]
  // FULL: %[[NEXT:.*]] = stablehlo.negate
  // FULL-NEXT: sdy.reshard %[[NEXT]] <@mesh, [{}, {"c"}]>
  // FULL-NEXT: sdy.reshard {{.*}} <@mesh, [{"a"}, {}]>
  // FULL: %[[BACK:.*]] = sdy.reshard %[[LOOP]]#0 <@mesh, [{}, {}]>
  // FULL-NEXT: return %[[BACK]]
  // MIN-NOT: sdy.reshard
  // MIN: return
  %w:2 = stablehlo.while(%a = %x, %b = %i) : tensor<16x16xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>, <@mesh, []>]>}
  cond {
    %f = stablehlo.compare GE, %b, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %f : tensor<i1>
  } do {
    %n = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"c"}]>]>} : tensor<16x16xf32>
    stablehlo.return %n, %b : tensor<16x16xf32>, tensor<i32>
  }
  return %w#0 : tensor<16x16xf32>
}

// The minimal version frees the result of a dot of the axes that are summed over, if the operands
// agree and cut that dimension otherwise; not if they would both need the same axis.
// CHECK-LABEL: func @summed_axes_in_result
func.func @summed_axes_in_result(%x: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {"a"}]>},
                                 %y: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>},
                                 %z: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>})
    -> (tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}) {
  // MIN-NEXT: %[[DOT:.*]] = stablehlo.dot %arg0, %arg1
  // MIN-SAME: <@mesh, [{"c"}, {"b"}]>
  // MIN-NEXT: sdy.reshard %[[DOT]] <@mesh, [{"a"}, {"b"}]>
  // MIN-NEXT: stablehlo.dot %arg0, %arg2
  // MIN-SAME: <@mesh, [{"a"}, {"c"}]>
  // MIN-NEXT: return
  %0 = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = stablehlo.dot %x, %z {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"c"}]>]>} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0, %1 : tensor<32x32xf32>, tensor<32x32xf32>
}

// The result of a batched dot is freed where it is no larger than one of the operands, both of
// which would move.
// CHECK-LABEL: func @summed_axes_in_batched_result
func.func @summed_axes_in_batched_result(%x: tensor<4x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {}, {"a"}]>},
                                         %y: tensor<4x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {}, {"a"}]>}) {
  // MIN-NEXT: stablehlo.dot_general %arg0, %arg0
  // MIN-SAME: <@mesh, [{"a"}, {}, {}]>
  // MIN-NEXT: %[[DOT:.*]] = stablehlo.dot_general %arg1, %arg1
  // MIN-SAME: <@mesh, [{"c"}, {}, {}]>
  // MIN-NEXT: sdy.reshard %[[DOT]] <@mesh, [{"a"}, {}, {}]>
  // MIN-NEXT: return
  %0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [2] x [2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}, {}]>]>} : (tensor<4x8x4xf32>, tensor<4x8x4xf32>) -> tensor<4x8x8xf32>
  %1 = stablehlo.dot_general %y, %y, batching_dims = [0] x [0], contracting_dims = [2] x [2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}, {}]>]>} : (tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<4x8x8xf32>
  return
}

// Several summed dimensions: the result wants the axes of all of them, in their order.
// CHECK-LABEL: func @several_summed_dimensions
func.func @several_summed_dimensions(%x: tensor<4x2x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"c"}, {"a"}]>},
                                     %y: tensor<2x32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {"a"}, {"b"}]>}) {
  // MIN-NEXT: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1
  // MIN-SAME: <@mesh, [{}, {"b"}]>
  // MIN-NEXT: sdy.reshard %[[DOT]] <@mesh, [{}, {"c", "a"}]>
  // MIN-NEXT: stablehlo.dot_general %arg0, %arg1
  // MIN-SAME: <@mesh, [{}, {"a", "c"}]>
  // MIN-NEXT: stablehlo.dot_general %arg0, %arg1
  // MIN-SAME: <@mesh, [{}, {"a"}]>
  // MIN-NEXT: stablehlo.dot_general %arg0, %arg1
  // MIN-SAME: <@mesh, [{}, {"c"}]>
  // MIN-NEXT: %[[SWAPPED:.*]] = stablehlo.dot_general %arg0, %arg1
  // MIN-SAME: <@mesh, [{}, {"b"}]>
  // MIN-NEXT: sdy.reshard %[[SWAPPED]] <@mesh, [{}, {"a", "c"}]>
  // MIN-NEXT: return
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1, 2] x [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"c", "a"}]>]>} : (tensor<4x2x32xf32>, tensor<2x32x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.dot_general %x, %y, contracting_dims = [1, 2] x [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a", "c"}]>]>} : (tensor<4x2x32xf32>, tensor<2x32x8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.dot_general %x, %y, contracting_dims = [1, 2] x [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>} : (tensor<4x2x32xf32>, tensor<2x32x8xf32>) -> tensor<4x8xf32>
  %3 = stablehlo.dot_general %x, %y, contracting_dims = [1, 2] x [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"c"}]>]>} : (tensor<4x2x32xf32>, tensor<2x32x8xf32>) -> tensor<4x8xf32>
  %4 = stablehlo.dot_general %x, %y, contracting_dims = [2, 1] x [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a", "c"}]>]>} : (tensor<4x2x32xf32>, tensor<2x32x8xf32>) -> tensor<4x8xf32>
  return
}

// One of two summed dimensions is cut; batched; the left free dimension.
// CHECK-LABEL: func @several_summed_dimensions_in_batched_result
func.func @several_summed_dimensions_in_batched_result(%x: tensor<8x64x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}, {}, {"a"}]>},
                                                       %y: tensor<8x16x16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"a"}, {}]>},
                                                       %z: tensor<8x64x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}, {"a":(2)2}, {"a":(1)2}]>},
                                                       %w: tensor<8x16x16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a":(2)2}, {"a":(1)2}, {}]>}) {
  // MIN-NEXT: %[[ONE:.*]] = stablehlo.dot_general %arg0, %arg1
  // MIN-SAME: <@mesh, [{}, {"b"}, {}]>
  // MIN-NEXT: sdy.reshard %[[ONE]] <@mesh, [{}, {"a"}, {}]>
  // MIN-NEXT: %[[PARTS:.*]] = stablehlo.dot_general %arg2, %arg3
  // MIN-SAME: <@mesh, [{"b"}, {}, {}]>
  // MIN-NEXT: sdy.reshard %[[PARTS]] <@mesh, [{"a":(2)2, "a":(1)2}, {}, {}]>
  // MIN-NEXT: stablehlo.dot_general %arg2, %arg3
  // MIN-SAME: <@mesh, [{"a"}, {}, {}]>
  // MIN-NEXT: return
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2, 3] x [1, 2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}, {}]>]>} : (tensor<8x64x16x16xf32>, tensor<8x16x16x8xf32>) -> tensor<8x64x8xf32>
  %1 = stablehlo.dot_general %z, %w, batching_dims = [0] x [0], contracting_dims = [2, 3] x [1, 2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(2)2, "a":(1)2}, {}, {}]>]>} : (tensor<8x64x16x16xf32>, tensor<8x16x16x8xf32>) -> tensor<8x64x8xf32>
  %2 = stablehlo.dot_general %z, %w, batching_dims = [0] x [0], contracting_dims = [2, 3] x [1, 2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}, {}]>]>} : (tensor<8x64x16x16xf32>, tensor<8x16x16x8xf32>) -> tensor<8x64x8xf32>
  return
}

// The third dimension is cut by the half of d that all can have, and wants more of it; the rest goes to the first
// dimension meanwhile, in another way, and so takes all of d from the third.
// CHECK-LABEL: func @extension_that_does_not_fit
func.func @extension_that_does_not_fit(%x: tensor<9x6x9xf32> {sdy.sharding = #sdy.sharding<@six, [{}, {}, {"d":(1)3}]>}, %y: tensor<9x6x9xf32>) {
  // CHECK-COUNT-2: sdy.reshard {{.*}} <@six, [{"d":(2)3}, {}, {}]>
  // CHECK: stablehlo.concatenate
  // CHECK-SAME: <@six, [{"d":(2)3}, {}, {}]>
  %0 = stablehlo.concatenate %y, %x, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@six, [{"d":(2)3}, {}, {"d":(1)2}]>]>} : (tensor<9x6x9xf32>, tensor<9x6x9xf32>) -> tensor<9x12x9xf32>
  return
}

// Once a function expects a sharding of an argument, the other arguments are open on its mesh; before, closed on
// that of the operand.
// CHECK-LABEL: func @arguments_without_sharding
func.func @arguments_without_sharding(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>) {
  // CHECK-DAG: %[[OPEN:.*]] = sdy.reshard %arg0 <@mesh, [{?}]>
  // CHECK-DAG: %[[OTHER:.*]] = sdy.reshard %arg0 <@other_axes, [{?}]>
  // CHECK-DAG: %[[CLOSED:.*]] = sdy.reshard %arg0 <@mesh, [{}]>
  // CHECK: call @expects_nothing(%[[CLOSED]], %arg1)
  // CHECK-NEXT: call @expects(%[[OPEN]], %arg1)
  // CHECK-NEXT: call @expects_on_other(%[[OTHER]], %arg1, %arg1)
  func.call @expects_nothing(%x, %y) : (tensor<8xf32>, tensor<8xf32>) -> ()
  func.call @expects(%x, %y) : (tensor<8xf32>, tensor<8xf32>) -> ()
  func.call @expects_on_other(%x, %y, %y) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> ()
  return
}
func.func private @expects_nothing(%x: tensor<8xf32>, %y: tensor<8xf32>)
func.func private @expects(%x: tensor<8xf32>, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
func.func private @expects_on_other(%x: tensor<8xf32>, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, []>}, %z: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other_axes, [{}]>})
