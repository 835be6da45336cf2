// RUN: shardwise-opt %s -split-input-file -verify-diagnostics -shardwise-insert-partition-reshards | FileCheck %s

sdy.mesh @mesh = <["data"=4]>

// What propagation chose is cut to the longest prefix that divides evenly, where nothing uneven was asked for.
// CHECK-LABEL: func @cut
func.func @cut(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data":(1)2}]>}) -> tensor<6xf32> {
  // CHECK: stablehlo.sine %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data":(1)2}]>]>}
  %0 = stablehlo.sine %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}]>]>} : tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

sdy.mesh @mesh = <["data"=4]>

// Uneven shards stay uneven where the op can live with padding.
// CHECK-LABEL: func @local
func.func @local(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) {
  // CHECK-NEXT: %[[A:.*]] = stablehlo.sine %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}]>]>}
  // CHECK-NEXT: return %[[A]]
  %0 = stablehlo.sine %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}]>]>} : tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

sdy.mesh @mesh = <["data"=4]>

// A part of a product of factors is cut to the longest prefix that divides evenly.
// CHECK-LABEL: func @split
func.func @split(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) -> (tensor<2x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data":(1)2}, {}]>}) {
  // CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"data":(1)2}]>
  // CHECK-NEXT: stablehlo.reshape %[[A]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data":(1)2}, {}]>]>}
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data":(1)2}, {}]>]>} : (tensor<6xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

sdy.mesh @mesh = <["data"=4]>

// CHECK-LABEL: func @reshard
func.func @reshard(%a: tensor<6xf32>) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) {
  // CHECK: sdy.reshard %arg0 <@mesh, [{"data"}]>
  %0 = sdy.reshard %a <@mesh, [{"data"}]> : tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

sdy.mesh @mesh = <["data"=4]>

// What nobody works from is not made.
// CHECK-LABEL: func @reshardOfNoUse
// CHECK-NEXT: return %arg0
func.func @reshardOfNoUse(%a: tensor<6xf32>) -> tensor<6xf32> {
  %0 = sdy.reshard %a <@mesh, [{"data"}]> : tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

sdy.mesh @mesh = <["data"=4, "manual"=2]>

// A manual computation takes equal shards.
// CHECK-LABEL: func @manual
func.func @manual(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"manual"}, {"data"}]>}) -> tensor<8x6xf32> {
  // CHECK: sdy.manual_computation(%{{.*}}) in_shardings=[<@mesh, [{"manual"}, {"data":(1)2}]>] out_shardings=[<@mesh, [{"manual"}, {}]>]
  // expected-remark @below {{dimension 1 of size 6 is not divisible by 4 and is cut less; pad the dimension or choose other axes}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"manual"}, {"data"}]>] out_shardings=[<@mesh, [{"manual"}, {}]>] manual_axes={"manual"} (%p: tensor<4x6xf32>) {
    %1 = stablehlo.negate %p : tensor<4x6xf32>
    sdy.return %1 : tensor<4x6xf32>
  } : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

sdy.mesh @mesh = <["data"=4]>

func.func @collective(%a: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error @below {{dimension 0 of size 6 is not divisible by 4 ({"data"}); pad the dimension or choose other axes}}
  %0 = sdy.all_slice [{"data"}] %a out_sharding=<@mesh, [{"data"}]> : tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

sdy.mesh @a = <["data"=4]>
// expected-note @above {{the other mesh is here}}
// expected-error @below {{a program is partitioned over meshes of the same axes, but "b" differs from "a"; write all shardings with the axes of one mesh}}
sdy.mesh @b = <["data"=2]>

func.func @meshes(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"data"}]>},
                  %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@b, [{"data"}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["data"=4]>

func.func @partition(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) -> tensor<ui32> {
  // expected-error @below {{differs from device to device, which a global program cannot; write it in an sdy.manual_computation}}
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
}
