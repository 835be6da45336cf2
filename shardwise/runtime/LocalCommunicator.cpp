// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of a process' ranks, and which of their errors is reported: that of the lowest rank
// which failed by itself, not because it was stopped.

#include "shardwise/runtime/LocalCommunicator.h"

#include "shardwise/runtime/LocalRank.h"
#include "shardwise/runtime/LocalWorld.h"
#include "shardwise/runtime/OwnRanks.h"
#include "shardwise/runtime/SpanningRank.h"
#include "shardwise/runtime/TurnTaking.h"

#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <limits>
#include <memory>
#include <system_error>
#include <thread>

namespace shardwise::runtime {

bool countsBefore(const RankFailure &a, const RankFailure &b) {
  // Stopped ranks count only if there is no other error: the function of the rank that failed may
  // have kept it to itself.
  return a.wasStopped != b.wasStopped ? b.wasStopped : a.rank < b.rank;
}

Error errorOf(const RankFailure &failure) {
  return {failure.error.kind, fmt::format("rank {}: {}", failure.rank, failure.error.message)};
}

namespace {

Result<void> callGuarded(const RankFunction &function, Communicator &communicator) {
  try {
    return function(communicator);
  } catch (const std::exception &exception) {
    return Error{ErrorKind::Internal, fmt::format("exception: {}", exception.what())};
  } catch (...) {
    return Error{ErrorKind::Internal, "exception of unknown type"};
  }
}

/// Stops the ranks of this process at the wish of others.
class StoppedFromOutside final : public RunControl {
public:
  explicit StoppedFromOutside(LocalWorld &world) : world(world) {}
  void stop() override { world.stop(); }
  std::string describe(Rank rank) const override { return world.describe({rank}); }

private:
  LocalWorld &world;
};

/// The ranks of this process while they run.
class OwnRanks {
public:
  OwnRanks(const RankShares &shares, int64_t process, std::chrono::milliseconds timeout,
           RemoteRanks *remote, const RankFunction &function)
      : world(shares.numRanks), control(world), shares(shares), process(process), timeout(timeout),
        remote(remote), function(function), failures(shares.count(process)) {
    if (remote)
      remote->begin(control);
  }
  OwnRanks(const OwnRanks &) = delete;
  OwnRanks &operator=(const OwnRanks &) = delete;
  ~OwnRanks() {
    if (remote)
      remote->end();
  }

  /// Starts the threads and joins them.
  std::optional<RankFailure> run();
  /// Runs the ranks on shared threads; false if that cannot be done.
  bool runInTurns();
  /// The failure that counts, of those that have ended.
  std::optional<RankFailure> firstFailure();

private:
  std::optional<RankFailure> call(Rank rank);
  void runRank(Rank rank);

