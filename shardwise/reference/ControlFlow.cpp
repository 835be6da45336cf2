// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops, branches and calls. Where a condition differs between devices each goes its own way: the
// others wait, and keep what they have. Example, with %i = partition_id on four devices:
//
//   %r = stablehlo.while(%n = %i) { %n > 0 } do { %n - 1 }
//
// runs its body on devices 1 to 3, then on 2 and 3, then on 3. A collective in such a body is
// refused if a device that it needs is not there.

#include "shardwise/reference/BlockEvaluator.h"

#include "shardwise/reference/ElementTypes.h"

#include <mlir/IR/Diagnostics.h>

#include <map>

namespace shardwise::reference {

mlir::FailureOr<bool> BlockEvaluator::tryControlFlow(mlir::Operation &op) {
  auto done = [](mlir::LogicalResult result) -> mlir::FailureOr<bool> {
    if (mlir::failed(result))
      return mlir::failure();
    return true;
  };
  if (auto loop = llvm::dyn_cast<stablehlo::WhileOp>(op))
    return done(runWhile(loop));
  if (auto scan = llvm::dyn_cast<chlo::ScanOp>(op))
    return done(runScan(scan));
  if (llvm::isa<stablehlo::IfOp>(op))
    return done(runBranches(op, [](const Scalar &isTrue) { return isTrue.isTrue() ? 0 : 1; }));
  if (llvm::isa<stablehlo::CaseOp>(op))
    return done(runBranches(op, [&](const Scalar &selector) {
      int64_t count = op.getNumRegions();
      int64_t index = selector.integer();
      // StableHLO, "case": an index that is out of range takes the last branch.
      return index < 0 || index >= count ? count - 1 : index;
    }));
  if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op))
    return done(runCall(op, call.getCalleeAttr()));
  if (auto composite = llvm::dyn_cast<stablehlo::CompositeOp>(op))
    return done(runCall(op, composite.getDecompositionAttr()));
  if (llvm::isa<sdy::NamedComputationOp>(op)) {
    ValueList results;
    if (mlir::failed(runBlock(op.getRegion(0).front(), listOf(op.getOperands()), results)))
      return mlir::failure();
    defineAs(op.getResults(), std::move(results));
    return true;
  }
  // Says that shardings agree; computes nothing.
  return llvm::isa<sdy::ShardingGroupOp>(op);
}

mlir::LogicalResult BlockEvaluator::onSome(mlir::Operation &op, DeviceList devices,
                                           llvm::function_ref<mlir::LogicalResult()> run) {
  // `devices` are some of the active ones, so as many are the same ones. Then nothing diverges
  // here, and an outer divergence stays the one that a refused collective points at.
  if (devices.size() == scope.active.size())
    return run();
  std::swap(scope.active, devices);
  mlir::Operation *outer = std::exchange(scope.divergence, &op);
  mlir::LogicalResult result = run();
  std::swap(scope.active, devices);
  scope.divergence = outer;
  return result;
}

mlir::LogicalResult BlockEvaluator::runWhile(stablehlo::WhileOp op) {
  ValueList state = listOf(op->getOperands());
  // Those that go round again. It only shrinks: a device that has left does not come back.
  DeviceList going = scope.active;
  bool isSplit = false;
  while (true) {
    DeviceList next;
    // The body reads the state of the last iteration until all of the next one is made.
    ValueList proceed, made;
    auto iterate = [&]() -> mlir::LogicalResult {
      if (mlir::failed(runBlock(op.getCond().front(), state, proceed)))
        return mlir::failure();
      for (int64_t device : going)
        if (load(*proceed[0].on(device), 0).isTrue())
          next.push_back(device);
      if (next.empty())
        return mlir::success();
      // Counted once, however many devices go round together.
      if (++loops.done > loops.limit && loops.limit > 0)
        return op.emitOpError() << "runs on after " << loops.limit << " iterations of all loops";
      return onSome(*op, next, [&] { return runBlock(op.getBody().front(), state, made); });
    };
    if (mlir::failed(onSome(*op, going, iterate)))
      return mlir::failure();
    if (next.empty())
      break;
    isSplit |= next.size() < scope.active.size();
    // Once devices have gone apart, those that have left the loop keep the state that they left
    // with: only that of the others is replaced.
    if (isSplit)
      for (auto [value, update] : llvm::zip(state, made))
        value.take(update, next, scope.numDevices);
    else
      state = std::move(made);
    going = std::move(next);
  }
  if (isSplit)
    for (PerDevice &value : state)
      value.share(scope.active);
  defineAs(op->getResults(), std::move(state));
  return mlir::success();
}

