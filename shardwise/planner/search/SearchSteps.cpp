// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enumeration of steps, one function per kind.
//
// What may follow a state, in the order of enumeration. "x", "y", "z" are sub-axes, the tensor has
// two dimensions, L is the buffer of a device before the step and g the size of its group:
//
// 1. Exchange, on request, if nothing is unreduced and its bytes are known: to the target at once.
//    Receives what is missing.
// 2. all_slice: an unused sub-axis goes to the end of a list. Receives nothing.
//    [{"x"}, {}] with "y" unused to [{"x", "y"}, {}] or [{"x"}, {"y"}].
// 3. reduce_scatter, while something is unreduced: an unreduced sub-axis goes to the end of a list.
//    Receives L*(g-1)/g. [{}, {}] unreduced={"x"} to [{"x"}, {}].
// 4. all_reduce, while something is unreduced: any of the unreduced sub-axes are gone.
//    Receives 2*L*(g-1)/g. [{}, {}] unreduced={"x"} to [{}, {}].
// 5. all_gather, once nothing is unreduced: a suffix of one list is gone. Receives L*(g-1).
//    [{"x", "y"}, {}] to [{"x"}, {}] or [{}, {}].
// 6. all_to_all: suffixes of some lists go to the ends of others; no dimension both gives and
//    takes. Receives L*(g-1)/g. [{"x", "y"}, {}] to [{"x"}, {"y"}] or [{}, {"x", "y"}]; with local
//    transposes also to [{}, {"y", "x"}].
// 7. collective_permute, not after another one: any other lists with as many blocks in every
//    dimension. Receives L. [{"x"}, {"y"}] to [{"y"}, {"x"}] if both have one size, or to
//    [{"z"}, {"y"}] if "z" is unused and as large as "x".
//
// Every step keeps the memory limits, and every cut or concatenation is aligned
// (`core::isAlignedCut`) between block counts that a state may have (`SearchSpace::mayHaveBlocks`),
// unless all cuts are allowed (`UnevenCuts::Any`).
//
// Most steps by far are all_to_alls and permutes, and most of these lead to misfits
// (MissingBytes.h), where a whole target shard is missing still. So what a step may receive to lead
// there is known before it is enumerated: the lists that can come of it are cut to those that fit
// where no misfit can matter.

#include "shardwise/planner/search/SearchSteps.h"

#include "shardwise/planner/model/CostModel.h"
#include "shardwise/planner/search/MissingBytes.h"

namespace shardwise::planner {
namespace {

SubAxisSet bit(int subAxis) {
  return static_cast<SubAxisSet>(1U << subAxis);
}

/// Enumerates the steps out of one state.
class StepEnumerator {
public:
  StepEnumerator(const SearchSpace &space, const SearchState &state, const SearchLimits &limits,
                 const StepFilter &filter, std::vector<Successor> &out)
      : space(space), state(state), limits(limits), filter(filter),
        maxLocalBytes(limits.maxLocalBytes), jointMoves(limits.jointAllToAll), out(out),
        used(space.subAxesOf(state)), localBytes(space.localBytes(state)) {
    // Input and output together are limited: with the input given, that limits the output.
    maxLocalBytes = std::min(maxLocalBytes, limits.maxStepBytes - localBytes);
    for (int d = 0; d < space.numDims(); ++d)
      blockSizes[d] = space.blockSize(d, state.lists[d]);
    auto all = static_cast<SubAxisSet>((1U << space.numSubAxes()) - 1);
    unused = static_cast<SubAxisSet>(all & ~used & ~state.unreduced);
    misfits = misfitsOf(state);
    auto mostReceived = [&](bool toMisfit) {
      return filter.maxReceivedBytes -
             leastMissingBehindMove(space, state.unreduced, localBytes, toMisfit) -
             leastMergedBehindMove(space, state.unreduced, toMisfit);
    };
    if (filter.movesToFits)
      maxToFit = mostReceived(/*toMisfit=*/false);
    if (filter.movesToMisfits)
      maxToMisfit = mostReceived(/*toMisfit=*/true);
  }

