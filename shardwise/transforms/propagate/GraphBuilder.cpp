// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the graph: numbers ops and the places of shardings, and works out which ops to visit
// again when a sharding changes.
//
//   1. Nodes: all ops but the module, in pre-order.
//   2. Value groups: one for each place that can hold a sharding. What flows around in a loop or
//      into a region has one for all, that of its edge. Here %0, the result of the loop, the
//      argument of its body and of its condition share the one that is stored on %1:
//        %0 = stablehlo.while(%arg = %init) ...
//        %1 = sdy.data_flow_edge %0
//   3. Tensors: for each node, the value groups of its operands and results. Operands of an edge
//      are its sources, here %init and what the body returns.
//   4. Dependents: for each value group, the nodes that read or write it.
//   5. Sharding groups, and the links from returned values to the results of the main function.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/ShardingRules.h"
#include "shardwise/transforms/propagate/OpPriorities.h"
#include "shardwise/transforms/propagate/PropagationGraph.h"

namespace shardwise::propagate {

namespace {

using mlir::Operation;
using mlir::Value;

using Shardings = llvm::SmallVector<sdy::TensorShardingAttr>;

sdy::TensorShardingAttr at(const Shardings &shardings, unsigned i) {
  return i < shardings.size() ? shardings[i] : sdy::TensorShardingAttr();
}

Operation *ownerOp(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? op : mlir::cast<mlir::BlockArgument>(value).getOwner()->getParentOp();
}

} // namespace

class GraphBuilder {
public:
  GraphBuilder(PropagationGraph &graph, mlir::ModuleOp module) : graph(graph), module(module) {}

  mlir::LogicalResult build() {
    numberNodes();
    if (mlir::failed(addValueGroups()))
      return mlir::failure();
    for (Node &node : graph.allNodes)
      addTensors(node);
    addDependents();
    addShardingGroups();
    return addFuncResultLinks();
  }

private:
  // Ops.

  /// Sizes that the tables will have: growing them would leave them half empty.
  void reserve() {
    size_t numOps = 0, numOperands = 0, numResults = 0, numArguments = 0;
    module->walk([&](Operation *op) {
      ++numOps;
      numOperands += op->getNumOperands();
      numResults += op->getNumResults();
      for (mlir::Region &region : op->getRegions())
        numArguments += region.empty() ? 0 : region.getNumArguments();
    });
    graph.allNodes.reserve(numOps);
    graph.allValueGroups.reserve(numResults + numArguments);
    groupValues.reserve(numResults + numArguments);
    graph.tensors.reserve(numOperands + numResults);
    graph.dependents.reserve(numOperands + numResults);
    firstResult.reserve(numOps);
    resultGroups.assign(numResults, kNoValueGroupYet);
  }

