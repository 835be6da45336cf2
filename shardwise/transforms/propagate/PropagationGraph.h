// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module as propagation sees it: nodes (ops) that read and write slots (places that hold one
// sharding). Built once per pass; the sweeps then work on numbers and never touch attributes. The
// cost of building, of writing back and of the tables is linear in ops, operands and results.
//
// Several values can share a slot: all targets of a data-flow edge have the slot of the edge.

#pragma once

#include "shardwise/core/Sharding.h"
#include "shardwise/core/ShardingRule.h"
#include "shardwise/dialect/sdy/CoreHash.h"
#include "shardwise/transforms/propagate/Interner.h"
#include "shardwise/transforms/propagate/MeshTable.h"
#include "shardwise/transforms/propagate/OpNumbers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <optional>
#include <vector>

namespace shardwise::propagate {

using SlotId = int32_t;
using NodeId = int32_t;
/// The value has no place for a sharding: it reads as missing, and writes are dropped.
inline constexpr SlotId kNoSlot = -1;
inline constexpr NodeId kNoNode = -1;

/// A sharding and the mesh it is on, or nothing.
struct SlotSharding {
  MeshId mesh = kNoMesh;
  core::Sharding sharding;

  bool isSet() const { return mesh != kNoMesh; }
  bool operator==(const SlotSharding &) const = default;
};

inline llvm::hash_code hash_value(const SlotSharding &value) {
  return llvm::hash_combine(value.mesh, value.sharding);
}

/// A `SlotSharding` that equal slots share; reads like one. Unset by default.
class SharedSharding {
public:
  SharedSharding() = default;
  explicit SharedSharding(const SlotSharding *value) : value(value) {}

  bool isSet() const { return value != nullptr; }
  /// What is shared; null if unset.
  const SlotSharding *get() const { return value; }
  operator const SlotSharding &() const {
    static const SlotSharding unset;
    return value ? *value : unset;
  }

private:
  const SlotSharding *value = nullptr;
};

/// Where a slot's sharding is stored in the IR.
enum class SlotStorage : uint8_t {
  OpResult,
  EdgeOp,
  BlockArgumentOwner,
  FuncArgument,
  FuncResult,
  Erased
};

/// There are as many slots and nodes as values and ops, so their fields are counted in bytes.
struct Slot {
  SharedSharding current;
  /// The op that carries the attribute, and the number of the value there.
  mlir::Operation *op = nullptr;
  /// Value of the graph's clock when the sharding last changed.
  uint64_t version = 0;
  int32_t index = 0;
  SlotStorage storage = SlotStorage::OpResult;
  /// Differs from the IR.
  bool isDirty = false;
  /// Belongs to a group of values with one sharding: see `groupOf`.
  bool isGrouped = false;
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

struct Node {
  mlir::Operation *op = nullptr;
  const core::ShardingRule *rule = nullptr;
  uint32_t firstTensor = 0;
  int32_t numOperands = 0;
  int32_t numResults = 0;
  NodeKind kind : 4 = NodeKind::None;
  ScheduleClass scheduleClass : 4 = ScheduleClass::Late;
  bool isElementwise : 1 = false;
  bool isErased : 1 = false;
  bool wasAskedForRule : 1 = false;
  /// The transform of the edge's op changes shardings (manual computations).
  bool hasEdgeTransform : 1 = false;
};
static_assert(sizeof(Slot) <= 32 && sizeof(Node) <= 32);

/// A value returned by the main function and the result it is returned as.
struct FuncResultLink {
  SlotId returned = kNoSlot;
  SlotId result = kNoSlot;
  const core::ShardingRule *rule = nullptr;
};

class PropagationGraph {
public:
  /// Reads the shardings of `module`. Fails, with a diagnostic, on a sharding that does not fit
  /// its mesh, or if no function can be told to be the main one.
  static mlir::FailureOr<std::unique_ptr<PropagationGraph>> create(mlir::ModuleOp module);

  /// Stores the shardings that changed in the IR.
  void writeBack();

  /// Nodes in pre-order.
  std::vector<Node> nodes;
  std::vector<Slot> slots;
  std::vector<FuncResultLink> funcResultLinks;
  /// Members of each sharding group.
  std::vector<std::vector<SlotId>> groups;
  MeshTable meshes;

  llvm::ArrayRef<SlotId> operandsOf(const Node &node) const {
    return llvm::ArrayRef(tensors).slice(node.firstTensor, node.numOperands);
  }
  llvm::ArrayRef<SlotId> resultsOf(const Node &node) const {
    return llvm::ArrayRef(tensors).slice(node.firstTensor + node.numOperands, node.numResults);
  }
  /// Nodes to visit again when the sharding of `slot` changes, in the order to push them.
  llvm::ArrayRef<NodeId> dependentsOf(SlotId slot) const {
    return llvm::ArrayRef(dependents)
        .slice(firstDependent[slot], firstDependent[slot + 1] - firstDependent[slot]);
  }
  NodeId nodeOf(mlir::Operation *op) const {
    return nodeNumbers.find(op, [this](NodeId id) { return nodes[id].op; });
  }
  SlotId slotOf(mlir::Value value) const;
  /// Number of the sharding group of a slot, or -1.
  int32_t groupOf(SlotId slot) const {
    return slots[slot].isGrouped ? groupNumbers.lookup(slot) : -1;
  }

  /// Counts changes of shardings.
  uint64_t clock = 0;

  /// Stores `sharding` in `slot` and nothing else.
  void set(SlotId slot, SlotSharding sharding);
  /// Stores `sharding` in `slot`. The other results of the same op become fully open if the op
  /// had no shardings, because the attribute speaks of all results.
  void assign(SlotId slot, SlotSharding sharding);

  /// Returns the rule that equal rules of all nodes share.
  const core::ShardingRule *share(core::ShardingRule rule) { return rules.intern(std::move(rule)); }
  SharedSharding share(SlotSharding sharding) {
    return sharding.isSet() ? SharedSharding(shardings.intern(std::move(sharding)))
                            : SharedSharding();
  }

  /// Looks up a sharding attribute. Unset if its mesh is unknown or it does not fit the mesh.
  SlotSharding resolve(mlir::Attribute shardingAttr);
  /// The same for an attribute that was made from one of our shardings. These may reserve parts of
  /// an axis one by one, which users must write as one.
  SlotSharding resolveOwn(mlir::Attribute shardingAttr);
  /// The reverse of `resolve`.
  mlir::Attribute toAttribute(const SlotSharding &sharding) const;

  /// Takes a dead op out of the program, with all ops in it. Nodes, slots and trace still point to
  /// it, so it is kept, without operands, as long as the graph is.
  void erase(mlir::Operation *op);

private:
  friend class GraphBuilder;
  explicit PropagationGraph(mlir::ModuleOp module) : meshes(module), module(module) {}

  struct DestroyOp {
    void operator()(mlir::Operation *op) const { op->destroy(); }
  };

  mlir::ModuleOp module;
  std::vector<std::unique_ptr<mlir::Operation, DestroyOp>> erasedOps;
  Interner<SlotSharding> shardings;
  Interner<core::ShardingRule> rules;
  std::vector<SlotId> tensors;
  std::vector<NodeId> dependents;
  std::vector<uint32_t> firstDependent;
  OpNumbers nodeNumbers;
  /// Slots of block arguments; those of results are among the tensors of nodes.
  llvm::DenseMap<mlir::Value, SlotId> argumentSlots;
  llvm::DenseMap<SlotId, int32_t> groupNumbers;
  llvm::DenseMap<mlir::Attribute, SlotSharding> resolved;
};

} // namespace shardwise::propagate
