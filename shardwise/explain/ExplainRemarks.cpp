// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conflicts as compiler remarks, behind the warnings of propagation.

#include "shardwise/explain/Reports.h"
#include "shardwise/explain/Sentences.h"
#include "shardwise/terminal/ByteText.h"
#include "shardwise/terminal/WrappedText.h"

#include <fmt/format.h>

namespace shardwise::explain {

std::string toRemarks(const Explanation &explanation, const ProgramNames &names) {
  std::string text;
  auto add = [&](const std::string &line) { text += terminal::wrapped(line, {100, 2, 2}); };
  for (const ExplainedNote &note : explanation.notes)
    if (note.code == NoteCode::Warning)
      text += fmt::format("{}: warning: {}\n", names.textOf(note.place), note.message);
  for (const ExplainedConflict &conflict : explanation.conflicts) {
    if (conflict.receivedBytes == 0)
      break;
    text +=
        fmt::format("{}: remark: {} receives {}{} because {}\n",
                    names.textOf(names.placeOf(conflict.op.number)), opText(conflict.op, names),
                    terminal::bytesText(conflict.receivedBytes),
                    conflict.isPerIteration ? " per iteration" : "", problemOf(conflict, names));
    if (std::string source = names.sourceOf(conflict.op.number); !source.empty())
      add("made by " + source);
    if (conflict.winner.origin.isKnown())
      add(winnerText(conflict, briefly(textOf(conflict.winner.origin, names))));
    if (conflict.loser.origin.isKnown())
      add(loserText(conflict, briefly(textOf(conflict.loser.origin, names))));
    if (std::string because = becauseOf(conflict, names); !because.empty())
      add(because);
    add("to change it: " + adviceFor(conflict, names));
  }
  return text;
}

} // namespace shardwise::explain
