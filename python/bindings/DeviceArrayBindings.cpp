// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays on the devices, and programs that take and give them. The interpreter's lock is free while
// elements are copied or the devices work. The devices are this process' until it connects with
// others; what is called with `alone` has this process' devices even then.

#include "DeviceArrayBindings.h"

#include "Failure.h"
#include "Interruptible.h"
#include "LoadedProgram.h"
#include "ShardingBindings.h"
#include "Tensors.h"

#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Text.h"
#include "shardwise/driver/DeviceArrays.h"
#include "shardwise/runtime/StartedProcesses.h"

#include <fmt/format.h>
#include <nanobind/stl/map.h>

#include <map>

namespace nb = nanobind;
using namespace nb::literals;

namespace shardwise::python {
namespace {

using driver::DeviceArray;
using driver::ShardedValue;
using runtime::HostTensor;

/// A shard or a whole tensor, which Python and the device share: it must not be written to.
ArrayOut toShared(std::shared_ptr<const HostTensor> tensor) {
  auto kept = std::make_unique<std::shared_ptr<const HostTensor>>(std::move(tensor));
  const HostTensor &held = **kept;
  nb::capsule owner(kept.release(), [](void *pointer) noexcept {
    delete static_cast<std::shared_ptr<const HostTensor> *>(pointer);
  });
  return {std::string(runtime::toString(held.type)), held.shape,
          BytesOut(const_cast<std::byte *>(held.bytes.data()), {held.bytes.size()}, owner)};
}

std::string typeOf(const ShardedValue &value) {
  return runtime::typeString(value.type, value.globalShape);
}

const ShardedValue &argumentOf(const LoadedProgram &program, size_t index) {
  const std::vector<ShardedValue> &arguments = program.executable().arguments;
  if (index >= arguments.size())
    throw Failure(invalid(
        fmt::format("there is no argument {}, the program has {}", index, arguments.size())));
  return arguments[index];
}

std::unique_ptr<runtime::Processes> &processes() {
  static std::unique_ptr<runtime::Processes> all = std::make_unique<runtime::OneProcess>();
  return all;
}

/// Who has the devices.
runtime::Processes &processesFor(bool alone) {
  static runtime::OneProcess one;
  return alone ? one : *processes();
}

/// Index and count. The plug-in for several processes is in `folder`.
std::pair<int64_t, int64_t> connect(const std::string &folder) {
  nb::gil_scoped_release released;
  processes() = valueOf(runtime::startedProcesses(folder));
  return {processes()->index(), processes()->count()};
}

void disconnect() {
  nb::gil_scoped_release released;
  processes() = std::make_unique<runtime::OneProcess>();
}

void checkSameCall(const std::string &what, uint64_t key) {
  nb::gil_scoped_release released;
  check(driver::checkSameCall(*processes(), what, key));
}

DeviceArray place(LoadedProgram &program, size_t index, const ArrayIn &array, bool alone) {
  nb::gil_scoped_release released;
  const ShardedValue &value = argumentOf(program, index);
  HostTensor tensor = fromArray(array);
  if (tensor.type != value.type || tensor.shape != value.globalShape)
    throw Failure(invalid(fmt::format("argument {} is {}, got {}", index, typeOf(value),
                                      runtime::typeString(tensor))));
  return driver::placeOnDevices(std::move(tensor), value, program.executable().mesh.numDevices(),
                                processesFor(alone));
}

/// Of a value that is cut, from the shards of this process' devices.
DeviceArray placeShards(LoadedProgram &program, size_t index,
                        const std::map<int64_t, ArrayIn> &shards) {
  nb::gil_scoped_release released;
  const ShardedValue &value = argumentOf(program, index);
  DeviceArray array = {value, {}};
  array.value.name.clear();
  const int64_t numRanks = program.executable().mesh.numDevices();
  const runtime::RankShares shares = processes()->shares(numRanks);
  const core::Shape shape = core::localShape(value.globalShape, value.sharding);
  array.shards.resize(numRanks);
  for (runtime::Rank rank = shares.begin(processes()->index());
       rank < shares.end(processes()->index()); ++rank) {
    auto given = shards.find(rank);
    if (given == shards.end())
      throw Failure(invalid(fmt::format("argument {} lacks the shard of device {}", index, rank)));
    HostTensor shard = fromArray(given->second);
    if (shard.type != value.type || shard.shape != shape)
      throw Failure(
          invalid(fmt::format("a shard of argument {} is {}, got {}", index,
                              runtime::typeString(value.type, shape), runtime::typeString(shard))));
    array.shards[rank] = std::make_shared<const HostTensor>(std::move(shard));
  }
  return array;
}

/// Which process each of a program's devices is in.
std::vector<int64_t> processOfDevices(int64_t numDevices) {
  const runtime::RankShares shares = processes()->shares(numDevices);
  std::vector<int64_t> owners;
  for (runtime::Rank rank = 0; rank < numDevices; ++rank)
    owners.push_back(shares.processOf(rank));
  return owners;
}

std::shared_ptr<const HostTensor> gather(const DeviceArray &array, bool alone) {
  runtime::Processes &all = processesFor(alone);
  if (!driver::isReplicated(array.value))
    check(driver::checkSameCall(all, "gathering " + typeOf(array.value),
                                std::hash<std::string>()(typeOf(array.value))));
  return valueOf(driver::gatherFromDevices(array, all));
}

DeviceArray replace(LoadedProgram &program, size_t index, const DeviceArray &array, bool alone) {
  nb::gil_scoped_release released;
  const ShardedValue &value = argumentOf(program, index);
  if (array.liesAs(value))
    return array;
  auto tensor = gather(array, alone);
  return driver::placeOnDevices(HostTensor(*tensor), value, program.executable().mesh.numDevices(),
                                processesFor(alone));
}

/// Kind, axes, count, tensors, received bytes of the busiest device.
using CollectiveParts = std::tuple<std::string, std::string, int64_t, int64_t, int64_t>;
using RunParts = std::tuple<std::vector<DeviceArray>, std::vector<CollectiveParts>, double>;

RunParts run(LoadedProgram &program, const std::vector<const DeviceArray *> &inputs, bool alone) {
  driver::DeviceArrays arrays = runInterruptibly([&](const std::atomic<bool> &isStopped) {
    return program.runOnArrays(inputs, processesFor(alone), {0, &isStopped});
  });
  std::vector<CollectiveParts> collectives;
  for (const driver::CollectiveReport &one : arrays.collectives)
    collectives.emplace_back(core::toString(one.kind), one.axes, one.count, one.tensors,
                             one.bytesReceivedPerDevice);
  return {std::move(arrays.results), std::move(collectives), arrays.seconds};
}

/// Whether something was compared, whether it is out of tolerance, and what is.
using VerdictParts = std::tuple<bool, bool, std::string>;

VerdictParts compare(LoadedProgram &program, const std::vector<const DeviceArray *> &inputs,
                     const std::vector<const DeviceArray *> &outputs, bool alone) {
  Verdict verdict = runInterruptibly([&](const std::atomic<bool> &isStopped) {
    return program.compare(inputs, outputs, processesFor(alone), {0, &isStopped});
  });
  return {verdict.isCompared, verdict.hasFailures, verdict.failures};
}

/// Mesh and sharding as text; empty texts if every device holds all.
std::pair<std::string, std::string> layout(const DeviceArray &array) {
  if (driver::isReplicated(array.value))
    return {};
  return {core::toString(array.value.mesh), core::toString(array.value.sharding, array.value.mesh)};
}

} // namespace

void bindDeviceArrays(nb::module_ &module) {
  nb::class_<DeviceArray>(module, "DeviceArray")
      .def("layout", layout)
      .def("shape", [](const DeviceArray &self) { return self.value.globalShape; })
      .def("num_shards", [](const DeviceArray &self) { return self.shards.size(); })
      .def(
          "gather",
          [](const DeviceArray &self, bool alone) {
            std::shared_ptr<const HostTensor> tensor;
            {
              nb::gil_scoped_release released;
              tensor = gather(self, alone);
            }
            return toShared(std::move(tensor));
          },
          "alone"_a = false)
      .def(
          "shard",
          [](const DeviceArray &self, size_t device) {
            if (self.shards.size() != 1 && device >= self.shards.size())
              throw Failure(invalid(fmt::format("there is no device {}, shards are on {}", device,
                                                self.shards.size())));
            const auto &shard = self.shards[self.shards.size() == 1 ? 0 : device];
            if (!shard)
              throw Failure(invalid(fmt::format("device {} is another process'", device)));
            return toShared(shard);
          },
          "device"_a);

  // PyTorch keeps tensors to the very end of the process, and with them what they hold.
  module.def("allow_leaks_at_exit", [] { nb::set_leak_warnings(false); });
  module.def("connect_processes", connect, "folder"_a);
  module.def("disconnect_processes", disconnect);
  module.def("check_same_call", checkSameCall, "what"_a, "key"_a);
  module.def("place", place, "program"_a, "argument"_a, "array"_a, "alone"_a = false);
  module.def("place_shards", placeShards, "program"_a, "argument"_a, "shards"_a);
  module.def("process_of_devices", processOfDevices, "num_devices"_a);
  module.def("replace", replace, "program"_a, "argument"_a, "array"_a, "alone"_a = false);
  module.def("run_on_devices", run, "program"_a, "inputs"_a, "alone"_a = false);
  module.def("compare", compare, "program"_a, "inputs"_a, "outputs"_a, "alone"_a = false);
}

} // namespace shardwise::python
