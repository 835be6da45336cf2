// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How messages become calls of MPI:
//
// 1. One mutex is held in every call: MPI is initialised for calls of several threads, one at a
//    time. So a call must not wait for another process, or it would keep out the very threads that
//    the other one waits for. Messages are started (MPI_Isend, MPI_Irecv) and then tested.
// 2. Messages and notices have a communicator each. Notices are looked for from any process, and
//    would find messages of ranks otherwise.
// 3. MPI matches a receive by process and tag; which ranks of the two processes are meant, in which
//    collective and run, is in the tag (`route`).
// 4. Counts of MPI are ints, so a message goes in pieces of at most 1 GiB. Pieces need no number:
//    MPI keeps messages of one sender and tag in order.
// 5. Memory that MPI was given stays until MPI is done with it, also if the run has failed.

#include "shardwise/mpi/MpiWorld.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace shardwise::mpi {
namespace {

constexpr int64_t kPieceBytes = int64_t{1} << 30;

} // namespace

std::string errorText(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return {text.data(), static_cast<size_t>(length)};
}

MpiWorld::MpiWorld() {
  // All processes wait for each other in these and in HostSegment: the order is the same in all.
  MPI_Comm_dup(MPI_COMM_WORLD, &messages);
  MPI_Comm_dup(MPI_COMM_WORLD, &notices);
  // By default an error of MPI ends all processes, without a word of which rank it was.
  for (MPI_Comm communicator : {messages, notices})
    MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
  int index = 0;
  int count = 1;
  MPI_Comm_rank(messages, &index);
  MPI_Comm_size(messages, &count);
  segment = std::make_unique<HostSegment>(messages);
  ownHeap = std::make_unique<HostHeap>(segment->areas().areaOf(index));
  ownMail = std::make_unique<HostMail>(segment->areas(), index);
  ownIndex = index;
  numProcesses = count;
  int *most = nullptr;
  int isSet = 0;
  MPI_Comm_get_attr(messages, MPI_TAG_UB, &most, &isSet);
  // What the standard promises. MPICH and Open MPI have some 2^28 to 2^31 tags.
  constexpr int64_t kGuaranteedTag = 32'767;
  largestTag = isSet != 0 ? *most : kGuaranteedTag;
}

MpiWorld::~MpiWorld() {
  // MPI may still read what has not gone.
  for (PackedMessage &notice : sentNotices)
    static_cast<void>(notice.bytes.release());
  MPI_Comm_free(&messages);
  MPI_Comm_free(&notices);
}

// tag = ((index of `from` in its process * most + index of `to` in its process) * kNumCollectives
//        + collective) * numRuns + run mod numRuns
// where `most` is the largest number of ranks of a process. Example: 8 ranks on 3 processes are 0
// to 2, 3 to 5, 6 and 7, so `most` is 3; from rank 1 to rank 5 the pair is 1 * 3 + 2 = 5.
Result<Route> MpiWorld::route(const runtime::RankShares &shares, Rank from, Rank to,
                              int64_t collective, int64_t run) const {
  int64_t most = (shares.numRanks + numProcesses - 1) / numProcesses;
  int64_t source = shares.processOf(from);
  int64_t target = shares.processOf(to);
  int64_t pair = (from - shares.begin(source)) * most + (to - shares.begin(target));
  // With messages in no collective.
  constexpr int64_t kNumCollectives = runtime::kMostInFlight + 1;
  // Runs after which tags come again: many, as what a failed one has sent stays where it is.
  constexpr int64_t kFewestRuns = 16;
  int64_t numRuns = (largestTag + 1) / (most * most * kNumCollectives);
  if (numRuns < kFewestRuns) {
    return Error{ErrorKind::Infeasible,
                 fmt::format("{} ranks in {} processes are more than this MPI has tags for ({}); "
                             "use more processes",
                             shares.numRanks, numProcesses, largestTag)};
  }
  return Route{source == ownIndex ? target : source,
               static_cast<int>((pair * kNumCollectives + collective) * numRuns + run % numRuns)};
}

template <class Start>
Result<void> MpiWorld::startPieces(PackedMessage &message, const Route &route, Start start) {
  std::lock_guard lock(mutex);
  int64_t offset = 0;
  do {
    auto bytes = static_cast<int>(std::min(kPieceBytes, message.size - offset));
    MPI_Request request = MPI_REQUEST_NULL;
    int code = start(message.bytes.get() + offset, bytes, static_cast<int>(route.peerProcess),
                     route.tag, &request);
    if (code != MPI_SUCCESS)
      return Error{ErrorKind::Internal, "MPI: " + errorText(code)};
    message.requests.push_back(request);
    offset += bytes;
  } while (offset < message.size);
  return {};
}

