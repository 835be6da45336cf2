// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading a program: from a file or standard input, as text or bytecode, into a verified module.

#pragma once

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>
#include <string>

namespace shardwise::driver {

/// Reads the program at `path`, `-` for standard input, and verifies it. `sourceManager` gets the
/// text, so that a `SourceMgrDiagnosticHandler` on it can show the lines it complains about.
/// Fails with a diagnostic if the file cannot be read, is empty, does not parse or verify, has no
/// function to run, or uses what is not supported (dynamic shapes, unknown ops or custom calls).
/// Meshes of several axes over the same devices become one: see transforms/import/UnifyMeshes.h.
/// `written`, where not null, gets what the text calls values, and where; nothing for bytecode.
llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
loadProgram(llvm::StringRef path, mlir::MLIRContext &context, llvm::SourceMgr &sourceManager,
            mlir::AsmParserState *written = nullptr);

/// The same for a program in memory; complaints call it `path`.
llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
parseProgram(std::unique_ptr<llvm::MemoryBuffer> program, llvm::StringRef path,
             mlir::MLIRContext &context, llvm::SourceMgr &sourceManager,
             mlir::AsmParserState *written = nullptr);

} // namespace shardwise::driver
