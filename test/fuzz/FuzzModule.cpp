// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target: parsing and verifying modules with sdy, stablehlo and chlo. Whatever is accepted
// must print to text that is accepted and prints the same again, in custom and in generic form.

#include "shardwise/dialect/chlo/ChloDialect.h"
#include "shardwise/dialect/sdy/SdyDialect.h"
#include "shardwise/dialect/stablehlo/StablehloDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <memory>
#include <string>

namespace {

/// Attributes live as long as their context: a new one every so often bounds the memory.
constexpr int kInputsPerContext = 2000;

mlir::MLIRContext &freshEnoughContext() {
  static std::unique_ptr<mlir::MLIRContext> context;
  static int numInputs = 0;
  if (!context || ++numInputs % kInputsPerContext == 0) {
    context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
    context->loadDialect<mlir::func::FuncDialect, mlir::quant::QuantDialect,
                         shardwise::sdy::SdyDialect, shardwise::stablehlo::StablehloDialect,
                         shardwise::chlo::ChloDialect>();
    context->allowUnregisteredDialects();
    context->getDiagEngine().registerHandler([](mlir::Diagnostic &) { return mlir::success(); });
  }
  return *context;
}

std::string print(mlir::ModuleOp module, bool isGeneric) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  if (isGeneric)
    flags.printGenericOpForm();
  module->print(stream, flags);
  return text;
}

void checkReadsBack(const std::string &text, bool isGeneric, mlir::MLIRContext &context) {
  auto again = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (again && print(*again, isGeneric) == text)
    return;
  llvm::errs() << "printed module does not read back as itself:\n" << text << "\n";
  std::abort();
}

/// Floats in hexadecimal print in decimal where that is exact, and elements may print shorter than
/// they were written: the first printing is what has to be stable.
void checkRoundTrip(mlir::ModuleOp module, mlir::MLIRContext &context) {
  for (bool isGeneric : {false, true})
    checkReadsBack(print(module, isGeneric), isGeneric, context);
}

/// Whether all ops are ours, or of dialects that ours are used with: others round-trip as well or
/// badly as their owners made them.
bool isOwnProgram(mlir::ModuleOp module) {
  return !module
              .walk([](mlir::Operation *op) {
                return llvm::isa_and_present<shardwise::sdy::SdyDialect,
                                             shardwise::stablehlo::StablehloDialect,
                                             shardwise::chlo::ChloDialect, mlir::func::FuncDialect,
                                             mlir::BuiltinDialect>(op->getDialect())
                           ? mlir::WalkResult::advance()
                           : mlir::WalkResult::interrupt();
              })
              .wasInterrupted();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::MLIRContext &context = freshEnoughContext();
  // The lexer stops at a zero byte after the text, which the fuzzer's own buffer does not have.
  std::string copy(reinterpret_cast<const char *>(data), size);
  llvm::StringRef text = copy;
  // External resources and bytecode are MLIR's own readers, not ours.
  if (text.contains("{-#") || text.starts_with("ML\xefR"))
    return 0;
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (module && isOwnProgram(*module))
    checkRoundTrip(*module, context);
  return 0;
}
