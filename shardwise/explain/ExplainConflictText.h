// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a conflict is called and told in words: the problem, who won by which rule, what to do.

#pragma once

#include "shardwise/explain/Explain.h"
#include "shardwise/transforms/propagate/Conflicts.h"

#include <string>

namespace shardwise::explain {

/// Returns `argument 6 %arg6 [{}, {"model"}] (model.mlir:3:120)`.
std::string briefly(const ExplainedAnnotation &annotation);

/// Fills in `obstacle`, `rule`, `problem`, `because` and `advice` from the sides of `explained`.
void writeConflictTexts(const propagate::Conflict &conflict,
                        const propagate::PropagationTrace &trace, ExplainedConflict &explained);

/// Returns a text that conflicts share which are alike in all but names and places: in the layers
/// of a model.
std::string kindOf(const ExplainedConflict &conflict);

} // namespace shardwise::explain
