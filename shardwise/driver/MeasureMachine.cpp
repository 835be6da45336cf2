// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every figure of the file from programs that are timed, as a step is: from the start of the first
// device to the end of the last. So devices that take turns on few cores are as slow as they are in
// a step. Of all runs the quickest counts: other work on the machine only adds to what a program
// takes, and several figures are differences and quotients of times that were taken apart, which
// would be those of the other work.
//
// The model prices a collective by rounds of messages, while devices of one process read each
// other's memory. Its three figures are those with which the model gives what was measured
// (FitLink.h), the link's speed from an all_reduce of large tensors, since that is what most of a
// training step's transfers are. What moves other than by sums has its own speed in one process:
// half to twice this.

#include "shardwise/driver/MeasureMachine.h"

#include "shardwise/core/Collective.h"
#include "shardwise/driver/MachineMemory.h"
#include "shardwise/driver/MeasuredProgram.h"
#include "shardwise/planner/model/FitLink.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <thread>

namespace shardwise::driver {
namespace {

constexpr int kSums = 8;
/// Enough for the start of threads not to count.
constexpr int kSmallCollectives = 100;
constexpr int kLargeCollectives = 4;
/// As in an update of Adam, an activation, a norm.
constexpr std::string_view kElementwiseOps[] = {
    "multiply %{0}, %b", "add %{0}, %b",      "multiply %{0}, %b", "subtract %{0}, %b",
    "divide %{0}, %b",   "maximum %{0}, %b",  "multiply %{0}, %b", "sqrt %{0}",
    "add %{0}, %b",      "multiply %{0}, %b", "tanh %{0}",         "subtract %{0}, %b",
};

/// Of matrices: as large as in a step, but not so large that many devices take minutes. Where cores
/// help a device, all pieces of a product are waited for: of small ones, with other work on the
/// machine, longer than they take.
int64_t sizeFor(int64_t numDevices) {
  if (numDevices <= 2)
    return 1'024;
  return numDevices <= 16 ? 512 : 256;
}

/// Fewer of large ones, so that they take as long.
int productsFor(int64_t numDevices) {
  return numDevices <= 2 ? 2 : 8;
}

/// Vectors larger than caches, but not so large that the devices need gigabytes.
int64_t elementsFor(int64_t numDevices) {
  return std::clamp<int64_t>((int64_t{1} << 23) / numDevices, 1 << 17, 1 << 22);
}

std::string elementwiseText(int64_t elements) {
  std::string type = fmt::format("tensor<{}xf32>", elements);
  std::string text = fmt::format("func.func @main(%v0: {0}, %b: {0}) -> {0} {{\n", type);
  int number = 0;
  for (std::string_view op : kElementwiseOps) {
    text += fmt::format("  %v{} = stablehlo.{} : {}\n", number + 1,
                        fmt::format(fmt::runtime(op), fmt::format("v{}", number)), type);
    ++number;
  }
  return text + fmt::format("  return %v{} : {}\n}}\n", number, type);
}

/// `count` all_reduces, or permutes to the next device, of the same vector.
std::string collectivesText(core::CollectiveKind kind, int64_t numDevices, int64_t elements,
                            int count) {
  std::string type = fmt::format("tensor<{}xf32>", elements);
  std::vector<int64_t> group;
  std::vector<std::string> pairs, results, types(static_cast<size_t>(count), type);
  for (int64_t device = 0; device < numDevices; ++device) {
    group.push_back(device);
    pairs.push_back(fmt::format("[{}, {}]", device, (device + 1) % numDevices));
  }
  bool isReduce = kind == core::CollectiveKind::AllReduce;
  std::string text;
  for (int i = 0; i < count; ++i) {
    results.push_back(fmt::format("%r{}", i));
    text +=
        isReduce
            ? fmt::format("  {0} = \"stablehlo.all_reduce\"(%x) <{{replica_groups = dense<[[{1}]]> "
                          ": tensor<1x{2}xi64>}}> ({{\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
                          "    %s = stablehlo.add %a, %b : tensor<f32>\n    stablehlo.return %s : "
                          "tensor<f32>\n  }}) : ({3}) -> {3}\n",
                          results.back(), fmt::join(group, ", "), numDevices, type)
            : fmt::format("  {0} = \"stablehlo.collective_permute\"(%x) <{{source_target_pairs = "
                          "dense<[{1}]> : tensor<{2}x2xi64>}}> : ({3}) -> {3}\n",
                          results.back(), fmt::join(pairs, ", "), numDevices, type);
  }
  return fmt::format("module attributes {{mhlo.num_replicas = {4} : i32}} {{\nfunc.func @main(%x: "
                     "{0}) -> ({1}) {{\n{2}  return {3} : {1}\n}}\n}}\n",
                     type, fmt::join(types, ", "), text, fmt::join(results, ", "), numDevices);
}

class MachineMeasurement {
public:
  MachineMeasurement(int64_t numDevices, int64_t repeats,
                     const std::function<void(std::string_view)> &onStage)
      : numDevices(numDevices), repeats(repeats), onStage(onStage) {}

  Result<MeasuredMachine> measure();

private:
  /// The least of all runs.
  Result<double> secondsOf(const std::string &text,
                           MeasuredInputs inputs = MeasuredInputs::Apart) const;
  Result<void> measureProducts();
  Result<void> measureVectors();
  Result<void> measureCollectives();
  void say(std::string key, std::string source) {
    measured.sources.emplace_back(std::move(key), std::move(source));
  }