Result<void> MpiWorld::startSend(PackedMessage &message, const Route &route) {
  Result<void> started = startPieces(
      message, route, [this](std::byte *data, int bytes, int peer, int tag, MPI_Request *request) {
        return MPI_Isend(data, bytes, MPI_BYTE, peer, tag, messages, request);
      });
  // MPI has the pieces before the one that could not be started.
  if (!started)
    leaveBehind(std::move(message), /*isReceive=*/false);
  return started;
}

Result<void> MpiWorld::startReceive(PackedMessage &message, const Route &route) {
  Result<void> started = startPieces(
      message, route, [this](std::byte *data, int bytes, int peer, int tag, MPI_Request *request) {
        return MPI_Irecv(data, bytes, MPI_BYTE, peer, tag, messages, request);
      });
  if (!started)
    leaveBehind(std::move(message), /*isReceive=*/true);
  return started;
}

bool MpiWorld::isDoneLocked(PackedMessage &message, int &code) {
  bool areAllDone = true;
  // A piece that is done has a null request, which tests as done again. One that failed has ended,
  // but others of its message may still be under way.
  for (MPI_Request &request : message.requests) {
    int isDone = 0;
    if (int failed = MPI_Test(&request, &isDone, MPI_STATUS_IGNORE); failed != MPI_SUCCESS) {
      code = failed;
      request = MPI_REQUEST_NULL;
      continue;
    }
    areAllDone &= isDone != 0;
  }
  return areAllDone;
}

Result<bool> MpiWorld::isDone(PackedMessage &message) {
  std::lock_guard lock(mutex);
  int code = MPI_SUCCESS;
  bool isDone = isDoneLocked(message, code);
  if (code != MPI_SUCCESS)
    return Error{ErrorKind::Internal, "MPI: " + errorText(code)};
  return isDone;
}

void MpiWorld::advance() {
  std::lock_guard lock(mutex);
  int isThere = 0;
  // Its answer is of no use, but MPI moves what is in flight only while it is called.
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, messages, &isThere, MPI_STATUS_IGNORE);
}

void MpiWorld::leaveBehind(PackedMessage message, bool isReceive) {
  std::lock_guard lock(mutex);
  // Sends are not called off: MPI 4 deprecates that. Either way the request has yet to end, which
  // `forgetDone` sees.
  if (isReceive)
    for (MPI_Request &request : message.requests)
      if (request != MPI_REQUEST_NULL)
        MPI_Cancel(&request);
  leftovers.push_back(std::move(message));
}

bool MpiWorld::hasLeftovers() {
  std::lock_guard lock(mutex);
  forgetDone(leftovers);
  return !leftovers.empty();
}

bool MpiWorld::haveNoticesGone() {
  std::lock_guard lock(mutex);
  forgetDone(sentNotices);
  return sentNotices.empty();
}

void MpiWorld::forgetDone(std::vector<PackedMessage> &list) {
  std::erase_if(list, [&](PackedMessage &message) {
    int code = MPI_SUCCESS;
    return isDoneLocked(message, code);
  });
}

void MpiWorld::sendNotice(int64_t process, const void *bytes, size_t size) {
  PackedMessage notice{std::make_unique<std::byte[]>(size), static_cast<int64_t>(size), {}};
  std::memcpy(notice.bytes.get(), bytes, size);
  std::lock_guard lock(mutex);
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Isend(notice.bytes.get(), static_cast<int>(size), MPI_BYTE, static_cast<int>(process), 0,
                notices, &request) != MPI_SUCCESS)
    return; // Who cannot be told finds out by its time limit.
  notice.requests.push_back(request);
  sentNotices.push_back(std::move(notice));
}

int64_t MpiWorld::receiveNotice(void *bytes, size_t size) {
  std::lock_guard lock(mutex);
  int isThere = 0;
  MPI_Status status;
  int code = MPI_Iprobe(MPI_ANY_SOURCE, 0, notices, &isThere, &status);
  if (code != MPI_SUCCESS || isThere == 0)
    return -1;
  // The one call that may block: it has come, and nobody else can take it while the mutex is held.
  MPI_Recv(bytes, static_cast<int>(size), MPI_BYTE, status.MPI_SOURCE, 0, notices, &status);
  return status.MPI_SOURCE;
}

} // namespace shardwise::mpi