  void numberNodes() {
    reserve();
    uint32_t numResults = 0;
    module->walk<mlir::WalkOrder::PreOrder>([&](Operation *op) {
      if (op == module)
        return;
      graph.allNodes.emplace_back().op = op;
      firstResult.push_back(numResults);
      numResults += op->getNumResults();
      if (auto function = mlir::dyn_cast<mlir::func::FuncOp>(op))
        functions.try_emplace(function.getSymNameAttr(), function);
      else if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op))
        calls[call.getCalleeAttr().getAttr()].push_back(call);
      else if (auto returnOp = mlir::dyn_cast<mlir::func::ReturnOp>(op))
        returns[returnOp->getParentOp()].push_back(returnOp);
    });
    graph.nodeNumbers.build(graph.allNodes.size(),
                            [&](NodeId id) { return graph.allNodes[id].op; });
  }

  mlir::func::FuncOp calleeOf(mlir::func::CallOp call) {
    return functions.lookup(call.getCalleeAttr().getAttr());
  }

  // Value groups.

  mlir::LogicalResult addValueGroups() {
    for (const Node &node : graph.allNodes) {
      for (mlir::Region &region : node.op->getRegions())
        if (!region.empty())
          for (mlir::BlockArgument argument : region.front().getArguments())
            groupFor(argument);
      for (Value result : node.op->getResults())
        groupFor(result);
      if (auto function = mlir::dyn_cast<mlir::func::FuncOp>(node.op))
        addFuncResultGroups(function);
    }
    return mlir::success(!failedToResolve);
  }

  ValueGroupId groupFor(Value value) {
    ValueGroupId known = knownGroupOf(value);
    if (known != kNoValueGroupYet)
      return known;
    ValueGroupId group = makeGroupFor(value);
    if (auto result = mlir::dyn_cast<mlir::OpResult>(value))
      resultGroups[numberOf(result)] = group;
    else
      graph.argumentGroups[value] = group;
    return group;
  }

  size_t numberOf(mlir::OpResult result) const {
    return firstResult[graph.nodeOf(result.getOwner())] + result.getResultNumber();
  }

  ValueGroupId knownGroupOf(Value value) const {
    if (auto result = mlir::dyn_cast<mlir::OpResult>(value))
      return resultGroups[numberOf(result)];
    return graph.argumentGroups.lookup_or(value, kNoValueGroupYet);
  }

  /// Once all value groups are made: what `PropagationGraph::groupOf` returns when the graph is
  /// complete.
  ValueGroupId groupOf(Value value) const { return std::max(knownGroupOf(value), kNoValueGroup); }

  /// Makes the value group of `value`, or finds that of another value that stands for it.
  ValueGroupId makeGroupFor(Value value) {
    Operation *op = ownerOp(value);
    if (auto edge = mlir::dyn_cast<sdy::DataFlowEdgeOp>(op))
      return newGroup(ShardingStorage::EdgeOp, value, 0, edge.getShardingAttr());
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
    if (auto flow = mlir::dyn_cast<sdy::ShardableDataFlowOpInterface>(op))
      return makeFlowGroup(flow, value);
    if (!argument) {
      unsigned number = mlir::cast<mlir::OpResult>(value).getResultNumber();
      return newGroup(ShardingStorage::OpResult, value, number, resultSharding(op, number));
    }
    unsigned number = argument.getArgNumber();
    if (auto function = mlir::dyn_cast<mlir::func::FuncOp>(op))
      return newGroup(
          ShardingStorage::FuncArgument, value, number,
          function.getArgAttrOfType<sdy::TensorShardingAttr>(number, sdy::kShardingAttr));
    // The body works on the operands themselves.
    if (op->getName().getStringRef() == "stablehlo.async_start" && number < op->getNumOperands())
      return groupFor(op->getOperand(number));
    return kNoValueGroup;
  }

  /// Value group of a target of a data-flow edge: that of the edge op, or of the owner without one.
  ValueGroupId makeFlowGroup(sdy::ShardableDataFlowOpInterface flow, Value value) {
    Value owner = flow.getOwnerOfTarget(value);
    if (sdy::DataFlowEdgeOp edge = sdy::getDataFlowEdge(owner))
      return groupFor(edge.getResult());
    if (owner && owner != value)
      return groupFor(owner);
    // Without an edge the owner holds the sharding. The op is asked once for those of all its
    // values.
    if (auto result = mlir::dyn_cast<mlir::OpResult>(value)) {
      auto [it, isNew] = resultShardings.try_emplace(flow);
      if (isNew)
        it->second = flow.getResultOwnerShardings();
      return newGroup(ShardingStorage::OpResult, value, result.getResultNumber(),
                      at(it->second, result.getResultNumber()));
    }
    if (!owner)
      return kNoValueGroup;
    unsigned number = mlir::cast<mlir::BlockArgument>(value).getArgNumber();
    auto [it, isNew] = argumentShardings.try_emplace(flow);
    if (isNew)
      it->second = flow.getBlockArgumentOwnerShardings();
    return newGroup(ShardingStorage::BlockArgumentOwner, value, number, at(it->second, number));
  }

  sdy::TensorShardingAttr resultSharding(Operation *op, unsigned number) {
    if (auto constraint = mlir::dyn_cast<sdy::ShardingConstraintOp>(op))
      return constraint.getShardingAttr();
    if (auto reshard = mlir::dyn_cast<sdy::ReshardOp>(op))
      return reshard.getShardingAttr();
    if (auto collective = mlir::dyn_cast<sdy::CollectiveOpInterface>(op))
      return collective.getOutSharding();
    sdy::TensorShardingPerValueAttr perValue = sdy::getShardingList(op);
    return perValue && number < perValue.size() ? perValue[number] : sdy::TensorShardingAttr();
  }

  ValueGroupId newGroup(ShardingStorage storage, Value value, unsigned index,
                        mlir::Attribute attr) {
    ValueGroupId id = newGroup(storage, ownerOp(value), index, attr);
    groupValues[id] = value;
    return id;
  }

  ValueGroupId newGroup(ShardingStorage storage, Operation *op, unsigned index,
                        mlir::Attribute attr) {
    ValueGroup group;
    group.storage = storage;
    group.op = op;
    group.index = static_cast<int32_t>(index);
    if (attr) {
      group.current = graph.share(graph.resolve(attr));
      if (!group.current.isSet()) {
        op->emitOpError("has sharding ") << attr << " that does not fit its mesh";
        failedToResolve = true;
      }
    }
    graph.allValueGroups.push_back(std::move(group));
    groupValues.push_back(Value());
    return static_cast<ValueGroupId>(graph.allValueGroups.size() - 1);
  }

  void addFuncResultGroups(mlir::func::FuncOp function) {
    std::vector<ValueGroupId> &groups = funcResultGroups[function];
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      groups.push_back(
          newGroup(ShardingStorage::FuncResult, function, i,
                   function.getResultAttrOfType<sdy::TensorShardingAttr>(i, sdy::kShardingAttr)));
  }

  // Tensors of a node.

  /// Fills in the node; an edge reads its sources in place of its operand.
  void addTensors(Node &node) {
    node.firstTensor = static_cast<uint32_t>(graph.tensors.size());
    Operation *op = node.op;
    if (mlir::isa<sdy::DataFlowEdgeOp>(op))
      addEdgeSources(node);
    else if (mlir::isa<sdy::FuncDataFlowEdgeOp>(op))
      addFuncEdgeSources(node);
    else
      for (Value operand : op->getOperands())
        graph.tensors.push_back(groupOf(operand));
    node.numOperands = static_cast<int32_t>(graph.tensors.size() - node.firstTensor);
    node.numResults = static_cast<int32_t>(op->getNumResults());
    for (Value result : op->getResults())
      graph.tensors.push_back(groupOf(result));
    node.kind = kindOf(node);
    if (node.kind == NodeKind::Op || node.kind == NodeKind::Barrier)
      node.isElementwise = rules::isElementwise(op);
    if (node.kind != NodeKind::None)
      node.scheduleClass = scheduleClassOf(op, node.isElementwise);
  }

  NodeKind kindOf(const Node &node) {
    if (node.numOperands == 0 || node.numResults == 0)
      return NodeKind::None;
    if (mlir::isa<sdy::DataFlowEdgeOp>(node.op))
      return NodeKind::Edge;
    if (mlir::isa<sdy::FuncDataFlowEdgeOp>(node.op))
      return NodeKind::FuncEdge;
    if (mlir::isa<sdy::PropagationBarrierOp>(node.op))
      return NodeKind::Barrier;
    return NodeKind::Op;
  }

  void addEdgeSources(Node &node) {
    Value owner = node.op->getOperand(0);
    auto flow = mlir::dyn_cast<sdy::ShardableDataFlowOpInterface>(ownerOp(owner));
    if (!flow)
      return;
    for (mlir::OpOperand *source : flow.getSources(owner))
      graph.tensors.push_back(groupOf(source->get()));
    node.hasEdgeTransform = !mlir::isa<sdy::NamedComputationOp>(flow.getOperation()) &&
                            !mlir::isa<stablehlo::StablehloDialect>(flow->getDialect());
  }

  /// An argument of a function gets what its calls pass, a result of a call what the function
  /// returns.
  void addFuncEdgeSources(const Node &node) {
    Value input = node.op->getOperand(0);
    if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(input)) {
      auto function = mlir::dyn_cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
      if (!function)
        return;
      for (mlir::func::CallOp call : callsOf(function))
        graph.tensors.push_back(groupOf(call.getOperand(argument.getArgNumber())));
    } else if (auto call = input.getDefiningOp<mlir::func::CallOp>()) {
      unsigned number = mlir::cast<mlir::OpResult>(input).getResultNumber();
      for (mlir::func::ReturnOp returnOp : returns.lookup(calleeOf(call)))
        graph.tensors.push_back(groupOf(returnOp.getOperand(number)));
    }
  }

  llvm::ArrayRef<mlir::func::CallOp> callsOf(mlir::func::FuncOp function) {
    auto it = calls.find(function.getSymNameAttr());
    return it == calls.end() ? llvm::ArrayRef<mlir::func::CallOp>() : llvm::ArrayRef(it->second);
  }

  // Dependents.

  /// The order is that of pushing onto the stack of the worklist, so the last is visited first: the
  /// users of a value before what makes it.
  void addDependents() {
    graph.firstDependent.reserve(graph.allValueGroups.size() + 1);
    for (ValueGroupId group = 0; group < static_cast<ValueGroupId>(graph.allValueGroups.size());
         ++group) {
      graph.firstDependent.push_back(static_cast<uint32_t>(graph.dependents.size()));
      Value value = groupValues[group];
      if (!value)
        continue;
      Operation *op = ownerOp(value);
      if (mlir::isa<sdy::DataFlowEdgeOp>(op))
        addUsersOfOtherTargets(op->getOperand(0));
      addDependent(op);
      addUsers(value);
    }
    graph.firstDependent.push_back(static_cast<uint32_t>(graph.dependents.size()));
  }

  void addDependent(Operation *op) {
    NodeId node = graph.nodeOf(op);
    if (node != kNoNode && graph.allNodes[node].kind != NodeKind::None)
      graph.dependents.push_back(node);
  }

  void addUsersOfOtherTargets(Value owner) {
    if (auto flow = mlir::dyn_cast<sdy::ShardableDataFlowOpInterface>(ownerOp(owner)))
      for (Value target : flow.getOtherTargets(owner))
        addUsers(target);
  }

  void addUsers(Value value) {
    for (mlir::OpOperand &use : value.getUses())
      addUse(use);
  }

  /// Calls and returns take no part themselves: a value that is passed or returned is seen by the
  /// users on the other side. What flows into an op with regions, as its operand or by a
  /// terminator, is seen by the edge of the result that it flows to, or by the op if there is none.
  void addUse(mlir::OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto returnOp = mlir::dyn_cast<mlir::func::ReturnOp>(user)) {
      auto function = mlir::cast<mlir::func::FuncOp>(returnOp->getParentOp());
      for (mlir::func::CallOp call : callsOf(function))
        for (Operation *resultUser : call.getResult(use.getOperandNumber()).getUsers())
          addDependent(resultUser);
      return;
    }
    if (auto call = mlir::dyn_cast<mlir::func::CallOp>(user)) {
      mlir::func::FuncOp callee = calleeOf(call);
      if (callee && !callee.isExternal())
        for (Operation *argumentUser : callee.getArgument(use.getOperandNumber()).getUsers())
          addDependent(argumentUser);
      return;
    }
    bool isTerminator = user->hasTrait<mlir::OpTrait::IsTerminator>();
    Operation *consumer = isTerminator ? user->getParentOp() : user;
    if (auto flow = mlir::dyn_cast<sdy::ShardableDataFlowOpInterface>(consumer)) {
      // An edge that a block argument owns waits for the next round: Shardy visits it only
      // then, and the order of visits decides conflicts.
      Value owner = flow.getOwnerOfSource(use);
      if (mlir::isa_and_nonnull<mlir::OpResult>(owner))
        if (sdy::DataFlowEdgeOp edge = sdy::getDataFlowEdge(owner))
          return addDependent(edge);
    }
    addDependent(consumer);
  }

  // Sharding groups and function results.

  /// Ids are checked later (see ShardingGroups.h); here they must only not ask for memory.
  void addShardingGroups() {
    std::vector<sdy::ShardingGroupOp> members;
    for (const Node &node : graph.allNodes)
      if (auto member = mlir::dyn_cast<sdy::ShardingGroupOp>(node.op))
        members.push_back(member);
    graph.allShardingGroups.resize(members.size());
    for (sdy::ShardingGroupOp member : members) {
      uint64_t shardingGroup = member.getGroupId();
      ValueGroupId group = groupOf(member.getInput());
      if (group == kNoValueGroup || shardingGroup >= members.size())
        continue;
      // As in Shardy, what changes is the value that stores the sharding, so that each change
      // reaches the sharding group once: an argument of a loop body is only another name of that
      // value.
      if (groupValues[group] != member.getInput())
        continue;
      graph.allValueGroups[group].isInShardingGroup = true;
      graph.shardingGroupNumbers[group] = static_cast<int32_t>(shardingGroup);
      graph.allShardingGroups[shardingGroup].push_back(group);
    }
  }

  /// A returned value and the result of the main function are two places with the identity between
  /// them: the user may want the result elsewhere.
  mlir::LogicalResult addFuncResultLinks() {
    mlir::FailureOr<mlir::func::FuncOp> main = stablehlo::entryFunction(module);
    if (mlir::failed(main))
      return mlir::failure();
    if (!*main)
      return mlir::success();
    for (mlir::func::ReturnOp returnOp : returns.lookup(*main)) {
      for (auto [i, value] : llvm::enumerate(returnOp.getOperands())) {
        auto type = mlir::dyn_cast<mlir::ShapedType>(value.getType());
        if (!type || !type.hasStaticShape())
          continue;
        std::vector<int64_t> shape(type.getShape());
        graph.allFuncResultLinks.push_back({groupOf(value), funcResultGroups[*main][i],
                                            graph.share(core::pointwiseRule(shape, 1, 1))});
      }
    }
    return mlir::success();
  }

  PropagationGraph &graph;
  mlir::ModuleOp module;
  bool failedToResolve = false;
  /// Marks a value that was not looked at.
  static constexpr ValueGroupId kNoValueGroupYet = kNoValueGroup - 1;

  /// Value groups of all results, and the first of each node among them.
  std::vector<ValueGroupId> resultGroups;
  std::vector<uint32_t> firstResult;
  /// The value that stands for a value group; null for function results.
  std::vector<Value> groupValues;
  llvm::DenseMap<mlir::StringAttr, mlir::func::FuncOp> functions;
  llvm::DenseMap<mlir::StringAttr, std::vector<mlir::func::CallOp>> calls;
  llvm::DenseMap<Operation *, std::vector<mlir::func::ReturnOp>> returns;
  llvm::DenseMap<Operation *, std::vector<ValueGroupId>> funcResultGroups;
  llvm::DenseMap<Operation *, Shardings> resultShardings, argumentShardings;
};

mlir::FailureOr<std::unique_ptr<PropagationGraph>> PropagationGraph::create(mlir::ModuleOp module) {
  std::unique_ptr<PropagationGraph> graph(new PropagationGraph(module));
  if (mlir::failed(GraphBuilder(*graph, module).build()))
    return mlir::failure();
  return graph;
}

} // namespace shardwise::propagate
