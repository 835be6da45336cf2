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

using SendState = SharedArea::SendState;

/// Boxes of more dimensions are packed.
constexpr size_t kMaxDims = 8;

/// What both ends must mean.
struct Name {
  int64_t number = 0;
  int64_t bytes = 0;
  uint64_t parameters = 0;
  int64_t collective = 0;
  std::array<char, 32> what{};

  Name(const MessageName &name, int64_t bytes)
      : number(name.number), bytes(bytes), parameters(name.parameters),
        collective(name.collective) {
    std::copy_n(name.what.begin(), std::min(name.what.size(), what.size() - 1), what.begin());
  }
  bool operator==(const Name &) const = default;
};

struct Header {
  Name name;
  /// Where a shared message lies in the sender's heap.
  uint32_t send = 0;
  bool isPacked = true;
  int64_t offset = 0;
  std::array<int64_t, kMaxDims> strides{};
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

bool MpiMessages::isShared(Rank peer, int64_t bytes) const {
  constexpr int64_t kFrom = 4'096;
  return bytes >= kFrom && world.host().areaOf(run.sharesOfRun().processOf(peer));
}

Result<void> MpiMessages::shareBox(Message &message, const std::byte *data) {
  HostHeap &heap = world.heap();
  const MessageBox &box = message.box;
  Header header{{message.name, box.bytes()}};
  header.isPacked = !heap.contains(data) || box.size.size() > kMaxDims;
  if (header.isPacked) {
    message.block = heap.allocate(box.bytes());
    if (!message.block)
      return Error{ErrorKind::Infeasible,
                   fmt::format("{}: no room in the {} GiB that processes of a host share",
                               describe(message), SharedArea::kHeapBytes >> 30)};
    StridedCopy(box.size, box.strides, packedStrides(box), box.elementBytes)
        .run(data, message.block);
  } else {
    std::copy(box.strides.begin(), box.strides.end(), header.strides.begin());
  }
  header.offset = heap.offsetOf(header.isPacked ? message.block : data);
  message.shared = heap.beginSend();
  if (!message.shared) {
    heap.release(message.block);
    return Error{ErrorKind::Infeasible, fmt::format("{}: {} messages are in flight already",
                                                    describe(message), SharedArea::kNumSends)};
  }
  header.send = *message.shared;
  std::memcpy(message.packed.bytes.get(), &header, sizeof(Header));
  return {};
}

/// Of a shared message that was sent: whether the receiver has read it.
bool MpiMessages::hasArrived(const Message &message) {
  return !message.shared || world.heap().send(*message.shared) == SendState::Done;
}

void MpiMessages::endShared(Message &message) {
  if (message.block)
    world.heap().release(message.block);
  if (message.shared)
    world.heap().endSend(*message.shared);
}

Result<PendingMessage> MpiMessages::startSend(const MessageName &name, const std::byte *data,
                                              MessageBox box) {
  Result<Route> route =
      world.route(run.sharesOfRun(), own, name.peer, name.collective, run.number());
  if (!route)
    return route.error();
  int64_t bytes = box.bytes();
  bool staysHere = isShared(name.peer, bytes);
  Message message{name, true, nullptr, std::move(box), nullptr, messageOf(staysHere ? 0 : bytes)};
  Header header{{name, bytes}};
  std::memcpy(message.packed.bytes.get(), &header, sizeof(Header));
  if (staysHere) {
    if (Result<void> shared = shareBox(message, data); !shared)
      return shared.error();
  } else if (bytes > 0) {
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
  Result<Route> route =
      world.route(run.sharesOfRun(), name.peer, own, name.collective, run.number());
  if (!route)
    return route.error();
  PackedMessage packed = messageOf(isShared(name.peer, box.bytes()) ? 0 : box.bytes());
  // If a longer message comes, its header tells what it is.
  Header unknown{{{}, 0}};
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
    if (*isDone && hasArrived(message))
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
    return Error{ErrorKind::Timeout, fmt::format("{} waited {} ms: {}", describe(message),
                                                 timeout.count(), run.describe(message.name.peer))};
  }
}

Result<void> MpiMessages::checkHeader(const Message &message) const {
  Name expected(message.name, message.box.bytes());
  Name header = expected;
  std::memcpy(&header, message.packed.bytes.get(), sizeof(Name));
  // Not every MPI gives the begin of a message that is too long.
  if (header.what[0] == 0)
    return invalid(fmt::format("rank {} sends a message that is longer than what is expected; rank "
                               "{} expects message {} of {}, {} B (parameters {:#x})",
                               message.name.peer, own, message.name.number, message.name.what,
                               expected.bytes, expected.parameters));
  if (!(header == expected)) {
    return invalid(fmt::format("rank {} sends message {} of {}, {} B (parameters {:#x}); rank {} "
                               "expects message {} of {}, {} B (parameters {:#x})",
                               message.name.peer, header.number, header.what.data(), header.bytes,
                               header.parameters, own, message.name.number, message.name.what,
                               expected.bytes, expected.parameters));
  }
  return {};
}

void MpiMessages::unpackFrom(const Message &message, const std::byte *elements,
                             std::span<const int64_t> strides) const {
  const MessageBox &box = message.box;
  StridedCopy copy(box.size, strides, box.strides, box.elementBytes);
  if (!message.combine)
    return copy.run(elements, message.data);
  copy.forEachRun([&](int64_t from, int64_t to) {
    message.combine->fold(message.data + to, elements + from, copy.runBytes() / box.elementBytes);
  });
}

Result<void> MpiMessages::readShared(const Message &message) {
  Header header{{message.name, 0}};
  std::memcpy(&header, message.packed.bytes.get(), sizeof(Header));
  SharedArea *area = world.host().areaOf(run.sharesOfRun().processOf(message.name.peer));
  std::atomic<SendState> &state = area->sends[header.send];
  SendState expected = SendState::Open;
  if (!state.compare_exchange_strong(expected, SendState::Taken)) {
    stopped = true;
    return Error{ErrorKind::Internal,
                 fmt::format("stopped in {} because another rank failed", message.name.what)};
  }
  size_t numDims = message.box.size.size();
  unpackFrom(message, area->heap + header.offset,
             header.isPacked
                 ? packedStrides(message.box)
                 : std::vector<int64_t>(header.strides.begin(), header.strides.begin() + numDims));
  state = SendState::Done;
  return {};
}

Result<void> MpiMessages::unpack(const Message &message) {
  int64_t bytes = message.box.bytes();
  if (Result<void> same = checkHeader(message); !same || bytes == 0)
    return same;
  if (isShared(message.name.peer, bytes))
    return readShared(message);
  unpackFrom(message, message.packed.bytes.get() + sizeof(Header), packedStrides(message.box));
  return {};
}

std::pair<MessageName, bool> MpiMessages::nameOf(PendingMessage number) const {
  auto found = pending.find(number);
  return found == pending.end() ? std::pair(MessageName{}, false)
                                : std::pair(found->second.name, !found->second.isSend);
}

Result<void> MpiMessages::wait(PendingMessage number) {
  auto found = pending.find(number);
  if (found == pending.end())
    return invalid(fmt::format("rank {} waits for a message that it has not started", own));
  Message &message = found->second;
  Result<void> outcome = await(message);
  if (outcome && !message.isSend)
    outcome = unpack(message);
  if (outcome) {
    endShared(message);
    pending.erase(found);
  }
  return outcome;
}

/// A message that nobody has read yet will not be read any more; its number stays taken, as its
/// header may still be under way.
void MpiMessages::withdraw(Message &message) {
  // A reader only copies, unless it has died.
  constexpr std::chrono::seconds kForReader{5};
  std::atomic<SendState> &state = world.heap().send(*message.shared);
  SendState expected = SendState::Open;
  if (!state.compare_exchange_strong(expected, SendState::Withdrawn)) {
    Clock::time_point deadline = Clock::now() + kForReader;
    for (Patience patience; state == SendState::Taken && Clock::now() < deadline;)
      patience.rest();
  }
  if (message.block)
    world.heap().release(message.block);
}

void MpiMessages::abandon() {
  for (auto &[number, message] : pending) {
    if (message.shared)
      withdraw(message);
    world.leaveBehind(std::move(message.packed), !message.isSend);
  }
  pending.clear();
}

} // namespace shardwise::mpi
