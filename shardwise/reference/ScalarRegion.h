// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of a reduction, sort or scatter as a function on single elements.

#pragma once

#include "shardwise/reference/ElementFunction.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <mlir/IR/Region.h>
#include <mlir/Support/LogicalResult.h>

#include <vector>

namespace shardwise::reference {

/// A region of ops on rank-0 tensors as a straight list of element functions over numbered cells.
/// Arguments come first, then constants and captured values, then one cell per op result. Building
/// it once lets a reduction call it per element without touching IR.
class ScalarRegion {
public:
  /// Returns the value a region captures from outside.
  using Lookup = llvm::function_ref<const HostTensor *(mlir::Value)>;

  /// Fails with a diagnostic if an op in `region` is not element-wise on rank 0. Calls are
  /// inlined.
  static mlir::FailureOr<ScalarRegion> create(mlir::Region &region, Lookup lookup);

  int64_t numResults() const { return static_cast<int64_t>(resultCells.size()); }
  DataType resultType(int64_t result) const { return resultTypes[result]; }
  /// The type of argument `argument`: values are to be converted to it before a call.
  DataType argumentType(int64_t argument) const { return argumentTypes[argument]; }

  /// Computes the results. Requires one argument per region argument. Not re-entrant: cells are
  /// reused.
  llvm::ArrayRef<Scalar> operator()(llvm::ArrayRef<Scalar> arguments) const;

  /// Whether the body is one commutative op on both arguments; gives its name.
  llvm::StringRef singleOpName() const { return onlyOp; }

private:
  struct Step {
    ElementFunction function;
    llvm::SmallVector<int, 3> operands;
    int result;
  };

  mlir::LogicalResult append(mlir::Block &block, Lookup lookup, llvm::DenseMap<mlir::Value, int> &,
                             llvm::SmallVectorImpl<int> &returned);
  mlir::LogicalResult appendOp(mlir::Operation &op, Lookup lookup,
                               llvm::DenseMap<mlir::Value, int> &cellOf);
  int addCell(const Scalar &initial);

  std::vector<Step> steps;
  llvm::SmallVector<int, 2> resultCells;
  llvm::SmallVector<DataType, 4> argumentTypes;
  llvm::SmallVector<DataType, 2> resultTypes;
  std::string onlyOp;
  mutable std::vector<Scalar> cells;
  mutable llvm::SmallVector<Scalar, 2> results;
};

} // namespace shardwise::reference
