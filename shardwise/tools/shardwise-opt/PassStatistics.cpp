// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counting around passes, and the table.

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
    auto before = statistics.running.find({pass, op});
    Line &line = statistics.lineOf(pass->getArgument());
    ++line.numRuns;
    line.before += before->second;
    line.after += counts;
    statistics.running.erase(before);
  }

private:
  PassStatistics &statistics;
};

PassStatistics::Line &PassStatistics::lineOf(llvm::StringRef pass) {
  // A pipeline has a few dozen passes.
  auto found = llvm::find_if(lines, [&](const auto &line) { return line.first == pass; });
  return found != lines.end() ? found->second : lines.emplace_back(pass.str(), Line()).second;
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
  for (const auto &[name, line] : lines) {
    const IrCounts &a = line.before;
    const IrCounts &b = line.after;
    stream << fmt::format(fmt::runtime(kRow), name, line.numRuns, change(a.ops, b.ops),
                          change(a.shardedValues, b.shardedValues), change(a.reshards, b.reshards),
                          change(a.collectives, b.collectives));
  }
}

} // namespace shardwise::tools
