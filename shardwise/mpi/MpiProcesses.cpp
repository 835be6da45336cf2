// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run ends in all processes together: each tells the others how its ranks ended, and waits to
// hear the same of them. A failure is told at once; a thread of every process listens for that, as
// ranks may wait for each other within the process, or compute. That thread also shows those of its
// host that the process goes on: one that is stopped is given up, one that computes is not.
//
// Processes count runs alike, and notices say which run they are of: who is ahead may tell of one
// that others have yet to begin, and that is kept until they do (`states`).
//
// Locks: MpiWorld and the run have their own. Notices are received and sent without `mutex`, so
// that ranks which ask `hasEnded` do not wait for MPI.

#include "shardwise/mpi/MpiProcesses.h"

#include "shardwise/mpi/CallLimit.h"
#include "shardwise/mpi/MpiMessages.h"
#include "shardwise/mpi/RunNotice.h"
#include "shardwise/mpi/SilenceWatch.h"
#include "shardwise/mpi/Termination.h"
#include "shardwise/runtime/OwnRanks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <thread>

namespace shardwise::mpi {
namespace {

using runtime::RankFailure;
using runtime::RankShares;
using Clock = std::chrono::steady_clock;

/// Within this time who speaks for all has had MPI end them.
constexpr std::chrono::seconds kUntilKilled{3};

class MpiProcesses final : public runtime::Processes, runtime::RemoteRanks, MpiRun {
public:
  explicit MpiProcesses(bool ownsMpi)
      : ownsMpi(ownsMpi), world(std::make_unique<MpiWorld>()),
        left(static_cast<size_t>(world->count()), false), gone(left) {
    if (ownsMpi)
      catchTermination();
    listener = std::thread([this] { listen(); });
  }
  MpiProcesses(const MpiProcesses &) = delete;
  MpiProcesses &operator=(const MpiProcesses &) = delete;
  ~MpiProcesses() override;

  int64_t index() const override { return world->index(); }
  int64_t count() const override { return world->count(); }
  bool speaks() const override;
  std::byte *allocate(int64_t bytes) override { return world->heap().allocate(bytes); }
  void release(std::byte *block) override { world->heap().release(block); }
  Result<void> runRanks(int64_t numRanks, std::chrono::milliseconds timeout,
                        const runtime::RankFunction &function) override;

private:
  // RemoteRanks.
  void begin(runtime::RunControl &control) override;
  std::unique_ptr<runtime::RemoteMessages> connect(Rank own,
                                                   std::chrono::milliseconds timeout) override {
    const MpiRun &run = *this;
    return std::make_unique<MpiMessages>(*world, run, own, timeout);
  }
  void tellFailure(const RankFailure &failure) override;
  void tellEnd(Rank) override {}
  void end() override;

  // MpiRun.
  const RankShares &sharesOfRun() const override { return runShares; }
  int64_t number() const override { return runNumber; }
  bool wasStopped() const override { return stopped; }
  bool hasEnded(int64_t process) const override;
  std::string describe(Rank rank) const override;

  void listen();
  void takeNotices();
  void showActivities();
  void lookForTheGone();
  /// Shows that this process goes on.
  void beat() {
    if (SharedArea *area = world->areas().areaOf(index()))
      ++area->beats;
  }
  /// Has ranks that wait for others of the host look again.
  void wakeWaiting() {
    if (HostBell *bell = world->mail().bell())
      bell->ring();
  }
  /// Waits until all processes part, and what is under way has gone. Returns whether they do.
  bool awaitPartings();
  /// Says what has happened, if this process is to speak and its ranks do not get to it in time.
  void tellInPlaceOfRanks();
  /// Of a run that has failed one process of the host tells: whether it is this one.
  bool takeWord() const;
  /// Others do not wait for this process any more.
  bool isGivenUp() const;
  /// Under the mutex.
  void giveUpWhoHasNotEnded(const RunState &state);
  /// Ends this process as SIGTERM does, unless it was sent because another one has died.
  void heedTermination();
  void tellAll(const Notice &notice);
  /// Waits until all processes have ended the run; returns why one of them was given up.
  Result<void> awaitEnds(std::chrono::milliseconds timeout);
  // Under the mutex.
  RunState &stateOf(int64_t run);
  void stopCurrent();
  /// Processes that have left do not end the current run, if they have not already.
  void noteWhoLeft();
  std::vector<std::string> activitiesOf(Rank first, Rank last) const;

  bool ownsMpi;
  std::unique_ptr<MpiWorld> world;
  RankShares runShares; ///< Changes between runs only, when no rank reads it.
  std::atomic<int64_t> runNumber{0};
  std::atomic<bool> stopped{false};
  bool isBroken = false;            ///< A process was given up: no further run can end.
  std::atomic<bool> hasTold{false}; ///< By the listener.

