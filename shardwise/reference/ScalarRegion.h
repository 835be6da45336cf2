// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of a reduction, sort or scatter as a function on single elements.

#pragma once

#include "shardwise/reference/ElementFunction.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <mlir/IR/Region.h>
#include <mlir/Support/LogicalResult.h>

#include <vector>

namespace shardwise::reference {

/// A region of ops on rank-0 tensors as a list of element functions over numbered cells. Arguments
/// come first, then constants, captured values and op results. Building it once lets a reduction
/// call it per element without touching IR.
class ScalarRegion {
public:
  /// Returns the value a region captures from outside.
  using Lookup = llvm::function_ref<const HostTensor *(mlir::Value)>;

  /// Fails with a diagnostic if an op in `region` is neither element-wise on rank 0 nor control
  /// flow on such values. Calls are inlined.
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
  using Cells = llvm::SmallVector<int, 3>;
  struct Step;
  /// A block: where its arguments are put, what it does, and where its results are.
  struct Body {
    Cells arguments, returned;
    std::vector<Step> steps;
  };
  /// One op: an element function, or a choice of one of `bodies`, or a loop with the condition and
  /// the iteration in `bodies`.
  struct Step {
    enum class Kind { Compute, Choose, Loop };
    Kind kind = Kind::Compute;
    ElementFunction function = {};
    Cells operands = {}, results = {};
    std::vector<Body> bodies = {};
  };
  /// Cells of values, and what is captured.
  struct Scope {
    llvm::DenseMap<mlir::Value, int> cellOf = llvm::DenseMap<mlir::Value, int>();
    Lookup lookup;
  };

  mlir::LogicalResult append(mlir::Block &block, Scope &scope, Body &body);
  mlir::LogicalResult appendOp(mlir::Operation &op, Scope &scope, Body &body);
  mlir::LogicalResult appendCall(mlir::Operation &op, mlir::SymbolRefAttr callee, Scope &scope,
                                 Body &body, const Cells &operands);
  mlir::FailureOr<int> cellOf(mlir::Operation &user, mlir::Value value, Scope &scope);
  int addCell(const Scalar &initial);
  void run(const Body &body) const;
  void runLoop(const Step &step) const;

  Body main;
  llvm::SmallVector<int, 2> resultCells;
  llvm::SmallVector<DataType, 4> argumentTypes;
  llvm::SmallVector<DataType, 2> resultTypes;
  std::string onlyOp;
  /// Functions whose bodies are being appended.
  llvm::DenseSet<mlir::Operation *> inlining;
  mutable std::vector<Scalar> cells;
  mutable llvm::SmallVector<Scalar, 2> results;
};

} // namespace shardwise::reference
