// RUN: shardwise-opt %s -allow-unregistered-dialect -split-input-file -sdy-propagate-to-func-results | FileCheck %s
// RUN: not shardwise-opt %s -allow-unregistered-dialect -split-input-file -sdy-import-func-calls 2>&1 | FileCheck %s --check-prefix=IMPORT

// An op that nobody knows may end a function. What the function returns is then unknown, so its results
// keep what they have.
// CHECK-LABEL: func.func private @bar
// CHECK-SAME: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>})
sdy.mesh @m = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func private @bar(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  "test.terminator"() : () -> ()
}

// -----

// CHECK-LABEL: func.func @main
// IMPORT: error: 'test.terminator' op ends function @bar, expected 'func.return'
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @bar(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @bar(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  "test.terminator"() : () -> ()
}