  /// Returns whether everything was enumerated.
  bool run() {
    if (filter.others)
      addOthers();
    // An all_to_all between two devices receives half of the buffer; no move receives less.
    if (localBytes / 2 > std::max(maxToFit, maxToMisfit))
      return !isFull;
    if (limits.localTranspose && space.isEven()) {
      // A moved suffix may keep its order: the moves without a transpose are among these.
      addTransposedAllToAlls();
    } else {
      JointMoves none;
      none.next = state;
      none.misfits = misfits;
      none.pieceElements = elements(blockSizes);
      addAllToAlls(none);
    }
    addPermutes();
    return !isFull;
  }

private:
  using Sizes = std::array<int64_t, kMaxDims>;

  /// All steps but all_to_alls and permutes.
  void addOthers() {
    // First, so that a search always has a plan at hand.
    addExchange();
    addSlices();
    if (state.unreduced != 0) {
      // Gathers wait: a reduction before a gather works on the smaller buffer.
      addReduceScatters();
      addAllReduces();
    } else {
      addGathers();
    }
  }

  int64_t elements(const Sizes &sizes) const {
    int64_t count = 1;
    for (int d = 0; d < space.numDims(); ++d)
      count *= sizes[d];
    return count;
  }

  /// Whether dimension `d` may go from `from` to `from` + `added` blocks by one cut, or back.
  bool mayCut(int d, SubAxisList from, SubAxisList added) const {
    return limits.unevenCuts == UnevenCuts::Any || isAligned(d, from, added);
  }

  /// Whether that cut is aligned, between block counts that a state may have.
  bool isAligned(int d, SubAxisList from, SubAxisList added) const {
    int64_t before = space.blocks(d, from);
    int64_t parts = space.sizeOf(added);
    // Mostly, and then all of the below holds.
    if (space.dim(d).size % (before * parts) == 0)
      return true;
    return space.mayHaveBlocks(d, before) && space.mayHaveBlocks(d, before * parts) &&
           core::isAlignedCut(space.dim(d).size, before, parts);
  }

  void emit(const SearchState &next, CollectiveKind kind, int64_t received, int64_t after,
            bool isAlignedStep = true) {
    if (after > maxLocalBytes || received > filter.maxReceivedBytes)
      return;
    if (++count > filter.maxCount) {
      isFull = true;
      return;
    }
    out.push_back({next, kind, received, after, !isAlignedStep});
  }

  /// Bytes of the buffer with dimension `d` in blocks of `blockSize`.
  int64_t bytesWith(int d, int64_t blockSize) const {
    Sizes sizes = blockSizes;
    sizes[d] = blockSize;
    return elements(sizes) * space.elementBytes();
  }

  /// Calls `visit(d, added)` for what may be appended from `available`: each sub-axis, and the rest
  /// of the target's list where it continues this one by more than a sub-axis.
  template <class Visit> void forEachAppend(SubAxisSet available, Visit visit) {
    for (int d = 0; d < space.numDims(); ++d) {
      SubAxisList list = state.lists[d];
      for (int subAxis = 0; subAxis < space.numSubAxes(); ++subAxis) {
        SubAxisList added = SubAxisList{}.append(subAxis);
        if ((available & bit(subAxis)) != 0 && mayCut(d, list, added))
          visit(d, added);
      }
      SubAxisList wanted = space.target().lists[d];
      SubAxisList rest = wanted.withoutPrefix(list.length());
      bool continues = list.commonLength(wanted) == list.length() && rest.length() > 1;
      bool isAvailable = true;
      for (int i = 0; i < rest.length(); ++i)
        isAvailable = isAvailable && (available & bit(rest[i])) != 0;
      if (continues && isAvailable && mayCut(d, list, rest))
        visit(d, rest);
    }
  }

  /// Whether a move that receives so much can matter only if it leads to a state that fits.
  bool mustFit(int64_t received) const { return received > maxToMisfit; }

  /// Adds a move to `next`, with these misfits, if it can matter.
  void emitMove(const SearchState &next, unsigned misfitsAfter, CollectiveKind kind,
                int64_t received, int64_t after, bool isAlignedStep = true) {
    if (received <= (misfitsAfter == 0 ? maxToFit : maxToMisfit))
      emit(next, kind, received, after, isAlignedStep);
  }

  unsigned misfitsOf(const SearchState &next) const {
    unsigned dims = 0;
    for (int d = 0; d < space.numDims(); ++d)
      dims |= fits(d, next.lists[d]) ? 0U : 1U << d;
    return dims;
  }

  unsigned withMisfit(unsigned dims, int d, SubAxisList list) const {
    return (dims & ~(1U << d)) | (fits(d, list) ? 0U : 1U << d);
  }

