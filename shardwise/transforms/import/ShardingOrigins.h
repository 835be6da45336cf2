// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which annotation each axis of each value comes from, as debugging attributes show it.
//
// Annotations are called `input: N` and `output: N` (arguments and results of a function),
// `constraint_N`, `mc_N_input: K` and `mc_N_output: K` (shardings of a manual computation), `op_N`
// (any other op); at the annotated value itself, `self`. The attribute is `sdy.sharding_origins`:
// a dictionary from axis to name on arguments, results, constraints and data-flow edges, an array
// with one dictionary per result on other ops. Constraints and manual computations get their name
// as `sdy.sharding_origin_name`.
//
// As in Shardy, whose snapshots tools read, an axis keeps the first name it is given, which is
// where it came from first; a constraint also names the axes that its input starts with, and a
// function result has the record of the value returned.

#pragma once

#include "shardwise/dialect/sdy/SdyAttrs.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <span>
#include <string>
#include <vector>

namespace shardwise::importer {

/// The record of a module: where each axis of each value comes from.
class ShardingOrigins {
public:
  /// Names the annotations of `module` and records their axes.
  explicit ShardingOrigins(mlir::ModuleOp module);

  /// Records that `target` got `axes` from `source`. An axis of `source` without record is its own
  /// annotation.
  void move(mlir::Value source, mlir::Value target, std::span<const core::AxisRef> axes);
  /// Records that `target` got all axes that `source` has.
  void copy(mlir::Value source, mlir::Value target);

  /// Notes that `target` got `axes` because it shares a group with `source`. As in Shardy
  /// this is no record, for no op moved them; it serves where the axes move on from `target`.
  void share(mlir::Value source, mlir::Value target, std::span<const core::AxisRef> axes);

  /// Attaches what is recorded.
  void write();

private:
  struct Origin {
    core::AxisRef axis;
    mlir::StringAttr name;
  };
  using AxisOrigins = llvm::SmallVector<Origin, 2>;

  void record(mlir::Value value, sdy::TensorShardingAttr sharding, const std::string &name);
  void recordConstraints();
  void recordManualComputations();
  void recordFunctions();
  static mlir::StringAttr findName(const AxisOrigins &recorded, const core::AxisRef &axis);
  mlir::StringAttr nameOf(mlir::Value source, const core::AxisRef &axis);
  mlir::StringAttr nameOfAnnotatedOp(mlir::Operation *op);
  mlir::DictionaryAttr dictionaryOf(mlir::Value value, mlir::StringAttr ownName);
  mlir::StringAttr ownNameOf(mlir::Value value) const;
  void writeOp(mlir::Operation *op);
  void writeFunction(mlir::Operation *function);

  mlir::ModuleOp module;
  llvm::DenseMap<mlir::Value, AxisOrigins> origins;
  llvm::DenseMap<mlir::Value, AxisOrigins> originsInGroup;
  /// Names of annotations that are not found from the value: of edges of manual computations.
  llvm::DenseMap<mlir::Value, mlir::StringAttr> namesOfEdges;
  int64_t numAnnotatedOps = 0;
};

} // namespace shardwise::importer
