// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program must satisfy before it is partitioned, checked on the program as the user wrote
// it, so that every complaint points at the user's line.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/dialect/sdy/ShardingPlaces.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/LogicalResult.h"

#include <optional>
#include <string>
#include <vector>

namespace shardwise::importer {

/// Returns the first mesh with axes that the program's shardings use, else its first mesh with
/// axes, else the mesh of a single device that they use, else the empty mesh. Fails with a
/// diagnostic unless all others that shardings use have the same axes, in any order of devices, or
/// are one of the devices; and if the mesh has more devices than `maxDevices`, or than 2^24.
llvm::FailureOr<core::Mesh> programMesh(mlir::ModuleOp module, std::optional<int64_t> maxDevices);

/// Whether a sharding at such a place has to cut its tensor into equal shards. At the border of a
/// manual computation its body is written for shards of one size, none of them padded; the dialect
/// sees to it that manual axes divide. Named computations become functions, whose calls have equal
/// shards. What a collective does was decided by whoever wrote it.
bool needsEqualShards(sdy::ShardingPlaceKind kind);
/// Whether it is cut by the axes that divide if it has not. Else it is refused.
bool isCutToEqualShards(sdy::ShardingPlaceKind kind);

/// Which dimensions of arguments and results are taken as written by a user: closed ones only,
/// which also a propagated program tells, or all.
enum class WrittenDims { Closed, All };

/// Whether an argument, a result, a constraint or a reshard asks for shards that are not equal.
bool hasUnevenAnnotation(mlir::ModuleOp module, WrittenDims written);

/// A written sharding that does not cut a dimension into equal shards, where it has to.
struct UnevenSharding {
  mlir::Location location;
  /// The op that carries it.
  mlir::Operation *op = nullptr;
  /// What was given and what to do.
  std::string message;
  /// The program is partitioned nevertheless, with fewer axes there.
  bool isCut = false;
};

/// Returns the dimensions of written shardings that do not divide evenly, those in the body of an
/// op before those of the op.
std::vector<UnevenSharding> unevenShardings(mlir::ModuleOp module);

/// Refuses shardings in the form of JAX's older partitioner (GSPMD), `mhlo.sharding`, in a program
/// without others: they would be lost without a word.
llvm::LogicalResult checkShardingForm(mlir::ModuleOp module);

/// Checks that every written sharding that needs equal shards has them. Emits one diagnostic per
/// dimension that does not: a warning where it is cut less, else an error.
llvm::LogicalResult checkEvenShardings(mlir::ModuleOp module);

} // namespace shardwise::importer