  bool fits(int d, SubAxisList list) const { return fitsTarget(space, d, list); }

  /// The bytes of an exchange have a closed form where dimensions divide evenly.
  void addExchange() {
    bool isKnown = space.isEven() || limits.unevenExchangeBytes;
    if (limits.exchange && isKnown && state.unreduced == 0 && state != space.target()) {
      emit(space.target(), CollectiveKind::Exchange,
           space.isEven() ? missingBytes(space, state) : limits.unevenExchangeBytes(state),
           space.wantedBytes());
    }
  }

  void addSlices() {
    forEachAppend(unused, [&](int d, SubAxisList added) {
      SearchState next = state;
      next.lists[d] = state.lists[d].append(added);
      emit(next, CollectiveKind::AllSlice, 0, bytesWith(d, space.blockSize(d, next.lists[d])),
           isAligned(d, state.lists[d], added));
    });
  }

  void addReduceScatters() {
    forEachAppend(state.unreduced, [&](int d, SubAxisList added) {
      SearchState next = state;
      next.lists[d] = state.lists[d].append(added);
      for (int i = 0; i < added.length(); ++i)
        next.unreduced &= static_cast<SubAxisSet>(~bit(added[i]));
      int64_t after = bytesWith(d, space.blockSize(d, next.lists[d]));
      int64_t parts = space.sizeOf(added);
      emit(next, CollectiveKind::ReduceScatter,
           receivedBytes(CollectiveKind::ReduceScatter, after * parts, parts), after,
           isAligned(d, state.lists[d], added));
    });
  }

  /// Every non-empty subset of what is unreduced.
  void addAllReduces() {
    // Subsets as numbers, from all of them down to one bit.
    for (unsigned subset = state.unreduced; subset != 0; subset = (subset - 1) & state.unreduced) {
      SearchState next = state;
      next.unreduced = static_cast<SubAxisSet>(state.unreduced & ~subset);
      int64_t devices = space.sizeOf(static_cast<SubAxisSet>(subset));
      emit(next, CollectiveKind::AllReduce,
           receivedBytes(CollectiveKind::AllReduce, localBytes, devices), localBytes);
    }
  }

  void addGathers() {
    for (int d = 0; d < space.numDims(); ++d) {
      SubAxisList list = state.lists[d];
      for (int kept = list.length() - 1; kept >= 0; --kept) {
        SubAxisList removed = list.withoutPrefix(kept);
        if (!mayCut(d, list.prefix(kept), removed))
          continue;
        SearchState next = state;
        next.lists[d] = list.prefix(kept);
        emit(next, CollectiveKind::AllGather,
             receivedBytes(CollectiveKind::AllGather, localBytes, space.sizeOf(removed)),
             bytesWith(d, space.blockSize(d, next.lists[d])),
             isAligned(d, list.prefix(kept), removed));
      }
    }
  }

  /// Moves collected for one all_to_all.
  struct JointMoves {
    SearchState next;
    unsigned misfits = 0; ///< Dimensions, as bits, whose list in `next` does not fit.
    unsigned sources = 0; ///< Dimensions, as bits.
    unsigned targets = 0;
    int lastTarget = 0;
    int64_t devices = 1;       ///< Group size.
    int64_t pieceElements = 0; ///< What one device sends to another.
    bool isAligned = true;
  };

  /// Adds every all_to_all that continues `moves`. Moves come by target dimension, those into one
  /// target in any order of their sources, so that each step is met once.
  void addAllToAlls(const JointMoves &moves) {
    for (int target = moves.lastTarget; target < space.numDims() && !isFull; ++target) {
      bool mayRepeat = jointMoves == JointAllToAll::AnyDims;
      if ((moves.sources >> target & 1U) != 0 ||
          (!mayRepeat && (moves.targets >> target & 1U) != 0)) {
        continue;
      }
      for (int source = 0; source < space.numDims(); ++source)
        if (source != target && ((moves.sources | moves.targets) >> source & 1U) == 0)
          addMoves(moves, source, target);
    }
  }

