// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every figure of the file from programs that are timed, as a step is: from the start of the first
// device to the end of the last. So devices that take turns on few cores are as slow as they are in
// a step, and one that has several cores is as quick. Of all runs the quickest counts: other work
// on the machine only adds to what a program takes, and several figures are differences and
// quotients of times that were taken apart, which would be those of the other work.
//
// The model prices a collective by rounds of messages, while devices of one process read each
// other's memory. Its three figures are those with which the model gives what was measured
// (FitLink.h), the link's speed from an all_reduce of large tensors, since that is what most of a
// training step's transfers are. What moves other than by sums has its own speed in one process:
// half to twice this.
//
// So are the two figures of patches (FitPatches.h), with which the model gives the measured times
// of convolutions in two orders of memory.

#include "shardwise/driver/MeasureMachine.h"

#include "shardwise/core/Collective.h"
#include "shardwise/driver/MachineMemory.h"
#include "shardwise/driver/MeasuredTexts.h"
#include "shardwise/driver/TimedPrograms.h"
#include "shardwise/planner/model/FitLink.h"
#include "shardwise/planner/model/FitPatches.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace shardwise::driver {
namespace {

using core::CollectiveKind;
using planner::Access;

constexpr int kSums = 8;
/// Enough for the start of threads not to count.
constexpr int kSmallCollectives = 100;
constexpr int kLargeCollectives = 4;

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

/// A multiple of what one of the programs goes through at once.
int64_t accessedFor(int64_t numDevices) {
  constexpr int64_t kUnit = 1 << 16;
  return elementsFor(numDevices) / kUnit * kUnit;
}

/// Images of a convolution on each device.
int64_t imagesFor(int64_t numDevices) {
  return std::clamp<int64_t>(128 / numDevices, 4, 64);
}

/// What ops that go through memory so are called in the file.
std::string_view programOf(Access access) {
  switch (access) {
  case Access::Copy:
    return "rows padded, and cut again";
  case Access::Transpose:
    return "heads of an attention, transposed";
  case Access::Reduce:
    return "sums along rows, and along columns";
  case Access::Window:
    return "max pooling, and its gradient";
  case Access::Gather:
    return "rows gathered, and scattered";
  case Access::Patch:
    return "what 3x3 convolutions take longer than their products";
  }
  return "";
}

class MachineMeasurement {
public:
  explicit MachineMeasurement(int64_t numDevices) : numDevices(numDevices), programs(numDevices) {}

  Result<MeasuredMachine> measure(int64_t rounds,
                                  const std::function<void(std::string_view)> &onStage);

private:
  // Each adds programs, and what is to be done with their times: in this order, so that a figure
  // may be made of earlier ones.
  void addProducts();
  void addCommonProducts(int64_t size, int count);
  void addVectors();
  void addAccesses();
  void addConvolutions();
  void addCollectives();
  void setLink(const planner::CollectiveTimes &times);
  void say(std::string key, std::string source) {
    measured.sources.emplace_back(std::move(key), std::move(source));
  }
  planner::DeviceSpeeds &device() { return measured.machine.device; }

