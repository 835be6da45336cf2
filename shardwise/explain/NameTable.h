// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names and places in the text of a program, as read. ProgramNames.h answers what something is
// called, FindValues.h what a name stands for.

#pragma once

#include "shardwise/explain/JaxNames.h"
#include "shardwise/explain/ValueId.h"

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/SourceMgr.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace shardwise::explain {

/// An op of the program as written.
struct NamedOp {
  /// `dot_general`: without its dialect if that is stablehlo.
  std::string name;
  /// Number in `NameTable::functions`; -1 outside of functions.
  int32_t function = -1;
  unsigned line = 0;
  unsigned column = 0;
  /// Where the user's own source made it, `model.py:31`, if the program says so: the innermost
  /// place that is no helper.
  std::string origin;
  /// Numbers in `NameTable::frames`, the innermost first.
  std::vector<int32_t> frames;
  /// Which of these is `origin`.
  int32_t shownFrame = 0;
  SourceScope scope;
};

/// A value of the program as written, and where its name stands.
struct NamedValue {
  std::string name;
  unsigned line = 0;
  unsigned column = 0;
};

struct NameTable {
  std::string file;
  /// The function that the program starts with.
  std::string entry;
  std::vector<std::string> functions;
  /// By number.
  std::vector<NamedOp> ops;
  /// Places in the user's source, each once.
  std::vector<SourceFrame> frames;
  std::map<ValueId, NamedValue> values;
  /// What the user's source calls arguments, and results of the program: `params['w1']`.
  std::map<ValueId, std::string> labels;
  std::vector<std::string> resultLabels;
};

/// Reads the names in the text that `module` was parsed from: `written` is what the parser saw in
/// `source`, and `file` what to call it. If there are none, as the program is bytecode, values get
/// the names that printing would give them.
NameTable readNames(mlir::ModuleOp module, const mlir::AsmParserState &written,
                    const llvm::SourceMgr &source, std::string file);

/// The same where nobody asked the parser: parses the text a second time.
NameTable readNames(mlir::ModuleOp module, const llvm::SourceMgr &source, std::string file);

} // namespace shardwise::explain
