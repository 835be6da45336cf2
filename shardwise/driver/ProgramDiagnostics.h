// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complaints about a program, as `file:line:column: error: ...` with the place in the source line.

#pragma once

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace shardwise::driver {

/// Prints the diagnostics of a context to a stream. Every one names a place: what concerns the
/// whole program, or comes from a location without a line, is said of line 1, column 1 of its file.
/// Of long source lines (JAX prints all arguments of a function on one) only what is around the
/// place is shown.
class ProgramDiagnostics : public mlir::SourceMgrDiagnosticHandler {
public:
  ProgramDiagnostics(llvm::SourceMgr &source, mlir::MLIRContext *context,
                     llvm::raw_ostream &errors);

  /// The file that diagnostics without a place are about.
  void setProgram(llvm::StringRef path) { program = path == "-" ? "<stdin>" : path.str(); }

private:
  void emitAtPlace(const mlir::Diagnostic &diagnostic);
  mlir::Location placeOf(mlir::Location location) const;

  std::string program = "<stdin>";
};

} // namespace shardwise::driver
