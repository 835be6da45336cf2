// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scopes are named by jax.named_scope, and by modules of Flax and Haiku, whose layers are numbered:
// `decoder/block/3/layer/1/DenseReluDense/wi`. Numbers are left out, so that equal layers are one
// row; so is what all scopes begin with, and what is deeper than four parts.

#include "shardwise/explain/ExplainScopes.h"

#include "shardwise/explain/OpMarks.h"
#include "shardwise/terminal/ByteText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace mlir;

namespace shardwise::explain {
namespace {

constexpr size_t kMostParts = 4;

/// The rows of one table, while they are summed up.
class ScopeTable {
public:
  ScopeTable(const ProgramNames &names, Explanation &explanation)
      : names(names), explanation(explanation) {}

  /// The row of an op: by its scope and direction, and by its function where it has no scope, as
  /// in programs that nobody named.
  ScopeFacts &of(int64_t op) {
    ScopeName scope = ScopeName::parse(names.scopeOf(op).path);
    if (scope.parts.empty())
      scope.parts = {functionOf(op)};
    Row &row = rows[{scope.parts, names.scopeOf(op).direction}];
    row.layers.insert(scope.layer);
    return row.facts;
  }

  /// Moves the rows to the explanation, most work first.
  void finish() {
    size_t common = commonParts();
    std::map<std::pair<std::string, std::string>, Row> shown;
    // Rows are summed again under what is shown of their names: what all begin with tells nothing,
    // and what is deeper than the table goes belongs to the part above.
    for (auto &[key, row] : rows) {
      const auto &[parts, direction] = key;
      size_t begin = std::min(common, parts.size() - 1);
      size_t end = std::min(parts.size(), begin + kMostParts);
      std::string path = llvm::join(parts.begin() + begin, parts.begin() + end, "/");
      Row &sum = shown[{path, direction}];
      sum.layers.insert(row.layers.begin(), row.layers.end());
      add(sum.facts, row.facts);
    }
    for (auto &[key, row] : shown) {
      row.facts.path = key.first;
      row.facts.direction = key.second;
      // An op outside of numbered layers has -1, which is no layer.
      row.layers.erase(-1);
      row.facts.layers = std::max<int64_t>(1, static_cast<int64_t>(row.layers.size()));
      explanation.scopes.push_back(std::move(row.facts));
    }
    // By time where a machine tells it, by work otherwise; names last, so that the order is the
    // same in every run.
    auto keyOf = [&](const ScopeFacts &scope) {
      double seconds = scope.workSeconds + scope.transferSeconds;
      return std::tuple(explanation.machine ? -seconds : 0.0, -scope.flops, -scope.receivedBytes,
                        scope.path, scope.direction);
    };
    std::sort(explanation.scopes.begin(), explanation.scopes.end(),
              [&](const ScopeFacts &a, const ScopeFacts &b) { return keyOf(a) < keyOf(b); });
  }

private:
  struct Row {
    ScopeFacts facts;
    std::set<int64_t> layers;
  };

  std::string functionOf(int64_t op) const {
    std::string function = names.functionOf(op);
    return function.empty() || function.starts_with("<") ? "(no name)" : function;
  }
  static void add(ScopeFacts &sum, const ScopeFacts &facts) {
    sum.flops += facts.flops;
    sum.workSeconds += facts.workSeconds;
    sum.receivedBytes += facts.receivedBytes;
    sum.transferSeconds += facts.transferSeconds;
  }
  /// How many parts all scopes with several begin with alike.
  size_t commonParts() const {
    const std::vector<std::string> *first = nullptr;
    size_t common = 0;
    for (const auto &[key, row] : rows) {
      const std::vector<std::string> &parts = key.first;
      if (parts.size() < 2)
        continue;
      if (!first) {
        first = &parts;
        common = parts.size() - 1;
      }
      common = std::min(common, parts.size() - 1);
      while (common > 0 && !std::equal(parts.begin(), parts.begin() + common, first->begin()))
        --common;
    }
    return common;
  }

