// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages between local ranks: the sender offers its memory, the receiver copies out of it.

#pragma once

#include "shardwise/runtime/Communicator.h"
#include "shardwise/runtime/WaitWord.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

namespace shardwise::runtime {

/// A message of which the sender shows the memory.
struct Offer {
  enum class State : uint8_t {
    Open,  ///< Nobody reads.
    Taken, ///< The receiver reads.
    Done,  ///< The memory is the sender's again.
  };

  Rank source = 0;
  std::string what;
  int64_t number = 0;
  uint64_t parameters = 0;
  int64_t collective = 0;
  const std::byte *data = nullptr;
  MessageBox box;
  std::atomic<State> state{State::Open};
};

/// What is offered to one rank. All members are safe to call from any thread.
class LocalMailbox {
public:
  void add(std::shared_ptr<Offer> offer);
  /// Takes the oldest offer of `source` in `collective` out of the box, for its memory to be read;
  /// null if there is none. Only the rank whose mailbox this is calls it.
  std::shared_ptr<Offer> take(Rank source, int64_t collective);
  /// Takes an offer back. Returns false if it has been taken by the receiver before.
  bool withdraw(const Offer &offer);

  /// Changes with everything that the rank may wait for: offers to it, the end of its own ones,
  /// failures and ends of others.
  WaitWord events;

private:
  std::mutex mutex;
  std::deque<std::shared_ptr<Offer>> offers; // Guarded by mutex. Oldest first.
};

/// Copies what is offered to `box` at `data`, or folds it into what is there.
/// Requires: both boxes have the same size.
void copyOffer(const Offer &offer, std::byte *data, const MessageBox &box, const Reducer *combine);

} // namespace shardwise::runtime
