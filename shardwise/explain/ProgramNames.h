// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the user calls the ops and values of a program, and where they stand in the file.

#pragma once

#include "shardwise/explain/NameTable.h"
#include "shardwise/explain/ValueId.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/SourceMgr.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace shardwise::explain {

class ProgramNames {
public:
  /// Reads the names in the text that `module` was parsed from; `file` is what to call it.
  ProgramNames(mlir::ModuleOp module, const llvm::SourceMgr &source, std::string file)
      : names(readNames(module, source, std::move(file))) {}
  explicit ProgramNames(NameTable names) : names(std::move(names)) {}

  const NameTable &table() const { return names; }
  const std::string &file() const { return names.file; }

  /// Returns `%12`, `%5#1` or `%arg0`; with `@f:` in front if it is not in the entry function.
  std::string nameOf(const ValueId &id) const;
  /// The same; `result 0` for results of the program.
  std::string nameOf(const ValueRef &value) const;
  /// Returns `dot_general`, without its dialect if that is stablehlo.
  std::string opName(int64_t op) const;

  /// Returns the scopes that the user named around the op, and the way it is on.
  const SourceScope &scopeOf(int64_t op) const;

  Place placeOf(int64_t op) const;
  Place placeOf(const ValueId &id) const;
  /// Returns `model.mlir:12:5`.
  std::string textOf(const Place &place) const;

  /// Returns where the user's own source made the op, as far as the program records it:
  /// `model.py:31`, `model.py:31 (backward) in layer0/mlp`, or nothing.
  std::string sourceOf(int64_t op) const;
  /// Returns the call chain in the user's own source that made the op, the innermost place first:
  /// `model.py:31 in mlp`.
  std::vector<std::string> framesOf(int64_t op) const;
  /// Returns the function of the place that `sourceOf` tells; nothing if that is not known.
  std::string functionOf(int64_t op) const;
  /// The same as `sourceOf` of the op that makes a value; nothing for arguments.
  std::string sourceOf(const ValueId &id) const {
    return id.isOpResult() ? sourceOf(id.op) : std::string();
  }
  /// Returns what the user's source calls an argument, `params['w1']`, or a result of the program;
  /// or nothing.
  std::string labelOf(const ValueRef &value) const;

private:
  NameTable names;
};

} // namespace shardwise::explain