mlir::LogicalResult BlockEvaluator::runScan(chlo::ScanOp op) {
  auto dim = static_cast<int64_t>(op.getDimension());
  size_t numOutputs = op.getOutputs().size();
  ValueList carries = listOf(op.getInits());
  // By output, then by step.
  std::vector<ValueList> slices(numOutputs);
  auto indexOf = [&](int64_t step) {
    return op.getIsReverse() ? op.getNumSteps() - 1 - step : step;
  };
  for (int64_t step = 0, count = op.getNumSteps(); step < count; ++step) {
    ValueList arguments;
    for (mlir::Value input : op.getInputs()) {
      const PerDevice &whole = values.find(input)->second;
      PerDevice slice(scope.numDevices);
      for (const DeviceList &devices : classesOf(scope.active, &whole))
        slice.take(shared(sliceAt(op.getSliceType(input.getType()), *whole.on(devices.front()), dim,
                                  indexOf(step))),
                   devices, scope.numDevices);
      slice.share(scope.active);
      arguments.push_back(std::move(slice));
    }
    llvm::append_range(arguments, carries);
    ValueList returned;
    if (mlir::failed(runBlock(op.getBody().front(), arguments, returned)))
      return mlir::failure();
    for (size_t output = 0; output < numOutputs; ++output)
      slices[output].push_back(std::move(returned[output]));
    carries.assign(std::make_move_iterator(returned.begin() + numOutputs),
                   std::make_move_iterator(returned.end()));
  }
  for (auto [value, steps] : llvm::zip(op.getOutputs(), slices)) {
    llvm::SmallVector<const PerDevice *> all;
    for (const PerDevice &slice : steps)
      all.push_back(&slice);
    PerDevice output(scope.numDevices);
    for (const DeviceList &devices : classesOf(scope.active, all)) {
      HostTensor whole = zerosOf(value.getType());
      for (auto [step, slice] : llvm::enumerate(steps))
        setSliceAt(whole, *slice.on(devices.front()), dim, indexOf(step));
      output.take(shared(std::move(whole)), devices, scope.numDevices);
    }
    output.share(scope.active);
    values[value] = std::move(output);
  }
  defineAs(op.getCarries(), std::move(carries));
  return mlir::success();
}

mlir::LogicalResult
BlockEvaluator::runBranches(mlir::Operation &op,
                            llvm::function_ref<int64_t(const Scalar &)> regionOf) {
  const PerDevice &selector = values.find(op.getOperand(0))->second;
  std::map<int64_t, DeviceList> devicesOf;
  for (int64_t device : scope.active)
    devicesOf[regionOf(load(*selector.on(device), 0))].push_back(device);
  ValueList results;
  for (const auto &[region, devices] : devicesOf) {
    ValueList returned;
    auto run = [&] { return runBlock(op.getRegion(region).front(), {}, returned); };
    if (mlir::failed(onSome(op, devices, run)))
      return mlir::failure();
    if (results.empty())
      results = std::move(returned);
    else
      for (auto [result, value] : llvm::zip(results, returned))
        result.take(value, devices, scope.numDevices);
  }
  if (devicesOf.size() > 1)
    for (PerDevice &result : results)
      result.share(scope.active);
  defineAs(op.getResults(), std::move(results));
  return mlir::success();
}

mlir::LogicalResult BlockEvaluator::runCall(mlir::Operation &op, mlir::SymbolRefAttr callee) {
  auto function = symbols.lookupNearestSymbolFrom<mlir::func::FuncOp>(&op, callee);
  if (!function || function.isExternal())
    return op.emitOpError() << "calls " << callee << ", which has no body";
  ValueList results;
  if (mlir::failed(runFunction(function, listOf(op.getOperands()), results)))
    return mlir::failure();
  defineAs(op.getResults(), std::move(results));
  return mlir::success();
}

} // namespace shardwise::reference
