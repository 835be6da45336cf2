// RUN: shardwise-opt %s | FileCheck %s
// RUN: shardwise-opt %s | shardwise-opt | FileCheck %s
// RUN: shardwise-opt %s -mlir-print-op-generic | shardwise-opt | FileCheck %s
// RUN: shardwise-opt %s -emit-bytecode | shardwise-opt | FileCheck %s

sdy.mesh @m = <["x"=2, "y"=4, "z"=2]>

// CHECK-LABEL: @constraint_and_reshard
func.func @constraint_and_reshard(%t: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // CHECK: sdy.sharding_constraint %{{.*}} <@m, [{"x", ?}, {}]> : tensor<16x32xf32>
  %c = sdy.sharding_constraint %t <@m, [{"x", ?}, {}]> : tensor<16x32xf32>
  // CHECK: sdy.reshard %{{.*}} <@m, [{}, {"y"}], replicated={"z"}> {note} : tensor<16x32xf32>
  %r = sdy.reshard %c <@m, [{}, {"y"}], replicated={"z"}> {note} : tensor<16x32xf32>
  // CHECK: sdy.sharding_group %{{.*}} group_id=-4 : tensor<16x32xf32>
  sdy.sharding_group %r group_id=-4 : tensor<16x32xf32>
  // CHECK: sdy.propagation_barrier %{{.*}} allowed_direction=BACKWARD : tensor<16x32xf32>
  %b = sdy.propagation_barrier %r allowed_direction=BACKWARD : tensor<16x32xf32>
  return %b : tensor<16x32xf32>
}

// CHECK-LABEL: @constants
func.func @constants() {
  // CHECK: sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}]>]>} dense<[1, 2, 3, 4]> : tensor<4xi32>
  %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}]>]>} dense<[1, 2, 3, 4]> : tensor<4xi32>
  // CHECK: sdy.constant dense<1.000000e+00> : tensor<f32>
  %1 = sdy.constant() <{value = dense<1.0> : tensor<f32>}> : () -> tensor<f32>
  // CHECK: sdy.constant() <{value = dense<3> : tensor<4xi8>}> {tag} : () -> tensor<4x!quant.uniform<i8:f32, 2.000000e+00>>
  %2 = sdy.constant() <{value = dense<3> : tensor<4xi8>}> {tag} : () -> tensor<4x!quant.uniform<i8:f32, 2.0>>
  return
}

// CHECK-LABEL: @manual
func.func @manual(%t: tensor<16x32xf32>, %u: tensor<32xf32>) -> tensor<16x32xf32> {
  // CHECK:      sdy.manual_computation(%{{.*}}, %{{.*}}) in_shardings=[<@m, [{"x", "z"}, {?}]>, <@m, [{}], replicated={"x"}>] out_shardings=[<@m, [{"x", ?}, {}]>] manual_axes={"x"} (%{{.*}}: tensor<8x32xf32>, %{{.*}}: tensor<32xf32>) {
  // CHECK-NEXT:   sdy.return %{{.*}} : tensor<8x32xf32>
  // CHECK-NEXT: } : (tensor<16x32xf32>, tensor<32xf32>) -> tensor<16x32xf32>
  %o = sdy.manual_computation(%t, %u)
      in_shardings=[<@m, [{"x", "z"}, {?}]>, <@m, [{}], replicated={"x"}>]
      out_shardings=[<@m, [{"x", ?}, {}]>]
      manual_axes={"x"} (%lt: tensor<8x32xf32>, %lu: tensor<32xf32>) {
    sdy.return %lt : tensor<8x32xf32>
  } : (tensor<16x32xf32>, tensor<32xf32>) -> tensor<16x32xf32>
  // CHECK:      sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
  // CHECK-NEXT:   sdy.return {tag}
  // CHECK-NEXT: } {tag} : () -> ()
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    sdy.return {tag}
  } {tag} : () -> ()
  return %o : tensor<16x32xf32>
}

