// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trying changes: each is made to a copy of the program, and the copy is priced. Conflicts are
// taken by cost, and of the changes for one the best is kept if it
//
//   1. leaves the program valid, with no more uneven dimensions, and to be compiled;
//   2. saves at least 1 % of the bytes that the slowest device receives;
//   3. costs at most 1 % more arithmetic: who computes everything everywhere needs no transfers.
//
// With a topology 2 and 3 are one: it saves at least 1 % of the time of transfers and work.
//
// A compilation takes long for large programs, so their size limits how many are tried.

#include "shardwise/explain/ExplainSuggestions.h"

#include "shardwise/explain/AlikeRows.h"
#include "shardwise/explain/Edits.h"
#include "shardwise/explain/ProgramCosts.h"
#include "shardwise/transforms/Pipelines.h"
#include "shardwise/transforms/import/CheckProgram.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>
#include <optional>
#include <set>

using namespace mlir;

namespace shardwise::explain {
namespace {

/// Copies of the program that are compiled in all, and the ops in them.
constexpr int64_t kMostEdits = 24;
constexpr int64_t kMostOps = 200000;

/// What the program costs after `edit`; fails if it cannot be compiled.
FailureOr<ProgramCosts> costsAfter(const ExplainedEdit &edit, ModuleOp written,
                                   const core::Mesh &mesh,
                                   const transforms::PartitionChoices &choices,
                                   const Machines &machines) {
  ScopedDiagnosticHandler silence(written.getContext(), [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> copy = written.clone();
  if (failed(WrittenProgram(*copy, mesh).apply(edit)) || failed(verify(*copy)) ||
      importer::unevenShardings(*copy).size() > importer::unevenShardings(written).size())
    return failure();
  if (failed(transforms::runPropagationPipeline(*copy)) ||
      failed(transforms::runReshardPipeline(*copy, choices)))
    return failure();
  return costsOf(*copy, machines);
}

bool isBetter(const ProgramCosts &costs, const ProgramCosts &than, bool byTime) {
  if (byTime)
    return costs.seconds() <= 0.99 * than.seconds();
  return double(costs.receivedBytes) <= 0.99 * double(than.receivedBytes) &&
         double(costs.flops) <= 1.01 * double(than.flops);
}

} // namespace

void suggestEdits(ModuleOp written, const ProgramCosts &before, const ProgramNames &names,
                  const Machines &machines, const ExplainOptions &options,
                  Explanation &explanation) {
  bool byTime = explanation.machine.has_value();
  auto rankOf = [&](const ProgramCosts &costs) {
    return byTime ? costs.seconds() : double(costs.receivedBytes);
  };
  WrittenProgram program(written, explanation.mesh);
  int64_t mostEdits = std::min(kMostEdits, kMostOps / std::max<int64_t>(1, program.numOps()));
  auto canChange = [&](const ExplainedAnnotation &annotation) {
    return program.canChange(annotation);
  };
  // Of conflicts that are alike, in the layers of a model, one is enough.
  std::set<std::string> kinds;
  for (size_t i = 0; i < explanation.conflicts.size(); ++i) {
    const ExplainedConflict &conflict = explanation.conflicts[i];
    // Sorted by bytes: the others cost nothing either.
    if (conflict.receivedBytes == 0 || static_cast<int64_t>(kinds.size()) >= options.suggestFor)
      break;
    if (!kinds.insert(kindOf(conflict, names)).second)
      continue;
    std::optional<ExplainedSuggestion> best;
    for (const ExplainedEdit &edit : editsFor(conflict, explanation.mesh, canChange)) {
      if (explanation.numEditsTried >= mostEdits)
        break;
      ++explanation.numEditsTried;
      auto after = costsAfter(edit, written, explanation.mesh, options.choices, machines);
      if (succeeded(after) && isBetter(*after, before, byTime) &&
          (!best || rankOf(*after) < rankOf(best->after)))
        best = {static_cast<int64_t>(i), edit, before, *after};
    }
    if (best && llvm::none_of(explanation.suggestions, [&](const ExplainedSuggestion &other) {
          return other.edit.isSameAs(best->edit);
        }))
      explanation.suggestions.push_back(std::move(*best));
  }
  std::sort(explanation.suggestions.begin(), explanation.suggestions.end(),
            [&](const ExplainedSuggestion &a, const ExplainedSuggestion &b) {
              return std::pair(rankOf(a.after), a.conflict) <
                     std::pair(rankOf(b.after), b.conflict);
            });
}

} // namespace shardwise::explain
