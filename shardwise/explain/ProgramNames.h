// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the user calls the ops and values of a program, and where they stand in the file. Passes
// keep neither names nor ops, so ops are marked in their locations, which passes do keep.

#pragma once

#include "shardwise/explain/JaxNames.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SourceMgr.h"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shardwise::explain {

/// A value of the program as written: result `index` of op number `op`, or argument `index` of its
/// region `region`. Ops are numbered in pre-order.
struct ValueId {
  int64_t op = -1;
  /// -1 for results.
  int32_t region = -1;
  int32_t index = 0;

  bool isKnown() const { return op >= 0; }
  auto operator<=>(const ValueId &) const = default;
};

class ProgramNames {
public:
  /// Reads the names in the text that `module` was parsed from. Values that have none there,
  /// because the program is bytecode, get the names that printing would give them.
  ProgramNames(mlir::ModuleOp module, const llvm::SourceMgr &source, std::string file);

  /// Marks the ops of `module`, which must be (a copy of) the one that was named.
  static void mark(mlir::ModuleOp module);
  /// Returns the number of the op that an op with this location was made from; -1 if none.
  /// Inlining keeps the number of the op that was inlined.
  static int64_t numberOf(mlir::Location location);
  /// Returns the value that `value`, of a marked module, was in the program as written.
  static ValueId idOf(mlir::Value value);

  /// Returns `%12`, `%5#1` or `%arg0`; with `@f:` in front if it is not in the entry function.
  std::string nameOf(const ValueId &id) const;
  /// Returns `model.mlir:12:5`.
  std::string placeOf(int64_t op) const;
  std::string placeOf(const ValueId &id) const;
  /// Returns where the user's own source made the op, as far as the program records it:
  /// `model.py:31`, `model.py:31 (backward) in layer0/mlp`, or nothing.
  std::string sourceOf(int64_t op) const;
  /// Returns what the user's source calls an argument: `params['w1']`, or nothing.
  std::string labelOf(const ValueId &id) const;
  /// Returns `dot_general`, without its dialect if that is stablehlo.
  std::string opName(int64_t op) const;

  /// Returns the values that `text` stands for: a name, one with `@f:` in front, what the user's
  /// source calls an argument, or `FILE:LINE`, `:LINE` for what that line defines, in the program
  /// or in the source it was made from. Names of the entry function go before others.
  std::vector<ValueId> find(llvm::StringRef text) const;
  /// Returns why `find` found nothing: what `text` asks for, what there is, and how values are
  /// written.
  std::string whyNotFound(llvm::StringRef text) const;

private:
  struct NamedOp {
    std::string name;
    int32_t function = -1;
    unsigned line = 0;
    unsigned column = 0;
    /// Where the user's own source made it, if the program says so.
    std::string origin;
    SourceScope scope;
  };
  /// `FILE:LINE`, split.
  struct LineAsked {
    llvm::StringRef file;
    unsigned line = 0;
  };

  void readText(const llvm::SourceMgr &source, mlir::MLIRContext *context);
  void printNames(mlir::ModuleOp module);
  void addName(const ValueId &id, std::string name, unsigned line, unsigned column);
  void addLabels(mlir::Operation *op, int64_t number);
  static std::optional<LineAsked> lineIn(llvm::StringRef text);
  std::vector<ValueId> findLine(const LineAsked &asked) const;
  bool isThisFile(llvm::StringRef asked) const;
  std::vector<std::string> nearest(llvm::StringRef text, size_t count) const;

  std::string file;
  std::string entry;
  std::vector<NamedOp> ops;
  std::vector<std::string> functions;
  struct NamedValue {
    std::string name;
    unsigned line = 0;
    unsigned column = 0;
  };
  std::map<ValueId, NamedValue> values;
  std::map<std::string, std::vector<ValueId>> byName;
  std::map<ValueId, std::string> labels;
};

} // namespace shardwise::explain