  /// Continues `moves` by every suffix that can go from `source` to `target`.
  void addMoves(const JointMoves &moves, int source, int target) {
    SubAxisList list = state.lists[source];
    SubAxisList before = moves.next.lists[target];
    // What one device sends to another for each element that the target's extent of it has.
    int64_t ofElement = moves.pieceElements / std::max<int64_t>(space.blockSize(target, before), 1);
    for (int kept = list.length() - 1; kept >= 0; --kept) {
      SubAxisList left = list.prefix(kept);
      SubAxisList moved = list.withoutPrefix(kept);
      SubAxisList after = before.append(moved);
      // That extent shrinks to the finer block, rounded up: pieces are padded.
      int64_t devices = moves.devices * space.sizeOf(moved);
      int64_t pieceElements = ofElement * space.blockSize(target, after);
      int64_t received = receivedBytes(CollectiveKind::AllToAll,
                                       pieceElements * space.elementBytes() * devices, devices);
      // Who moves more receives more.
      if (received > std::max(maxToFit, maxToMisfit))
        return;
      // What gave or took stays a misfit.
      if (mustFit(received) && !(fits(source, left) && fits(target, after)))
        continue;
      if (!mayCut(source, left, moved) || !mayCut(target, before, moved))
        continue;
      JointMoves joined = moves;
      joined.next.lists[source] = left;
      joined.next.lists[target] = after;
      joined.misfits = withMisfit(withMisfit(moves.misfits, source, left), target, after);
      joined.sources |= 1U << source;
      joined.targets |= 1U << target;
      joined.lastTarget = target;
      joined.devices = devices;
      joined.pieceElements = pieceElements;
      joined.isAligned =
          moves.isAligned && isAligned(source, left, moved) && isAligned(target, before, moved);
      emitMove(joined.next, joined.misfits, CollectiveKind::AllToAll, received,
               space.isEven() ? localBytes : space.localBytes(joined.next), joined.isAligned);
      if (jointMoves != JointAllToAll::Never)
        addAllToAlls(joined);
    }
  }

  /// Adds every all_to_all with local transposes: a suffix of one or more lists goes to the ends of
  /// other lists, sub-axis by sub-axis and in any order.
  void addTransposedAllToAlls() { chooseSuffixes(0, state, 0, 0); }

  /// Chooses for dimensions from `d` on how much of their lists moves. The choice fixes the group,
  /// and with it the bytes: steps that receive too much are left out before they are enumerated.
  void chooseSuffixes(int d, const SearchState &rest, unsigned sources, SubAxisSet moved) {
    if (d == space.numDims()) {
      movedDevices = space.sizeOf(moved);
      movedBytes = receivedBytes(CollectiveKind::AllToAll, localBytes, movedDevices);
      movesMustFit = mustFit(movedBytes);
      // What stays behind must fit as well: nothing more is appended to a list that gave.
      bool canFit = true;
      for (int dim = 0; movesMustFit && dim < space.numDims(); ++dim)
        canFit = canFit && fits(dim, rest.lists[dim]);
      // All ways to hand these sub-axes out receive the same.
      if (moved != 0 && canFit && movedBytes <= std::max(maxToFit, maxToMisfit)) {
        SearchState next = rest;
        targetOf.fill(-1);
        distribute(0, next, sources, moved);
      }
      return;
    }
    chooseSuffixes(d + 1, rest, sources, moved);
    SubAxisList list = state.lists[d];
    SubAxisSet suffix = 0;
    for (int kept = list.length() - 1; kept >= 0; --kept) {
      suffix |= bit(list[kept]);
      sourceOf[list[kept]] = d;
      if (!mayCut(d, list.prefix(kept), list.withoutPrefix(kept)))
        continue;
      SearchState next = rest;
      next.lists[d] = list.prefix(kept);
      chooseSuffixes(d + 1, next, sources | 1U << d, static_cast<SubAxisSet>(moved | suffix));
    }
  }

  /// Appends the sub-axes of `left` to dimensions from `target` on that give nothing.
  void distribute(int target, SearchState &next, unsigned sources, SubAxisSet left) {
    if (left == 0) {
      emitMove(next, misfitsOf(next), CollectiveKind::AllToAll, movedBytes, localBytes);
      return;
    }
    if (target == space.numDims() || isFull)
      return;
    // First without anything for `target`, then with one or more of `left` at its end.
    distribute(target + 1, next, sources, left);
    if ((sources >> target & 1U) != 0)
      return;
    SubAxisList list = next.lists[target];
    extend(target, next, sources, left);
    next.lists[target] = list;
  }

