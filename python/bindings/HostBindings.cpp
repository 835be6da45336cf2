// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges with processes of the same host. Buffers are addresses: whose memory it is, only the
// caller knows, who keeps it alive.

#include "HostBindings.h"

#include "Failure.h"

#include "shardwise/core/Text.h"
#include "shardwise/host/HostExchanges.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace shardwise::python {
namespace {

using host::HostAddress;
using host::HostBox;
using host::HostExchanges;
using host::HostProcesses;
using host::HostRound;
using host::HostTerm;

using Address = std::pair<int64_t, int64_t>;
using Box =
    std::tuple<int64_t, int64_t, std::vector<int64_t>, std::vector<int64_t>, std::vector<int64_t>>;
using Term = std::pair<int64_t, std::vector<Box>>;

std::byte *bufferAt(uintptr_t address) {
  return reinterpret_cast<std::byte *>(address);
}

std::optional<core::ReductionKind> reductionNamed(const std::string &name) {
  using core::ReductionKind;
  for (ReductionKind kind : {ReductionKind::Sum, ReductionKind::Max, ReductionKind::Min,
                             ReductionKind::Product, ReductionKind::And, ReductionKind::Or})
    if (core::toString(kind) == name)
      return kind;
  return std::nullopt;
}

runtime::Reducer reducerOf(const std::string &type, const std::string &reduction) {
  std::optional<runtime::DataType> dataType = runtime::parseDataType(type);
  std::optional<core::ReductionKind> kind = reductionNamed(reduction);
  if (!dataType || !kind)
    throw Failure(unsupported("no " + reduction + " of " + type));
  return valueOf(runtime::makeReducer(*kind, *dataType));
}

HostRound makeRound(int64_t elementBytes, const std::string &type,
                    const std::optional<std::string> &reduction, uint64_t meaning,
                    std::vector<int64_t> readers, std::pair<int64_t, int64_t> sent,
                    const std::vector<std::vector<Term>> &parts) {
  HostRound round;
  round.meaning = meaning;
  round.readers = std::move(readers);
  std::tie(round.sentBegin, round.sentEnd) = sent;
  for (const std::vector<Term> &terms : parts) {
    std::vector<HostTerm> &made = round.parts.emplace_back();
    for (const auto &[process, given] : terms) {
      std::vector<HostBox> boxes;
      for (const auto &[source, target, size, sourceStrides, targetStrides] : given)
        boxes.push_back({source, target, size, sourceStrides, targetStrides});
      made.emplace_back(process, boxes, elementBytes);
    }
  }
  if (reduction)
    round.combine = reducerOf(type, *reduction);
  return round;
}

/// One for each process group: what a process knows of the others, and the exchanges with them.
class HostGroup {
public:
  HostGroup(int64_t own, int64_t count, double timeoutSeconds)
      : processes(count, own),
        exchanges(processes,
                  std::chrono::milliseconds(static_cast<int64_t>(timeoutSeconds * 1'000))) {}

  std::optional<Address> address() const {
    std::optional<HostAddress> address = processes.address();
    return address ? std::optional<Address>({address->pid, address->file}) : std::nullopt;
  }

  void connect(int64_t process, Address address) {
    check(processes.connect(process, {address.first, address.second}));
  }

  HostExchanges::Started start(const HostRound &round, uintptr_t local) {
    nb::gil_scoped_release released;
    return valueOf(exchanges.start(round, bufferAt(local)));
  }

  void finish(const HostRound &round, const HostExchanges::Started &started, uintptr_t local,
              uintptr_t result) {
    bool isInterrupted = false;
    Result<void> outcome = [&] {
      nb::gil_scoped_release released;
      return exchanges.finish(round, started, bufferAt(local), bufferAt(result), [&] {
        nb::gil_scoped_acquire acquired;
        isInterrupted = PyErr_CheckSignals() != 0;
        return isInterrupted;
      });
    }();
    if (isInterrupted)
      throw nb::python_error();
    check(outcome);
  }

  void run(const HostRound &round, uintptr_t local, uintptr_t result) {
    finish(round, start(round, local), local, result);
  }

private:
  HostProcesses processes;
  HostExchanges exchanges;
};

} // namespace

void bindHost(nb::module_ &module) {
  nb::class_<HostRound>(module, "HostRound")
      .def(
          "__init__",
          [](HostRound *self, int64_t elementBytes, const std::string &type,
             const std::optional<std::string> &reduction, uint64_t meaning,
             std::vector<int64_t> readers, std::pair<int64_t, int64_t> sent,
             const std::vector<std::vector<Term>> &parts) {
            new (self) HostRound(
                makeRound(elementBytes, type, reduction, meaning, std::move(readers), sent, parts));
          },
          "element_bytes"_a, "type"_a, "reduction"_a.none(), "meaning"_a, "readers"_a, "sent"_a,
          "parts"_a);
  nb::class_<HostExchanges::Started>(module, "StartedExchange");
  nb::class_<HostGroup>(module, "HostGroup")
      .def(nb::init<int64_t, int64_t, double>(), "own"_a, "count"_a, "timeout"_a)
      .def("address", &HostGroup::address)
      .def("connect", &HostGroup::connect, "process"_a, "address"_a)
      .def("start", &HostGroup::start, "round"_a, "local"_a)
      .def("finish", &HostGroup::finish, "round"_a, "started"_a, "local"_a, "result"_a)
      .def("run", &HostGroup::run, "round"_a, "local"_a, "result"_a);
}

} // namespace shardwise::python