// CHECK-LABEL: @named
func.func @named(%t: tensor<16x32xf32>) {
  // CHECK: sdy.named_computation<"block">(%{{.*}}) in_shardings=[<@m, [{"x"}, {}]>] (%{{.*}}: tensor<16x32xf32>) {
  %0 = sdy.named_computation<"block">(%t) in_shardings=[<@m, [{"x"}, {}]>] (%p: tensor<16x32xf32>) {
    sdy.return %p : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  // CHECK: sdy.named_computation<"block">(%{{.*}}) out_shardings=[<@m, [{?}, {"y"}]>] (%{{.*}}: tensor<16x32xf32>) {
  %1 = sdy.named_computation<"block">(%t) out_shardings=[<@m, [{?}, {"y"}]>] (%p: tensor<16x32xf32>) {
    sdy.return %p : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  // CHECK: sdy.named_computation<"a b">() () {
  sdy.named_computation<"a b">() () {
    sdy.return
  } : () -> ()
  // CHECK: sdy.data_flow_edge %{{.*}} sharding=<@m, [{"x"}, {?}]> : tensor<16x32xf32>
  %e0 = sdy.data_flow_edge %0 sharding=<@m, [{"x"}, {?}]> : tensor<16x32xf32>
  // CHECK: sdy.data_flow_edge %{{.*}} : tensor<16x32xf32>
  %e1 = sdy.data_flow_edge %1 : tensor<16x32xf32>
  return
}

// CHECK-LABEL: @function_edges
func.func @function_edges(%t: tensor<8xf32>) {
  // CHECK: sdy.func_data_flow_edge %{{.*}} : tensor<8xf32>
  %e = sdy.func_data_flow_edge %t : tensor<8xf32>
  %r = func.call @callee(%e) : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: sdy.func_data_flow_edge %{{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xf32>
  %f = sdy.func_data_flow_edge %r {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xf32>
  return
}
func.func private @callee(tensor<8xf32>) -> tensor<8xf32>

// CHECK-LABEL: @collectives
func.func @collectives(
    %xy: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {"z"}]>},
    %x: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
    %xz: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"z"}]>},
    %max: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced=max{"y", "z"}>},
    %min: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced=min{"z"}>},
    %sum: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"y"}>}) {
  // CHECK: sdy.all_gather [{"y"}, {}] %{{.*}} out_sharding=<@m, [{"x"}, {"z"}]> : tensor<16x32xf32>
  %0 = sdy.all_gather [{"y"}, {}] %xy out_sharding=<@m, [{"x"}, {"z"}]> : tensor<16x32xf32>
  // A part of an axis.
  // CHECK: sdy.all_gather [{"y":(2)2}, {}] %{{.*}} out_sharding=<@m, [{"x", "y":(1)2}, {"z"}]>
  %1 = sdy.all_gather [{"y":(2)2}, {}] %xy out_sharding=<@m, [{"x", "y":(1)2}, {"z"}]> : tensor<16x32xf32>
  // The rest of the axis merges with what is there.
  // CHECK: sdy.all_slice [{"y":(2)2}, {}] %{{.*}} out_sharding=<@m, [{"x", "y"}, {"z"}]>
  %2 = sdy.all_slice [{"y":(2)2}, {}] %1 out_sharding=<@m, [{"x", "y"}, {"z"}]> : tensor<16x32xf32>
  // CHECK: sdy.all_to_all [{"y"}: 0->1] %{{.*}} out_sharding=<@m, [{"x"}, {"z", "y"}]> : tensor<16x32xf32>
  %3 = sdy.all_to_all [{"y"}: 0->1] %xy out_sharding=<@m, [{"x"}, {"z", "y"}]> : tensor<16x32xf32>
  // CHECK: sdy.collective_permute %{{.*}} out_sharding=<@m, [{"z"}, {"x"}]> : tensor<16x32xf32>
  %4 = sdy.collective_permute %xz out_sharding=<@m, [{"z"}, {"x"}]> : tensor<16x32xf32>
  // CHECK: sdy.exchange %{{.*}} out_sharding=<@m, [{"z", "x"}, {"y":(1)2}]> : tensor<16x32xf32>
  %moved = sdy.exchange %xz out_sharding=<@m, [{"z", "x"}, {"y":(1)2}]> : tensor<16x32xf32>
  // CHECK: sdy.all_reduce {"y"} %{{.*}} out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  %5 = sdy.all_reduce {"y"} %x out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  // CHECK: sdy.all_reduce {"y"} %{{.*}} out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  %6 = sdy.all_reduce sum {"y"} %sum out_sharding=<@m, [{"x"}, {}]> : tensor<16x32xf32>
  // CHECK: sdy.all_reduce max {"z"} %{{.*}} out_sharding=<@m, [{"x"}, {}], unreduced=max{"y"}> : tensor<16x32xf32>
  %7 = sdy.all_reduce max {"z"} %max out_sharding=<@m, [{"x"}, {}], unreduced=max{"y"}> : tensor<16x32xf32>
  // CHECK: sdy.reduce_scatter min [{}, {"z"}] %{{.*}} out_sharding=<@m, [{"x"}, {"z"}]> : tensor<16x32xf32>
  %8 = sdy.reduce_scatter min [{}, {"z"}] %min out_sharding=<@m, [{"x"}, {"z"}]> : tensor<16x32xf32>
  // CHECK: sdy.reduce_scatter [{"y"}, {}] %{{.*}} out_sharding=<@m, [{"x", "y"}, {}]> : tensor<16x32xf32>
  %9 = sdy.reduce_scatter [{"y"}, {}] %sum out_sharding=<@m, [{"x", "y"}, {}]> : tensor<16x32xf32>
  // CHECK: sdy.sharded_to_unreduced [{"y"}, {}] %{{.*}} out_sharding=<@m, [{"x"}, {"z"}], unreduced={"y"}> : tensor<16x32xf32>
  %10 = sdy.sharded_to_unreduced [{"y"}, {}] %xy out_sharding=<@m, [{"x"}, {"z"}], unreduced={"y"}> : tensor<16x32xf32>
  // CHECK: sdy.replicated_to_unreduced {"z"} %{{.*}} out_sharding=<@m, [{"x"}, {}], unreduced={"y", "z"}> : tensor<16x32xf32>
  %11 = sdy.replicated_to_unreduced {"z"} %sum out_sharding=<@m, [{"x"}, {}], unreduced={"y", "z"}> : tensor<16x32xf32>
  return
}
