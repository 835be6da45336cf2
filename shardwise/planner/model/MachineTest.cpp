// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Topology files: presets, errors, meshes on machines.

#include "shardwise/planner/model/Machine.h"
#include "shardwise/planner/tests/PlanTesting.h"

#include <gtest/gtest.h>

#include <set>

namespace shardwise::planner {
namespace {

TEST(MachineTest, presetsAreRead) {
  std::set<std::string> names;
  for (const MachinePreset &preset : machinePresets()) {
    Result<Machine> machine = loadMachine(std::string(preset.name));
    ASSERT_TRUE(machine.ok()) << machine.error().message;
    EXPECT_EQ(machine->name, preset.name);
    EXPECT_FALSE(machine->description.empty());
    // Every figure says where it is from.
    EXPECT_NE(preset.text.find("\"sources\""), std::string_view::npos) << preset.name;
    names.insert(machine->name);
  }
  EXPECT_TRUE(names.contains("tpu-v5e") && names.contains("h100-nvlink-ib"));
  EXPECT_TRUE(loadMachine("")->isPlain());
  EXPECT_EQ(loadMachine("")->name, "default");
  EXPECT_FALSE(loadMachine("tpu-v5p")->isPlain());
  // Bytes decide about plans, and what is computed twice counts fifty times as much as by default.
  EXPECT_TRUE(loadMachine("xla-cpu")->isPlain());
  auto bytesOfWork = [](const Machine &machine) {
    return machine.link.bytesPerSecond / machine.device.productFlopsPerSecond("f32");
  };
  EXPECT_GT(bytesOfWork(*loadMachine("xla-cpu")), 40 * bytesOfWork(defaultMachine()));
}

/// A file in which `broken` stands for `right`.
std::string fileWith(std::string_view right, std::string_view broken) {
  std::string text = R"({
  "link": {"latency_s": 1e-6, "bytes_per_s": 1e10},
  "devices_per_host": 4,
  "host_link": {"latency_s": 1e-5, "bytes_per_s": 1e9},
  "axis_links": {"far": {"latency_s": 0, "bytes_per_s": 1e8}},
  "device": {"flops_per_s": {"f32": 1e12, "bf16": 2e12}, "vector_flops_per_s": 1e11,
             "memory_bytes_per_s": 1e11}
})";
  size_t at = text.find(right);
  EXPECT_NE(at, std::string::npos) << right;
  return text.replace(at, right.size(), broken);
}

TEST(MachineTest, errorsSayWhereAndWhat) {
  struct Case {
    std::string_view right, broken, fragment;
  };
  for (const Case &c : {
           Case{"1e-6, ", "1e-6 ", "m.json:2:30: no JSON"},
           {"\"link\"", "\"ring\"", "m.json: link is missing"},
           {"\"devices_per_host\"", "\"hosts\"", "hosts is no key; expected one of name, "},
           {"1e8", "0", "axis_links.far.bytes_per_s: 0 given; expected a number above 0"},
           {"\"devices_per_host\": 4", "\"devices_per_host\": 1.5", "a whole number"},
           {"1e12", "\"fast\"", "device.flops_per_s.f32: \"fast\" given"},
           {"{\"f32\": 1e12, \"bf16\": 2e12}", "{}", "rates by element type"},
           {"\"memory_bytes_per_s\": 1e11", "\"memory_bytes_per_s\": 1e11, \"common_work\": 2",
            "device.common_work: 2 given; expected a number above 0, at most 1"},
           {"\"memory_bytes_per_s\": 1e11",
            "\"memory_bytes_per_s\": 1e11, \"access_bytes_per_s\": {\"copy\": 0}",
            "device.access_bytes_per_s.copy: 0 given; expected a number above 0"},
           {"\"memory_bytes_per_s\": 1e11",
            "\"memory_bytes_per_s\": 1e11, \"access_bytes_per_s\": {\"scan\": 1}",
            "device.access_bytes_per_s.scan is no key; expected one of copy, transpose, reduce, "
            "window, gather, patch"},
           {"\"memory_bytes_per_s\": 1e11", "\"memory_bytes_per_s\": 1e11, \"patch_run_s\": -1",
            "device.patch_run_s: -1 given; expected a number of at least 0"},
           {"\"memory_bytes_per_s\": 1e11",
            "\"memory_bytes_per_s\": 1e11, \"access_bytes_per_s\": 5",
            "device.access_bytes_per_s: 5 given; expected an object in braces"},
           {"\"vector_flops_per_s\": 1e11,", "", "device.vector_flops_per_s is missing"},
           {"\"host_link\": {\"latency_s\": 1e-5, \"bytes_per_s\": 1e9},", "",
            "host_link is missing; expected the link between hosts"},
       }) {
    Result<Machine> machine = parseMachine(fileWith(c.right, c.broken), "m.json");
    ASSERT_FALSE(machine.ok()) << c.fragment;
    EXPECT_NE(machine.error().message.find(c.fragment), std::string::npos)
        << machine.error().message;
  }
  EXPECT_FALSE(parseMachine("", "m.json").ok());
  EXPECT_FALSE(parseMachine("[]", "m.json").ok());
  Result<Machine> missing = loadMachine("no-such-machine");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("h100-nvlink-ib"), std::string::npos);
}

