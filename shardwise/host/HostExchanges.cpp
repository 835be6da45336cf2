// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process copies what others need of its buffer once into memory that they see, and posts an
// envelope (HostMail.h) to each. Everybody reads from there into place:
//
//   process 0   copy of its buffer ---- envelope ---> process 1 reads rows 4 to 7
//                                  \--- envelope ---> process 2 reads rows 8 to 11
//
// 1. An envelope has the number of the message among those of its sender to its receiver, which
//    both count. So what belongs to another exchange that is in flight is not mistaken for it.
// 2. It also has the meaning of the exchange. Who finds another one fails: the two processes do not
//    do the same.
// 3. The sender does not wait. It takes a copy back when all readers have said that they are done,
//    which it looks for when it starts the next exchange.
// 4. Copies that have not been read are limited, but only for a process that has nothing to finish:
//    whoever waits there has read all that others started before, so that no two wait for each
//    other.
// 5. Terms of a part are folded in their order; parts in the order in which they come.

#include "shardwise/host/HostExchanges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include <sys/mman.h>

namespace shardwise::host {
namespace {

/// All messages are of one run, as HostMail counts them.
constexpr int64_t kRun = 0;
/// So much may lie around unread.
constexpr int64_t kMostPosted = int64_t{256} << 20;
/// Larger copies give their memory back when they have been read.
constexpr int64_t kKeptBytes = int64_t{32} << 20;
/// The answer may be under way, and others need the core to give it: first yield, then sleep.
constexpr int kYields = 16;
constexpr std::chrono::milliseconds kLongestSleep{20};

Error ended(int64_t process) {
  return {ErrorKind::Timeout, fmt::format("rank {} has ended: what it should have sent can never "
                                          "come; see what it says",
                                          process)};
}

} // namespace

/// What has come of an exchange so far.
class HostExchanges::Receipt {
public:
  Receipt(HostExchanges &exchanges, const HostRound &round, const Started &started,
          const std::byte *local, std::byte *result)
      : exchanges(exchanges), round(round), local(local), result(result) {
    auto number = started.numbers.begin();
    for (const std::vector<HostTerm> &terms : round.parts) {
      open.push_back({&terms, 0, {}});
      for (const HostTerm &term : terms)
        open.back().numbers.push_back(term.process() == exchanges.own() ? 0 : *number++);
    }
  }

  /// Reads what is there. Returns whether that was the last.
  Result<bool> advance() {
    for (size_t at = 0; at < open.size();) {
      Result<bool> isWhole = advance(open[at]);
      if (!isWhole)
        return isWhole.error();
      if (*isWhole) {
        std::swap(open[at], open.back());
        open.pop_back();
      } else {
        ++at;
      }
    }
    return open.empty();
  }

  /// A process that has not sent yet. Requires: `advance` has not returned true.
  int64_t missing() const { return (*open.front().terms)[open.front().next].process(); }

private:
  struct Part {
    const std::vector<HostTerm> *terms;
    size_t next;
    std::vector<int64_t> numbers; ///< Of the messages, by term.
  };

  Result<bool> advance(Part &part) {
    for (; part.next < part.terms->size(); ++part.next) {
      const HostTerm &term = (*part.terms)[part.next];
      if (term.process() == exchanges.own()) {
        put(term, local, part.next == 0);
        continue;
      }
      const Envelope *envelope =
          exchanges.mail.take(kRun, term.process(), exchanges.own(), part.numbers[part.next]);
      if (!envelope)
        return false;
      if (Result<void> read = this->read(term, *envelope, part.next == 0); !read)
        return read.error();
    }
    return true;
  }

  Result<void> read(const HostTerm &term, const Envelope &envelope, bool isFirst) {
    int64_t sender = term.process();
    if (!exchanges.mail.beginReading(envelope, sender))
      return ended(sender);
    bool isSame = envelope.name.parameters == round.meaning;
    if (isSame)
      put(term, exchanges.processes.areas().areaOf(sender)->heap + envelope.offset, isFirst);
    exchanges.mail.endReading(envelope, sender);
    if (!isSame)
      return invalid(fmt::format("rank {} does something else than rank {} here; all ranks must "
                                 "make the same calls in the same order",
                                 sender, exchanges.own()));
    return {};
  }

  void put(const HostTerm &term, const std::byte *source, bool isFirst) {
    if (isFirst)
      term.copy(source, result);
    else
      term.fold(source, result, *round.combine);
  }

