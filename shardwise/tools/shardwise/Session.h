// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every subcommand needs: a context with the dialects, diagnostics on standard error or in a
// text, and progress on a terminal.

#pragma once

#include "shardwise/driver/Compile.h"
#include "shardwise/driver/ProgramDiagnostics.h"
#include "shardwise/support/Result.h"
#include "shardwise/tools/shardwise/Commands.h"

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>

namespace shardwise::tools {

/// One line on standard error that names the stage under way; empty when standard error is not a
/// terminal.
class Progress {
public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void show(llvm::StringRef stage);
  void clear();

private:
  bool isTerminal = false;
  bool isShown = false;
};

/// A context and the program in it. Diagnostics print as `file:line:column: error: ...` with the
/// source line; a shown progress line is cleared first.
class Session {
public:
  /// Complaints go to `errors`.
  explicit Session(llvm::raw_ostream &errors = llvm::errs());
  ~Session();

  /// Reads and verifies the program at `path` (`-` is standard input). `written`, where not null,
  /// gets what its text calls values, and where.
  llvm::FailureOr<mlir::ModuleOp> load(const std::string &path,
                                       mlir::AsmParserState *written = nullptr);

  /// Shows a stage as progress.
  transforms::StageListener stageListener();
  /// Options whose stages show up as progress.
  driver::CompileOptions compileOptions();

  /// Complains about what is no matter of the program's text. Returns how the command ends.
  int report(const Error &error);

  /// The text of the program that was read.
  const llvm::SourceMgr &source() const { return sourceManager; }

  Progress progress;

private:
  llvm::raw_ostream &errors;
  mlir::MLIRContext context;
  llvm::SourceMgr sourceManager;
  std::unique_ptr<driver::ProgramDiagnostics> diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace shardwise::tools