  mutable std::mutex mutex;
  std::map<int64_t, RunState> states; // Guarded by the mutex, as are the next two.
  std::vector<bool> left;
  std::vector<bool> gone; ///< Of those that have left: killed, ended without a word, given up.
  runtime::RunControl *current = nullptr;

  std::atomic<bool> isClosing{false};
  Clock::time_point terminationSeen; ///< By the listener.
  std::thread listener;
};

RunState &MpiProcesses::stateOf(int64_t run) {
  RunState &state = states[run];
  state.ended.resize(static_cast<size_t>(count()), false);
  return state;
}

void MpiProcesses::begin(runtime::RunControl &control) {
  world->mail().forgetBefore(runNumber);
  std::lock_guard lock(mutex);
  current = &control;
  noteWhoLeft();
  stopped = stateOf(runNumber).failure.has_value();
  if (stopped)
    control.stop();
}

void MpiProcesses::end() {
  std::lock_guard lock(mutex);
  current = nullptr;
}

void MpiProcesses::tellAll(const Notice &notice) {
  for (int64_t process = 0; process < count(); ++process)
    if (process != index())
      world->sendNotice(process, &notice, sizeof(Notice));
}

void MpiProcesses::tellFailure(const RankFailure &failure) {
  stopped = true;
  wakeWaiting();
  if (!failure.wasStopped)
    tellAll(Notice(runNumber, false, failure));
}

bool MpiProcesses::hasEnded(int64_t process) const {
  std::lock_guard lock(mutex);
  auto state = states.find(runNumber);
  return state != states.end() && state->second.ended[static_cast<size_t>(process)];
}

void MpiProcesses::takeNotices() {
  Notice notice;
  for (int64_t sender = 0; (sender = world->receiveNotice(&notice, sizeof(Notice))) >= 0;) {
    std::lock_guard lock(mutex);
    if (notice.run == Notice::kLeft) {
      left[static_cast<size_t>(sender)] = true;
      noteWhoLeft();
      continue;
    }
    RunState &state = stateOf(notice.run);
    if (notice.isEnd) {
      state.ended[static_cast<size_t>(sender)] = true;
      wakeWaiting();
    }
    if (!notice.hasFailure)
      continue;
    state.note(notice.failure());
    if (notice.run == runNumber)
      stopCurrent();
  }
}

void MpiProcesses::stopCurrent() {
  if (!current)
    return;
  stopped = true;
  current->stop();
  wakeWaiting();
}

void MpiProcesses::noteWhoLeft() {
  RunState &state = stateOf(runNumber);
  for (size_t process = 0; process < left.size(); ++process) {
    if (!left[process] || state.ended[process])
      continue;
    state.ended[process] = true;
    Rank first = runShares.begin(static_cast<int64_t>(process));
    Rank last = runShares.end(static_cast<int64_t>(process)) - 1;
    Error error =
        gone[process]
            ? Error{ErrorKind::Internal,
                    fmt::format("process {}, of ranks {} to {}, has died; when last seen {}",
                                process, first, last, fmt::join(activitiesOf(first, last), ", "))}
            : invalid(fmt::format("process {} has left; what it says tells why", process));
    state.note({first, std::move(error), false});
    stopCurrent();
  }
}

std::string MpiProcesses::describe(Rank rank) const {
  int64_t process = runShares.processOf(rank);
  SharedArea *area = world->areas().areaOf(process);
  auto at = static_cast<size_t>(rank - runShares.begin(process));
  if (area && at < SharedArea::kMaxRanks && area->activities[at][0] != 0)
    return area->activities[at];
  return fmt::format("rank {} is in process {}, which does not say what it does", rank, process);
}

std::vector<std::string> MpiProcesses::activitiesOf(Rank first, Rank last) const {
  std::vector<std::string> texts;
  for (Rank rank = first; rank <= last; ++rank)
    texts.push_back(describe(rank));
  return texts;
}

void MpiProcesses::showActivities() {
  SharedArea *area = world->areas().areaOf(index());
  std::lock_guard lock(mutex);
  if (!area || !current)
    return;
  int64_t count = std::min<int64_t>(runShares.count(index()), SharedArea::kMaxRanks);
  for (int64_t i = 0; i < count; ++i) {
    std::string text = current->describe(runShares.begin(index()) + i);
    text.resize(SharedArea::kTextBytes - 1);
    std::copy(text.begin(), text.end(), area->activities[i]);
  }
}

void MpiProcesses::lookForTheGone() {
  for (int64_t process = 0; process < count(); ++process) {
    if (!world->host().isGone(process))
      continue;
    std::lock_guard lock(mutex);
    auto at = static_cast<size_t>(process);
    if (left[at])
      continue;
    left[at] = gone[at] = true;
    noteWhoLeft();
  }
}

bool MpiProcesses::isGivenUp() const {
  const SharedArea *area = world->areas().areaOf(index());
  return area && area->isGivenUp;
}

void MpiProcesses::giveUpWhoHasNotEnded(const RunState &state) {
  for (size_t process = 0; process < state.ended.size(); ++process) {
    if (state.ended[process])
      continue;
    left[process] = gone[process] = true;
    if (SharedArea *area = world->areas().areaOf(static_cast<int64_t>(process)))
      area->isGivenUp = true;
  }
}

bool MpiProcesses::takeWord() const {
  SharedArea *area = world->host().firstArea();
  if (!area)
    return true;
  // The run in the upper half, who tells in the lower. The first to swing the word to a newer run
  // has it. Runs count from 1, so 0 is of none.
  uint64_t own = static_cast<uint64_t>(runNumber) << 32 | static_cast<uint64_t>(index());
  uint64_t seen = area->told;
  while (seen >> 32 < own >> 32)
    if (area->told.compare_exchange_weak(seen, own))
      return true;
  return seen == own;
}

bool MpiProcesses::speaks() const {
  std::lock_guard lock(mutex);
  return !hasTold && !isGivenUp() &&
         std::find(gone.begin(), gone.end(), false) - gone.begin() == index() && takeWord();
}

void MpiProcesses::tellInPlaceOfRanks() {
  // mpirun kills a second after SIGTERM. Ranks that compute do not look up in that time.
  constexpr std::chrono::milliseconds kForRanks{500};
  if (hasTold || Clock::now() - terminationSeen < kForRanks || !speaks())
    return;
  std::lock_guard lock(mutex);
  auto state = states.find(runNumber);
  if (!current || state == states.end() || !state->second.failure)
    return;
  hasTold = true; // Even if the ranks get to it now, in the time that is left.
  fmt::print(stderr, "shardwise: error: {}\n", errorOf(*state->second.failure).message);
  std::fflush(stderr);
}

void MpiProcesses::heedTermination() {
  // Time for the death to be seen that made mpirun send the signal: if there is one, the ranks fail
  // by it and tell of it. Without any, somebody wants this process to end.
  constexpr std::chrono::milliseconds kForDeaths{200};
  if (!wasTerminated())
    return;
  if (terminationSeen == Clock::time_point())
    terminationSeen = Clock::now();
  bool hasDeaths = false;
  {
    std::lock_guard lock(mutex);
    hasDeaths = std::find(gone.begin(), gone.end(), true) != gone.end();
  }
  if (hasDeaths)
    return tellInPlaceOfRanks();
  if (Clock::now() - terminationSeen < kForDeaths)
    return;
  endAsTerminated();
}

void MpiProcesses::listen() {
  constexpr std::chrono::milliseconds kBetweenLooks{5};
  while (!isClosing) {
    takeNotices();
    lookForTheGone();
    heedTermination();
    showActivities();
    beat();
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

Result<void> MpiProcesses::awaitEnds(std::chrono::milliseconds timeout) {
  constexpr std::chrono::microseconds kFirstSleep{100};
  constexpr std::chrono::microseconds kLongestSleep{5'000};
  // Short runs end after short sleeps: these grow by a twentieth. After a failure the others are
  // stopped, and end soon if they can.
  constexpr std::chrono::milliseconds kAfterFailure{2'000};
  Clock::time_point begin = Clock::now();
  SilenceWatch watch;
  for (auto sleep = kFirstSleep;; sleep = std::min(sleep * 21 / 20, kLongestSleep)) {
    std::this_thread::sleep_for(sleep);
    takeNotices();
    std::lock_guard lock(mutex);
    RunState &state = stateOf(runNumber);
    auto found = std::find(state.ended.begin(), state.ended.end(), false);
    if (found == state.ended.end())
      return {};
    int64_t missing = found - state.ended.begin();
    std::string ranks =
        fmt::format("it runs ranks {} to {}", runShares.begin(missing), runShares.end(missing) - 1);
    if (Clock::now() - begin > (state.failure ? kAfterFailure : std::max(timeout, kAfterFailure))) {
      giveUpWhoHasNotEnded(state);
      return Error{ErrorKind::Timeout, fmt::format("process {} has not ended {} ms after process "
                                                   "{}; {}",
                                                   missing, timeout.count(), index(), ranks)};
    }
    const SharedArea *area = world->areas().areaOf(missing);
    if (area && watch.isSilent(*area)) {
      giveUpWhoHasNotEnded(state);
      return Error{ErrorKind::Timeout,
                   fmt::format("process {} has shown no sign of life for {} s; {}", missing,
                               SilenceWatch::kLimit.count(), ranks)};
    }
  }
}

Result<void> MpiProcesses::runRanks(int64_t numRanks, std::chrono::milliseconds timeout,
                                    const runtime::RankFunction &function) {
  {
    std::lock_guard lock(mutex);
    ++runNumber;
    runShares = shares(numRanks);
  }
  if (Result<void> checked = runtime::checkNumRanks(numRanks, runShares.count(index())); !checked)
    return checked;
  if (isBroken)
    return Error{ErrorKind::Internal, "a process was given up in an earlier run"};
  std::optional<RankFailure> failure =
      runtime::runOwnRanks(runShares, index(), timeout, this, function);
  {
    std::lock_guard lock(mutex);
    RunState &state = stateOf(runNumber);
    state.ended[static_cast<size_t>(index())] = true;
    if (failure)
      state.note(*failure);
  }
  tellAll(Notice(runNumber, true, failure));
  Result<void> allEnded = awaitEnds(timeout);
  isBroken = !allEnded;
  std::unique_lock lock(mutex);
  // What others have told of later runs stays.
  RunState state = std::move(states[runNumber]);
  states.erase(states.begin(), states.upper_bound(runNumber));
  lock.unlock();
  bool hasFailed = state.failure || !allEnded;
  // It was stopped, or slow, and goes on: others have told why all end, and mpirun is about to do
  // it.
  if (hasFailed && (isGivenUp() || (index() == 0 && !takeWord())))
    std::this_thread::sleep_for(kUntilKilled);
  return state.failure ? errorOf(*state.failure) : allEnded;
}

bool MpiProcesses::awaitPartings() {
  constexpr std::chrono::milliseconds kBetweenLooks{1};
  // Notices go when others look, messages to the dead never.
  constexpr std::chrono::seconds kForNotices{5};
  Clock::time_point deadline = Clock::now() + kForNotices;
  SilenceWatch watch;
  for (;; std::this_thread::sleep_for(kBetweenLooks)) {
    takeNotices();
    lookForTheGone();
    beat();
    std::lock_guard lock(mutex);
    if (isBroken || std::find(gone.begin(), gone.end(), true) != gone.end())
      return false;
    // MPI would wait for the others busily, and for ever if one is stopped.
    auto missing = std::find(left.begin(), left.end(), false);
    if (ownsMpi && missing != left.end()) {
      const SharedArea *area = world->areas().areaOf(missing - left.begin());
      if (area && watch.isSilent(*area)) {
        if (index() == 0 || missing == left.begin())
          fmt::print(stderr, "process {} has shown no sign of life for {} s, and is given up\n",
                     missing - left.begin(), SilenceWatch::kLimit.count());
        return false;
      }
      deadline = Clock::now() + kForNotices;
      continue;
    }
    if (world->haveNoticesGone() && !world->hasLeftovers())
      return true;
    if (Clock::now() > deadline)
      return !world->hasLeftovers();
  }
}

MpiProcesses::~MpiProcesses() {
  // The listener first: it must not call MPI after MPI_Finalize. Until then this thread does its
  // work (`awaitPartings`), or this process would seem to be stopped.
  isClosing = true;
  listener.join();
  tellAll(Notice(Notice::kLeft, true, std::nullopt));
  {
    std::lock_guard lock(mutex);
    left[static_cast<size_t>(index())] = true;
  }
  if (!awaitPartings()) {
    // Who speaks may not have done so yet, and ends all when it has.
    if (!speaks())
      std::this_thread::sleep_for(kUntilKilled);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (!ownsMpi)
    return;
  leaveTermination();
  CallLimit limit("MPI_Finalize");
  world.reset();
  MPI_Finalize();
}

} // namespace

Result<std::unique_ptr<runtime::Processes>> connectProcesses() {
  CallLimit limit("MPI_Init");
  int isInitialized = 0;
  MPI_Initialized(&isInitialized);
  int level = MPI_THREAD_SINGLE;
  if (isInitialized != 0)
    MPI_Query_thread(&level);
  else
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
  // MPICH reports a message that is too long to these, not to the communicator of the message.
  if (isInitialized == 0)
    for (MPI_Comm communicator : {MPI_COMM_WORLD, MPI_COMM_SELF})
      MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
  if (level < MPI_THREAD_SERIALIZED)
    return unsupported(
        "this MPI does not allow calls of several threads; expected "
        "MPI_THREAD_SERIALIZED (initialise it so, or use an MPI built with threads)");
  return std::unique_ptr<runtime::Processes>(std::make_unique<MpiProcesses>(isInitialized == 0));
}

} // namespace shardwise::mpi
