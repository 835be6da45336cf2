// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the ranks that somebody waits for are doing, for the message of an error. They go on
// meanwhile, so the text is of one moment, and may be of two where a rank has just changed what it
// does; nothing is decided by it.

#include "shardwise/runtime/LocalWorld.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardwise::runtime {

std::string LocalWorld::describe(const std::vector<Rank> &missing) const {
  std::vector<std::string> parts;
  for (Rank rank : missing) {
    const LocalMeeting *meeting = activities[rank].meeting;
    if (ended.contains(rank)) {
      parts.push_back(fmt::format("rank {} has ended", rank));
    } else if (meeting != nullptr) {
      parts.push_back(fmt::format("rank {} is in {} of ranks {}", rank,
                                  toString(activities[rank].collective.load()), meeting->group()));
    } else if (Rank peer = activities[rank].peer; peer >= 0) {
      parts.push_back(
          activities[rank].isReceiving
              ? fmt::format("rank {} waits for message {} of {} from rank {}", rank,
                            activities[rank].message.load(), activities[rank].what.get(), peer)
              : fmt::format("rank {} waits until rank {} receives message {} of {}", rank, peer,
                            activities[rank].message.load(), activities[rank].what.get()));
    } else if (int32_t count = activities[rank].numInFlight; count > 0) {
      parts.push_back(
          fmt::format("rank {} waits for nobody; it has started {} collective{} and not "
                      "waited for {} yet",
                      rank, count, count > 1 ? "s" : "", count > 1 ? "them" : "it"));
    } else {
      parts.push_back(fmt::format("rank {} is in no collective", rank));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

} // namespace shardwise::runtime
