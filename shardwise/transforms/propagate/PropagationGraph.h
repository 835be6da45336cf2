// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module as propagation sees it: nodes (ops) that read and write value groups (places that hold
// one sharding). Built once per pass; the rounds then work on numbers, and make attributes only for
// edges of manual computations. The cost of building, of writing back and of the tables is linear
// in ops, operands and results.
//
// Several values can share a value group: all targets of a data-flow edge have the value group of
// the edge.

#pragma once

#include "shardwise/core/ShardingRule.h"
#include "shardwise/dialect/sdy/CoreHash.h"
#include "shardwise/transforms/propagate/Interner.h"
#include "shardwise/transforms/propagate/MeshSharding.h"
#include "shardwise/transforms/propagate/MeshTable.h"
#include "shardwise/transforms/propagate/OpNumbers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace shardwise::propagate {

using ValueGroupId = int32_t;
using NodeId = int32_t;
/// The value has no place for a sharding: it reads as missing, and writes are dropped.
inline constexpr ValueGroupId kNoValueGroup = -1;
inline constexpr NodeId kNoNode = -1;

/// Where a value group's sharding is stored in the IR.
enum class ShardingStorage : uint8_t {
  OpResult,
  EdgeOp,
  BlockArgumentOwner,
  FuncArgument,
  FuncResult,
  Erased
};

/// There are as many value groups and nodes as values and ops, so their fields are counted in
/// bytes.
struct ValueGroup {
  SharedSharding current;
  /// The op that carries the attribute, and the number of the value there.
  mlir::Operation *op = nullptr;
  /// Value of the graph's clock when the sharding last changed.
  uint64_t version = 0;
  int32_t index = 0;
  ShardingStorage storage = ShardingStorage::OpResult;
  /// Differs from the IR.
  bool isDirty = false;
  /// Belongs to a sharding group of values with one sharding: see `shardingGroupOf`.
  bool isInShardingGroup = false;
  /// Has moved to another mesh of the same axes without getting more axes: once is enough.
  bool hasChangedMesh = false;
};

/// When the op-priority schedule lets an op take part; see OpPriorities.h.
enum class ScheduleClass : uint8_t { Early, Slicing, Broadcast, Late };

/// How an op takes part in propagation.
enum class NodeKind : uint8_t {
  None,     ///< Not at all.
  Op,       ///< By its sharding rule, if it has one.
  Edge,     ///< As a data-flow edge: the identity from sources to targets.
  FuncEdge, ///< As an edge between calls and function.
  Barrier,  ///< As the identity in one direction.
};

/// Whether a node has a sharding rule, which is looked up when the node is visited first.
enum class RuleLookup : uint8_t { Pending, Found, None };

struct Node {
  mlir::Operation *op = nullptr;
  /// Set iff the look-up is `Found`.
  const core::ShardingRule *rule = nullptr;
  uint32_t firstTensor = 0;
  int32_t numOperands = 0;
  int32_t numResults = 0;
  NodeKind kind : 4 = NodeKind::None;
  ScheduleClass scheduleClass : 4 = ScheduleClass::Late;
  RuleLookup ruleLookup : 2 = RuleLookup::Pending;
  bool isElementwise : 1 = false;
  bool isErased : 1 = false;
  /// The transform of the edge's op changes shardings (manual computations).
  bool hasEdgeTransform : 1 = false;

  /// False if no visit can change anything.
  bool takesPart() const { return kind != NodeKind::None && ruleLookup != RuleLookup::None; }
};
static_assert(sizeof(ValueGroup) <= 32 && sizeof(Node) <= 32);

/// A value returned by the main function and the result it is returned as.
struct FuncResultLink {
  ValueGroupId returned = kNoValueGroup;
  ValueGroupId result = kNoValueGroup;
  const core::ShardingRule *rule = nullptr;
};

/// The tables are filled by the builder and read by all others. Shardings change only by `set` and
/// `assign`, which keep count of the changes and of what is to be written back.
class PropagationGraph {
public:
  /// Reads the shardings of `module`. Fails, with a diagnostic, on a sharding that does not fit
  /// its mesh, or if no function can be told to be the main one.
  static mlir::FailureOr<std::unique_ptr<PropagationGraph>> create(mlir::ModuleOp module);

  /// Stores the shardings that changed in the IR.
  void writeBack();

  /// Nodes in pre-order.
  const std::vector<Node> &nodes() const { return allNodes; }
  const std::vector<ValueGroup> &valueGroups() const { return allValueGroups; }
  const std::vector<FuncResultLink> &funcResultLinks() const { return allFuncResultLinks; }
  /// Members of each sharding group.
  const std::vector<std::vector<ValueGroupId>> &shardingGroups() const { return allShardingGroups; }
  const MeshTable &meshes() const { return meshTable; }
  /// Counts changes of shardings.
  uint64_t clock() const { return changeClock; }