TEST(MachineTest, typesThatAreNotListedHaveTheSlowestRate) {
  Machine machine = *parseMachine(fileWith("\"bf16\"", "\"bf16\""), "m.json");
  EXPECT_EQ(machine.device.productFlopsPerSecond("bf16"), 2e12);
  EXPECT_EQ(machine.device.productFlopsPerSecond("f64"), 1e12);
}

TEST(MachineTest, linksComeByNameOrByHosts) {
  Machine machine = *parseMachine(fileWith("\"bf16\"", "\"bf16\""), "m.json");
  core::Mesh byHosts = testing::meshOf(R"(["a"=2, "b"=8, "c"=2])");
  Topology links = linksOn(machine, byHosts);
  EXPECT_TRUE(links.axisLinks.empty());
  auto link = [&](int64_t axis) {
    return linkAlong(links, byHosts, core::fullAxis(byHosts, axis));
  };
  EXPECT_EQ(link(0), machine.hostLink);
  EXPECT_EQ(link(1), machine.hostLink);
  EXPECT_EQ(link(2), machine.link);
  // Of the eight along "b", four are hosts.
  core::AxisList parts = splitAtHosts(links, byHosts, core::fullAxis(byHosts, 1));
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0], (core::Axis{1, 1, 4}));
  EXPECT_EQ(parts[1], (core::Axis{1, 4, 2}));
  EXPECT_EQ(splitAtHosts(links, byHosts, core::fullAxis(byHosts, 0)).size(), 1U);

  core::Mesh named = testing::meshOf(R"(["far"=2, "near"=4])");
  links = linksOn(machine, named);
  ASSERT_EQ(links.axisLinks.size(), 2U);
  EXPECT_EQ(links.axisLinks[0].bytesPerSecond, 1e8);
  EXPECT_EQ(links.axisLinks[1], machine.link);
}

TEST(MachineTest, whatIsWrittenIsRead) {
  Machine machine = *parseMachine(fileWith("1e8", "2e8"), "m.json");
  machine.startSeconds = 3e-6;
  machine.addedWorkWeight = 0.5;
  machine.device.commonWorkShare = 0.25;
  machine.device.rateOf(Access::Copy) = 3e10;
  machine.device.rateOf(Access::Patch) = 2e10;
  machine.device.patchRunSeconds = 5e-9;
  machine.device.memoryBytes = 1 << 30;
  std::string text = machineText(machine, {});
  Result<Machine> read = parseMachine(text, "again.json");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->link, machine.link);
  EXPECT_EQ(read->hostLink, machine.hostLink);
  EXPECT_EQ(read->devicesPerHost, 4);
  EXPECT_EQ(read->axisLinks, machine.axisLinks);
  EXPECT_EQ(read->startSeconds, 3e-6);
  EXPECT_EQ(read->addedWorkWeight, 0.5);
  EXPECT_EQ(read->device.commonWorkShare, 0.25);
  EXPECT_EQ(read->device.accessBytesPerSecond, machine.device.accessBytesPerSecond);
  EXPECT_FALSE(read->device.isApart(Access::Reduce));
  EXPECT_EQ(read->device.patchRunSeconds, 5e-9);
  EXPECT_EQ(read->device.memoryBytes, 1 << 30);
  EXPECT_EQ(read->device.productFlopsPerSecond("bf16"), 2e12);
  std::pair<std::string, std::string> source{"link", "\"said\""};
  EXPECT_NE(machineText(machine, {&source, 1}).find("\\\"said\\\""), std::string::npos);
}

TEST(MachineTest, accessesThatAreNotListedAreThoseOfMemory) {
  Machine machine = *parseMachine(fileWith("\"bf16\"", "\"bf16\""), "m.json");
  for (const auto &[access, name] : kAccesses) {
    EXPECT_FALSE(machine.device.isApart(access)) << name;
    // Without a rate of patches convolutions are products, and no more.
    EXPECT_EQ(machine.device.secondsPerByte(access), access == Access::Patch ? 0 : 1 / 1e11)
        << name;
  }
  machine.device.rateOf(Access::Gather) = 1e9;
  EXPECT_EQ(machine.device.secondsPerByte(Access::Gather), 1 / 1e9);
  EXPECT_EQ(machine.device.secondsPerByte(Access::Copy), 1 / 1e11);
}

TEST(MachineTest, commonWorkTakesAsLongAsCoresAllow) {
  DeviceSpeeds device;
  EXPECT_EQ(device.shareOfCommonWork(8), 1);
  // 8 devices on 2 cores.
  device.commonWorkShare = 0.25;
  EXPECT_EQ(device.shareOfCommonWork(1), 1);
  EXPECT_EQ(device.shareOfCommonWork(2), 0.5);
  EXPECT_EQ(device.shareOfCommonWork(8), 0.25);
}

} // namespace
} // namespace shardwise::planner