  LocalWorld world;
  StoppedFromOutside control;
  const RankShares &shares;
  int64_t process;
  std::chrono::milliseconds timeout;
  RemoteRanks *remote;
  const RankFunction &function;
  std::vector<std::optional<RankFailure>> failures;
};

std::optional<RankFailure> OwnRanks::call(Rank rank) {
  // Made before the function is called and destroyed after it has returned: what it left open, as a
  // meeting that it published to, is then taken back.
  LocalRank local(world, rank, timeout);
  auto failureOf = [&](const Result<void> &done, bool wasStopped) -> std::optional<RankFailure> {
    if (!done)
      return RankFailure{rank, done.error(), wasStopped};
    // It has stopped the others, and must say why.
    return local.leftOpen() ? std::optional(RankFailure{rank, *local.leftOpen(), false})
                            : std::nullopt;
  };
  if (!remote) {
    Result<void> done = callGuarded(function, local);
    return failureOf(done, local.wasStopped());
  }
  SpanningRank spanning(local, remote->connect(rank, timeout), shares, process);
  Result<void> done = callGuarded(function, spanning);
  return failureOf(done, spanning.wasStopped());
}

/// If the function fails, the world is stopped before the rank counts as ended, so that peers
/// report that they were stopped and not that a rank is missing.
void OwnRanks::runRank(Rank rank) {
  std::optional<RankFailure> failure = call(rank);
  if (failure) {
    world.stop();
    if (remote)
      remote->tellFailure(*failure);
  }
  world.end(rank);
  if (remote)
    remote->tellEnd(rank);
  failures[rank - shares.begin(process)] = std::move(failure);
}

std::optional<RankFailure> OwnRanks::run() {
  // Room first: `emplace_back` must not fail for want of memory when the thread already runs.
  std::vector<std::thread> threads;
  threads.reserve(failures.size());
  std::string startError;
  for (Rank rank = shares.begin(process); rank < shares.end(process) && startError.empty();
       ++rank) {
    try {
      threads.emplace_back([&, rank] { runRank(rank); });
    } catch (const std::system_error &error) {
      startError = error.what();
    } catch (const std::bad_alloc &) {
      // Stacks have used up what the process may map.
      startError = "memory has run out";
    }
  }
  std::optional<RankFailure> first;
  if (!startError.empty()) {
    Error error{ErrorKind::Infeasible, fmt::format("only {} of {} threads could be started: {}; "
                                                   "every device takes one, use fewer devices",
                                                   threads.size(), failures.size(), startError)};
    first = {shares.begin(process) + std::ssize(threads), std::move(error), false};
    world.stop();
    if (remote)
      remote->tellFailure(*first);
  }
  for (std::thread &thread : threads)
    thread.join();
  return first ? first : firstFailure();
}

bool OwnRanks::runInTurns() {
  return runtime::runInTurns(std::ssize(failures), [&](int64_t index) { runRank(index); });
}

std::optional<RankFailure> OwnRanks::firstFailure() {
  std::optional<RankFailure> first;
  for (std::optional<RankFailure> &failure : failures)
    if (failure && (!first || countsBefore(*failure, *first)))
      first = std::move(failure);
  return first;
}

/// How many threads the process may have beside the memory that they work on: each maps a stack and
/// the page that guards it, two of the things of which a process may map so many, and the rest is
/// for what they allocate. No limit where that is not told. Asked before the first one is started,
/// as a process that has used up its maps fails wherever it allocates next.
int64_t maxThreads() {
  std::ifstream file("/proc/sys/vm/max_map_count");
  int64_t maps = 0;
  return file >> maps ? maps * 3 / 8 : std::numeric_limits<int64_t>::max();
}

} // namespace

Result<void> checkNumRanks(int64_t numRanks, int64_t count) {
  if (numRanks < 1)
    return invalid(fmt::format("number of ranks is {}; expected at least 1", numRanks));
  if (int64_t most = maxThreads(); count > most) {
    return Error{ErrorKind::Infeasible,
                 fmt::format("{} threads cannot be started, at most {} (vm.max_map_count); every "
                             "device takes one, use fewer devices",
                             count, most)};
  }
  return {};
}

std::optional<RankFailure> runOwnRanks(const RankShares &shares, int64_t process,
                                       std::chrono::milliseconds timeout, RemoteRanks *remote,
                                       const RankFunction &function) {
  return OwnRanks(shares, process, timeout, remote, function).run();
}

Result<void> runRanks(int64_t numRanks, std::chrono::milliseconds timeout,
                      const RankFunction &function, RankThreads on) {
  if (Result<void> checked = checkNumRanks(numRanks, numRanks); !checked)
    return checked;
  RankShares shares = {numRanks, 1};
  OwnRanks ranks(shares, 0, timeout, nullptr, function);
  std::optional<RankFailure> failure =
      on == RankThreads::Shared && ranks.runInTurns() ? ranks.firstFailure() : ranks.run();
  return failure ? Result<void>(errorOf(*failure)) : Result<void>();
}

} // namespace shardwise::runtime