  llvm::ArrayRef<ValueGroupId> operandsOf(const Node &node) const {
    return llvm::ArrayRef(tensors).slice(node.firstTensor, node.numOperands);
  }
  llvm::ArrayRef<ValueGroupId> resultsOf(const Node &node) const {
    return llvm::ArrayRef(tensors).slice(node.firstTensor + node.numOperands, node.numResults);
  }
  /// Nodes to visit again when the sharding of `group` changes, in the order to push them.
  llvm::ArrayRef<NodeId> dependentsOf(ValueGroupId group) const {
    return llvm::ArrayRef(dependents)
        .slice(firstDependent[group], firstDependent[group + 1] - firstDependent[group]);
  }
  NodeId nodeOf(mlir::Operation *op) const {
    return nodeNumbers.find(op, [this](NodeId id) { return allNodes[id].op; });
  }
  ValueGroupId groupOf(mlir::Value value) const;
  /// Number of the sharding group of a value group, or -1.
  int32_t shardingGroupOf(ValueGroupId group) const {
    return allValueGroups[group].isInShardingGroup ? shardingGroupNumbers.lookup(group) : -1;
  }

  /// Stores `sharding` in `group` and nothing else.
  void set(ValueGroupId group, MeshSharding sharding);
  /// Stores `sharding` in `group`. The other results of the same op become fully open if the op
  /// had no shardings, because the attribute speaks of all results.
  void assign(ValueGroupId group, MeshSharding sharding);

  /// Stores what the look-up of a node's rule found. Returns the rule as the node has it.
  const core::ShardingRule *setRule(NodeId node, std::optional<core::ShardingRule> rule);
  /// Gives a node the rule, or the lack of one, that this returned for another node.
  void setSharedRule(NodeId node, const core::ShardingRule *rule);
  /// Notes that `group` moves to another mesh without getting axes. Returns whether it has before.
  bool noteMeshChange(ValueGroupId group) {
    return std::exchange(allValueGroups[group].hasChangedMesh, true);
  }

  /// Looks up a sharding attribute. Unset if its mesh is unknown or it does not fit the mesh.
  MeshSharding resolve(mlir::Attribute shardingAttr);
  /// The same for an attribute that was made from one of our shardings. These may reserve parts of
  /// an axis one by one, which users must write as one.
  MeshSharding resolveOwn(mlir::Attribute shardingAttr);
  /// The reverse of `resolve`.
  mlir::Attribute toAttribute(const MeshSharding &sharding) const;

  /// Takes a dead op out of the program, with all ops in it. Nodes, value groups and trace still
  /// point to it, so it is kept, without operands, as long as the graph is.
  void erase(mlir::Operation *op);

private:
  friend class GraphBuilder;
  friend class GraphWriteBack;
  explicit PropagationGraph(mlir::ModuleOp module) : meshTable(module), module(module) {}

  /// Returns the rule that equal rules of all nodes share.
  const core::ShardingRule *share(core::ShardingRule rule) { return rules.intern(std::move(rule)); }
  SharedSharding share(MeshSharding sharding) {
    return sharding.isSet() ? SharedSharding(shardings.intern(std::move(sharding)))
                            : SharedSharding();
  }

  struct DestroyOp {
    void operator()(mlir::Operation *op) const { op->destroy(); }
  };

  std::vector<Node> allNodes;
  std::vector<ValueGroup> allValueGroups;
  std::vector<FuncResultLink> allFuncResultLinks;
  std::vector<std::vector<ValueGroupId>> allShardingGroups;
  MeshTable meshTable;
  uint64_t changeClock = 0;
  mlir::ModuleOp module;
  std::vector<std::unique_ptr<mlir::Operation, DestroyOp>> erasedOps;
  Interner<MeshSharding> shardings;
  Interner<core::ShardingRule> rules;
  std::vector<ValueGroupId> tensors;
  std::vector<NodeId> dependents;
  std::vector<uint32_t> firstDependent;
  OpNumbers nodeNumbers;
  /// Value groups of block arguments; those of results are among the tensors of nodes.
  llvm::DenseMap<mlir::Value, ValueGroupId> argumentGroups;
  llvm::DenseMap<ValueGroupId, int32_t> shardingGroupNumbers;
  llvm::DenseMap<mlir::Attribute, MeshSharding> resolved;
};

} // namespace shardwise::propagate
