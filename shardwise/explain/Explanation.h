// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why values of a program are sharded as they are, as facts.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/explain/DeviceFacts.h"
#include "shardwise/explain/ScheduleFacts.h"
#include "shardwise/explain/ShardingFacts.h"
#include "shardwise/explain/TransferFacts.h"
#include "shardwise/planner/model/Machine.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardwise::explain {

enum class NoteCode {
  Uneven,        ///< A written sharding does not divide evenly: the program cannot be
                 ///< partitioned.
  Cut,           ///< A dimension is cut less than propagation decided.
  Padded,        ///< A dimension does not divide: devices hold and move padding.
  Moved,         ///< An argument or result that nobody annotated is elsewhere than
                 ///< propagation proposed.
  NoCosts,       ///< The transfers could not be found.
  NoMemory,      ///< The memory of a device is not known.
  NoMesh,        ///< There is neither a mesh nor a sharding.
  NoShardings,   ///< There is a mesh, and no sharding.
  NumPartitions, ///< The program is meant for another number of devices.
  OldSharding,   ///< There are shardings in a form that is not read.
  Warning,       ///< Propagation warned, for example of an op that shardings do not pass.
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
  /// Which of the changes for a conflict it is: those of conflicts that are alike go together.
  int way = 0;
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
  /// At the peak; 0 if it was not laid out.
  int64_t memoryBytes = 0;
  /// Modelled for the topology: transfers, and what devices compute, read and write.
  double transferSeconds = 0;
  double workSeconds = 0;

  double seconds() const { return transferSeconds + workSeconds; }
  void addTransfer(int64_t bytes, double seconds) {
    receivedBytes += bytes;
    transferSeconds += seconds;
  }
};

/// Conflicts that are alike, and the transfers that would not be there without them: their own, and
/// those of axes that won there and went on.
struct RootCause {
  /// Indices in `Explanation::conflicts`, and in `Explanation::transfers`.
  std::vector<int64_t> conflicts;
  std::vector<int64_t> transfers;
  int64_t receivedBytes = 0;
  double seconds = 0;
};

/// A change of annotations, tried by compiling the changed program as far as costs go.
struct ExplainedSuggestion {
  /// Index in `Explanation::conflicts`; -1 if it is about work that is repeated.
  int64_t conflict = -1;
  ExplainedEdit edit;
  /// The same of all that is alike, `edit` first: they are made together.
  std::vector<ExplainedEdit> alike;
  ProgramCosts before;
  ProgramCosts after;
};

struct Explanation {
  core::Mesh mesh;
  /// What the axes of the other meshes of the program are on `mesh`, a line each.
  std::vector<std::string> otherMeshes;
  /// The machine, if one was given: seconds are of it, and facts are sorted by these.
  std::optional<planner::Machine> machine;
  /// The name of the machine on which what was chosen is cheapest: as a rule that one.
  std::string chosenFor = "default";
  /// None if the program could not be laid out; a note says why.
  std::optional<MemoryFacts> memory;
  WorkFacts work;
  /// Most bytes first, or most time if there is a machine.
  std::vector<AxisTraffic> traffic;
  /// On the machine, if there is one.
  WorkSeconds workSeconds;
  /// The same, and all transfers, one beside the other as far as the machine can.
  Schedule schedule;
  /// Most work first, or most time if there is a machine.
  std::vector<ScopeFacts> scopes;
  /// The values that were asked for, or those annotated or returned.
  std::vector<ExplainedValue> values;
  /// The sharding rules that links name.
  std::vector<core::ShardingRule> rules;
  /// Worst first.
  std::vector<ExplainedConflict> conflicts;
  /// Most bytes first, or most time if there is a machine.
  std::vector<ExplainedTransfer> transfers;
  /// The same of the transfers that go back to them. Gathers of weights are none.
  std::vector<RootCause> rootCauses;
  std::vector<ExplainedNote> notes;
  /// Fewest bytes first, or least time if there is a machine.
  std::vector<ExplainedSuggestion> suggestions;
  int64_t numEditsTried = 0;
  /// There was no time for all that was worth a try.
  bool ranOutOfTime = false;
};

} // namespace shardwise::explain
