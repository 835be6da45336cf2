// RUN: shardwise-opt %s -sdy-insert-explicit-reshards | FileCheck %s --check-prefixes=CHECK,MIN
// RUN: shardwise-opt %s -sdy-insert-explicit-reshards=enable-full-version=true | FileCheck %s --check-prefixes=CHECK,FULL
// The minimal version leaves concatenations alone whose operands and result have identical
// shardings as written. What Shardy gives for the same programs.

sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @same = <["a"=2, "b"=2]>
sdy.mesh @reversed = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>

// So the concatenated dimension may be cut.
// CHECK-LABEL: func @concatenate_agreed
func.func @concatenate_agreed(%x: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})
    -> (tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  // MIN-NEXT: stablehlo.concatenate %arg0, %arg0
  // FULL-COUNT-2: sdy.reshard %arg0 <@mesh, [{}, {"a"}]>
  // CHECK: return
  %0 = stablehlo.concatenate %x, %x, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<64x8xf32>
  return %0 : tensor<64x8xf32>
}

// Agreement is not enough, if one dimension is open and the other is not.
// CHECK-LABEL: func @concatenate_open
func.func @concatenate_open(%x: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %y: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {}]>})
    -> (tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  // CHECK-NEXT: %[[X:.*]] = sdy.reshard %arg0 <@mesh, [{}, {"a"}]>
  // CHECK-NEXT: %[[Y:.*]] = sdy.reshard %arg1 <@mesh, [{?}, {"a"}]>
  // CHECK-NEXT: stablehlo.concatenate %[[X]], %[[Y]]
  %0 = stablehlo.concatenate %x, %y, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<64x8xf32>
  return %0 : tensor<64x8xf32>
}

// What a barrier says counts. Where something is resharded, it is the input of the barrier that counts.
// CHECK-LABEL: func @barrier_agrees
func.func @barrier_agrees(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>})
    -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) {
  // CHECK-NEXT: %[[BARRIER:.*]] = sdy.propagation_barrier %arg1
  // MIN-NEXT: stablehlo.concatenate %arg0, %[[BARRIER]]
  // FULL-NEXT: %[[AGAIN:.*]] = sdy.reshard %[[BARRIER]] <@mesh, [{}, {"a"}]>
  // FULL-NEXT: stablehlo.concatenate %arg0, %[[AGAIN]]
  // CHECK-NEXT: return
  %0 = sdy.propagation_barrier %y allowed_direction=FORWARD {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>} : tensor<8x8xf32>
  %1 = stablehlo.concatenate %x, %0, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// Nothing is said of any of them.
// CHECK-LABEL: func @barrier_says_nothing
func.func @barrier_says_nothing(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %y: tensor<8x8xf32>) -> tensor<16x8xf32> {
  // CHECK-NEXT: %[[BARRIER:.*]] = sdy.propagation_barrier %arg0
  // MIN-NEXT: stablehlo.concatenate %[[BARRIER]], %arg1
  // MIN-NEXT: return
  // FULL-NEXT: %[[Y:.*]] = sdy.reshard %arg1 <@mesh, [{}, {"a"}]>
  // FULL-NEXT: stablehlo.concatenate %[[BARRIER]], %[[Y]]
  // FULL-NEXT: sdy.reshard {{.*}} <@mesh, [{}, {}]>
  %0 = sdy.propagation_barrier %x allowed_direction=BACKWARD : tensor<8x8xf32>
  %1 = stablehlo.concatenate %0, %y, dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// A replicated sharding is another one than none.
// CHECK-LABEL: func @barrier_and_replicated
func.func @barrier_and_replicated(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> tensor<16x8xf32> {
  // CHECK-NEXT: %[[BARRIER:.*]] = sdy.propagation_barrier %arg0
  // CHECK-NEXT: %[[Y:.*]] = sdy.reshard %arg1 <@mesh, [{}, {"a"}]>
  // CHECK-NEXT: %[[ALL:.*]] = stablehlo.concatenate %[[BARRIER]], %[[Y]]
  // CHECK-SAME: <@mesh, [{}, {"a"}]>
  // CHECK-NEXT: sdy.reshard %[[ALL]] <@mesh, [{}, {}]>
  %0 = sdy.propagation_barrier %x allowed_direction=BACKWARD : tensor<8x8xf32>
  %1 = stablehlo.concatenate %0, %y, dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// Partial values may stay so in a dimension that is cut.
// CHECK-LABEL: func @unreduced_stays
func.func @unreduced_stays(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>})
    -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) {
  // MIN-NEXT: stablehlo.concatenate %arg0, %arg0
  // FULL-COUNT-2: sdy.reshard %arg0 <@mesh, [{}, {"a"}], unreduced={"b"}>
  // CHECK: return
  %0 = stablehlo.concatenate %x, %x, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}], unreduced={"b"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// Those that are combined first have been different as written.
// CHECK-LABEL: func @unreduced_is_combined
func.func @unreduced_is_combined(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>})
    -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  // CHECK-COUNT-2: sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}, {}]>
  // CHECK-COUNT-2: sdy.reshard {{.*}} <@mesh, [{}, {"a"}]>
  // CHECK: stablehlo.concatenate
  %0 = stablehlo.concatenate %x, %x, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// Of meshes with another order of devices, the one that is the first to be there as often as any is taken.
// CHECK-LABEL: func @orders_of_devices
func.func @orders_of_devices(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@reversed, [{}, {"a"}]>},
                             %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) {
  // CHECK-NEXT: sdy.reshard %arg0 <@mesh, [{}, {"a"}]>
  // CHECK-COUNT-2: sdy.reshard %arg1 <@mesh, [{}, {"a"}]>
  // CHECK-NEXT: %[[Z:.*]] = stablehlo.concatenate
  // CHECK-SAME: <@mesh, [{}, {"a"}]>
  // CHECK-NEXT: sdy.reshard %[[Z]] <@reversed, [{}, {"a"}]>
  %0 = stablehlo.concatenate %x, %y, %y, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@reversed, [{}, {"a"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<24x8xf32>
  return
}

// Two names of one mesh say the same.
// CHECK-LABEL: func @names_of_a_mesh
func.func @names_of_a_mesh(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@same, [{}, {"a"}]>}) {
  // CHECK-NEXT: stablehlo.concatenate %arg0, %arg1
  // CHECK-NEXT: return
  %0 = stablehlo.concatenate %x, %y, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@same, [{}, {"a"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return
}
