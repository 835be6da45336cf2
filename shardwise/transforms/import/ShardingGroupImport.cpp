// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-sharding-group-import: all values of a group must have one sharding, so groups that
// share a value are one group. They are merged and numbered:
//   sdy.sharding_group %a group_id=7      // 0
//   sdy.sharding_group %b group_id=7      // 0
//   sdy.sharding_group %b group_id=3      // goes: %b is in group 0 already
//   sdy.sharding_group %c group_id=3      // 0

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/import/Passes.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

#include <map>

namespace shardwise::importer {

#define GEN_PASS_DEF_SHARDINGGROUPIMPORTPASS
#include "shardwise/transforms/import/Passes.h.inc"

namespace {

/// Numbers the ids of groups in the order in which they first occur. Any number can be an id, also
/// those that hash tables of LLVM keep for themselves.
class GroupNumbers {
public:
  int64_t of(sdy::ShardingGroupOp op) {
    return numbers.try_emplace(op.getGroupId(), static_cast<int64_t>(numbers.size())).first->second;
  }

private:
  std::map<uint64_t, int64_t> numbers;
};

class ShardingGroupImportPass : public impl::ShardingGroupImportPassBase<ShardingGroupImportPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    std::vector<sdy::ShardingGroupOp> members;
    getOperation().walk([&](sdy::ShardingGroupOp op) { members.push_back(op); });
    if (members.empty())
      return markAllAnalysesPreserved();

    GroupNumbers numbers;
    llvm::EquivalenceClasses<int64_t> groups;
    llvm::MapVector<mlir::Value, llvm::SmallVector<int64_t, 1>> groupsOfValues;
    for (sdy::ShardingGroupOp op : members) {
      groups.insert(numbers.of(op));
      groupsOfValues[op.getInput()].push_back(numbers.of(op));
    }
    // Value by value, since the order of unions decides which group leads its class, and so the
    // number of the class: these are the numbers that Shardy gives.
    for (const auto &[value, ids] : groupsOfValues)
      for (int64_t id : llvm::drop_begin(ids))
        groups.unionSets(ids.front(), id);
    if (mlir::failed(checkMembers(members, groups, numbers)))
      return signalPassFailure();

    // In the order in which the ids first occur.
    llvm::DenseMap<int64_t, int64_t> numberOfLeader;
    for (const auto *entry : groups)
      if (entry->isLeader())
        numberOfLeader.try_emplace(entry->getData(), static_cast<int64_t>(numberOfLeader.size()));
    llvm::DenseSet<mlir::Value> seen;
    for (sdy::ShardingGroupOp op : members) {
      // All groups of a value are one now, so one membership says it all.
      if (!seen.insert(op.getInput()).second) {
        op.erase();
        continue;
      }
      op.setGroupId(numberOfLeader[groups.getLeaderValue(numbers.of(op))]);
    }
  }

private:
  static mlir::Operation *enclosingManualComputation(mlir::Operation *op) {
    return op->getParentOfType<sdy::ManualComputationOp>();
  }

  static mlir::LogicalResult checkMembers(llvm::ArrayRef<sdy::ShardingGroupOp> members,
                                          const llvm::EquivalenceClasses<int64_t> &groups,
                                          GroupNumbers &numbers) {
    llvm::DenseMap<int64_t, sdy::ShardingGroupOp> firstOfGroup;
    for (sdy::ShardingGroupOp op : members) {
      int64_t id = static_cast<int64_t>(op.getGroupId());
      auto [it, isNew] = firstOfGroup.try_emplace(groups.getLeaderValue(numbers.of(op)), op);
      sdy::ShardingGroupOp first = it->second;
      if (isNew)
        continue;
      // Inside a manual computation a value is a local one, without the manual axes, so it has no
      // sharding that could be that of a value outside.
      if (enclosingManualComputation(first) != enclosingManualComputation(op)) {
        auto diagnostic = op.emitOpError()
                          << "cannot cross the border of a manual computation: group " << id
                          << " has a member on the other side";
        diagnostic.attachNote(first.getLoc()) << "the other member is here";
        return diagnostic;
      }
      auto type = mlir::cast<mlir::ShapedType>(op.getInput().getType());
      auto firstType = mlir::cast<mlir::ShapedType>(first.getInput().getType());
      if (type.getShape() != firstType.getShape()) {
        auto diagnostic = op.emitOpError() << "puts a value of type " << type << " into group "
                                           << id << ", whose values must all have the same shape";
        diagnostic.attachNote(first.getLoc())
            << "the group has a value of type " << firstType << " here";
        return diagnostic;
      }
    }
    return mlir::success();
  }
};

} // namespace
} // namespace shardwise::importer
