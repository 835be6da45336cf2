// RUN: shardwise-opt %s -sdy-basic-propagate -canonicalize -mlir-timing -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIMING
// RUN: shardwise-opt %s -sdy-basic-propagate -canonicalize --shardwise-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATISTICS
// RUN: shardwise-opt %s -sdy-basic-propagate -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STOCK
// RUN: shardwise-opt %s -sdy-basic-propagate -mlir-print-ir-before-all -mlir-print-ir-after-all -o /dev/null 2>&1 | FileCheck %s --check-prefix=DUMP
// RUN: shardwise-opt %s -sdy-basic-propagate -canonicalize -mlir-print-ir-after-all -mlir-print-ir-after-change -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHANGE
// RUN: shardwise-opt %s -pass-pipeline='builtin.module(sdy-basic-propagate)' -dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: shardwise-opt %s -verify-roundtrip -o /dev/null
// RUN: shardwise-opt %s -emit-bytecode | shardwise-opt | FileCheck %s --check-prefix=BYTECODE
// RUN: shardwise-opt %s -mlir-print-op-generic | shardwise-opt | FileCheck %s --check-prefix=BYTECODE
// RUN: not shardwise-opt %s.none --shardwise-statistics 2>&1 | FileCheck %s --check-prefix=MISSING

// The options of mlir-opt, and --shardwise-statistics.

// TIMING: Execution time report
// TIMING: Parser
// TIMING: BasicPropagatePass
// TIMING: Canonicalizer

// STATISTICS: pass {{ *}}runs  ops {{ *}}sharded values reshards {{ *}}collectives
// STATISTICS-NEXT: sdy-basic-propagate {{ *}}1  5 {{ *}}1 -> 2
// STATISTICS-NEXT: canonicalize {{ *}}1  5 {{ *}}2

// STOCK: Pass statistics report

// DUMP: IR Dump Before BasicPropagatePass (sdy-basic-propagate)
// DUMP: IR Dump After BasicPropagatePass (sdy-basic-propagate)

// CHANGE: IR Dump After BasicPropagatePass
// CHANGE-NOT: IR Dump After Canonicalizer

// PIPELINE: Pass Manager with
// PIPELINE: sdy-basic-propagate

// MISSING: No such file or directory

// BYTECODE: sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @mesh = <["x"=2, "y"=4]>
// BYTECODE: func.func @main(%{{.*}}: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
func.func @main(%lhs: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %rhs: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %product = stablehlo.dot_general %lhs, %rhs, contracting_dims = [1] x [0]
      : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  return %product : tensor<8x32xf32>
}
