// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trying changes: each is made to a copy of the program, to all places that are alike at once, and
// the copy is compiled and priced. First comes work that is repeated, with an input that nobody
// sharded or a product that is not cut, then state of the optimizer that is cut less than its
// parameters, then conflicts by what goes back to them, then those by their own cost. Of the
// changes for one the best is kept if it
//
//   1. leaves the program valid, with no more uneven dimensions, and to be compiled;
//   2. saves at least 1 % of the bytes that the slowest device receives, and costs at most 1 % more
//      arithmetic: who computes everything everywhere needs no transfers;
//   3. or saves at least 5 % of the arithmetic;
//   4. or saves at least 5 % of the bytes of the arguments, and costs nothing.
//
// With a topology 2 and 3 are one: it saves at least 1 % of the time of transfers and work. Weights
// that are gathered for use are as they are meant to be: nothing is tried to undo that.
//
// A compilation takes long for large programs, so the time is bounded: none is begun that would not
// end in time, if it takes as long as the longest before. What is tried depends on the time only
// then, and the report says so.

#include "shardwise/explain/ExplainSuggestions.h"

#include "shardwise/execute/MemoryProfile.h"
#include "shardwise/explain/AlikeRows.h"
#include "shardwise/explain/HeaderText.h"
#include "shardwise/explain/OpMarks.h"
#include "shardwise/explain/ProgramCosts.h"
#include "shardwise/explain/WorkEdits.h"
#include "shardwise/transforms/Pipelines.h"
#include "shardwise/transforms/import/CheckProgram.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

using namespace mlir;

namespace shardwise::explain {
namespace {

/// Copies of the program that are compiled in all.
constexpr int64_t kMostEdits = 24;

/// The time for suggestions.
class TimeBudget {
public:
  explicit TimeBudget(double seconds) : seconds(seconds) {}

  /// Whether something that takes as long as the longest attempt so far ends in time.
  bool hasTime() const { return elapsed() + longest <= seconds; }
  /// Runs `attempt`, and remembers how long it took.
  template <class Attempt> auto measure(Attempt attempt) {
    double before = elapsed();
    auto result = attempt();
    longest = std::max(longest, elapsed() - before);
    return result;
  }

private:
  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  double seconds;
  double longest = 0;
};

class Suggester {
public:
  Suggester(ModuleOp written, const ProgramCosts &before, const ProgramNames &names,
            const Machines &machines, const ExplainOptions &options, Explanation &explanation)
      : written(written), before(before), names(names), machines(machines), options(options),
        explanation(explanation), program(written, explanation.mesh),
        budget(options.suggestSeconds), byTime(explanation.machine.has_value()) {}

  void suggest() {
    if (!repeatedText(explanation, names).empty())
      keepBest(repeatedWorkEdits(written, explanation, names), -1);
    keepBest({stateEdits(written, explanation.mesh, names)}, -1);
    std::set<std::string> kinds;
    for (const RootCause &cause : explanation.rootCauses)
      tryConflict(cause.conflicts.front(), kinds);
    // Sorted by bytes: the others cost nothing either.
    for (size_t i = 0; i < explanation.conflicts.size(); ++i)
      if (explanation.conflicts[i].receivedBytes > 0)
        tryConflict(static_cast<int64_t>(i), kinds);
    std::sort(explanation.suggestions.begin(), explanation.suggestions.end(),
              [&](const ExplainedSuggestion &a, const ExplainedSuggestion &b) {
                return std::pair(rankOf(a.after), a.conflict) <
                       std::pair(rankOf(b.after), b.conflict);
              });
  }

private:
  /// Whether `after` is less than `before` by `part` of that, or more. Of nothing nothing is saved.
  static bool saves(double part, int64_t after, int64_t before) {
    return double(after) <= (1 - part) * double(before) && (part == 0 || before > 0);
  }
  double rankOf(const ProgramCosts &costs) const {
    return byTime ? costs.seconds() : double(costs.receivedBytes);
  }
  bool isBetter(const ProgramCosts &costs) const {
    bool savesArguments = saves(0.05, costs.argumentBytes, before.argumentBytes) &&
                          saves(0, costs.receivedBytes, before.receivedBytes) &&
                          saves(0, costs.flops, before.flops);
    if (byTime)
      return costs.seconds() <= 0.99 * before.seconds() ||
             (savesArguments && costs.seconds() <= before.seconds());
    if (savesArguments)
      return true;
    bool savesBytes = saves(0.01, costs.receivedBytes, before.receivedBytes) &&
                      double(costs.flops) <= 1.01 * double(before.flops);
    return savesBytes || saves(0.05, costs.flops, before.flops);
  }
  /// Whether `costs` is to be preferred of two that are better.
  bool isBest(const ProgramCosts &costs, const ProgramCosts &best) const {
    bool savesWork = !byTime && saves(0.05, costs.flops, best.flops);
    bool costsWork = !byTime && saves(0.05, best.flops, costs.flops);
    // Of two that save as much, the one that keeps less.
    return savesWork || (!costsWork && std::pair(rankOf(costs), costs.argumentBytes) <
                                           std::pair(rankOf(best), best.argumentBytes));
  }

