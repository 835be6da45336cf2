// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Propagates a marked copy of a program, and prices its transfers.
//
// The copy goes through the passes of a compilation, and every op keeps a number in its location.
// So what is found in the copy is told of the program as written. Facts about shardings are
// collected during propagation, when the graph is there; those about transfers afterwards, from the
// reshards.

#include "shardwise/explain/Explain.h"

#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/execute/MemoryProfile.h"
#include "shardwise/explain/ExplainMemory.h"
#include "shardwise/explain/ExplainScopes.h"
#include "shardwise/explain/ExplainShardings.h"
#include "shardwise/explain/ExplainSuggestions.h"
#include "shardwise/explain/ExplainTransfers.h"
#include "shardwise/explain/OpMarks.h"
#include "shardwise/explain/ProgramCosts.h"
#include "shardwise/explain/ProgramForm.h"
#include "shardwise/transforms/Pipelines.h"
#include "shardwise/transforms/import/CheckProgram.h"
#include "shardwise/transforms/import/UnifyMeshes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace shardwise::explain {
namespace {

/// Notes the shardings of `copy` that do not divide evenly where they have to. Returns whether the
/// program is refused for one.
bool noteUneven(ModuleOp copy, const ProgramNames &names, Explanation &explanation) {
  bool isRefused = false;
  for (importer::UnevenSharding &sharding : importer::unevenShardings(copy)) {
    Place place = names.placeOf(opNumberOf(sharding.op->getLoc()));
    NoteCode code = sharding.isCut ? NoteCode::Cut : NoteCode::Uneven;
    explanation.notes.push_back({code, place, std::move(sharding.message)});
    isRefused |= !sharding.isCut;
  }
  return isRefused;
}

/// Propagates the shardings of `copy`. Warnings become notes.
LogicalResult propagateWithNotes(ModuleOp copy, const ProgramNames &names,
                                 ShardingExplainer &shardings, Explanation &explanation) {
  ScopedDiagnosticHandler handler(copy.getContext(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Warning)
      return failure();
    explanation.notes.push_back(
        {NoteCode::Warning, names.placeOf(opNumberOf(diagnostic.getLocation())), diagnostic.str()});
    return success();
  });
  return transforms::runPropagationPipeline(copy, &shardings);
}

/// Makes the reshards of `copy` explicit. What the passes have to say about single values becomes
/// notes; so do errors, if `isUneven`: the program is one that cannot be partitioned anyway.
LogicalResult insertReshardsWithNotes(ModuleOp copy, const ProgramNames &names, bool isUneven,
                                      const transforms::PartitionChoices &choices,
                                      Explanation &explanation) {
  ScopedDiagnosticHandler handler(copy.getContext(), [&](Diagnostic &diagnostic) {
    bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
    if (isError && !isUneven)
      return failure();
    explanation.notes.push_back({isError ? NoteCode::NoCosts : NoteCode::Cut,
                                 names.placeOf(opNumberOf(diagnostic.getLocation())),
                                 diagnostic.str()});
    return success();
  });
  return transforms::runReshardPipeline(copy, choices);
}

/// The shardings of arguments and results of a program.
struct BorderShardings {
  SmallVector<sdy::TensorShardingAttr> arguments, results;

  explicit BorderShardings(ModuleOp module) {
    if (func::FuncOp entry = stablehlo::entryFunctionOrNull(module)) {
      arguments = sdy::getFuncArgShardings(entry);
      results = sdy::getFuncResultShardings(entry);
    }
  }
};

/// Notes which arguments and results are not where propagation proposed.
void noteMoved(ModuleOp copy, const BorderShardings &proposed, const ProgramNames &names,
               Explanation &explanation) {
  BorderShardings chosen(copy);
  auto text = [](sdy::TensorShardingAttr sharding) {
    return sharding ? core::toString(sdy::toCore(sharding)) : std::string("whole");
  };
  auto note = [&](const char *what, ArrayRef<sdy::TensorShardingAttr> before,
                  ArrayRef<sdy::TensorShardingAttr> after) {
    for (size_t i = 0; i < before.size() && i < after.size(); ++i)
      if (before[i] != after[i])
        explanation.notes.push_back(
            {NoteCode::Moved,
             names.placeOf(opNumberOf(stablehlo::entryFunctionOrNull(copy)->getLoc())),
             llvm::formatv("{0} {1}, which nobody annotated, is {2}, where devices receive less "
                           "than with the {3} of propagation",
                           what, i, text(after[i]), text(before[i]))
                 .str()});
  };
  note("argument", proposed.arguments, chosen.arguments);
  note("result", proposed.results, chosen.results);
}

/// Makes the program of a device of `resharded`, and adds what it takes of a device's memory.
/// `resharded` is that program afterwards.
void explainMemory(ModuleOp resharded, const ProgramNames &names, const ExplainOptions &options,
                   Explanation &explanation) {
  std::string reason;
  ScopedDiagnosticHandler handler(resharded.getContext(), [&](Diagnostic &diagnostic) {
    if (reason.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      reason = diagnostic.str();
    return success();
  });
  int64_t limit = explanation.machine ? explanation.machine->device.memoryBytes : 0;
  if (succeeded(transforms::runLocalPipeline(resharded, options.choices))) {
    FailureOr<execute::MemoryProfile> profile = execute::profileMemory(resharded);
    if (succeeded(profile)) {
      explanation.memory = memoryFacts(resharded, *profile, names, limit);
      return;
    }
  }
  explanation.notes.push_back(
      {NoteCode::NoMemory, Place(), "the memory of a device is not known: " + reason});
}

} // namespace

FailureOr<Explanation> explain(ModuleOp module, const ProgramNames &names,
                               const ExplainOptions &options) {
  options.onStage("checking");
  if (failed(importer::checkShardingForm(module)))
    return failure();
  auto mesh = importer::programMesh(module, options.maxDevices);
  if (failed(mesh))
    return failure();
  Explanation explanation;
  explanation.mesh = *mesh;
  noteForm(module, explanation);
  explanation.otherMeshes = importer::otherMeshes(module);
  auto machines = machinesFor(options, module);
  if (failed(machines))
    return failure();
  if (!options.topology.empty())
    explanation.machine = machines->priced;
  explanation.chosenFor = machines->planned.name;
  OwningOpRef<ModuleOp> copy = module.clone();
  markOps(*copy);
  bool isUneven = noteUneven(*copy, names, explanation);

  options.onStage("propagating shardings");
  ShardingExplainer shardings(module, names, options, explanation);
  if (failed(propagateWithNotes(*copy, names, shardings, explanation)))
    return failure();
  options.onPropagated(*copy);
  BorderShardings proposed(*copy);
  options.onStage("inserting reshards");
  if (failed(insertReshardsWithNotes(*copy, names, isUneven, options.choices, explanation))) {
    if (!isUneven)
      return failure();
    return explanation;
  }
  noteMoved(*copy, proposed, names, explanation);
  FailureOr<ProgramCosts> costs =
      explainTransfers(*copy, module, names, shardings.causes(), *machines, explanation);
  if (failed(costs))
    return failure();
  if (options.hasMemory) {
    options.onStage("laying out memory");
    explainMemory(*copy, names, options, explanation);
    addActivations(names, explanation);
    if (explanation.memory)
      costs->memoryBytes = explanation.memory->peakBytes;
  }
  if (options.suggestFor > 0) {
    options.onStage("trying other annotations");
    suggestEdits(module, *costs, names, *machines, options, explanation);
  }
  return explanation;
}

} // namespace shardwise::explain
