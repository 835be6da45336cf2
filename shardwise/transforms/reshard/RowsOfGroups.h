// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of which tensors only those rows are read that belong to the groups of a device.
//
// A ragged_dot whose groups are cut reads the rows of the device's groups of `lhs`, and no others.
// What is computed row by row between two of them with the same sizes, as the hidden features of
// experts, need not be right elsewhere: each device may compute rows of its own, and what a first
// ragged_dot gives, a sum over devices in which one of all terms is not zero, need not be summed.
// Example:
//   %h = chlo.ragged_dot %x, %w1, %sizes    // %w1, %w2: groups on {"x"}
//   %r = stablehlo.logistic %h              // not linear, 0.5 in rows of others
//   %y = chlo.ragged_dot %r, %w2, %sizes    // does not read these rows; sums of %y are taken

#pragma once

#include "shardwise/rules/OpSheet.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <optional>
#include <tuple>

namespace shardwise::reshard {

/// What an op has of this.
struct RowsOfGroups {
  /// Operands that may be right in the rows of a device's groups only: all of them together.
  rules::LinearOperands operands;
  /// Whether the results may be, too.
  bool ofResults = false;
  /// Of a ragged_dot: the factor of the groups.
  std::optional<core::FactorIndex> groups;

  bool operator==(const RowsOfGroups &) const = default;
};

/// The mark of an op that partial sums pass as rows of groups, until the program is local: it
/// computes row by row, or is a ragged_dot whose groups are cut as its operands are unreduced.
inline constexpr llvm::StringLiteral kRowsOfGroupsAttr = "shardwise.rows_of_groups";

/// Finds such tensors in a module, which must not change while this is asked.
class FindRowsOfGroups {
public:
  explicit FindRowsOfGroups(mlir::ModuleOp module);

  /// Whether there are none.
  bool empty() const { return known.empty(); }
  /// Returns what `op`, which has `sheet`, has of them.
  RowsOfGroups of(mlir::Operation *op, const rules::OpSheet &sheet) const;

private:
  /// Whose groups, and which dimension of the tensor has their rows.
  struct Rows {
    mlir::Value sizes;
    int64_t dim = 0;
    bool operator==(const Rows &) const = default;
  };
  /// Results of an op with the dimension of each that has the rows.
  using RowsOfResults = llvm::SmallVector<std::pair<mlir::Value, int64_t>, 2>;

  std::optional<RowsOfResults> computedByRows(mlir::OpOperand &use, int64_t dim);
  bool isReadByGroups(mlir::Value value, const Rows &rows, int64_t depth);
  bool readsByGroups(mlir::OpOperand &use, const Rows &rows, int64_t depth);
  void add(mlir::Value value, const Rows &rows);

  /// Tensors that come from a ragged_dot and are read by groups.
  llvm::DenseMap<mlir::Value, Rows> known;
  std::map<std::tuple<const void *, const void *, int64_t>, bool> answers;
  llvm::DenseMap<mlir::Operation *, std::optional<rules::OpSheet>> sheets;
};

} // namespace shardwise::reshard
