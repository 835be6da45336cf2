// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compile(): lowers the entry function.

#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/execute/CompiledProgram.h"
#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/Blas.h"

#include <mlir/IR/Diagnostics.h>

namespace shardwise::execute {
namespace {

/// One line per thunk, indented by `depth`; the sequences in a thunk after it.
std::string describe(const Sequence &sequence, size_t depth) {
  std::string text;
  for (const std::unique_ptr<Thunk> &thunk : sequence) {
    text += std::string(2 * depth, ' ') + thunk->name() + "\n";
    for (const Sequence *part : thunk->parts()) {
      text += std::string(2 * depth, ' ') + "-\n";
      text += describe(*part, depth + 1);
    }
  }
  return text;
}

} // namespace

const std::vector<TensorType> &Program::argumentTypes() const {
  return compiled->argumentTypes;
}
const std::vector<TensorType> &Program::resultTypes() const {
  return compiled->resultTypes;
}
const MemoryUse &Program::memory() const {
  return compiled->memory;
}

std::string Program::describe() const {
  std::string text = execute::describe(compiled->main->body, 0);
  for (const auto &function : compiled->functions)
    if (function.get() != compiled->main) {
      text += "@" + function->name + ":\n";
      text += execute::describe(function->body, 1);
    }
  return text;
}

mlir::FailureOr<Program> compile(mlir::ModuleOp localModule) {
  mlir::func::FuncOp entry = stablehlo::entryFunctionOrNull(localModule);
  if (!entry || entry.isExternal())
    return localModule.emitError()
           << "has no entry to compile; expected a function 'main' or one public function";
  // Loading sets an environment variable, which is safe before the ranks' threads exist only.
  loadBlas();
  auto compiled = std::make_shared<CompiledProgram>();
  ModuleLowering lowering(localModule);
  mlir::FailureOr<const CompiledFunction *> main = lowering.compiledFunction(entry, *entry);
  if (mlir::failed(main))
    return mlir::failure();
  compiled->main = *main;
  compiled->memory = lowering.memoryOf(entry, **main);
  compiled->functions = std::move(lowering.functions);
  for (mlir::Type type : entry.getArgumentTypes())
    compiled->argumentTypes.push_back(*tensorTypeOf(type));
  for (mlir::Type type : entry.getResultTypes())
    compiled->resultTypes.push_back(*tensorTypeOf(type));
  Program program;
  program.compiled = std::move(compiled);
  return program;
}

} // namespace shardwise::execute
