// RUN: shardwise-opt %s -split-input-file -verify-diagnostics
// RUN: not shardwise-opt %s -split-input-file 2>&1 | FileCheck %s

// Parts are programs of their own, and expected errors are compared with those that come.

// CHECK: opt-verify-diagnostics.mlir:[[# @LINE + 2]]:{{.*}} duplicate axis name: "a"
// expected-error@+1 {{duplicate axis name: "a"}}
sdy.mesh @m = <["a"=2, "a"=2]>

// -----

sdy.mesh @m = <["a"=2]>

// -----

// CHECK: unknown mesh
// expected-error@+1 {{unknown mesh: @m}}
func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) {
  return
}