  int64_t numDevices;
  int64_t repeats;
  const std::function<void(std::string_view)> &onStage;
  MeasuredMachine measured;
};

Result<double> MachineMeasurement::secondsOf(const std::string &text, MeasuredInputs inputs) const {
  auto runs = runMeasured(text, numDevices, static_cast<int>(repeats) + 1, inputs);
  if (!runs)
    return runs.error();
  double least = std::numeric_limits<double>::infinity();
  for (const MeasuredRun &run : *runs)
    least = std::min(least, run.seconds);
  return std::max(least, 1e-9);
}

Result<void> MachineMeasurement::measureProducts() {
  const int64_t size = sizeFor(numDevices);
  const int count = productsFor(numDevices);
  for (std::string_view type : {"f32", "f64", "bf16"}) {
    onStage(fmt::format("measuring products of {}", type));
    Result<double> seconds = secondsOf(productsText(std::string(type), size, count));
    if (!seconds)
      return seconds.error();
    // 2 operations for each multiplication and addition.
    measured.machine.device.flopsPerSecond.emplace_back(
        type, 2.0 * count * static_cast<double>(size * size * size) / *seconds);
  }
  say("device.flops_per_s", fmt::format("{0} products of {1}x{1} matrices", count, size));
  return {};
}

Result<void> MachineMeasurement::measureVectors() {
  planner::DeviceSpeeds &device = measured.machine.device;
  const int64_t elements = elementsFor(numDevices);
  onStage("measuring element-wise ops");
  Result<double> computing = secondsOf(elementwiseText(elements));
  if (!computing)
    return computing.error();
  device.vectorFlopsPerSecond =
      static_cast<double>(elements) * std::size(kElementwiseOps) / *computing;
  say("device.vector_flops_per_s",
      fmt::format("{} element-wise ops of {} elements of f32, one behind the other",
                  std::size(kElementwiseOps), elements));
  onStage("measuring memory");
  Result<double> moving = secondsOf(sumsText(elements, kSums));
  if (!moving)
    return moving.error();
  // 3 tensors of f32 that a sum reads and writes.
  device.memoryBytesPerSecond = 3.0 * 4 * kSums * static_cast<double>(elements) / *moving;
  say("device.memory_bytes_per_s",
      fmt::format("{} additions of vectors of {} elements of f32", kSums, elements));
  if (numDevices == 1)
    return {};
  onStage("measuring work that devices have in common");
  Result<double> common = secondsOf(sumsText(elements, kSums), MeasuredInputs::Common);
  if (!common)
    return common.error();
  device.commonWorkShare = std::clamp(*common / *moving, 1 / static_cast<double>(numDevices), 1.0);
  say("device.common_work", "the same additions if all devices have the same vectors");
  return {};
}

Result<void> MachineMeasurement::measureCollectives() {
  planner::Machine &machine = measured.machine;
  if (numDevices == 1) {
    machine.link = {0, machine.device.memoryBytesPerSecond};
    say("link", "not measured on one device: its memory");
    return {};
  }
  using core::CollectiveKind;
  auto perCollective = [&](CollectiveKind kind, int64_t elements, int count) -> Result<double> {
    auto seconds = secondsOf(collectivesText(kind, numDevices, elements, count));
    return seconds ? *seconds / count : seconds;
  };
  onStage("measuring collectives of one element");
  Result<double> permute = perCollective(CollectiveKind::CollectivePermute, 1, kSmallCollectives);
  if (!permute)
    return permute.error();
  Result<double> small = perCollective(CollectiveKind::AllReduce, 1, kSmallCollectives);
  if (!small)
    return small.error();
  say("start_s, link.latency_s",
      fmt::format("{} permutes, and all_reduces, of one element", kSmallCollectives));
  onStage("measuring collectives of large tensors");
  const int64_t elements = elementsFor(numDevices);
  Result<double> large = perCollective(CollectiveKind::AllReduce, elements, kLargeCollectives);
  if (!large)
    return large.error();
  planner::FittedLink fitted =
      planner::fitLink(numDevices, {*permute, *small, *large, 4 * elements});
  machine.link = fitted.link;
  machine.startSeconds = fitted.startSeconds;
  say("link.bytes_per_s",
      fmt::format("{} all_reduces of {} elements of f32", kLargeCollectives, elements));
  return {};
}

Result<MeasuredMachine> MachineMeasurement::measure() {
  for (auto part : {&MachineMeasurement::measureProducts, &MachineMeasurement::measureVectors,
                    &MachineMeasurement::measureCollectives})
    if (Result<void> done = (this->*part)(); !done)
      return done.error();
  planner::Machine &machine = measured.machine;
  machine.name = fmt::format("measured-{}", numDevices);
  machine.description =
      fmt::format("{} of one process on {} cores: what each reaches while "
                  "all work, the quickest of {} runs",
                  numDevices == 1 ? "1 device" : fmt::format("{} devices", numDevices),
                  std::max(1U, std::thread::hardware_concurrency()), repeats);
  machine.hostLink = machine.link;
  machine.device.memoryBytes = machineMemoryBytes() / numDevices;
  say("device.memory_bytes", "an equal part of the machine's");
  return std::move(measured);
}

} // namespace

Result<MeasuredMachine> measureMachine(int64_t numDevices, int64_t repeats,
                                       const std::function<void(std::string_view)> &onStage) {
  return MachineMeasurement(numDevices, repeats, onStage).measure();
}

} // namespace shardwise::driver
