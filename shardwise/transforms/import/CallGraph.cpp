// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who calls whom, by a depth-first search with an explicit stack: call chains can be long. A
// function is listed when the calls in it have all been followed, so its callees are listed before
// it. A callee that is still on the stack closes a circle.

#include "shardwise/transforms/import/CallGraph.h"

#include "shardwise/dialect/sdy/ShardingAccess.h"

#include <algorithm>

namespace shardwise::importer {

namespace {

/// A function whose calls are being followed; `next` is the first that was not.
struct Frame {
  mlir::func::FuncOp function;
  std::vector<mlir::func::CallOp> calls;
  size_t next = 0;
};

Frame frameOf(mlir::func::FuncOp function) {
  Frame frame{function, {}, 0};
  function.walk([&](mlir::func::CallOp call) { frame.calls.push_back(call); });
  return frame;
}

/// The functions of `module`, callees first. `visitCircle` is told of every call that closes a
/// circle; its failure is that of the search.
mlir::FailureOr<std::vector<mlir::func::FuncOp>>
listCalleesFirst(mlir::ModuleOp module, const mlir::SymbolTable &symbols,
                 llvm::function_ref<mlir::LogicalResult(mlir::func::CallOp)> visitCircle) {
  enum class State { Unseen, OnStack, Done };
  llvm::DenseMap<mlir::Operation *, State> states;
  std::vector<mlir::func::FuncOp> order;
  std::vector<Frame> stack;
  for (auto root : module.getOps<mlir::func::FuncOp>()) {
    if (states[root] != State::Unseen)
      continue;
    states[root] = State::OnStack;
    stack.push_back(frameOf(root));
    while (!stack.empty()) {
      Frame &frame = stack.back();
      // Below, `frame` is not read after a push, which may move it.
      if (frame.next == frame.calls.size()) {
        states[frame.function] = State::Done;
        order.push_back(frame.function);
        stack.pop_back();
        continue;
      }
      mlir::func::CallOp call = frame.calls[frame.next++];
      auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee());
      if (!callee)
        continue;
      if (states[callee] == State::OnStack && mlir::failed(visitCircle(call)))
        return mlir::failure();
      if (states[callee] == State::Unseen) {
        states[callee] = State::OnStack;
        stack.push_back(frameOf(callee));
      }
    }
  }
  return order;
}

/// A copy of `function` that is in no module yet.
mlir::func::FuncOp detachedCopy(mlir::func::FuncOp function) {
  mlir::func::FuncOp copy = function.clone();
  // A copy of a copy remembers the first function: all of them may be shared again.
  copy->setAttr(sdy::kOriginalFuncNameAttr, originalNameOf(function));
  return copy;
}

} // namespace

mlir::FailureOr<std::vector<mlir::func::FuncOp>> calleesFirst(mlir::ModuleOp module,
                                                              const mlir::SymbolTable &symbols) {
  return listCalleesFirst(module, symbols, [](mlir::func::CallOp call) -> mlir::LogicalResult {
    return call.emitOpError() << "calls @" << call.getCallee()
                              << ", which is recursive; shardings of recursive functions cannot be "
                                 "decided";
  });
}

std::vector<mlir::func::FuncOp> calleesFirstButCircles(mlir::ModuleOp module,
                                                       const mlir::SymbolTable &symbols) {
  return *listCalleesFirst(module, symbols, [](mlir::func::CallOp) { return mlir::success(); });
}

mlir::LogicalResult checkExpandedSize(const std::vector<mlir::func::FuncOp> &calleesFirst,
                                      const mlir::SymbolTable &symbols) {
  constexpr int64_t kMaxOps = 10'000'000;
  // Sizes after expansion, each from those of the callees: linear in the program, though the
  // expanded one may be exponential. They are capped, so that they cannot overflow.
  llvm::DenseMap<mlir::Operation *, int64_t> sizes;
  for (mlir::func::FuncOp function : calleesFirst) {
    int64_t size = 0;
    function.walk([&](mlir::Operation *op) {
      ++size;
      if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op))
        if (mlir::Operation *callee = symbols.lookup(call.getCallee()))
          size = std::min(size + sizes.lookup(callee), kMaxOps + 1);
    });
    if (size > kMaxOps)
      return function.emitOpError() << "has more than " << kMaxOps
                                    << " ops once its calls are replaced by the functions they "
                                       "call; call fewer functions, or use a loop";
    sizes[function] = size;
  }
  return mlir::success();
}

mlir::StringAttr originalNameOf(mlir::func::FuncOp function) {
  auto name = function->getAttrOfType<mlir::StringAttr>(sdy::kOriginalFuncNameAttr);
  return name ? name : function.getSymNameAttr();
}

mlir::func::FuncOp cloneForCall(mlir::func::FuncOp function, mlir::SymbolTable &symbols) {
  std::vector<Frame> stack{frameOf(detachedCopy(function))};
  while (true) {
    Frame &frame = stack.back();
    // Below, `frame` is not read after a push, which may move it.
    if (frame.next < frame.calls.size()) {
      mlir::func::CallOp call = frame.calls[frame.next];
      if (auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee()))
        stack.push_back(frameOf(detachedCopy(callee)));
      else
        ++frame.next;
      continue;
    }
    mlir::func::FuncOp copy = frame.function;
    symbols.insert(copy);
    stack.pop_back();
    if (stack.empty())
      return copy;
    Frame &caller = stack.back();
    caller.calls[caller.next++].setCallee(copy.getSymName());
  }
}

sdy::TensorShardingPerValueAttr expectedArgumentShardings(mlir::func::FuncOp callee,
                                                          const mlir::SymbolTable &symbols) {
  llvm::SmallVector<sdy::TensorShardingAttr> shardings = sdy::getFuncArgShardings(callee);
  mlir::Attribute meshRef;
  for (sdy::TensorShardingAttr sharding : shardings) {
    sdy::MeshAttr mesh = sharding ? sdy::getMesh(sharding, symbols) : sdy::MeshAttr();
    // A mesh of one device has no axes to be open for.
    if (!meshRef && mesh && !mesh.isMaximal())
      meshRef = sharding.getMeshOrRef();
  }
  if (!meshRef)
    return {};
  for (auto [sharding, type] : llvm::zip_equal(shardings, callee.getArgumentTypes()))
    if (!sharding)
      sharding = sdy::getOpenSharding(meshRef, sdy::getShardingRank(type));
  return sdy::TensorShardingPerValueAttr::get(callee.getContext(), shardings);
}

} // namespace shardwise::importer
