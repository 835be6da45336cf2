// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A message is a header, by which the receiver sees that both ends mean the same, and the elements
// of the box in row-major order.

#include "shardwise/mpi/MpiMessages.h"

#include "shardwise/runtime/StridedCopy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>

namespace shardwise::mpi {
namespace {

using runtime::MessageBox;
using runtime::MessageName;
using runtime::PendingMessage;
using runtime::StridedCopy;
using Clock = std::chrono::steady_clock;

struct Header {
  int64_t number = 0;
  int64_t bytes = 0;
  uint64_t parameters = 0;
  std::array<char, 32> what{};

  Header(const MessageName &name, int64_t bytes)
      : number(name.number), bytes(bytes), parameters(name.parameters) {
    std::copy_n(name.what.begin(), std::min(name.what.size(), what.size() - 1), what.begin());
  }
  bool operator==(const Header &) const = default;
};

/// Room for the header of a message of `bytes`.
PackedMessage messageOf(int64_t bytes) {
  auto size = static_cast<int64_t>(sizeof(Header)) + bytes;
  return {std::make_unique_for_overwrite<std::byte[]>(static_cast<size_t>(size)), size, {}};
}

std::vector<int64_t> packedStrides(const MessageBox &box) {
  return runtime::rowMajorStrides(box.size, box.elementBytes);
}

/// How long to sleep before looking again: little at first, as an answer may be under way.
class Patience {
public:
  void rest() {
    constexpr int kYields = 16;
    constexpr std::chrono::microseconds kFirst{10};
    constexpr std::chrono::microseconds kLongest{300};
    if (++rounds <= kYields)
      return std::this_thread::yield();
    std::this_thread::sleep_for(next = std::min(std::max(next * 3 / 2, kFirst), kLongest));
  }

private:
  int rounds = 0;
  std::chrono::microseconds next{0};
};

} // namespace

PendingMessage MpiMessages::remember(Message message) {
  auto number = static_cast<PendingMessage>(nextMessage++);
  pending.emplace(number, std::move(message));
  return number;
}

Result<PendingMessage> MpiMessages::startSend(const MessageName &name, const std::byte *data,
                                              MessageBox box) {
  Result<Route> route = world.route(run.sharesOfRun(), own, name.peer, run.number());
  if (!route)
    return route.error();
  Message message{name, true, nullptr, std::move(box), nullptr, messageOf(0)};
  int64_t bytes = message.box.bytes();
  message.packed = messageOf(bytes);
  Header header(name, bytes);
  std::memcpy(message.packed.bytes.get(), &header, sizeof(Header));
  if (bytes > 0) {
    StridedCopy copy(message.box.size, message.box.strides, packedStrides(message.box),
                     message.box.elementBytes);
    copy.run(data, message.packed.bytes.get() + sizeof(Header));
  }
  if (Result<void> started = world.startSend(message.packed, *route); !started)
    return started.error();
  return remember(std::move(message));
}

Result<PendingMessage> MpiMessages::startReceive(const MessageName &name, std::byte *data,
                                                 MessageBox box, const runtime::Reducer *combine) {
  Result<Route> route = world.route(run.sharesOfRun(), name.peer, own, run.number());
  if (!route)
    return route.error();
  PackedMessage packed = messageOf(box.bytes());
  // If a longer message comes, its header tells what it is.
  Header unknown({}, 0);
  std::memcpy(packed.bytes.get(), &unknown, sizeof(Header));
  if (Result<void> started = world.startReceive(packed, *route); !started)
    return started.error();
  return remember({name, false, data, std::move(box), combine, std::move(packed)});
}

std::string MpiMessages::describe(const Message &message) const {
  return fmt::format("message {} of {} {} rank {} of {} B", message.name.number, message.name.what,
                     message.isSend ? "to" : "from", message.name.peer, message.box.bytes());
}

Result<void> MpiMessages::await(Message &message) {
  // What a process sent before it ended may still be under way.
  constexpr std::chrono::milliseconds kUnderWay{500};
  Clock::time_point deadline = Clock::now() + timeout;
  int64_t process = run.sharesOfRun().processOf(message.name.peer);
  bool seenEnded = false;
  for (Patience patience;; patience.rest()) {
    Result<bool> isDone = world.isDone(message.packed);
    if (!isDone) {
      // A longer message than expected is an error of MPI.
      if (Result<void> same = message.isSend ? Result<void>() : checkHeader(message); !same)
        return same;
      return Error{ErrorKind::Internal,
                   fmt::format("{}: {}", describe(message), isDone.error().message)};
    }
    if (*isDone)
      return {};
    if (run.wasStopped()) {
      stopped = true;
      return Error{ErrorKind::Internal,
                   fmt::format("stopped in {} because another rank failed", message.name.what)};
    }
    if (!seenEnded && run.hasEnded(process)) {
      seenEnded = true;
      deadline = std::min(deadline, Clock::now() + kUnderWay);
    }
    if (Clock::now() < deadline)
      continue;
    if (seenEnded)
      return invalid(fmt::format("{} can never complete: rank {} has ended", describe(message),
                                 message.name.peer));
    return Error{ErrorKind::Timeout,
                 fmt::format("{} waited {} ms: rank {} is in process {}, which does not answer",
                             describe(message), timeout.count(), message.name.peer, process)};
  }
}

Result<void> MpiMessages::checkHeader(const Message &message) const {
  Header expected(message.name, message.box.bytes());
  Header header = expected;
  std::memcpy(&header, message.packed.bytes.get(), sizeof(Header));
  if (!(header == expected)) {
    return invalid(fmt::format("rank {} sends message {} of {}, {} B (parameters {:#x}); rank {} "
                               "expects message {} of {}, {} B (parameters {:#x})",
                               message.name.peer, header.number, header.what.data(), header.bytes,
                               header.parameters, own, message.name.number, message.name.what,
                               expected.bytes, expected.parameters));
  }
  return {};
}

Result<void> MpiMessages::unpack(const Message &message) const {
  if (Result<void> same = checkHeader(message); !same || message.box.bytes() == 0)
    return same;
  const std::byte *elements = message.packed.bytes.get() + sizeof(Header);
  const MessageBox &box = message.box;
  StridedCopy copy(box.size, packedStrides(box), box.strides, box.elementBytes);
  if (!message.combine) {
    copy.run(elements, message.data);
    return {};
  }
  copy.forEachRun([&](int64_t from, int64_t to) {
    message.combine->fold(message.data + to, elements + from, copy.runBytes() / box.elementBytes);
  });
  return {};
}

Result<void> MpiMessages::wait(PendingMessage number) {
  auto found = pending.find(number);
  if (found == pending.end())
    return invalid(fmt::format("rank {} waits for a message that it has not started", own));
  Message &message = found->second;
  Result<void> outcome = await(message);
  if (outcome && !message.isSend)
    outcome = unpack(message);
  if (outcome)
    pending.erase(found);
  return outcome;
}

void MpiMessages::abandon() {
  for (auto &[number, message] : pending)
    world.leaveBehind(std::move(message.packed), !message.isSend);
  pending.clear();
}

} // namespace shardwise::mpi
