// RUN: shardwise-opt %s -split-input-file -shardwise-remove-unused-symbols | FileCheck %s

// Private functions that nothing calls go, and with them those that only they call.
sdy.mesh @mesh = <["x"=2]>
// CHECK: sdy.mesh @mesh
// CHECK: func.func @main
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @used(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// CHECK: func.func private @used
func.func private @used(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
// CHECK-NOT: @unused
func.func private @unused(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @unusedToo(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @unusedToo(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
// CHECK: func.func @public
func.func @public() {
  return
}

// -----

// A module inside has symbols of its own.
// CHECK: module @inner
// CHECK-NEXT: }
module @inner {
  func.func private @unused() {
    return
  }
}
