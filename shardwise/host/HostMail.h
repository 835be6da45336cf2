// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages between the processes of a host, without MPI: an envelope in shared memory, and a bell.

#pragma once

#include "shardwise/host/HostAreas.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

namespace shardwise::host {

/// This process' envelopes, and those that others post to it. Envelopes of one collective from one
/// rank to another arrive in the order in which they were posted. All members are safe to call from
/// any thread.
class HostMail {
public:
  /// Of process `own`; where the host shares no memory, nobody may post.
  HostMail(const HostAreas &areas, int64_t own);

  /// A new envelope, to be filled in and posted; none if there are too many.
  std::optional<uint32_t> begin();
  Envelope &operator[](uint32_t number) { return area->envelopes[number]; }
  const Envelope &operator[](uint32_t number) const { return area->envelopes[number]; }
  /// Sends it to `process`, of this host.
  void post(uint32_t number, int64_t process);
  /// Takes back an envelope that is done.
  void end(uint32_t number);

  /// Leaves an envelope that was posted, to be taken back when it is done, and keeps the block that
  /// it was packed into until then. Returns whether it does: there is a limit to what may lie
  /// around.
  bool leave(uint32_t number, const std::shared_ptr<std::byte> &block, int64_t bytes);
  /// The same of one that was withdrawn: nobody reads its block.
  void leaveWithdrawn(uint32_t number);

  /// The next envelope to this process of a run, between two ranks and in `collective`
  /// (MessageName), or null.
  const Envelope *take(int64_t run, int64_t from, int64_t to, int64_t collective);
  /// Begins to read what was taken. False if it was withdrawn: it may not be read then.
  bool beginReading(const Envelope &envelope, int64_t sender);
  /// Tells process `sender` that its envelope has been read.
  void endReading(const Envelope &envelope, int64_t sender);
  /// Drops what has come of runs before `run`.
  void forgetBefore(int64_t run);

  /// Rings for this process. Null where the host shares no memory.
  HostBell *bell() { return area ? &area->bell : nullptr; }

private:
  using Route = std::tuple<int64_t, int64_t, int64_t>; // Run, from, to.

  struct Left {
    uint32_t number = 0;
    std::shared_ptr<std::byte> block;
    int64_t bytes = 0;
  };

  /// Writes to an envelope of another process, whose state is for both to write.
  Envelope &shared(const Envelope &envelope) { return const_cast<Envelope &>(envelope); }
  void drop(const Envelope &envelope);
  void collect();     // Under the mutex of what arrived.
  void reclaimLeft(); // Under that of the envelopes.

  const HostAreas &areas;
  SharedArea *area;
  int64_t own;

  std::mutex ownMutex;
  uint32_t used = 0;
  std::vector<uint32_t> free;
  std::deque<Left> left;
  int64_t leftBytes = 0;

  std::mutex arrivedMutex;
  std::map<Route, std::deque<const Envelope *>> arrived;
  int64_t firstRun = 0;
};

} // namespace shardwise::host
