// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every op, those of loops and branches too, passes here: a run that is stopped ends here, and one
// that is traced has its notes. Each rank writes its own.

#include "shardwise/execute/thunks/RunThunk.h"

#include "shardwise/execute/CollectiveRecord.h"
#include "shardwise/execute/RunLimits.h"
#include "shardwise/execute/RunTrace.h"

#include <chrono>
#include <utility>

namespace shardwise::execute {
namespace {

thread_local RankTrace *traceOfThread = nullptr;

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int64_t receivedSoFar(const RankContext &context) {
  int64_t bytes = 0;
  for (const CollectiveRecord &record : context.records)
    bytes += record.bytesReceived;
  return bytes;
}

Result<void> runTraced(const Thunk &thunk, Frame &frame, RankTrace &trace) {
  int64_t received = receivedSoFar(frame.context());
  // Thunks nest in loops, branches and calls: what runs inside counts for itself.
  int64_t inside = std::exchange(trace.insideNanoseconds, 0);
  int64_t begin = now();
  trace.hidden = 0;
  Result<void> done = thunk.run(frame);
  int64_t end = now();
  received = receivedSoFar(frame.context()) - received;
  RankTrace::Total &total = trace.totals[&thunk];
  ++total.runs;
  total.nanoseconds += end - begin - trace.insideNanoseconds;
  total.receivedBytes += received;
  total.hidden += trace.hidden;
  total.isStart |= trace.isStart;
  trace.insideNanoseconds = inside + end - begin;
  if (trace.events.size() < trace.mostEvents)
    trace.events.push_back(
        {&thunk, begin, end, received, trace.group, trace.hidden, trace.isStart});
  else
    ++trace.numLeftOut;
  trace.group = -1;
  trace.hidden = 0;
  trace.isStart = false;
  return done;
}

} // namespace

TraceScope::TraceScope(RankTrace &trace) : outer(std::exchange(traceOfThread, &trace)) {}

TraceScope::~TraceScope() {
  traceOfThread = outer;
}

void noteGroup(int64_t firstRank) {
  if (traceOfThread)
    traceOfThread->group = firstRank;
}

int64_t noteStart() {
  if (!traceOfThread)
    return 0;
  traceOfThread->isStart = true;
  return now();
}

void noteUnderWay(int64_t since) {
  if (traceOfThread && since > 0)
    traceOfThread->hidden = now() - since;
}

Result<void> runThunk(const Thunk &thunk, Frame &frame) {
  const std::atomic<bool> *isStopped = frame.context().limits.isStopped;
  if (isStopped && isStopped->load(std::memory_order_relaxed))
    return Error{ErrorKind::Infeasible, "the run was stopped before its end"};
  return traceOfThread ? runTraced(thunk, frame, *traceOfThread) : thunk.run(frame);
}

} // namespace shardwise::execute
