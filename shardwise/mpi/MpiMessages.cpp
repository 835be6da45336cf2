// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between hosts a message is a header, by which the receiver sees that both ends mean the same, and
// the elements of the box in row-major order. Within a host it is an envelope (HostMail.h) with the
// same header, that says where the elements lie: in the sender's own memory, if that is shared and
// they are many, else in a block that they were packed into. Small packed ones are left there, so
// that the sender need not wait.
//
//                    when started                       done when            then
//   send, far        packed, MPI_Isend                  MPI has sent it      -
//   receive, far     MPI_Irecv into packed bytes        MPI has it all       unpacked or folded
//   send, near       envelope posted                    the reader is done   its block is free
//   the same, small  packed, envelope posted and left   at once              -
//   receive, near    nothing                            an envelope came     read at the sender's
//
// Near is on the same host, far on another one.
//
// A receive touches its destination only in `wait`, on the thread of its rank: no lock is needed,
// and a fold happens in the order in which the rank waits, whatever comes first.

#include "shardwise/mpi/MpiMessages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

namespace shardwise::mpi {
namespace {

using runtime::MessageBox;
using runtime::MessageName;
using runtime::PendingMessage;
using runtime::StridedCopy;
using Clock = std::chrono::steady_clock;

/// Packed messages up to so many bytes are not waited for by their sender.
constexpr int64_t kLeftBytes = 65'536;
/// Elements in shared memory are packed too up to so many bytes: a copy takes less time than to
/// wait for the reader.
constexpr int64_t kPackedBytes = 8'192;

/// Room for the header of a message of `bytes`.
PackedMessage messageOf(int64_t bytes) {
  auto size = static_cast<int64_t>(sizeof(WireName)) + bytes;
  return {std::make_unique_for_overwrite<std::byte[]>(static_cast<size_t>(size)), size, {}};
}

std::vector<int64_t> packedStrides(const MessageBox &box) {
  return runtime::rowMajorStrides(box.size, box.elementBytes);
}

bool areEqual(const MessageBox &a, const MessageBox &b) {
  return a.size == b.size && a.strides == b.strides && a.elementBytes == b.elementBytes;
}

} // namespace

MpiMessages::MpiMessages(MpiWorld &world, const MpiRun &run, Rank own,
                         std::chrono::milliseconds timeout)
    : world(world), run(run), own(own), timeout(timeout) {
  const runtime::RankShares &shares = run.sharesOfRun();
  for (int64_t process = 0; process < shares.numProcesses; ++process)
    numNear += world.areas().areaOf(process) ? shares.count(process) : 0;
}

const StridedCopy &MpiMessages::copyOf(const MessageBox &box,
                                       std::span<const int64_t> sourceStrides,
                                       std::span<const int64_t> targetStrides) {
  copy.assign(box.size, sourceStrides, targetStrides, box.elementBytes);
  return copy;
}

PendingMessage MpiMessages::remember(Message message) {
  auto number = static_cast<PendingMessage>(nextMessage++);
  numFar += message.packed.bytes ? 1 : 0;
  if (message.block)
    packedFrom[message.source] = number;
  if (!message.isSend) {
    receivedBytes = message.box.bytes() + (numReceives > 0 ? receivedBytes : 0);
    ++numReceives;
  }
  pending.emplace(number, std::move(message));
  return number;
}

Result<void> MpiMessages::sendFar(Message &message) {
  const MessageName &name = message.name;
  Result<Route> route =
      world.route(run.sharesOfRun(), own, name.peer, name.collective, run.number());
  if (!route)
    return route.error();
  const MessageBox &box = message.box;
  message.packed = messageOf(box.bytes());
  WireName header(name, box.bytes());
  std::memcpy(message.packed.bytes.get(), &header, sizeof(WireName));
  if (box.bytes() > 0)
    copyOf(box, box.strides, packedStrides(box))
        .run(message.source, message.packed.bytes.get() + sizeof(WireName));
  return world.startSend(message.packed, *route);
}

/// What is sent to several ranks, as the shard of an all_gather, is packed once: it does not change
/// while one of the messages is pending.
Result<void> MpiMessages::pack(Message &message) {
  const MessageBox &box = message.box;
  auto last = packedFrom.find(message.source);
  if (last != packedFrom.end() && areEqual(pending.at(last->second).box, box)) {
    message.block = pending.at(last->second).block;
    return {};
  }
  message.block = world.heap().share(box.bytes());
  if (!message.block)
    return Error{ErrorKind::Infeasible,
                 fmt::format("{}: no room in the {} GiB that processes of a host share",
                             describe(message), SharedArea::kHeapBytes >> 30)};
  copyOf(box, box.strides, packedStrides(box)).run(message.source, message.block.get());
  return {};
}

Result<void> MpiMessages::post(Message &message) {
  HostHeap &heap = world.heap();
  HostMail &mail = world.mail();
  const MessageBox &box = message.box;
  int64_t bytes = box.bytes();
  std::optional<uint32_t> number = mail.begin();
  if (!number)
    return Error{ErrorKind::Infeasible, fmt::format("{}: {} messages are in flight already",
                                                    describe(message), SharedArea::kNumEnvelopes)};
  Envelope &envelope = mail[*number];
  envelope.run = run.number();
  envelope.from = own;
  envelope.to = message.name.peer;
  envelope.name = WireName(message.name, bytes);
  envelope.isPacked = bytes <= kPackedBytes || !heap.contains(message.source) ||
                      box.size.size() > Envelope::kMaxDims;
  if (envelope.isPacked && bytes > 0) {
    if (Result<void> packed = pack(message); !packed) {
      mail.end(*number); // It was not posted, so nobody else knows of it.
      return packed;
    }
  } else if (bytes > 0) {
    std::copy(box.strides.begin(), box.strides.end(), envelope.strides.begin());
  }
  envelope.offset =
      bytes > 0 ? heap.offsetOf(message.block ? message.block.get() : message.source) : 0;
  // All is written before it is posted, from when on the reader may have it. That holds for
  // `isAwaited` too, which tells the reader whether to ring.
  envelope.isAwaited =
      !envelope.isPacked || bytes > kLeftBytes || !mail.leave(*number, message.block, bytes);
  if (envelope.isAwaited)
    message.posted = number;
  mail.post(*number, processOf(message.name.peer));
  return {};
}

Result<PendingMessage> MpiMessages::startSend(const MessageName &name, const std::byte *data,
                                              MessageBox box) {
  Message message{name, true, data, nullptr, std::move(box)};
  Result<void> started = isNear(name.peer) ? post(message) : sendFar(message);
  return started ? Result<PendingMessage>(remember(std::move(message))) : started.error();
}

Result<PendingMessage> MpiMessages::startReceive(const MessageName &name, std::byte *data,
                                                 MessageBox box, const runtime::Reducer *combine) {
  Message message{name, false, nullptr, data, std::move(box), combine};
  if (isNear(name.peer))
    return remember(std::move(message));
  Result<Route> route =
      world.route(run.sharesOfRun(), name.peer, own, name.collective, run.number());
  if (!route)
    return route.error();
  message.packed = messageOf(message.box.bytes());
  // If a longer message comes, MPI fails; most have written the begin of it then, so that its
  // header tells what it is. If not, this empty name is still there (`checkName`).
  WireName unknown;
  std::memcpy(message.packed.bytes.get(), &unknown, sizeof(WireName));
  if (Result<void> started = world.startReceive(message.packed, *route); !started)
    return started.error();
  return remember(std::move(message));
}

Result<bool> MpiMessages::hasArrived(Message &message) {
  if (!isNear(message.name.peer))
    return world.isDone(message.packed);
  if (message.isSend)
    return !message.posted || world.mail()[*message.posted].state == Envelope::State::Done;
  message.envelope =
      world.mail().take(run.number(), message.name.peer, own, message.name.collective);
  return message.envelope != nullptr;
}

/// The answer may be under way, and others need the core to give it: the first rests only yield.
/// Then, if the message can be rung for, the bell ends the sleep: its limit is there for stops and
/// deadlines. What comes by MPI is seen when MPI is called, so sleeps are 20 to 300 us while any of
/// it is in flight.
void MpiMessages::rest(const Message &message, uint32_t seenRings, int &numRests) {
  constexpr int kYields = 16;
  constexpr std::chrono::milliseconds kLongestSleep{20};
  constexpr std::chrono::microseconds kFirst{10};
  constexpr std::chrono::microseconds kLongest{300};
  if (numFar > 0)
    world.advance();
  if (++numRests <= kYields)
    return std::this_thread::yield();
  bool isFarQuiet = numFar == 0;
  constexpr int kDoublings = 5;
  std::chrono::microseconds sleep =
      std::min(kFirst * (1 << std::min(numRests - kYields, kDoublings)), kLongest);
  if (isNear(message.name.peer))
    return world.mail().bell()->wait(
        seenRings, Clock::now() + (isFarQuiet ? Clock::duration(kLongestSleep) : sleep));
  // MPI has no bell.
  std::this_thread::sleep_for(sleep);
}

std::string MpiMessages::describe(const Message &message) const {
  return fmt::format("message {} of {} {} rank {} of {} B", message.name.number, message.name.what,
                     message.isSend ? "to" : "from", message.name.peer, message.box.bytes());
}

Result<void> MpiMessages::await(Message &message) {
  // What a process sent before it ended may still be under way.
  constexpr std::chrono::milliseconds kUnderWay{500};
  Clock::time_point deadline = Clock::now() + timeout;
  int64_t process = processOf(message.name.peer);
  HostBell *bell = world.mail().bell();
  bool seenEnded = false;
  for (int numRests = 0;;) {
    uint32_t seenRings = bell ? bell->load() : 0;
    Result<bool> isDone = hasArrived(message);
    if (!isDone) {
      // A longer message than expected is an error of MPI. Only MPI fails here, so what has come is
      // in `packed`.
      if (Result<void> same = message.isSend ? Result<void>() : checkName(message); !same)
        return same;
      return Error{ErrorKind::Internal,
                   fmt::format("{}: {}", describe(message), isDone.error().message)};
    }
    if (*isDone)
      return {};
    if (run.wasStopped())
      return stoppedIn(message);
    if (!seenEnded && run.hasEnded(process)) {
      seenEnded = true;
      deadline = std::min(deadline, Clock::now() + kUnderWay);
    }
    if (Clock::now() < deadline) {
      rest(message, seenRings, numRests);
      continue;
    }
    if (seenEnded)
      return invalid(fmt::format("{} can never complete: rank {} has ended", describe(message),
                                 message.name.peer));
    return Error{ErrorKind::Timeout, fmt::format("{} waited {} ms: {}", describe(message),
                                                 timeout.count(), run.describe(message.name.peer))};
  }
}

Error MpiMessages::stoppedIn(const Message &message) {
  stopped = true;
  return {ErrorKind::Internal,
          fmt::format("stopped in {} because another rank failed", message.name.what)};
}

WireName MpiMessages::receivedName(const Message &message) const {
  if (message.envelope)
    return message.envelope->name;
  WireName name;
  std::memcpy(&name, message.packed.bytes.get(), sizeof(WireName));
  return name;
}

Result<void> MpiMessages::checkName(const Message &message) const {
  WireName expected(message.name, message.box.bytes());
  WireName came = receivedName(message);
  // Not every MPI gives the begin of a message that is too long. Collectives have names, so an
  // empty one is what `startReceive` wrote.
  if (came.what[0] == 0)
    return invalid(fmt::format("rank {} sends a message that is longer than what is expected; rank "
                               "{} expects message {} of {}, {} B (parameters {:#x})",
                               message.name.peer, own, message.name.number, message.name.what,
                               expected.bytes, expected.parameters));
  if (!(came == expected)) {
    return invalid(fmt::format("rank {} sends message {} of {}, {} B (parameters {:#x}); rank {} "
                               "expects message {} of {}, {} B (parameters {:#x})",
                               message.name.peer, came.number, came.what.data(), came.bytes,
                               came.parameters, own, message.name.number, message.name.what,
                               expected.bytes, expected.parameters));
  }
  return {};
}

void MpiMessages::unpackFrom(const Message &message, const std::byte *elements,
                             std::span<const int64_t> strides) {
  const MessageBox &box = message.box;
  const StridedCopy &copy = copyOf(box, strides, box.strides);
  if (!message.combine) {
    // The other ranks of the host receive as much at the same time.
    runtime::Stores stores = runtime::storesFor(receivedBytes * numNear);
    copy.run(elements, message.target, stores);
    return runtime::finishStores(stores);
  }
  copy.forEachRun([&](int64_t from, int64_t to) {
    message.combine->fold(message.target + to, elements + from, copy.runBytes() / box.elementBytes);
  });
}

Result<void> MpiMessages::readEnvelope(const Message &message) {
  const Envelope &envelope = *message.envelope;
  int64_t sender = processOf(message.name.peer);
  if (!world.mail().beginReading(envelope, sender))
    return stoppedIn(message);
  // Before any element: of a message of another size, the box would be beyond what was sent. The
  // reading ends in any case, as the sender may wait for that.
  Result<void> same = checkName(message);
  if (same && message.box.bytes() > 0) {
    std::span<const int64_t> strides(envelope.strides.data(),
                                     std::min(message.box.size.size(), Envelope::kMaxDims));
    const std::byte *elements = world.areas().areaOf(sender)->heap + envelope.offset;
    if (envelope.isPacked)
      unpackFrom(message, elements, packedStrides(message.box));
    else
      unpackFrom(message, elements, strides);
  }
  world.mail().endReading(envelope, sender);
  return same;
}

Result<void> MpiMessages::unpack(const Message &message) {
  if (message.envelope)
    return readEnvelope(message);
  if (Result<void> same = checkName(message); !same)
    return same;
  if (message.box.bytes() > 0)
    unpackFrom(message, message.packed.bytes.get() + sizeof(WireName), packedStrides(message.box));
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
  // After a failure it stays, for `abandon`: others may still write to it or read it.
  if (outcome)
    forget(found);
  return outcome;
}

void MpiMessages::forget(std::map<PendingMessage, Message>::iterator ended) {
  auto &[number, message] = *ended;
  if (message.posted)
    world.mail().end(*message.posted);
  numFar -= message.packed.bytes ? 1 : 0;
  numReceives -= message.isSend ? 0 : 1;
  auto last = packedFrom.find(message.source);
  if (last != packedFrom.end() && last->second == number)
    packedFrom.erase(last);
  pending.erase(ended);
}

/// A message that nobody has read yet will not be read any more. Either this exchange or the one in
/// HostMail::beginReading finds the envelope open: who comes second sees the other's state. The
/// envelope itself lies in the reader's list, so it is left until the reader has dropped it.
void MpiMessages::withdraw(Message &message) {
  // A reader only copies, unless it has died.
  constexpr std::chrono::seconds kForReader{5};
  std::atomic<Envelope::State> &state = world.mail()[*message.posted].state;
  Envelope::State expected = Envelope::State::Open;
  if (!state.compare_exchange_strong(expected, Envelope::State::Withdrawn)) {
    Clock::time_point deadline = Clock::now() + kForReader;
    while (state == Envelope::State::Taken && Clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  world.mail().leaveWithdrawn(*message.posted);
}

void MpiMessages::abandon() {
  for (auto &[number, message] : pending) {
    if (message.posted)
      withdraw(message);
    // Of a receive within the host nothing is held: its envelope waits in the list of this process,
    // which the next run clears.
    else if (message.packed.bytes)
      world.leaveBehind(std::move(message.packed), !message.isSend);
  }
  packedFrom.clear();
  pending.clear();
  numFar = 0;
  numReceives = 0;
}

} // namespace shardwise::mpi
