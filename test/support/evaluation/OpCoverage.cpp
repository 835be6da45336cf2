// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Known answers are run until all ops have been in one.

#include "test/support/evaluation/OpCoverage.h"

#include "shardwise/dialect/stablehlo/SupportedPrograms.h"
#include "test/support/evaluation/KnownAnswers.h"
#include "test/support/evaluation/TestPrograms.h"

#include <set>

namespace shardwise::reference {

std::vector<std::string> opsThatNeverRun(llvm::function_ref<bool(mlir::ModuleOp)> runs) {
  TestPrograms programs;
  std::set<std::string> missing;
  for (llvm::StringRef dialect : {"stablehlo", "chlo"})
    for (mlir::RegisteredOperationName name :
         programs.context().getRegisteredOperationsByDialect(dialect))
      if (stablehlo::refusalReason(name.getStringRef()).empty())
        missing.insert(name.getStringRef().str());
  for (const KnownAnswer &answer : knownAnswers()) {
    if (missing.empty())
      break;
    mlir::OwningOpRef<mlir::ModuleOp> module = programs.parse(moduleText(answer));
    if (!module)
      continue;
    std::set<std::string> found;
    module->walk([&](mlir::Operation *op) {
      if (std::string name = op->getName().getStringRef().str(); missing.count(name) > 0)
        found.insert(name);
    });
    if (found.empty() || !runs(*module))
      continue;
    for (const std::string &name : found)
      missing.erase(name);
  }
  return {missing.begin(), missing.end()};
}

} // namespace shardwise::reference
