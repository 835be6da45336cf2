// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts and waits; what they have in common is in the context of the rank.

#include "shardwise/execute/thunks/CollectivesInFlight.h"

#include "shardwise/execute/thunks/RunThunk.h"

#include <algorithm>
#include <cassert>

namespace shardwise::execute {

CollectivesInFlight::One CollectivesInFlight::take(const CollectiveThunk &thunk) {
  auto found =
      std::find_if(all.begin(), all.end(), [&](const One &one) { return one.thunk == &thunk; });
  assert(found != all.end() && "a wait without its start");
  One one = std::move(*found);
  all.erase(found);
  return one;
}

Result<void> StartThunk::run(Frame &frame) const {
  Result<StartedMeeting> started = collective->start(frame, 0);
  if (!started)
    return started.error();
  frame.context().inFlight.add({collective.get(), std::move(*started), noteStart()});
  return {};
}

Result<void> WaitThunk::run(Frame &frame) const {
  CollectivesInFlight::One one = frame.context().inFlight.take(*start.collective);
  if (!one.started.pending)
    return {};
  noteGroup(one.started.group);
  noteUnderWay(one.since);
  Result<runtime::Traffic> traffic = one.started.pending->wait();
  if (!traffic)
    return traffic.error();
  start.collective->note(frame.context(), *traffic);
  return {};
}

} // namespace shardwise::execute
