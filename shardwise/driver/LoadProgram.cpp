// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading a program.

#include "shardwise/driver/LoadProgram.h"

#include "shardwise/dialect/stablehlo/SupportedPrograms.h"
#include "shardwise/driver/NestingLimit.h"
#include "shardwise/driver/SourcePages.h"
#include "shardwise/transforms/import/MainFunction.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <string>

using namespace mlir;

namespace shardwise::driver {
namespace {

FileLineColLoc startOf(StringRef path, MLIRContext &context) {
  return FileLineColLoc::get(&context, path == "-" ? "<stdin>" : path, 1, 1);
}

/// Whether `text` is bytecode of the versioned exchange dialect, which only its own tools read.
bool isVersionedBytecode(StringRef text) {
  return text.starts_with("ML\xefR") && text.take_front(256).contains("StableHLO_v");
}

} // namespace

Operation *entryFunctionOrNull(ModuleOp module) {
  return transforms::mainFunctionOrNull(module);
}

// JAX records `result[0]['w1']`.
std::string resultName(Operation *entry, unsigned index) {
  auto info = cast<func::FuncOp>(entry).getResultAttrOfType<StringAttr>(index, "jax.result_info");
  StringRef name = info ? info.getValue() : "";
  name.consume_front("result");
  return name.str();
}

FailureOr<OwningOpRef<ModuleOp>> loadProgram(StringRef path, MLIRContext &context,
                                             llvm::SourceMgr &sourceManager) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false);
  if (!file) {
    emitError(startOf(path, context))
        << "cannot read the program: " << file.getError().message()
        << "; give the path of an .mlir file, or - for standard input";
    return failure();
  }
  return parseProgram(std::move(*file), path, context, sourceManager);
}

FailureOr<OwningOpRef<ModuleOp>> parseProgram(std::unique_ptr<llvm::MemoryBuffer> program,
                                              StringRef path, MLIRContext &context,
                                              llvm::SourceMgr &sourceManager) {
  StringRef text = program->getBuffer();
  if (text.trim().empty()) {
    emitError(startOf(path, context))
        << "the program is empty; expected a StableHLO module, for example what "
           "jax.jit(f).lower(...).as_text() returns";
    return failure();
  }
  if (isVersionedBytecode(text)) {
    emitError(startOf(path, context))
        << "this is bytecode of the versioned dialect vhlo; export the program as text, for "
           "example by exported.mlir_module()";
    return failure();
  }

  if (std::optional<NestingError> tooDeep = findNestingError(text)) {
    emitError(FileLineColLoc::get(&context, startOf(path, context).getFilename(), tooDeep->line,
                                  tooDeep->column))
        << tooDeep->message;
    return failure();
  }

  const llvm::MemoryBuffer &buffer = *program;
  sourceManager.AddNewSourceBuffer(std::move(program), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sourceManager, &context);
  if (!module)
    return failure();
  releasePages(buffer);
  auto entry = cast_or_null<func::FuncOp>(entryFunctionOrNull(*module));
  if (!entry) {
    emitError(startOf(path, context))
        << "the program has no function @main; expected a public function @main, or exactly one "
           "public function";
    return failure();
  }
  if (entry.isExternal() || !entry.isPublic()) {
    entry.emitError() << "the program starts with @" << entry.getSymName() << ", which "
                      << (entry.isExternal() ? "has no body; give it one"
                                             : "is private; make it public");
    return failure();
  }
  if (failed(stablehlo::checkSupported(*module)))
    return failure();
  return module;
}

} // namespace shardwise::driver
