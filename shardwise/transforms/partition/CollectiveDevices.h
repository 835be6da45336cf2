// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which devices of a per-device program meet in a collective, as lists of their numbers, however
// the op writes them.

#pragma once

#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/LogicalResult.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace shardwise::partition {

/// Devices that meet, one row per group.
using DeviceRows = std::vector<std::vector<int64_t>>;

/// Reads the collectives of one module. Groups that many ops have are worked out once.
class CollectiveDevices {
public:
  /// Fails, with a diagnostic, if `module` does not say how many devices it is for, or has several
  /// replicas: a device is then no partition.
  static llvm::FailureOr<CollectiveDevices> create(mlir::ModuleOp module);

  int64_t numDevices() const { return deviceCount; }

  /// Returns the groups of `op`, a collective other than a permute, in the order of their first
  /// devices. Fails with a diagnostic at the op.
  llvm::FailureOr<const DeviceRows *> rowsOf(mlir::Operation *op);
  /// Returns {source, target} of everything that `op` sends. Fails with a diagnostic at the op.
  llvm::FailureOr<std::vector<int64_t>> pairsOf(stablehlo::CollectivePermuteOp op);

private:
  CollectiveDevices(mlir::ModuleOp module, int64_t numDevices)
      : module(module), deviceCount(numDevices) {}

  mlir::ModuleOp module;
  int64_t deviceCount;
  /// By groups and strategy. A map: its entries stay where they are.
  std::map<std::pair<const void *, int>, DeviceRows> known;
};

/// Returns rows as the attribute `replica_groups`; -1 fills those that are shorter than others.
mlir::DenseIntElementsAttr toAttr(mlir::MLIRContext *context, const DeviceRows &rows);
/// Returns numbers as the attribute `source_target_pairs`.
mlir::DenseIntElementsAttr pairsAttr(mlir::MLIRContext *context, std::span<const int64_t> numbers);

/// Returns the element of `table`, a constant of one dimension, for the number `index`, a scalar:
/// what a device looks up by its own number.
mlir::Value elementAt(mlir::OpBuilder &builder, mlir::Location location,
                      mlir::DenseElementsAttr table, mlir::Value index);

} // namespace shardwise::partition
