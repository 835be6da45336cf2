// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading a program: what is no StableHLO text or bytecode is recognised before the parser sees it,
// so that the answer says what the file is and how to get one that can be read. Then the limits on
// text, the parser, the entry function, and what is supported; the first that fails is reported at
// its line. A program on meshes of several axes is told on one.

#include "shardwise/driver/LoadProgram.h"

#include "shardwise/dialect/sdy/LocalCollectives.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/dialect/stablehlo/SupportedPrograms.h"
#include "shardwise/driver/SourcePages.h"
#include "shardwise/driver/TextLimits.h"
#include "shardwise/transforms/import/UnifyMeshes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <string>

using namespace mlir;

namespace shardwise::driver {
namespace {

FileLineColLoc startOf(StringRef path, MLIRContext &context) {
  return FileLineColLoc::get(&context, path == "-" ? "<stdin>" : path, 1, 1);
}

bool isBytecode(StringRef text) {
  return text.starts_with("ML\xefR");
}

constexpr const char *kExportText =
    "; export the program as text: jax.jit(f).lower(...).as_text(), or exported.mlir_module()";

/// What `text` is, if it is no MLIR module that can be read, and what to do; else empty.
std::string otherFormat(StringRef text) {
  if (text.trim().empty())
    return "the program is empty; expected a StableHLO module, for example what "
           "jax.jit(f).lower(...).as_text() returns";
  // Bytecode of the versioned exchange dialect, which only its own tools read.
  if (isBytecode(text) && text.take_front(256).contains("StableHLO_v"))
    return std::string("this is bytecode of the versioned dialect vhlo") + kExportText;
  // Bytecode of MLIR itself is read like text.
  if (isBytecode(text))
    return "";
  if (text.starts_with("HloModule "))
    return std::string("this is HLO text, expected StableHLO") + kExportText;
  if (text.ltrim().starts_with("{ lambda"))
    return std::string("this is a jaxpr, expected StableHLO") + kExportText;
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return "this is UTF-16 text; save the file as UTF-8";
  if (text.take_front(4096).contains('\0'))
    return std::string("this is a binary file, expected the text of a StableHLO module") +
           kExportText;
  return "";
}

/// Refuses what `shardwise partition --form sdy` prints: its shapes are those of shards.
LogicalResult checkIsGlobal(ModuleOp module) {
  WalkResult walk = module.walk([](Operation *op) {
    if (!sdy::isLocalCollective(op))
      return WalkResult::advance();
    op->emitOpError("is of a per-device program; give the program that it was made from");
    return WalkResult::interrupt();
  });
  return success(!walk.wasInterrupted());
}

/// The text without the mark that some editors put before UTF-8.
std::unique_ptr<llvm::MemoryBuffer> withoutMark(std::unique_ptr<llvm::MemoryBuffer> file) {
  constexpr StringRef kMark = "\xef\xbb\xbf";
  if (!file->getBuffer().starts_with(kMark))
    return file;
  return llvm::MemoryBuffer::getMemBufferCopy(file->getBuffer().drop_front(kMark.size()),
                                              file->getBufferIdentifier());
}

/// `parseSourceFile`, which has no way to ask for `written`.
OwningOpRef<ModuleOp> parseText(const llvm::SourceMgr &source, MLIRContext &context,
                                AsmParserState &written) {
  Block parsed;
  if (failed(parseAsmSourceFile(source, &parsed, ParserConfig(&context), &written)))
    return nullptr;
  auto module = llvm::hasSingleElement(parsed) ? dyn_cast<ModuleOp>(parsed.front()) : nullptr;
  if (module) {
    module->remove();
    return module;
  }
  StringRef file = source.getMemoryBuffer(source.getMainFileID())->getBufferIdentifier();
  module = ModuleOp::create(FileLineColLoc::get(&context, file, /*line=*/0, /*column=*/0));
  module.getBody()->getOperations().splice(module.getBody()->begin(), parsed.getOperations());
  return succeeded(verify(module)) ? OwningOpRef<ModuleOp>(module) : nullptr;
}

} // namespace

FailureOr<OwningOpRef<ModuleOp>> loadProgram(StringRef path, MLIRContext &context,
                                             llvm::SourceMgr &sourceManager,
                                             AsmParserState *written) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false);
  if (!file) {
    emitError(startOf(path, context))
        << "cannot read the program: " << file.getError().message()
        << "; give the path of an .mlir file, or - for standard input";
    return failure();
  }
  return parseProgram(std::move(*file), path, context, sourceManager, written);
}

FailureOr<OwningOpRef<ModuleOp>> parseProgram(std::unique_ptr<llvm::MemoryBuffer> program,
                                              StringRef path, MLIRContext &context,
                                              llvm::SourceMgr &sourceManager,
                                              AsmParserState *written) {
  if (std::string complaint = otherFormat(program->getBuffer()); !complaint.empty()) {
    emitError(startOf(path, context)) << complaint;
    return failure();
  }
  program = withoutMark(std::move(program));
  const llvm::MemoryBuffer &buffer = *program;
  // Before the parser, which has no such limits.
  if (std::optional<TextError> refused = findTextError(buffer.getBuffer())) {
    emitError(FileLineColLoc::get(&context, startOf(path, context).getFilename(), refused->line,
                                  refused->column))
        << refused->message;
    return failure();
  }
  bool isFromBytecode = isBytecode(buffer.getBuffer());
  sourceManager.AddNewSourceBuffer(std::move(program), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = isFromBytecode || !written
                                     ? parseSourceFile<ModuleOp>(sourceManager, &context)
                                     : parseText(sourceManager, context, *written);
  if (!module) {
    // For text the parser has said what is wrong; for bytecode it may say nothing that helps.
    if (isFromBytecode)
      emitError(startOf(path, context)) << "this bytecode cannot be read" << kExportText;
    return failure();
  }
  releasePages(buffer);
  func::FuncOp entry = stablehlo::entryFunctionOrNull(*module);
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
  if (failed(stablehlo::checkSupported(*module)) || failed(checkIsGlobal(*module)))
    return failure();
  // Before anybody looks at a sharding, so that all say it with the same axes.
  if (failed(importer::unifyMeshes(*module)))
    return failure();
  return module;
}

} // namespace shardwise::driver