  HostExchanges &exchanges;
  const HostRound &round;
  const std::byte *local;
  std::byte *result;
  std::vector<Part> open;
};

HostExchanges::HostExchanges(HostProcesses &processes, std::chrono::milliseconds timeout)
    : processes(processes), timeout(timeout), heap(processes.areas().areaOf(processes.own())),
      mail(processes.areas(), processes.own()),
      numSent(static_cast<size_t>(processes.areas().numProcesses())), numReceived(numSent) {}

bool HostExchanges::isRead(const Posted &one) const {
  return std::ranges::all_of(
      one.envelopes, [&](uint32_t number) { return mail[number].state == Envelope::State::Done; });
}

void HostExchanges::release(const Posted &one) {
  for (uint32_t number : one.envelopes)
    mail.end(number);
  postedBytes -= one.bytes;
  if (one.bytes > kKeptBytes)
    madvise(one.block, static_cast<size_t>(one.bytes), MADV_REMOVE);
  heap.release(one.block);
}

void HostExchanges::reclaim() {
  // Most are read in the order in which they were posted.
  while (!posted.empty() && isRead(posted.front())) {
    release(posted.front());
    posted.pop_front();
  }
  constexpr size_t kMany = 64;
  if (posted.size() > kMany)
    std::erase_if(posted, [&](const Posted &one) {
      bool isDone = isRead(one);
      if (isDone)
        release(one);
      return isDone;
    });
}

Result<void> HostExchanges::awaitRoom(int64_t bytes) {
  constexpr std::chrono::microseconds kSleep{100};
  Clock::time_point deadline = Clock::now() + timeout;
  for (;;) {
    {
      std::lock_guard lock(mutex);
      reclaim();
      if (numOpen > 0 || posted.empty() || postedBytes + bytes <= kMostPosted)
        return {};
    }
    if (Clock::now() > deadline)
      return Error{ErrorKind::Timeout, fmt::format("others have not read {} B within {} ms",
                                                   postedBytes, timeout.count())};
    std::this_thread::sleep_for(kSleep);
  }
}

Result<void> HostExchanges::post(const HostRound &round, const std::byte *local) {
  int64_t bytes = round.sentEnd - round.sentBegin;
  if (Result<void> room = awaitRoom(bytes); !room)
    return room;
  Posted copy{heap.allocate(bytes), bytes, {}};
  if (!copy.block)
    return Error{ErrorKind::Infeasible,
                 fmt::format("no room for {} B in the {} GiB that a process shares with others",
                             bytes, SharedArea::kHeapBytes >> 30)};
  std::memcpy(copy.block, local + round.sentBegin, static_cast<size_t>(bytes));
  std::lock_guard lock(mutex);
  for (int64_t reader : round.readers) {
    std::optional<uint32_t> number = mail.begin();
    if (!number)
      return Error{ErrorKind::Infeasible,
                   fmt::format("{} messages are in flight already", SharedArea::kNumEnvelopes)};
    Envelope &envelope = mail[*number];
    envelope.run = kRun;
    envelope.from = own();
    envelope.to = reader;
    envelope.name = {};
    envelope.name.parameters = round.meaning;
    envelope.name.collective = numSent[static_cast<size_t>(reader)]++;
    // Where the buffer would begin: readers count from there.
    envelope.offset = heap.offsetOf(copy.block) - round.sentBegin;
    envelope.isAwaited = false;
    copy.envelopes.push_back(*number);
  }
  for (size_t i = 0; i < round.readers.size(); ++i)
    mail.post(copy.envelopes[i], round.readers[i]);
  postedBytes += bytes;
  posted.push_back(std::move(copy));
  return {};
}

Result<HostExchanges::Started> HostExchanges::start(const HostRound &round,
                                                    const std::byte *local) {
  if (!round.readers.empty())
    if (Result<void> isPosted = post(round, local); !isPosted)
      return isPosted.error();
  Started started;
  std::lock_guard lock(mutex);
  for (const std::vector<HostTerm> &terms : round.parts)
    for (const HostTerm &term : terms)
      if (term.process() != own())
        started.numbers.push_back(numReceived[static_cast<size_t>(term.process())]++);
  ++numOpen;
  return started;
}

Result<void> HostExchanges::finish(const HostRound &round, const Started &started,
                                   const std::byte *local, std::byte *result,
                                   const std::function<bool()> &shouldStop) {
  Receipt receipt(*this, round, started, local, result);
  Clock::time_point deadline = Clock::now() + timeout;
  HostBell *bell = mail.bell();
  int64_t gone = -1;
  for (int numRests = 0;;) {
    uint32_t seen = bell ? bell->load() : 0;
    Result<bool> isDone = receipt.advance();
    if (!isDone)
      return isDone.error();
    if (*isDone)
      break;
    if (gone == receipt.missing())
      return ended(gone);
    if (++numRests <= kYields) {
      std::this_thread::yield();
      continue;
    }
    bell->wait(seen, Clock::now() + kLongestSleep);
    if (bell->load() != seen)
      continue;
    if (shouldStop())
      return Error{ErrorKind::Internal, "stopped"};
    // It may have sent before it ended: one more look.
    if (processes.isGone(receipt.missing()))
      gone = receipt.missing();
    else if (Clock::now() > deadline)
      return Error{ErrorKind::Timeout,
                   fmt::format("rank {} has not come to this exchange within {} ms",
                               receipt.missing(), timeout.count())};
  }
  std::lock_guard lock(mutex);
  --numOpen;
  return {};
}

} // namespace shardwise::host
