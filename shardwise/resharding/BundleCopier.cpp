// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bundles are copied in the order of the tensor: strip by strip, whatever of each begins in the
// strip. So buffers are read and written in order, which is twice as fast as one bundle after the
// other where these leap: 8 KiB in every 64.
//
// What makes up whole rows of a target is put together in the cache, a tile at a time, if it has
// several sources, and from there stored past the cache in whole lines, once for each replica.

#include "shardwise/resharding/BundleCopier.h"

#include <algorithm>

namespace shardwise::resharding {
namespace {

/// Copied at a time of the tensor: it fits the second cache, and is runs that are worth a call.
constexpr int64_t kStripBytes = int64_t{64} << 10;
constexpr int64_t kSectorBytes = 32;
/// Streams that processors follow at a time.
constexpr size_t kMostSideBySide = 32;
/// Longer rows are copied by themselves.
constexpr int64_t kLongestSideRow = int64_t{1} << 10;
/// What is put together is cut into tiles that fit the nearest cache several times.
constexpr int64_t kTileBytes = int64_t{4} << 10;
/// What is stored past the cache as it is read is in multiples of this.
constexpr int64_t kVectorBytes = 16;

} // namespace

void BundleCopier::run(const BundledCopies &copies, int64_t begin, int64_t end) {
  active.clear();
  copies.findPlace(begin, place);
  for (const RowBundle &bundle : copies.bundles)
    active.push_back({&bundle, bundle.rowsBefore(place)});
  // Of many bundles a part meets few.
  copies.findPlace(end, place);
  std::erase_if(active, [&](const Active &at) { return at.bundle->rowsBefore(place) == at.next; });
  int64_t strip = active.size() == 1 ? end - begin : kStripBytes;
  for (int64_t next = begin; next < end;) {
    next = std::min(end, next + strip);
    copies.findPlace(next, place);
    for (Active &at : active)
      at.last = at.bundle->rowsBefore(place);
    while (copyNextRuns()) {
    }
    copyPending();
  }
}

/// Copies one run along the innermost loop of each bundle; returns whether there was any.
bool BundleCopier::copyNextRuns() {
  bool isAny = false;
  for (Active &at : active) {
    if (at.next == at.last)
      continue;
    const RowBundle &bundle = *at.bundle;
    int64_t inner = bundle.counts.empty() ? 1 : bundle.counts.back();
    int64_t run = std::min(at.last - at.next, inner - at.next % inner);
    setOffsets(bundle, at.next);
    copyRun(bundle, run);
    at.next += run;
    isAny = true;
  }
  return isAny;
}

void BundleCopier::setOffsets(const RowBundle &bundle, int64_t row) {
  sourceOffsets.assign(bundle.streams.size(), 0);
  targetOffsets.assign(bundle.streams.size(), 0);
  for (size_t i = 0; i < bundle.streams.size(); ++i)
    targetOffsets[i] = bundle.streams[i].targetOffset;
  for (size_t loop = bundle.counts.size(); loop-- > 0;) {
    int64_t index = row % bundle.counts[loop];
    row /= bundle.counts[loop];
    for (size_t i = 0; i < bundle.streams.size(); ++i) {
      sourceOffsets[i] += index * bundle.streams[i].sourcePitches[loop];
      targetOffsets[i] += index * bundle.streams[i].targetPitches[loop];
    }
  }
}

/// Copies `count` rows from the offsets on, or lets them wait for those of other bundles.
void BundleCopier::copyRun(const RowBundle &bundle, int64_t count) {
  size_t most = std::max(streamed.size(), cached.size()) + bundle.streams.size();
  if (count != numPending || most > kMostSideBySide || continuesPending(bundle))
    copyPending();
  numPending = count;
  for (const StreamGroup &group : bundle.groups) {
    if (isPutTogether(bundle, group))
      copyPutTogether(bundle, group, count);
    else if (bundle.streams[group.first].bytes > kLongestSideRow)
      copyLongRows(bundle, group, count);
    else
      addPending(bundle, group);
  }
}

/// Whether `bundle` goes on in a source where rows that wait end, without a gap: it is read behind
/// these, not beside them. The first stream tells, as others lie beside it.
bool BundleCopier::continuesPending(const RowBundle &bundle) const {
  const std::byte *source = bundle.streams.front().source + sourceOffsets.front();
  auto endsHere = [&](const runtime::SideRows &rows) {
    return rows.source + (numPending - 1) * rows.sourcePitch + rows.bytes == source;
  };
  return std::ranges::any_of(streamed, endsHere) || std::ranges::any_of(cached, endsHere);
}

void BundleCopier::copyPending() {
  if (!streamed.empty())
    runtime::copySideBySide(streamed, numPending, runtime::Stores::Streaming);
  if (!cached.empty())
    runtime::copySideBySide(cached, numPending, runtime::Stores::Cached);
  streamed.clear();
  cached.clear();
}

/// Rows of whole lines are stored as they are read.
bool BundleCopier::isPutTogether(const RowBundle &bundle, const StreamGroup &group) const {
  const RowStream &one = bundle.streams[group.first];
  bool areSeveral = group.last - group.first > 1;
  if (stores == runtime::Stores::Cached)
    return group.isDense && areSeveral && one.targets.size() > 1;
  bool isOdd = one.bytes <= kLongestSideRow && one.bytes % kVectorBytes != 0;
  return group.isDense && (isOdd || (areSeveral && !areLines(bundle, group)));
}

/// Whether the rows of all streams are whole lines of their targets.
bool BundleCopier::areLines(const RowBundle &bundle, const StreamGroup &group) const {
  for (size_t i = group.first; i < group.last; ++i) {
    const RowStream &stream = bundle.streams[i];
    uintptr_t place = static_cast<uintptr_t>(stream.bytes | targetOffsets[i]);
    if (!bundle.counts.empty())
      place |= static_cast<uintptr_t>(stream.targetPitches.back());
    for (const std::byte *target : stream.targets)
      place |= reinterpret_cast<uintptr_t>(target);
    if (place % kSectorBytes != 0)
      return false;
  }
  return true;
}

runtime::SideRows BundleCopier::rowsOf(const RowBundle &bundle, size_t stream) const {
  const RowStream &of = bundle.streams[stream];
  runtime::SideRows rows{of.source + sourceOffsets[stream], nullptr, of.bytes};
  if (!bundle.counts.empty()) {
    rows.sourcePitch = of.sourcePitches.back();
    rows.targetPitch = of.targetPitches.back();
  }
  return rows;
}

/// Rows that go to the target as they are read.
void BundleCopier::addPending(const RowBundle &bundle, const StreamGroup &group) {
  for (size_t i = group.first; i < group.last; ++i)
    for (std::byte *target : bundle.streams[i].targets) {
      runtime::SideRows rows = rowsOf(bundle, i);
      rows.target = target + targetOffsets[i];
      // Past the cache in whole lines only, or it is slower.
      bool isLines = rows.targetPitch == rows.bytes || rows.bytes % kSectorBytes == 0;
      bool isAligned = reinterpret_cast<uintptr_t>(rows.target) % kVectorBytes == 0 &&
                       rows.bytes % kVectorBytes == 0 && rows.targetPitch % kVectorBytes == 0;
      bool isStreamed = stores == runtime::Stores::Streaming && isLines && isAligned;
      (isStreamed ? streamed : cached).push_back(rows);
    }
}

void BundleCopier::copyLongRows(const RowBundle &bundle, const StreamGroup &group, int64_t count) {
  for (size_t i = group.first; i < group.last; ++i) {
    const RowStream &stream = bundle.streams[i];
    runtime::SideRows rows = rowsOf(bundle, i);
    // A row stays in the cache until all have it.
    int64_t step = stream.targets.size() == 1 ? count : 1;
    for (int64_t done = 0; done < count; done += step)
      for (std::byte *target : stream.targets)
        runtime::copyRows(rows.source + done * rows.sourcePitch,
                          target + targetOffsets[i] + done * rows.targetPitch,
                          {step, rows.bytes, rows.sourcePitch, rows.targetPitch}, stores);
  }
}

void BundleCopier::copyPutTogether(const RowBundle &bundle, const StreamGroup &group,
                                   int64_t count) {
  int64_t tileRows = std::max<int64_t>(1, kTileBytes / group.bytes);
  block.resize(static_cast<size_t>(std::max(std::ssize(block), tileRows * group.bytes)));
  const RowStream &lowest = bundle.streams[group.lowest];
  parts.clear();
  for (size_t i = group.first; i < group.last; ++i) {
    runtime::SideRows rows = rowsOf(bundle, i);
    rows.target = block.data() + ((bundle.streams[i].targets.front() + targetOffsets[i]) -
                                  (lowest.targets.front() + targetOffsets[group.lowest]));
    rows.targetPitch = group.bytes;
    parts.push_back(rows);
  }
  for (int64_t done = 0; done < count; done += tileRows) {
    int64_t rows = std::min(tileRows, count - done);
    runtime::copySideBySide(parts, rows, runtime::Stores::Cached);
    for (std::byte *target : lowest.targets)
      runtime::copyRows(block.data(), target + targetOffsets[group.lowest] + done * group.bytes,
                        {1, rows * group.bytes}, stores);
    for (runtime::SideRows &part : parts)
      part.source += rows * part.sourcePitch;
  }
}

} // namespace shardwise::resharding
