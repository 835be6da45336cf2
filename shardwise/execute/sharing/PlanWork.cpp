// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who runs what, in four steps over the thunks of main; a loop or branch counts as one thunk with
// all that is in it.
//
// 1. *Equal values.* The classes of a buffer start as those of an argument, else as one class of
//    all ranks. A thunk that neither meets other ranks nor asks for its own number gives equal
//    results for equal operands, so a result has the classes common to the operands that it is
//    computed from: of a fused thunk that may be some. Example: one that makes a scaled learning
//    rate, equal everywhere, and where a device's rows begin, makes the former equal. Numbers that
//    are computed from that of a device alone are computed here, for each rank, and compared: ranks
//    whose rows begin at one place are together. What a collective makes equal it says itself
//    (`Thunk::resultClasses`). Some buffers are written more than once, the states of loops, so
//    this is repeated until nothing changes; classes only ever become smaller.
// 2. *Homes.* Thunks that write to one buffer run in one place. They are shared if they are local,
//    if several ranks have equal results, and if there is enough work to pay for the wait. Leaders
//    take turns, but who reads what a leader made stays with it: the values are in its cache, and
//    it need not wait. Results of collectives that are equal on a group have a home, too, though
//    all run the collective.
//    A collective may be two thunks, its start and its wait: both read its operands and write its
//    results, so that these are nobody else's from the one to the other.
// 3. With homes known the arena is laid out (BufferPlan.h): nobody may compute in place of a buffer
//    that others still read. What a loop or branch reads of another rank keeps its place until the
//    whole of it has ended: waits are between thunks of main, not within one.
// 4. *Waits*, from the places of the buffers: for leaders, and for readers of what is overwritten.
//    The latter are found by a map from ranges of the arena to the last thunk that read there what
//    another rank made.

#include "shardwise/execute/sharing/PlanWork.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <set>

namespace shardwise::execute {
namespace {

/// What a loop or branch counts as: the work in it is not known.
constexpr int64_t kUnknownBytes = int64_t(1) << 40;

/// Sets of thunks that write to a common buffer.
class ThunkSets {
public:
  explicit ThunkSets(size_t size) : parents(size) {
    std::iota(parents.begin(), parents.end(), size_t(0));
  }
  size_t rootOf(size_t index) {
    while (parents[index] != index)
      index = parents[index] = parents[parents[index]];
    return index;
  }
  void unite(size_t a, size_t b) { parents[rootOf(b)] = rootOf(a); }

private:
  std::vector<size_t> parents;
};

/// For every byte of an arena a number, 0 at first, by ranges.
class RangeMap {
public:
  /// The largest number in [begin, end).
  int64_t largest(int64_t begin, int64_t end) const {
    int64_t found = 0;
    auto it = ranges.upper_bound(begin);
    if (it != ranges.begin())
      --it;
    for (; it != ranges.end() && it->first < end; ++it)
      if (it->second.end > begin)
        found = std::max(found, it->second.number);
    return found;
  }

