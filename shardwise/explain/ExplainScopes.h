// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of a model take, by the names that the user's source gives them.

#pragma once

#include "shardwise/explain/Explanation.h"
#include "shardwise/explain/ProgramCosts.h"
#include "shardwise/explain/ProgramNames.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace shardwise::explain {

/// The scope of an op, equal layers as one.
struct ScopeName {
  /// `decoder/block/SelfAttention`; numbers of layers are left out.
  std::vector<std::string> parts;
  /// The first number that was left out; -1 if there is none.
  int64_t layer = -1;

  /// Reads `decoder/block/3/SelfAttention` and `layer3/mlp`.
  static ScopeName parse(const std::string &path);
};

/// Adds what the scopes of a program take, whose ops take what `works` says, to `explanation`,
/// which has its transfers. An op that no scope is named around belongs to the function of the
/// user's source that makes it.
void explainScopes(llvm::ArrayRef<OpWork> works, const ProgramNames &names,
                   Explanation &explanation);
/// Adds what of the memory at the peak is kept for the way back, if that is known.
void addActivations(const ProgramNames &names, Explanation &explanation);

/// Returns the table of scopes, with its heading; none if there is one scope only.
std::vector<std::string> scopeRows(const Explanation &explanation, size_t most);

} // namespace shardwise::explain
