// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explanations as text for a terminal, as JSON, as a timeline and as compiler remarks.

#pragma once

#include "shardwise/explain/Explain.h"
#include "shardwise/explain/ForcedGatherText.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace shardwise::explain {

struct ExplainTextOptions {
  ExplainedValues which = ExplainedValues::Annotated;
  /// Rows of each table; 0 shows all.
  int64_t top = 10;
  /// Columns of a line.
  size_t width = 100;
};

/// Returns the summary, or the report on the values that were asked for, as text.
std::string toText(const Explanation &explanation, const ProgramNames &names,
                   const ExplainTextOptions &options);

/// Returns one JSON object; schema in docs/explain.md.
std::string toJson(const Explanation &explanation, const ProgramNames &names);

/// Returns the schedule of a step as a timeline in the trace event format of Chrome, which Perfetto
/// reads: a lane for work, one for each axis of the mesh, a counter for memory. docs/explain.md has
/// the fields. Requires a machine.
std::string toTimeline(const Explanation &explanation, const ProgramNames &names);

/// Returns the gathers that ops force, most bytes first.
std::vector<ForcedGatherText> forcedGathers(const Explanation &explanation,
                                            const ProgramNames &names);

/// Returns the conflicts that cost something as compiler remarks, worst first: `FILE:LINE:COLUMN:
/// remark: ...`. Before them stand the warnings of propagation, in the same form.
std::string toRemarks(const Explanation &explanation, const ProgramNames &names);

} // namespace shardwise::explain