  /// Appends one or more sub-axes of `left` to `target`, then goes on with the next dimension.
  void extend(int target, SearchState &next, unsigned sources, SubAxisSet left) {
    SubAxisList list = next.lists[target];
    // One sub-axis at a time in any order: this is where the orders come from that need a local
    // transpose.
    for (int subAxis = 0; subAxis < space.numSubAxes(); ++subAxis) {
      SubAxisList added = SubAxisList{}.append(subAxis);
      if ((left & bit(subAxis)) == 0 || (movesMustFit && !fits(target, list.append(added))) ||
          space.dim(target).size % space.blocks(target, list.append(added)) != 0) {
        continue;
      }
      // Without `splitMoves` what leaves one dimension goes to one other.
      int &targetOfSource = targetOf[sourceOf[subAxis]];
      if (!limits.splitMoves && targetOfSource >= 0 && targetOfSource != target)
        continue;
      int before = targetOfSource;
      targetOfSource = target;
      next.lists[target] = list.append(added);
      auto rest = static_cast<SubAxisSet>(left & ~bit(subAxis));
      distribute(target + 1, next, sources, rest);
      extend(target, next, sources, rest);
      targetOfSource = before;
    }
    next.lists[target] = list;
  }

  void addPermutes() {
    // All permutes of a state receive the same: its whole buffer.
    int64_t received = receivedBytes(CollectiveKind::CollectivePermute, localBytes, 1);
    if (filter.skipPermutes || received > std::max(maxToFit, maxToMisfit))
      return;
    permutesMustFit = mustFit(received);
    permuteCounts = {};
    for (int d = 0; d < space.numDims(); ++d)
      permuteCounts[d] = space.sizeOf(state.lists[d]);
    SearchState next = state;
    next.lists = {};
    auto available = static_cast<SubAxisSet>(used | unused);
    addPermutes(0, next, permuteCounts[0], available, 0);
  }

  /// Fills dimension `d` of `next` with sub-axes whose sizes multiply to `missing`, then the
  /// others. Those before it have these misfits.
  void addPermutes(int d, SearchState &next, int64_t missing, SubAxisSet available,
                   unsigned misfitsBefore) {
    if (missing == 1) {
      unsigned found = withMisfit(misfitsBefore, d, next.lists[d]);
      if (d + 1 < space.numDims())
        addPermutes(d + 1, next, permuteCounts[d + 1], available, found);
      else if (next != state)
        // As many blocks, and as large ones.
        emitMove(next, found, CollectiveKind::CollectivePermute,
                 receivedBytes(CollectiveKind::CollectivePermute, localBytes, 1), localBytes);
      return;
    }
    SubAxisList list = next.lists[d];
    for (int subAxis = 0; subAxis < space.numSubAxes() && !isFull; ++subAxis) {
      if (permutesMustFit && !fits(d, list.append(subAxis)))
        continue;
      if ((available & bit(subAxis)) != 0 && missing % space.subAxisSize(subAxis) == 0) {
        next.lists[d] = list.append(subAxis);
        addPermutes(d, next, missing / space.subAxisSize(subAxis),
                    static_cast<SubAxisSet>(available & ~bit(subAxis)), misfitsBefore);
      }
    }
    next.lists[d] = list;
  }

  const SearchSpace &space;
  const SearchState &state;
  const SearchLimits &limits;
  const StepFilter &filter;
  int64_t count = 0;
  bool isFull = false;
  int64_t maxLocalBytes;
  JointAllToAll jointMoves;
  int64_t movedDevices = 1;
  int64_t movedBytes = 0;
  bool movesMustFit = false;
  bool permutesMustFit = false;
  /// By sub-axis: the dimension it leaves; by dimension: where its suffix goes, or -1.
  std::array<int, kMaxSubAxes> sourceOf{};
  std::array<int, kMaxDims> targetOf{};
  std::vector<Successor> &out;
  SubAxisSet used;
  SubAxisSet unused = 0;
  int64_t localBytes;
  /// Dimensions, as bits, whose lists do not fit.
  unsigned misfits = 0;
  /// What a move can receive at most to a state that fits, and to another one.
  int64_t maxToFit = -1;
  int64_t maxToMisfit = -1;
  Sizes blockSizes{};
  Sizes permuteCounts{};
};

} // namespace

bool appendSuccessors(const SearchSpace &space, const SearchState &state,
                      const SearchLimits &limits, std::vector<Successor> &out,
                      const StepFilter &filter) {
  return (space.numDims() == 0 && state.unreduced == 0) ||
         StepEnumerator(space, state, limits, filter, out).run();
}

} // namespace shardwise::planner
