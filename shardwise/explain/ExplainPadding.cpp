// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A vocabulary of 50257 over {"tensor"=4} is 3 parts of 12565 and one of 12562: the program runs on
// padded parts, and who reads the parts in others' sizes has to exchange rows. One size is told
// once, at the largest tensor that has it.

#include "shardwise/explain/ExplainPadding.h"

#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Text.h"
#include "shardwise/explain/OpMarks.h"
#include "shardwise/explain/ProgramGroups.h"
#include "shardwise/explain/Sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

using namespace mlir;

namespace shardwise::explain {
namespace {

constexpr size_t kMostNotes = 3;

struct Padded {
  int64_t elements = 0;
  int64_t op = -1;
  size_t dim = 0;
  Type type;
  core::AxisList axes;
};

} // namespace

void notePadding(ModuleOp module, reshard::ShardedProgram &program, const ProgramNames &names,
                 Explanation &explanation) {
  // By size and number of parts.
  std::map<std::pair<int64_t, int64_t>, Padded> found;
  module.walk([&](Operation *op) {
    for (Value value : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || !type.hasStaticShape())
        continue;
      const core::Sharding &placement = program.placementOf(value);
      for (size_t dim = 0; dim < placement.dims.size(); ++dim) {
        int64_t parts = core::shardedSize(placement.dims[dim].axes);
        int64_t size = type.getDimSize(dim);
        if (parts < 2 || size % parts == 0)
          continue;
        Padded &padded = found[{size, parts}];
        if (type.getNumElements() > padded.elements)
          padded = {type.getNumElements(), opNumberOf(op->getLoc()), dim, type,
                    placement.dims[dim].axes};
      }
    }
  });
  std::vector<std::pair<std::pair<int64_t, int64_t>, Padded>> rows(found.begin(), found.end());
  std::sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) {
    return std::tuple(-a.second.elements, a.first) < std::tuple(-b.second.elements, b.first);
  });
  rows.resize(std::min(rows.size(), kMostNotes));
  for (const auto &[key, padded] : rows) {
    auto [size, parts] = key;
    int64_t even = (size + parts - 1) / parts * parts;
    std::string source = names.sourceOf(padded.op);
    std::string place = names.textOf(names.placeOf(padded.op));
    explanation.notes.push_back(
        {NoteCode::Padded, names.placeOf(padded.op),
         fmt::format(
             "uneven: {} does not divide into {} parts over {} (dimension {} of {} at {} {}), "
             "so devices work on padding and exchange rows; make it {}, padding what is "
             "shorter",
             size, parts, core::toString(toRefs(padded.axes, program.mesh())), padded.dim,
             typeText(padded.type), names.opName(padded.op),
             source.empty() ? place.substr(place.rfind('/') + 1) : source, even)});
  }
}

} // namespace shardwise::explain