  const ProgramNames &names;
  Explanation &explanation;
  std::map<std::pair<std::vector<std::string>, std::string>, Row> rows;
};

} // namespace

ScopeName ScopeName::parse(const std::string &path) {
  ScopeName scope;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::SplitString(path, parts, "/");
  for (llvm::StringRef part : parts) {
    // `layer_12` is a layer by its number, and the first number counts: in
    // `block/3/layer/1/DenseReluDense` the 3 is the layer of the model, the 1 a part of it.
    llvm::StringRef name = part.rtrim("0123456789");
    int64_t number = -1;
    if (!part.drop_front(name.size()).getAsInteger(10, number) && scope.layer < 0)
      scope.layer = number;
    name = name.rtrim("_.-");
    if (!name.empty())
      scope.parts.push_back(name.str());
  }
  return scope;
}

void explainScopes(llvm::ArrayRef<OpWork> works, const ProgramNames &names,
                   Explanation &explanation) {
  ScopeTable table(names, explanation);
  for (const OpWork &work : works) {
    ScopeFacts &scope = table.of(opNumberOf(work.op->getLoc()));
    scope.flops += work.flops * work.runs;
    if (explanation.machine)
      scope.workSeconds += work.seconds();
  }
  for (const ExplainedTransfer &transfer : explanation.transfers) {
    ScopeFacts &scope = table.of(transfer.op);
    scope.receivedBytes += transfer.receivedBytes;
    if (explanation.machine)
      scope.transferSeconds += transfer.seconds;
  }
  table.finish();
}

/// Of the buffers that live at the peak, those kept for the backward pass count for the scope that
/// made them. Rows have been shortened by then, so an op finds its row as the longest path that is
/// within its own: `decoder/block/attention/q` belongs to `block/attention`.
void addActivations(const ProgramNames &names, Explanation &explanation) {
  if (!explanation.memory)
    return;
  // The scopes are named already: what an op belongs to is found by its own name, from the end on.
  for (const LiveBuffer &buffer : explanation.memory->live) {
    if (buffer.kind != MemoryKind::Activations)
      continue;
    ScopeName name = ScopeName::parse(names.scopeOf(buffer.op).path);
    std::string path =
        name.parts.empty() ? names.functionOf(buffer.op) : llvm::join(name.parts, "/");
    ScopeFacts *best = nullptr;
    for (ScopeFacts &scope : explanation.scopes)
      if (scope.direction == names.scopeOf(buffer.op).direction &&
          ("/" + path + "/").find("/" + scope.path + "/") != std::string::npos &&
          (!best || scope.path.size() > best->path.size()))
        best = &scope;
    if (best)
      best->activationBytes += buffer.bytes;
  }
}

/// One scope is the whole program, which the header has told already.
std::vector<std::string> scopeRows(const Explanation &explanation, size_t most) {
  std::vector<std::string> rows;
  if (explanation.scopes.size() < 2)
    return rows;
  rows.push_back(fmt::format("by scope, most {} first (work, received{}, activations kept)",
                             explanation.machine ? "time" : "work",
                             explanation.machine ? ", time" : ""));
  auto all = static_cast<double>(std::max<int64_t>(1, explanation.work.flops));
  for (const ScopeFacts &scope : explanation.scopes) {
    if (rows.size() > most)
      break;
    std::string time = explanation.machine
                           ? fmt::format("  {:>7}", terminal::secondsText(scope.workSeconds +
                                                                          scope.transferSeconds))
                           : "";
    rows.push_back(fmt::format(
        "    {:>4.0f} %  {:>9}{}  {:>9}  {}{}{}", 100 * static_cast<double>(scope.flops) / all,
        terminal::bytesText(scope.receivedBytes), time, terminal::bytesText(scope.activationBytes),
        scope.path, scope.direction.empty() ? "" : " (" + scope.direction + ")",
        scope.layers > 1 ? fmt::format(" ({} layers)", scope.layers) : ""));
  }
  return rows;
}

} // namespace shardwise::explain
