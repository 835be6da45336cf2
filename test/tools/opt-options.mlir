// RUN: shardwise-opt %s -sdy-basic-propagate -canonicalize -mlir-timing -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIMING
// RUN: shardwise-opt %s -sdy-basic-propagate -canonicalize --shardwise-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATISTICS
// RUN: shardwise-opt %s -sdy-basic-propagate -canonicalize -mlir-pass-statistics -mlir-pass-statistics-display=pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: shardwise-opt %s -sdy-basic-propagate -canonicalize --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: shardwise-opt %s -sdy-basic-propagate --mlir-pass-statistics=false -o /dev/null 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
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

// REPORT-COUNT-1: ... Pass statistics report ...
// REPORT:      {{^}}BasicPropagatePass
// REPORT-NEXT: (S) {{ *}}1 runs - Number of times that the pass ran
// REPORT-NEXT: (S) {{ *}}5 ops-before - Number of ops that the pass found
// REPORT-NEXT: (S) {{ *}}5 ops-after - Number of ops that the pass left
// REPORT-NEXT: (S) {{ *}}1 sharded-values-before
// REPORT-NEXT: (S) {{ *}}2 sharded-values-after
// REPORT:      {{^}}Canonicalizer
// REPORT-NOT:  statistics report

// LIST: {{^}}BasicPropagatePass
// LIST: {{^}}Canonicalizer

// SILENT-NOT: statistics

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