  void tryConflict(int64_t conflict, std::set<std::string> &kinds);
  std::vector<EditSet> editSetsFor(int64_t conflict) const;
  void keepBest(const std::vector<EditSet> &sets, int64_t conflict);
  OwningOpRef<ModuleOp> compiledWith(const EditSet &edits);
  void measureMemory(ModuleOp resharded, ProgramCosts &costs) const;

  ModuleOp written;
  ProgramCosts before;
  const ProgramNames &names;
  const Machines &machines;
  const ExplainOptions &options;
  Explanation &explanation;
  WrittenProgram program;
  TimeBudget budget;
  bool byTime;
};

/// The program after `edits` and the reshard pipeline; null if it cannot be compiled.
OwningOpRef<ModuleOp> Suggester::compiledWith(const EditSet &edits) {
  ScopedDiagnosticHandler silence(written.getContext(), [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> copy = written.clone();
  WrittenProgram edited(*copy, explanation.mesh);
  for (const ExplainedEdit &edit : edits)
    if (failed(edited.apply(edit)))
      return {};
  if (failed(verify(*copy)) ||
      importer::unevenShardings(*copy).size() > importer::unevenShardings(written).size() ||
      failed(transforms::runPropagationPipeline(*copy)) ||
      failed(transforms::runReshardPipeline(*copy, options.choices)))
    return {};
  return copy;
}

void Suggester::measureMemory(ModuleOp resharded, ProgramCosts &costs) const {
  ScopedDiagnosticHandler silence(resharded.getContext(), [](Diagnostic &) { return success(); });
  if (failed(transforms::runLocalPipeline(resharded, options.choices)))
    return;
  auto profile = execute::profileMemory(resharded);
  if (succeeded(profile))
    costs.memoryBytes = profile->use.peakBytes();
}

void Suggester::keepBest(const std::vector<EditSet> &sets, int64_t conflict) {
  std::optional<ExplainedSuggestion> best;
  OwningOpRef<ModuleOp> bestModule;
  for (const EditSet &edits : sets) {
    if (edits.empty())
      continue;
    if (explanation.numEditsTried >= kMostEdits || !budget.hasTime()) {
      explanation.ranOutOfTime |= !budget.hasTime();
      break;
    }
    ++explanation.numEditsTried;
    OwningOpRef<ModuleOp> module = budget.measure([&] { return compiledWith(edits); });
    if (!module)
      continue;
    auto after = costsOf(*module, machines);
    if (conflict >= 0 && succeeded(after) && !isBetter(*after) &&
        edits.front().kind == ExplainedEdit::Kind::Constrain)
      explanation.conflicts[conflict].isCureInVain = true;
    if (succeeded(after) && isBetter(*after) && (!best || isBest(*after, best->after))) {
      best = {conflict, edits.front(), edits, before, *after};
      bestModule = std::move(module);
    }
  }
  if (!best || llvm::any_of(explanation.suggestions, [&](const ExplainedSuggestion &other) {
        return other.edit.isSameAs(best->edit);
      }))
    return;
  if (before.memoryBytes > 0 && budget.hasTime())
    measureMemory(*bestModule, best->after);
  explanation.suggestions.push_back(std::move(*best));
}

/// The changes for a conflict, each with those for all conflicts that are alike.
std::vector<EditSet> Suggester::editSetsFor(int64_t conflict) const {
  auto canChange = [&](const ExplainedAnnotation &annotation) {
    return program.canChange(annotation);
  };
  std::string kind = kindOf(explanation.conflicts[conflict], names);
  std::vector<EditSet> sets;
  auto add = [&](const ExplainedEdit &edit, bool isFirst) {
    auto set =
        llvm::find_if(sets, [&](const EditSet &other) { return other.front().way == edit.way; });
    if (set == sets.end() && isFirst)
      sets.push_back({edit});
    else if (set != sets.end() &&
             llvm::none_of(*set, [&](const ExplainedEdit &other) { return other.isSameAs(edit); }))
      set->push_back(edit);
  };
  for (const ExplainedEdit &edit :
       editsFor(explanation.conflicts[conflict], explanation.mesh, canChange))
    add(edit, true);
  for (size_t i = 0; i < explanation.conflicts.size(); ++i)
    if (static_cast<int64_t>(i) != conflict && kindOf(explanation.conflicts[i], names) == kind)
      for (const ExplainedEdit &edit :
           editsFor(explanation.conflicts[i], explanation.mesh, canChange))
        add(edit, false);
  for (EditSet &set : sets)
    addFamilies(set, written, names);
  return sets;
}

void Suggester::tryConflict(int64_t conflict, std::set<std::string> &kinds) {
  const ExplainedConflict &asked = explanation.conflicts[conflict];
  if (asked.isWeightGather || static_cast<int64_t>(kinds.size()) >= options.suggestFor ||
      !kinds.insert(kindOf(asked, names)).second)
    return;
  keepBest(editSetsFor(conflict), conflict);
}

} // namespace

void suggestEdits(ModuleOp written, const ProgramCosts &before, const ProgramNames &names,
                  const Machines &machines, const ExplainOptions &options,
                  Explanation &explanation) {
  Suggester(written, before, names, machines, options, explanation).suggest();
}

} // namespace shardwise::explain
