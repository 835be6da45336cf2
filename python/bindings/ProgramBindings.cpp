// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs: conversions of arguments and results, and the lock of the interpreter, which is free
// while the compiler or the devices work.

#include "ProgramBindings.h"

#include "Failure.h"
#include "Interruptible.h"
#include "LoadedProgram.h"
#include "ShardingBindings.h"
#include "Tensors.h"

#include "shardwise/core/Text.h"

#include <fmt/format.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace shardwise::python {
namespace {

/// Name, element type, global shape, shape on a device, mesh, sharding.
using ValueParts =
    std::tuple<std::string, std::string, core::Shape, core::Shape, MeshParts, ShardingParts>;
/// Kind, axes, count, tensors, received bytes of the busiest device.
using CollectiveParts = std::tuple<std::string, std::string, int64_t, int64_t, int64_t>;

std::vector<ValueParts> partsOf(const std::vector<driver::ShardedValue> &values) {
  std::vector<ValueParts> parts;
  for (const driver::ShardedValue &value : values)
    parts.emplace_back(value.name, runtime::toString(value.type), value.globalShape,
                       value.sharding.dims.size() == value.globalShape.size()
                           ? core::localShape(value.globalShape, value.sharding)
                           : value.globalShape,
                       python::partsOf(value.mesh),
                       python::partsOf(core::toWritten(value.sharding, value.mesh)));
  return parts;
}

std::vector<CollectiveParts> partsOf(const std::vector<driver::CollectiveReport> &reports) {
  std::vector<CollectiveParts> parts;
  for (const driver::CollectiveReport &report : reports)
    parts.emplace_back(core::toString(report.kind), report.axes, report.count, report.tensors,
                       report.bytesReceivedPerDevice);
  return parts;
}

/// The global outputs, or by output the shards by position; what was communicated; seconds.
using RunParts = std::tuple<std::vector<ArrayOut>, std::vector<std::vector<ArrayOut>>,
                            std::vector<CollectiveParts>, double>;

RunParts run(LoadedProgram &program, const std::vector<ArrayIn> &arrays, bool wantsShards,
             int64_t maxIterations) {
  std::vector<runtime::HostTensor> outputs;
  std::vector<std::vector<runtime::HostTensor>> shards;
  std::vector<CollectiveParts> collectives;
  const driver::Executable &executable = program.executable();
  double seconds = runInterruptibly([&](const std::atomic<bool> &isStopped) {
    driver::DeviceOutputs ran = program.run(fromArrays(arrays), {maxIterations, &isStopped});
    collectives = partsOf(driver::collectiveReports(executable, ran));
    if (!wantsShards)
      outputs = valueOf(driver::assembleOutputs(executable, ran));
    for (size_t i = 0; wantsShards && i < executable.results.size(); ++i) {
      shards.emplace_back();
      for (int64_t rank : driver::ranksOf(executable.results[i], std::ssize(ran.perRank)))
        shards.back().push_back(ran.result(rank, i));
    }
    return ran.seconds;
  });
  std::vector<std::vector<ArrayOut>> shardArrays;
  for (std::vector<runtime::HostTensor> &ofOutput : shards)
    shardArrays.push_back(toArrays(std::move(ofOutput)));
  return {toArrays(std::move(outputs)), std::move(shardArrays), std::move(collectives), seconds};
}

driver::Verification verificationOf(const std::string &word) {
  if (word == "auto")
    return driver::Verification::Automatic;
  if (word == "reference")
    return driver::Verification::Reference;
  if (word == "compiled")
    return driver::Verification::Compiled;
  throw Failure(invalid(fmt::format(
      "nobody called '{}' evaluates programs; expected auto, reference or compiled", word)));
}

/// Whether all is verified, whether something is out of tolerance, the report as JSON and as text.
using VerifyParts = std::tuple<bool, bool, std::string, std::string>;

VerifyParts verify(LoadedProgram &program, const std::vector<ArrayIn> &inputs,
                   const std::vector<ArrayIn> &expected, const std::string &evaluator,
                   std::optional<double> rtol, std::optional<double> atol, int64_t maxIterations) {
  driver::RunOptions options;
  options.verification = verificationOf(evaluator);
  options.tolerance.rtol = rtol;
  options.tolerance.atol = atol;
  options.limits.loopIterations = maxIterations;
  driver::RunReport report = runInterruptibly([&](const std::atomic<bool> &isStopped) {
    options.limits.isStopped = &isStopped;
    return program.verify(fromArrays(inputs), fromArrays(expected), options).report;
  });
  return {report.isVerified(), report.hasFailures(), driver::toJson(report),
          driver::toText(report)};
}

std::vector<ArrayOut> randomInputs(LoadedProgram &program, uint64_t seed) {
  std::vector<runtime::HostTensor> tensors;
  {
    nb::gil_scoped_release released;
    tensors = program.randomInputs(seed);
  }
  return toArrays(std::move(tensors));
}

template <class Work> auto withoutInterpreter(Work work) {
  nb::gil_scoped_release released;
  return work();
}

} // namespace