  /// Sets the number of [begin, end). Requires: at least as large as any set before.
  void set(int64_t begin, int64_t end, int64_t number) {
    // Of a tensor without elements; it must not take the place of a range that begins there.
    if (begin == end)
      return;
    auto it = ranges.lower_bound(begin);
    if (it != ranges.begin()) {
      auto before = std::prev(it);
      if (before->second.end > begin) {
        if (before->second.end > end)
          ranges.emplace(end, before->second);
        before->second.end = begin;
      }
    }
    while (it != ranges.end() && it->first < end) {
      Range rest = it->second;
      it = ranges.erase(it);
      if (rest.end > end)
        it = ranges.emplace(end, rest).first;
    }
    ranges[begin] = {end, number};
  }

private:
  struct Range {
    int64_t end;
    int64_t number;
  };
  std::map<int64_t, Range> ranges; ///< By their begin; they do not overlap.
};

int64_t sumBytes(const std::vector<BufferId> &ids, const std::vector<Buffer> &buffers) {
  int64_t bytes = 0;
  for (BufferId id : ids)
    bytes += buffers[id].bytes;
  return bytes;
}

/// Adds a wait for the leader of `home`, one per home.
void addAwaited(std::vector<AwaitedLeader> &leaders, const Home &home, int64_t thunks) {
  if (thunks == 0)
    return;
  for (AwaitedLeader &leader : leaders)
    if (leader.home == home) {
      leader.thunks = std::max(leader.thunks, thunks);
      return;
    }
  leaders.push_back({home, thunks});
}

} // namespace

WorkPlanner::WorkPlanner(const std::vector<EmittedThunk> &emitted,
                         const std::vector<Buffer> &buffers, const Sharing &sharing)
    : table(static_cast<int64_t>(sharing.argumentClasses.front().size())),
      loads(static_cast<size_t>(table.numRanks()), 0), leastBytes(sharing.leastBytes) {
  collectUnits(emitted);
  findKnownValues();
  findEqualValues(buffers, sharing.argumentClasses);
  findHomes(buffers);
}

void WorkPlanner::collectUnits(const std::vector<EmittedThunk> &emitted) {
  std::vector<const EmittedThunk *> nested;
  for (const EmittedThunk &one : emitted) {
    if (one.isNested) {
      nested.push_back(&one);
      continue;
    }
    Unit &unit = units.emplace_back(Unit{one.thunk, one.at, one.reads, one.writes, {}, {}, {}});
    // The sequences of a loop or branch are emitted before it is.
    if (one.thunk->parts().empty())
      continue;
    for (const EmittedThunk *inner : nested) {
      unit.reads.insert(unit.reads.end(), inner->reads.begin(), inner->reads.end());
      unit.writes.insert(unit.writes.end(), inner->writes.begin(), inner->writes.end());
    }
    nested.clear();
  }
  assert(nested.empty() && "a sequence without its loop or branch");
  for (Unit &unit : units)
    for (std::vector<BufferId> *list : {&unit.reads, &unit.writes}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
  for (Unit &unit : units)
    for (BufferId buffer : unit.writes)
      unit.operands.push_back(unit.thunk->operandsOf(buffer).value_or(unit.reads));
}

void WorkPlanner::findKnownValues() {
  // States of loops are written before them and in them: what they hold is not what one writer
  // says.
  std::map<BufferId, int64_t> numWriters;
  for (const Unit &unit : units)
    for (BufferId result : unit.writes)
      ++numWriters[result];
  std::map<BufferId, std::vector<std::vector<std::byte>>> known;
  for (Unit &unit : units)
    for (BufferId result : unit.writes) {
      std::optional<ClassesId> &classes = unit.known.emplace_back();
      if (numWriters[result] > 1)
        continue;
      std::vector<std::vector<std::byte>> byRank;
      std::map<std::vector<std::byte>, int32_t> firstOf;
      RankClasses ranks;
      for (int32_t rank = 0; rank < static_cast<int32_t>(table.numRanks()); ++rank) {
        auto value = unit.thunk->valueOn(
            {rank, table.numRanks()}, result, [&](BufferId buffer) -> const std::byte * {
              auto found = known.find(buffer);
              return found == known.end() ? nullptr : found->second[rank].data();
            });
        if (!value)
          break;
        ranks.push_back(firstOf.emplace(*value, rank).first->second);
        byRank.push_back(std::move(*value));
      }
      if (std::ssize(ranks) < table.numRanks())
        continue;
      classes = table.idOf(ranks);
      known[result] = std::move(byRank);
    }
}

ClassesId WorkPlanner::commonClasses(const std::vector<BufferId> &buffers) {
  ClassesId classes = RankClassTable::kTogether;
  for (BufferId buffer : buffers)
    classes = table.common(classes, values[buffer]);
  return classes;
}

ClassesId WorkPlanner::resultClasses(const Unit &unit, size_t result) {
  if (unit.known[result])
    return *unit.known[result];
  if (unit.thunk->isLocal())
    return commonClasses(unit.operands[result]);
  ClassesId operands = commonClasses(unit.reads);
  std::optional<RankClasses> results = unit.thunk->resultClasses(table.at(operands));
  return results ? table.idOf(*results) : RankClassTable::kApart;
}

void WorkPlanner::findEqualValues(const std::vector<Buffer> &buffers,
                                  const std::vector<RankClasses> &arguments) {
  for (const Buffer &buffer : buffers)
    values.push_back(buffer.kind == BufferKind::Argument ? table.idOf(arguments[buffer.offset])
                                                         : RankClassTable::kTogether);
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (const Unit &unit : units)
      for (size_t i = 0; i < unit.writes.size(); ++i) {
        ClassesId &classes = values[unit.writes[i]];
        ClassesId common = table.common(classes, resultClasses(unit, i));
        isChanged |= common != classes;
        classes = common;
      }
  }
}

void WorkPlanner::findHomes(const std::vector<Buffer> &buffers) {
  ThunkSets sets(units.size());
  std::vector<int64_t> writerOf(buffers.size(), -1);
  for (size_t i = 0; i < units.size(); ++i)
    for (BufferId buffer : units[i].writes) {
      if (writerOf[buffer] >= 0)
        sets.unite(static_cast<size_t>(writerOf[buffer]), i);
      writerOf[buffer] = static_cast<int64_t>(i);
    }
  // In the order of their first thunks, so that what a set reads has a home already.
  std::map<size_t, size_t> setOfRoot;
  std::vector<std::vector<size_t>> members;
  for (size_t i = 0; i < units.size(); ++i) {
    auto [place, isNew] = setOfRoot.emplace(sets.rootOf(i), members.size());
    if (isNew)
      members.emplace_back();
    members[place->second].push_back(i);
  }
  plan.buffers.resize(buffers.size());
  for (const std::vector<size_t> &set : members) {
    ClassesId classes = RankClassTable::kTogether;
    int64_t bytes = 0;
    for (size_t i : set) {
      const Unit &unit = units[i];
      bool isShareable = unit.thunk->isLocal() && !unit.writes.empty();
      classes =
          table.common(classes, isShareable ? commonClasses(unit.reads) : RankClassTable::kApart);
      for (BufferId buffer : unit.writes)
        classes = table.common(classes, values[buffer]);
      bytes += unit.thunk->parts().empty()
                   ? sumBytes(unit.reads, buffers) + sumBytes(unit.writes, buffers)
                   : kUnknownBytes;
    }
    if (set.size() == 1 ||
        (set.size() == 2 && units[set.back()].thunk->startedBy() == units[set.front()].thunk))
      findJointHomes(units[set.front()], buffers);
    if (classes == RankClassTable::kApart || bytes < leastBytes)
      continue;
    Home home = {classes, chooseTurn(set, classes, bytes, buffers)};
    for (size_t i : set) {
      units[i].home = home;
      for (BufferId buffer : units[i].writes)
        plan.buffers[buffer] = home;
    }
  }
}

void WorkPlanner::findJointHomes(const Unit &unit, const std::vector<Buffer> &buffers) {
  std::optional<JointResults> joint = unit.thunk->jointResults(table.numRanks());
  if (!joint)
    return;
  ClassesId groups = table.idOf(joint->groups);
  for (BufferId buffer : joint->buffers) {
    int64_t bytes = buffers[buffer].bytes;
    // Equal on the group, and maybe on others; but its members must be those that meet.
    bool isEqual = table.common(values[buffer], groups) == groups;
    if (groups == RankClassTable::kApart || !isEqual || bytes < leastBytes)
      continue;
    // Where what reads them runs, in turns.
    auto least = std::min_element(loads.begin(), loads.end());
    *least += bytes;
    plan.buffers[buffer] = {groups, static_cast<int32_t>(least - loads.begin()), true};
  }
}

int32_t WorkPlanner::chooseTurn(const std::vector<size_t> &members, ClassesId classes,
                                int64_t bytes, const std::vector<Buffer> &buffers) {
  // Small values, as a step count, decide nothing.
  int64_t mostBytes = leastBytes / 8;
  std::optional<int32_t> turn;
  for (size_t i : members)
    for (BufferId buffer : units[i].reads)
      if (plan.buffers[buffer].classes == classes && buffers[buffer].bytes > mostBytes) {
        mostBytes = buffers[buffer].bytes;
        turn = plan.buffers[buffer].turn;
      }
  if (!turn)
    turn = static_cast<int32_t>(std::min_element(loads.begin(), loads.end()) - loads.begin());
  loads[*turn] += bytes;
  return *turn;
}

std::vector<HeldBuffer> WorkPlanner::heldBuffers() const {
  std::vector<HeldBuffer> held;
  for (const Unit &unit : units) {
    if (unit.thunk->parts().empty())
      continue;
    for (BufferId buffer : unit.reads)
      if (const Home &home = plan.buffers[buffer]; home.isShared() && home != unit.home)
        held.push_back({buffer, unit.at});
  }
  return held;
}

WorkPlan WorkPlanner::finish(const std::vector<Buffer> &laidOut,
                             const std::vector<BufferId> &results) {
  if (std::none_of(plan.buffers.begin(), plan.buffers.end(),
                   [](const Home &home) { return home.isShared(); }))
    return {};
  // By buffer: how many thunks have run when it was last written.
  std::vector<int64_t> written(laidOut.size(), 0);
  RangeMap lastReader;
  auto rangeOf = [&](BufferId id) {
    return std::pair(laidOut[id].offset, laidOut[id].offset + laidOut[id].bytes);
  };
  for (size_t i = 0; i < units.size(); ++i) {
    const Unit &unit = units[i];
    WorkStep &step = plan.steps.emplace_back();
    step.home = unit.home;
    auto passed = static_cast<int64_t>(i + 1);
    for (BufferId buffer : unit.writes)
      if (laidOut[buffer].kind == BufferKind::Temporary) {
        auto [begin, end] = rangeOf(buffer);
        step.readers = std::max(step.readers, lastReader.largest(begin, end));
        // All members have passed what they write together when they read it.
        written[buffer] = plan.buffers[buffer].isJoint ? 0 : passed;
      }
    for (BufferId buffer : unit.writes)
      if (plan.buffers[buffer].isJoint && !step.joint.isShared())
        step.joint = plan.buffers[buffer];
    for (BufferId buffer : unit.reads)
      if (const Home &home = plan.buffers[buffer]; home.isShared() && home != unit.home) {
        addAwaited(step.leaders, home, written[buffer]);
        auto [begin, end] = rangeOf(buffer);
        lastReader.set(begin, end, passed);
      }
  }
  for (BufferId buffer : results)
    if (plan.buffers[buffer].isShared())
      addAwaited(plan.resultLeaders, plan.buffers[buffer], written[buffer]);
  for (ClassesId id = 0; id < table.size(); ++id)
    plan.classes.push_back(table.at(id));
  return std::move(plan);
}

} // namespace shardwise::execute
