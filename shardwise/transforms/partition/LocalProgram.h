// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the local forms of ops need to know of the program that is being rewritten: the global
// type and the sharding every value had, the device's coordinates, and names for collectives.

#pragma once

#include "shardwise/core/Sharding.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/DeviceCoordinates.h"
#include "shardwise/transforms/reshard/IntervalFetches.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace shardwise::partition {

/// A program between global and local shapes. First every cut value is recorded and gets its
/// local type; then the ops are brought into local form, which ask here what their values were.
class LocalProgram {
public:
  /// `program` must outlive this. Channel handles start behind those that `module` has.
  LocalProgram(reshard::ShardedProgram &program, mlir::ModuleOp module);

  const core::Mesh &mesh() const { return program.mesh(); }
  reshard::ShardedProgram &shardings() { return program; }

  /// Records global type and sharding of `value` and sets its local type. Does nothing for values
  /// that every device holds whole.
  void makeLocal(mlir::Value value);

  /// Says that `value`, which is of local type already, stands for what `like` does.
  void recordLike(mlir::Value value, mlir::Value like);

  /// Whether the device holds only a part of `value`.
  bool isCut(mlir::Value value) const { return cutValues.contains(value); }
  /// Axes of dimension `dim` of `value`.
  core::AxisList axesOf(mlir::Value value, int64_t dim) const;
  /// Type `value` had in the global program.
  mlir::RankedTensorType globalType(mlir::Value value) const;

  /// Records what `op` fetches, for which its global types are needed.
  void recordFetches(mlir::Operation *op);
  /// What `op` fetches.
  llvm::ArrayRef<reshard::IntervalFetch> fetchesOf(mlir::Operation *op) const;

  /// The mesh that the values of `op` are on; that of the program if all of them are whole.
  mlir::Attribute meshOf(mlir::Operation *op) const;
  /// Coordinates of the device in the mesh of `op`, at the start of the function around it.
  DeviceCoordinates &coordinatesAt(mlir::Operation *op);
  // Forms look their operands up, so what an op becomes takes its place only in the end.

  /// Lets the uses of `from`, save those in `except`, be of `to` when `finish` is called.
  void replaceInTheEnd(mlir::Value from, mlir::Value to, mlir::Operation *except = nullptr);
  /// Erases `op`, whose results have been replaced, when `finish` is called.
  void eraseInTheEnd(mlir::Operation *op) { obsolete.push_back(op); }
  /// Puts the body of `op`, whose arguments and results have been replaced, in its place when
  /// `finish` is called.
  void inlineInTheEnd(mlir::Operation *op) { inlined.push_back(op); }
  /// Carries out what was put off. What values were cannot be looked up afterwards.
  void finish();

  /// Returns a channel that no other collective of the module has.
  stablehlo::ChannelHandleAttr nextChannel();
  /// Returns the replica groups within which `axes` vary in the mesh of `op`, first axis most
  /// major.
  stablehlo::ReplicaGroupMeshAxesAttr groupsOver(const core::AxisList &axes,
                                                 mlir::Operation *op) const;

private:
  struct CutValue {
    mlir::RankedTensorType globalType;
    const core::Sharding *sharding;
  };

  reshard::ShardedProgram &program;
  mlir::MLIRContext *context;
  llvm::DenseMap<mlir::Value, CutValue> cutValues;
  /// By function and mesh.
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Attribute>, std::unique_ptr<DeviceCoordinates>>
      coordinates;
  int64_t lastChannel = 0;

  struct Replacement {
    mlir::Value from, to;
    mlir::Operation *except;
  };
  llvm::SmallVector<Replacement> replacements;
  llvm::SmallVector<mlir::Operation *> obsolete;
  llvm::SmallVector<mlir::Operation *> inlined;

  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<reshard::IntervalFetch>> fetches;
};

/// Returns `type` with every dimension divided by the axes that cut it, rounded up: with x=4 and
/// `[{"x"}]`, 3xf32 for 10xf32, of which the device with x=3 has one element and padding.
mlir::RankedTensorType localType(mlir::RankedTensorType type, const core::Sharding &sharding);

} // namespace shardwise::partition
