// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compile(): lowers the entry function.

#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/execute/CompiledProgram.h"
#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/Blas.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mlir/IR/Diagnostics.h>

#include <cassert>
#include <map>

namespace shardwise::execute {
namespace {

/// " (rank 1 for {0, 1})", of the first class of several ranks: who runs it, or in whose arena all
/// write. Empty if every rank runs it for itself.
std::string sharingText(const WorkPlan &work, const WorkStep &step) {
  const Home &home = step.home.isShared() ? step.home : step.joint;
  if (!home.isShared())
    return "";
  std::map<int32_t, std::vector<int32_t>> members;
  for (size_t rank = 0; rank < work.classes[home.classes].size(); ++rank)
    members[work.classes[home.classes][rank]].push_back(static_cast<int32_t>(rank));
  for (const auto &[first, ranks] : members)
    if (ranks.size() > 1)
      return fmt::format(" ({}rank {} for {{{}}})", home.isJoint ? "to " : "",
                         ranks[home.turn % ranks.size()], fmt::join(ranks, ", "));
  return "";
}

/// One line per thunk, indented by `depth`; the sequences in a thunk after it. `work` is for those
/// of the sequence itself; null if it is not that of main.
std::string describe(const Sequence &sequence, size_t depth, const WorkPlan *work = nullptr) {
  std::string text;
  for (size_t i = 0; i < sequence.size(); ++i) {
    const std::unique_ptr<Thunk> &thunk = sequence[i];
    text += std::string(2 * depth, ' ') + thunk->name();
    if (work && work->sharesWork())
      text += sharingText(*work, work->steps[i]);
    text += "\n";
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
  std::string text = execute::describe(compiled->main->body, 0, &compiled->work);
  for (const auto &function : compiled->functions)
    if (function.get() != compiled->main) {
      text += "@" + function->name + ":\n";
      text += execute::describe(function->body, 1);
    }
  return text;
}

mlir::FailureOr<Program> compile(mlir::ModuleOp localModule, const Sharing &sharing,
                                 Overlapping overlapping) {
  mlir::func::FuncOp entry = stablehlo::entryFunctionOrNull(localModule);
  if (!entry || entry.isExternal())
    return localModule.emitError()
           << "has no entry to compile; expected a function 'main' or one public function";
  // Loading sets an environment variable, which is safe before the ranks' threads exist only.
  loadBlas();
  auto compiled = std::make_shared<CompiledProgram>();
  ModuleLowering lowering(localModule);
  lowering.overlapping = overlapping;
  assert((sharing.argumentClasses.empty() ||
          sharing.argumentClasses.size() == entry.getNumArguments()) &&
         "the classes of all arguments, or of none");
  mlir::FailureOr<const CompiledFunction *> main =
      lowering.compiledFunction(entry, *entry, sharing);
  if (mlir::failed(main))
    return mlir::failure();
  compiled->main = *main;
  compiled->memory = lowering.memoryOf(entry, **main);
  compiled->functions = std::move(lowering.functions);
  compiled->work = std::move(lowering.work);
  for (mlir::Type type : entry.getArgumentTypes())
    compiled->argumentTypes.push_back(*tensorTypeOf(type));
  for (mlir::Type type : entry.getResultTypes())
    compiled->resultTypes.push_back(*tensorTypeOf(type));
  Program program;
  program.compiled = std::move(compiled);
  return program;
}

} // namespace shardwise::execute