  int64_t numDevices;
  TimedPrograms programs;
  std::vector<std::function<void()>> figures;
  MeasuredMachine measured;
};

void MachineMeasurement::addProducts() {
  const int64_t size = sizeFor(numDevices);
  const int count = productsFor(numDevices);
  for (std::string type : {"f32", "f64", "bf16"}) {
    MeasuredText products = productsText(type, size, count);
    size_t number = programs.add("products of " + type, products.text);
    figures.push_back([this, type, number, amount = products.amount] {
      device().flopsPerSecond.emplace_back(type, amount / programs.seconds(number));
    });
  }
  say("device.flops_per_s", fmt::format("{0} products of {1}x{1} matrices", count, size));
  if (numDevices > 1)
    addCommonProducts(size, count);
}

// One behind the other, as most of what devices do alike is: so one core has them all. Products
// need no memory that devices would take from each other if each did its own.
void MachineMeasurement::addCommonProducts(int64_t size, int count) {
  MeasuredText products = productsText("f32", size, count);
  size_t number =
      programs.add("products that devices have in common", products.text, MeasuredInputs::Common);
  figures.push_back([this, number, amount = products.amount] {
    double apart = amount / device().productFlopsPerSecond("f32");
    device().commonWorkShare =
        std::clamp(programs.seconds(number) / apart, 1 / static_cast<double>(numDevices), 1.0);
  });
  say("device.common_work", "the same products of f32 if all devices have the same matrices");
}

void MachineMeasurement::addVectors() {
  const int64_t elements = elementsFor(numDevices);
  MeasuredText ops = elementwiseText(elements);
  size_t computing = programs.add("element-wise ops", ops.text);
  MeasuredText sums = sumsText(elements, kSums);
  size_t moving = programs.add("memory", sums.text);
  figures.push_back([this, computing, moving, ops = ops.amount, bytes = sums.amount] {
    device().vectorFlopsPerSecond = ops / programs.seconds(computing);
    device().memoryBytesPerSecond = bytes / programs.seconds(moving);
  });
  say("device.vector_flops_per_s",
      fmt::format("{:.0f} element-wise ops of {} elements of f32, one behind the other",
                  ops.amount / static_cast<double>(elements), elements));
  say("device.memory_bytes_per_s",
      fmt::format("{} additions of vectors of {} elements of f32", kSums, elements));
}

void MachineMeasurement::addAccesses() {
  const int64_t elements = accessedFor(numDevices);
  for (const auto &[access, name] : planner::kAccesses) {
    if (access == Access::Patch)
      continue;
    MeasuredText ops = accessText(access, elements);
    size_t number = programs.add(std::string(programOf(access)), ops.text);
    figures.push_back([this, access, number, bytes = ops.amount] {
      device().rateOf(access) = bytes / programs.seconds(number);
    });
    say(fmt::format("device.access_bytes_per_s.{}", name),
        fmt::format("{}: {} elements of f32", programOf(access), elements));
  }
}

void MachineMeasurement::addConvolutions() {
  const int64_t images = imagesFor(numDevices);
  ConvolutionsText longRuns = convolutionsText(images, ImageOrder::FeaturesLast);
  ConvolutionsText shortRuns = convolutionsText(images, ImageOrder::LinesLast);
  size_t ofLong = programs.add("convolutions, features last", longRuns.text);
  size_t ofShort = programs.add("convolutions, lines last", shortRuns.text);
  auto timesOf = [this](const ConvolutionsText &text, size_t number) {
    return planner::ConvolutionTimes{text.patches, programs.seconds(number),
                                     text.flops / device().productFlopsPerSecond("f32")};
  };
  figures.push_back([=, this] {
    planner::FittedPatches fitted =
        planner::fitPatches(timesOf(longRuns, ofLong), timesOf(shortRuns, ofShort));
    device().rateOf(Access::Patch) = fitted.bytesPerSecond;
    device().patchRunSeconds = fitted.runSeconds;
  });
  say("device.access_bytes_per_s.patch, device.patch_run_s",
      fmt::format("{}: {} images of 16x16 with 32 features of f32, these or lines last",
                  programOf(Access::Patch), images));
}

void MachineMeasurement::addCollectives() {
  if (numDevices == 1) {
    figures.push_back([this] { measured.machine.link = {0, device().memoryBytesPerSecond}; });
    say("link", "not measured on one device: its memory");
    return;
  }
  const int64_t elements = elementsFor(numDevices);
  auto add = [&](std::string what, CollectiveKind kind, int64_t size, int count) {
    return programs.add(std::move(what), collectivesText(kind, numDevices, size, count));
  };
  size_t permutes =
      add("permutes of one element", CollectiveKind::CollectivePermute, 1, kSmallCollectives);
  size_t small = add("all_reduces of one element", CollectiveKind::AllReduce, 1, kSmallCollectives);
  size_t large =
      add("all_reduces of large tensors", CollectiveKind::AllReduce, elements, kLargeCollectives);
  figures.push_back([this, permutes, small, large, elements] {
    setLink({programs.seconds(permutes) / kSmallCollectives,
             programs.seconds(small) / kSmallCollectives,
             programs.seconds(large) / kLargeCollectives, 4 * elements});
  });
  say("start_s, link.latency_s",
      fmt::format("{} permutes, and all_reduces, of one element", kSmallCollectives));
  say("link.bytes_per_s",
      fmt::format("{} all_reduces of {} elements of f32", kLargeCollectives, elements));
}

void MachineMeasurement::setLink(const planner::CollectiveTimes &times) {
  planner::FittedLink fitted = planner::fitLink(numDevices, times);
  measured.machine.link = fitted.link;
  measured.machine.startSeconds = fitted.startSeconds;
}

Result<MeasuredMachine>
MachineMeasurement::measure(int64_t rounds, const std::function<void(std::string_view)> &onStage) {
  addProducts();
  addVectors();
  addAccesses();
  addConvolutions();
  addCollectives();
  if (Result<void> done = programs.run(rounds, onStage); !done)
    return done.error();
  for (const std::function<void()> &setFigure : figures)
    setFigure();
  planner::Machine &machine = measured.machine;
  machine.name = fmt::format("measured-{}", numDevices);
  machine.description =
      fmt::format("{} of one process on {} cores: what each reaches while "
                  "all work, the quickest runs of {} rounds",
                  numDevices == 1 ? "1 device" : fmt::format("{} devices", numDevices),
                  std::max(1U, std::thread::hardware_concurrency()), rounds);
  machine.hostLink = machine.link;
  machine.device.memoryBytes = machineMemoryBytes() / numDevices;
  say("device.memory_bytes", "an equal part of the machine's");
  return std::move(measured);
}

} // namespace

Result<MeasuredMachine> measureMachine(int64_t numDevices, int64_t rounds,
                                       const std::function<void(std::string_view)> &onStage) {
  return MachineMeasurement(numDevices).measure(rounds, onStage);
}

} // namespace shardwise::driver
