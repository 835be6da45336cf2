// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counting around passes, and the table. An instrumentation counts the IR before and after each
// pass, by pass and op, since passes on functions run side by side; a line adds up all runs of a
// pass. Counting walks the whole IR, so it is done only when asked for.

#include "shardwise/tools/shardwise-opt/PassStatistics.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"

#include "mlir/Pass/Pass.h"

#include <fmt/format.h>

using namespace mlir;

namespace shardwise::tools {

IrCounts &IrCounts::operator+=(const IrCounts &other) {
  ops += other.ops;
  shardedValues += other.shardedValues;
  reshards += other.reshards;
  collectives += other.collectives;
  return *this;
}

IrCounts countIr(Operation *root) {
  IrCounts counts;
  auto countValues = [&](auto values) {
    for (Value value : values)
      counts.shardedValues += sdy::getSharding(value) ? 1 : 0;
  };
  root->walk([&](Operation *op) {
    ++counts.ops;
    counts.reshards += isa<sdy::ReshardOp>(op);
    counts.collectives += isa<sdy::CollectiveOpInterface>(op);
    countValues(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        countValues(block.getArguments());
  });
  return counts;
}

class PassStatistics::Instrumentation final : public PassInstrumentation {
public:
  explicit Instrumentation(PassStatistics &statistics) : statistics(statistics) {}

  // Adaptors that run passes on nested ops have no name of their own.
  void runBeforePass(Pass *pass, Operation *op) override {
    if (pass->getArgument().empty())
      return;
    IrCounts counts = countIr(op);
    std::lock_guard lock(statistics.mutex);
    statistics.running[{pass, op}] = counts;
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    if (pass->getArgument().empty())
      return;
    IrCounts counts = countIr(op);
    std::lock_guard lock(statistics.mutex);
    // A pass manager clones passes for its threads, so that pass and op together are one run.
    auto before = statistics.running.find({pass, op});
    Line &line = statistics.lineOf(*pass);
    ++line.numRuns;
    line.before += before->second;
    line.after += counts;
    statistics.running.erase(before);
  }

private:
  PassStatistics &statistics;
};

PassStatistics::Line &PassStatistics::lineOf(const Pass &pass) {
  // A pipeline has a few dozen passes.
  auto found = llvm::find_if(lines, [&](const Line &line) {
    return pass.getArgument() == line.flag && pass.getName() == line.name;
  });
  if (found != lines.end())
    return *found;
  Line &line = lines.emplace_back();
  line.flag = pass.getArgument().str();
  line.name = pass.getName().str();
  return line;
}

std::unique_ptr<PassInstrumentation> PassStatistics::makeInstrumentation() {
  return std::make_unique<Instrumentation>(*this);
}

static std::string change(int64_t before, int64_t after) {
  return before == after ? fmt::format("{}", after) : fmt::format("{} -> {}", before, after);
}

void PassStatistics::print(llvm::raw_ostream &stream) const {
  constexpr const char *kRow = "{:<42} {:>4}  {:<14} {:<14} {:<12} {}\n";
  stream << fmt::format(fmt::runtime(kRow), "pass", "runs", "ops", "sharded values", "reshards",
                        "collectives");
  for (const Line &line : lines) {
    const IrCounts &a = line.before;
    const IrCounts &b = line.after;
    stream << fmt::format(fmt::runtime(kRow), line.flag, line.numRuns, change(a.ops, b.ops),
                          change(a.shardedValues, b.shardedValues), change(a.reshards, b.reshards),
                          change(a.collectives, b.collectives));
  }
}

void PassStatistics::printReport(llvm::raw_ostream &stream, bool isSorted) const {
  const std::string rule = "===" + std::string(73, '-') + "===\n";
  stream << rule << "                         ... Pass statistics report ...\n" << rule;
  std::vector<const Line *> ordered;
  for (const Line &line : lines)
    ordered.push_back(&line);
  if (isSorted)
    llvm::sort(ordered, [](const Line *a, const Line *b) { return a->name < b->name; });
  struct Quantity {
    const char *name;
    const char *what;
    int64_t IrCounts::*count;
  };
  static constexpr Quantity kQuantities[] = {
      {"ops", "ops", &IrCounts::ops},
      {"sharded-values", "values with a sharding", &IrCounts::shardedValues},
      {"reshards", "reshards", &IrCounts::reshards},
      {"collectives", "collectives", &IrCounts::collectives}};
  for (const Line *line : ordered) {
    stream << line->name << "\n";
    stream << fmt::format("  (S) {:>6} runs - Number of times that the pass ran\n", line->numRuns);
    for (const Quantity &quantity : kQuantities) {
      stream << fmt::format("  (S) {:>6} {}-before - Number of {} that the pass found\n",
                            line->before.*quantity.count, quantity.name, quantity.what);
      stream << fmt::format("  (S) {:>6} {}-after - Number of {} that the pass left\n",
                            line->after.*quantity.count, quantity.name, quantity.what);
    }
  }
}

} // namespace shardwise::tools
