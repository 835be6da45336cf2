// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Propagates a marked copy of a program, and prices its transfers.

#include "shardwise/explain/Explain.h"

#include "shardwise/explain/ExplainShardings.h"
#include "shardwise/explain/ExplainSuggestions.h"
#include "shardwise/explain/ExplainTransfers.h"
#include "shardwise/transforms/Pipelines.h"
#include "shardwise/transforms/import/CheckProgram.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace shardwise::explain {
namespace {

/// Makes the reshards of `copy` explicit. What the passes have to say about single values becomes
/// notes; so do errors, if `isUneven`: the program is one that cannot be partitioned anyway.
LogicalResult insertReshardsWithNotes(ModuleOp copy, const ProgramNames &names, bool isUneven,
                                      const ExplainOptions &options, Explanation &explanation) {
  ScopedDiagnosticHandler handler(copy.getContext(), [&](Diagnostic &diagnostic) {
    bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
    if (isError && !isUneven)
      return failure();
    std::string place = names.placeOf(ProgramNames::numberOf(diagnostic.getLocation()));
    explanation.notes.push_back({isError ? "no_costs" : "cut", place, diagnostic.str()});
    return success();
  });
  options.onStage("inserting reshards");
  return transforms::runReshardPipeline(copy);
}

} // namespace

FailureOr<Explanation> explain(ModuleOp module, const ProgramNames &names,
                               const ExplainOptions &options) {
  options.onStage("checking");
  auto mesh = importer::programMesh(module, options.maxDevices);
  if (failed(mesh))
    return failure();
  Explanation explanation;
  explanation.mesh = *mesh;
  OwningOpRef<ModuleOp> copy = module.clone();
  ProgramNames::mark(*copy);
  std::vector<importer::UnevenSharding> uneven = importer::unevenShardings(*copy);
  for (const importer::UnevenSharding &sharding : uneven) {
    int64_t op = ProgramNames::numberOf(sharding.op->getLoc());
    std::string place =
        sharding.argument ? names.placeOf(ValueId{op, 0, *sharding.argument}) : names.placeOf(op);
    explanation.notes.push_back({"uneven", std::move(place), sharding.message});
  }
  ShardingExplainer shardings(module, names, options, explanation);
  options.onStage("propagating shardings");
  if (failed(transforms::runPropagationPipeline(*copy, &shardings)))
    return failure();
  if (failed(insertReshardsWithNotes(*copy, names, !uneven.empty(), options, explanation))) {
    if (uneven.empty())
      return failure();
    return explanation;
  }
  if (failed(explainTransfers(*copy, names, shardings, explanation)))
    return failure();
  if (options.suggestFor > 0)
    suggestEdits(module, *copy, options, explanation);
  return explanation;
}

} // namespace shardwise::explain
