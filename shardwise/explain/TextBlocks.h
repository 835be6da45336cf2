// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One fact, or a row of facts that are alike, as lines for a terminal.

#pragma once

#include "shardwise/explain/AlikeRows.h"
#include "shardwise/explain/Reports.h"
#include "shardwise/explain/Sentences.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace shardwise::explain {

/// Writes the facts of one explanation. Rows have numbers from 0, and are shown from 1.
class TextBlocks {
public:
  TextBlocks(const Explanation &explanation, const ProgramNames &names,
             const ExplainTextOptions &options);

  std::string transfers(const Rows &rows, size_t number, const RowGroups &conflictGroups) const;
  /// One line; `number` is that of the row of transfers.
  std::string forcedGather(const Rows &rows, size_t number) const;
  std::string conflicts(const Rows &rows, size_t number) const;
  std::string suggestion(const ExplainedSuggestion &suggestion, size_t number,
                         const RowGroups &conflictGroups) const;
  std::string value(const ExplainedValue &value) const;

  /// Returns how many of `count` rows are shown, and a line about the others.
  size_t shownOf(size_t count) const {
    return options.top <= 0 ? count : std::min(count, static_cast<size_t>(options.top));
  }
  std::string more(size_t count, size_t shown, const char *what) const;

  /// Breaks `text` into lines: see `terminal::wrapped`.
  std::string lines(const std::string &text, size_t indent, size_t further = 2) const;
  /// Returns a place with the base name of the program: the heading has the whole name once.
  std::string placeText(const Place &place) const { return withoutFolder(names.textOf(place)); }

private:
  std::string withoutFolder(const std::string &place) const {
    return place.starts_with(folder) ? place.substr(folder.size()) : place;
  }
  /// `model.mlir:12:5 model.py:31`.
  std::string at(const Place &place, const std::string &source) const {
    return source.empty() ? placeText(place) : placeText(place) + " " + source;
  }
  std::string atOp(int64_t op) const { return at(names.placeOf(op), names.sourceOf(op)); }
  std::string brief(const ExplainedAnnotation &annotation) const;
  size_t shownAlike(const Rows &rows) const;
  std::string axis(const ExplainedAxis &axis) const;
  std::string link(const ExplainedLink &link) const;
  std::string heading(const ExplainedValue &value) const;

  const Explanation &explanation;
  const ProgramNames &names;
  const ExplainTextOptions &options;
  std::string folder;
};

} // namespace shardwise::explain
