// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why values of a program are sharded as they are, as facts.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/explain/ShardingFacts.h"
#include "shardwise/explain/TransferFacts.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardwise::explain {

enum class NoteCode {
  Uneven,  ///< A written sharding does not divide evenly: the program cannot be
           ///< partitioned.
  Cut,     ///< A dimension is cut less than propagation decided.
  Moved,   ///< An argument or result that nobody annotated is elsewhere than
           ///< propagation proposed.
  NoCosts, ///< The transfers could not be found.
  Warning, ///< Propagation warned, for example of an op that shardings do not pass.
};

/// Something to know about the report as a whole.
struct ExplainedNote {
  NoteCode code = NoteCode::Cut;
  Place place;
  /// The diagnostic.
  std::string message;
};

/// A new constraint on a value, or another sharding in place of an annotation.
struct ExplainedEdit {
  enum class Kind { Constrain, Annotate };
  Kind kind = Kind::Annotate;
  /// Op result to constrain, and the op of the conflict. (Constrain)
  ValueRef value;
  ExplainedOp op;
  /// (Annotate)
  ExplainedAnnotation annotation;
  core::WrittenSharding sharding;

  /// Whether both make the same change.
  bool isSameAs(const ExplainedEdit &other) const {
    return kind == other.kind && value == other.value && annotation == other.annotation &&
           sharding == other.sharding;
  }
};

/// What a program costs on one device.
struct ProgramCosts {
  int64_t receivedBytes = 0;
  /// Of all arguments.
  int64_t argumentBytes = 0;
  /// Of matrix products and convolutions.
  int64_t flops = 0;
};

/// A change of annotations, tried by compiling the changed program as far as costs go.
struct ExplainedSuggestion {
  /// Index in `Explanation::conflicts`.
  int64_t conflict = -1;
  ExplainedEdit edit;
  ProgramCosts before;
  ProgramCosts after;
};

struct Explanation {
  core::Mesh mesh;
  /// What the axes of the other meshes of the program are on `mesh`, a line each.
  std::vector<std::string> otherMeshes;
  /// The values that were asked for, or those annotated or returned.
  std::vector<ExplainedValue> values;
  /// The sharding rules that links name.
  std::vector<core::ShardingRule> rules;
  /// Worst first.
  std::vector<ExplainedConflict> conflicts;
  /// Most bytes first.
  std::vector<ExplainedTransfer> transfers;
  std::vector<ExplainedNote> notes;
  /// Most bytes saved first.
  std::vector<ExplainedSuggestion> suggestions;
  int64_t numEditsTried = 0;
};

} // namespace shardwise::explain
