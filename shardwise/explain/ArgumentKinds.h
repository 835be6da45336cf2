// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the arguments of a program are: parameters, the state of an optimiser, or data.

#pragma once

#include "shardwise/explain/DeviceFacts.h"
#include "shardwise/explain/ProgramNames.h"

#include "llvm/ADT/StringRef.h"

namespace shardwise::explain {

/// Whether what is called `state` lies in a tree like that of parameters, at the place that
/// `parameter` has in its own: `opt_state[0].mu['mlp']['w']` of `params['mlp']['w']`, and
/// `result[2]['w']` of `result[1]['w']`.
bool isStateOf(llvm::StringRef state, llvm::StringRef parameter);

/// Returns what an argument is by what the user's source calls it: `opt_state[0].mu['w']` and
/// `m['w']` are state of an optimiser, `params['w']` and `state.params['w']` parameters, and others
/// data. An empty name is `Inputs`.
MemoryKind argumentKindOf(llvm::StringRef label);

/// Whether an annotation is on a parameter or on state of an optimiser.
bool isOnState(const ExplainedAnnotation &annotation, const ProgramNames &names);

} // namespace shardwise::explain