void bindPrograms(nb::module_ &module) {
  nb::class_<Choices>(module, "Choices")
      .def(
          "__init__",
          [](Choices *self, std::string topology, std::optional<int64_t> memoryLimit,
             std::optional<int64_t> maxDevices, std::string timesOn) {
            new (self) Choices{std::move(topology), memoryLimit, maxDevices, std::move(timesOn)};
          },
          "topology"_a, "memory_limit"_a = nb::none(), "max_devices"_a = nb::none(),
          "times_on"_a = "");

  nb::class_<LoadedProgram>(module, "LoadedProgram")
      .def(
          "__init__",
          [](LoadedProgram *self, nb::bytes text, std::string name) {
            std::string_view view(text.c_str(), text.size());
            nb::gil_scoped_release released;
            new (self) LoadedProgram(view, std::move(name));
          },
          "text"_a, "name"_a)
      .def(
          "propagate",
          [](LoadedProgram &self, const Choices &choices) {
            return withoutInterpreter([&] { return self.propagate(choices); });
          },
          "choices"_a)
      .def(
          "partition",
          [](LoadedProgram &self, const Choices &choices, const std::string &form) {
            return withoutInterpreter([&] { return self.partition(choices, form); });
          },
          "choices"_a, "form"_a)
      .def(
          "border",
          [](LoadedProgram &self, const Choices &choices, const std::string &form) {
            return withoutInterpreter([&] { return self.border(choices, form); });
          },
          "choices"_a, "form"_a)
      .def(
          "partition_with_border",
          [](LoadedProgram &self, const Choices &choices, const std::string &form) {
            return withoutInterpreter([&] { return self.partitionWithBorder(choices, form); });
          },
          "choices"_a, "form"_a)
      .def(
          "explain",
          [](LoadedProgram &self, const Choices &choices, std::vector<std::string> values, bool all,
             int64_t suggestFor, int64_t top, int64_t width) {
            return withoutInterpreter([&] {
              return self.explain(choices, {std::move(values), all, suggestFor, top, width});
            });
          },
          "choices"_a, "values"_a, "all"_a, "suggest"_a, "top"_a, "width"_a)
      .def(
          "page",
          [](LoadedProgram &self, const Choices &choices, int64_t suggestFor,
             const std::string &sourceRoot) {
            return withoutInterpreter([&] { return self.page(choices, suggestFor, sourceRoot); });
          },
          "choices"_a, "suggest"_a, "source_root"_a)
      .def(
          "timeline",
          [](LoadedProgram &self, const Choices &choices) {
            return withoutInterpreter([&] { return self.timeline(choices); });
          },
          "choices"_a)
      .def(
          "compile",
          [](LoadedProgram &self, const Choices &choices) {
            withoutInterpreter([&] { self.compile(choices); });
          },
          "choices"_a)
      .def("take_warnings",
           [](LoadedProgram &self) {
             return withoutInterpreter([&] { return self.takeWarnings(); });
           })
      .def("mesh", [](LoadedProgram &self) { return python::partsOf(self.executable().mesh); })
      .def("arguments", [](LoadedProgram &self) { return partsOf(self.executable().arguments); })
      .def("results", [](LoadedProgram &self) { return partsOf(self.executable().results); })
      .def("peak_bytes", [](LoadedProgram &self) { return self.executable().program.peakBytes(); })
      .def("random_inputs", randomInputs, "seed"_a)
      .def("run", run, "inputs"_a, "shards"_a, "max_iterations"_a)
      .def("verify", verify, "inputs"_a, "expected"_a, "evaluator"_a, "rtol"_a, "atol"_a,
           "max_iterations"_a);

  module.def("forms", [] {
    std::vector<std::string> names;
    for (const transforms::NamedForm &one : transforms::kOutputForms)
      names.emplace_back(one.name);
    return names;
  });
}

} // namespace shardwise::python
