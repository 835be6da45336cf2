// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values and their buffers, blocks, and calls. A value that was lowered is in one of four states:
// 1. *Bound*: it has a buffer (`buffers`).
// 2. *Forwarded*: it is another name of a value, with the same bytes in the same order, e.g. after
//    a reshape.
// 3. *Deferred*: a constant, iota or broadcast that is made where it is used, if at all. A fused op
//    reads it without its ever being in memory.
// 4. *Held back*: the result of an element-wise op in an open group, which becomes bound when the
//    group is emitted.
//
// The buffer of a bound value may be *in flight*: a collective has been started that writes it
// (OverlapCollectives.cpp).
//
// `bufferOf` brings a value from any state to the first. So an op only asks for buffers, and what
// has to run before it is emitted before it.
//
// Open groups never depend on each other: an op that joins a group makes those be emitted that it
// reads from. So they may be emitted in any order.

#include "shardwise/execute/lower/Lowering.h"

#include "shardwise/execute/ThunkNotes.h"

#include "shardwise/execute/lower/BroadcastForm.h"
#include "shardwise/execute/lower/OpOrder.h"
#include "shardwise/execute/thunks/ControlFlowThunks.h"
#include "shardwise/execute/thunks/DataMovementThunks.h"

#include <llvm/Support/SaveAndRestore.h>
#include <mlir/IR/Diagnostics.h>

#include <utility>

namespace shardwise::execute {

mlir::Value FunctionLowering::resolve(mlir::Value value) const {
  for (auto found = forwarded.find(value); found != forwarded.end(); found = forwarded.find(value))
    value = found->second;
  return value;
}

void FunctionLowering::forward(mlir::Value value, mlir::Value source) {
  // Resolved at once: chains of names stay short.
  forwarded[value] = resolve(source);
}

BufferId FunctionLowering::define(mlir::Value value) {
  BufferId buffer = plan.addTemporary(typeOf(value).bytes());
  bind(value, buffer);
  return buffer;
}

std::vector<BufferId> FunctionLowering::define(mlir::ValueRange values) {
  std::vector<BufferId> defined;
  for (mlir::Value value : values)
    defined.push_back(define(value));
  return defined;
}

BufferId FunctionLowering::bufferOf(mlir::Value value) {
  value = resolve(value);
  flushMakerOf(value);
  auto found = buffers.find(value);
  if (found != buffers.end()) {
    settle(found->second);
    return found->second;
  }
  mlir::Operation *op = deferred.lookup(value);
  assert(op && "value was never lowered");
  BufferId buffer = materialise(value, *op);
  // The block that is being lowered may not run, or run again: its copy of the value is for this
  // block only.
  if (scopeValues)
    scopeValues->push_back(value);
  return buffer;
}

std::vector<BufferId> FunctionLowering::buffersOf(mlir::ValueRange values) {
  std::vector<BufferId> all;
  for (mlir::Value value : values)
    all.push_back(bufferOf(value));
  return all;
}

BufferId FunctionLowering::bufferAs(mlir::Value value, DataType type) {
  TensorType from = typeOf(value);
  BufferId source = bufferOf(value);
  if (from.type == type)
    return source;
  int64_t count = elementCount(from.shape);
  BufferId target = plan.addTemporary(count * runtime::byteSize(type));
  emit(std::make_unique<ConvertThunk>(source, target, Conversion(from.type, type), count), source,
       target);
  return target;
}

BufferId FunctionLowering::defineAs(mlir::Value value, DataType type) {
  TensorType to = typeOf(value);
  if (to.type == type)
    return define(value);
  return plan.addTemporary(elementCount(to.shape) * runtime::byteSize(type));
}

void FunctionLowering::finishAs(mlir::Value value, BufferId buffer, DataType type) {
  TensorType to = typeOf(value);
  if (to.type == type)
    return;
  int64_t count = elementCount(to.shape);
  BufferId target = define(value);
  emit(std::make_unique<ConvertThunk>(buffer, target, Conversion(type, to.type), count), buffer,
       target);
}

std::optional<std::vector<std::byte>> FunctionLowering::splatOf(mlir::Value value) const {
  mlir::Operation *op = deferred.lookup(resolve(value));
  // A broadcast of a splat is a splat.
  while (std::optional<BroadcastForm> broadcast = broadcastFormOf(op))
    op = deferred.lookup(resolve(broadcast->operand));
  auto constant = llvm::dyn_cast_or_null<stablehlo::ConstantOp>(op);
  if (!constant)
    return std::nullopt;
  return constantDataOf(constant.getValue())->bytes;
}

BufferId FunctionLowering::materialise(mlir::Value value, mlir::Operation &op) {
  TensorType type = typeOf(value);
  int64_t count = elementCount(type.shape);
  if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op)) {
    BufferId target = define(value);
    emit(std::make_unique<FillThunk>(target, constantDataOf(constant.getValue())->bytes, count), {},
         target);
    return target;
  }
  if (auto iota = llvm::dyn_cast<stablehlo::IotaOp>(op)) {
    BufferId target = define(value);
    auto dim = static_cast<size_t>(iota.getIotaDimension());
    Iota indices = {type.type, type.shape[dim], rowMajorStrides(type.shape)[dim]};
    emit(std::make_unique<IotaThunk>(target, indices, count), {}, target);
    return target;
  }
  std::optional<BroadcastForm> broadcast = broadcastFormOf(&op);
  BufferId source = bufferOf(broadcast->operand);
  std::vector<int64_t> strides = broadcast->strides(type.shape.size());
  BufferId target = define(value);
  emit(std::make_unique<BroadcastThunk>(source, target,
                                        StridedCopy(runtime::byteSize(type.type), type.shape,
                                                    strides, rowMajorStrides(type.shape))),
       source, target);
  return target;
}

void FunctionLowering::noteThunk(const Thunk &thunk, llvm::ArrayRef<BufferId> reads,
                                 llvm::ArrayRef<BufferId> writes) const {
  ThunkNotes *notes = ThunkNotes::ofThread();
  if (!notes)
    return;
  int64_t bytes = 0;
  for (llvm::ArrayRef<BufferId> list : {reads, writes})
    for (BufferId buffer : list)
      bytes += plan.buffers()[buffer].bytes;
  notes->add(&thunk, thunk.name(), current, bytes);
}

int64_t FunctionLowering::emit(std::unique_ptr<Thunk> thunk, llvm::ArrayRef<BufferId> reads,
                               llvm::ArrayRef<BufferId> writes) {
  int64_t at = plan.nextPosition();
  if (module.profile) {
    steps.resize(at + 1);
    steps[at] = current;
  }
  for (BufferId buffer : reads)
    plan.use(buffer, at);
  for (BufferId buffer : writes)
    plan.use(buffer, at);
  emitted.push_back({thunk.get(), sequence != &result.body, at, reads.vec(), writes.vec()});
  noteThunk(*thunk, reads, writes);
  sequence->push_back(std::move(thunk));
  return at;
}

void FunctionLowering::flush(int64_t count) {
  auto found = groups.find(count);
  if (found == groups.end())
    return;
  ElementwiseGroup group = std::move(found->second);
  // Out of the map first: emitting asks for buffers of operands, which may flush other groups.
  groups.erase(found);
  for (const ElementwiseGroup::Member &member : group.members)
    groupOf.erase(member.op->getResult(0));
  llvm::SaveAndRestore scope(current, group.members.back().op);
  ThunkNotes *notes = ThunkNotes::ofThread();
  if (notes)
    for (const ElementwiseGroup::Member &member : group.members)
      notes->addFused(*member.op);
  emitGroup(*this, group, count);
  if (notes)
    notes->endFused();
}

void FunctionLowering::flushAll() {
  while (!groups.empty())
    flush(groups.begin()->first);
}

void FunctionLowering::flushMakerOf(mlir::Value value) {
  auto found = groupOf.find(value);
  if (found != groupOf.end())
    flush(found->second);
}

LogicalResult FunctionLowering::addToGroup(mlir::Operation &op,
                                           const ElementInstruction &instruction) {
  if (!isDefined(instruction))
    return op.emitOpError() << "is not defined on elements of type "
                            << runtime::toString(instruction.from).data();
  int64_t count = elementCount(typeOf(op.getResult(0)).shape);
  for (mlir::Value operand : op.getOperands()) {
    operand = resolve(operand);
    auto found = groupOf.find(operand);
    // Its group has other elements than this one and must have run before.
    if (found != groupOf.end() && found->second != count)
      flush(found->second);
    // A put-off broadcast reads its source when the group runs: the source must be there.
    while (std::optional<BroadcastForm> broadcast = broadcastFormOf(deferred.lookup(operand))) {
      operand = resolve(broadcast->operand);
      flushMakerOf(operand);
    }
  }
  if (groups[count].members.size() >= kLargestGroup)
    flush(count);
  groups[count].members.push_back({&op, instruction});
  groupOf[op.getResult(0)] = count;
  return mlir::success();
}

LogicalResult
FunctionLowering::lowerBlock(mlir::Block &block, Sequence &into,
                             llvm::function_ref<void(const std::vector<BufferId> &)> finish,
                             llvm::function_ref<void()> begin) {
  finishAll();
  std::vector<mlir::Value> scope;
  std::vector<mlir::Value> *outerScope = std::exchange(scopeValues, &scope);
  Sequence *outer = std::exchange(sequence, &into);
  if (begin)
    begin();
  LogicalResult done = lowerOps(block);
  if (mlir::succeeded(done)) {
    // What the terminator returns has to be made inside of the block.
    std::vector<BufferId> returned = buffersOf(block.getTerminator()->getOperands());
    finishAll();
    finish(returned);
  }
  sequence = outer;
  scopeValues = outerScope;
  // Materialised here, a value is not there when this block does not run.
  for (mlir::Value value : scope)
    buffers.erase(value);
  return done;
}

/// Lowers the ops in the order of the program, or that in which collectives overlap, which is the
/// order of thunks but for what is put off.
LogicalResult FunctionLowering::lowerOps(mlir::Block &block) {
  auto lowerOne = [&](mlir::Operation &op) {
    llvm::SaveAndRestore scope(current, &op);
    return lowerOp(op);
  };
  if (overlap.window > 0) {
    for (mlir::Operation *op : overlappedOrder(block, overlap.window))
      if (mlir::failed(lowerOne(*op)))
        return mlir::failure();
    return mlir::success();
  }
  for (mlir::Operation &op : block.without_terminator())
    if (mlir::failed(lowerOne(op)))
      return mlir::failure();
  return mlir::success();
}

LogicalResult FunctionLowering::lower(mlir::func::FuncOp function, const Sharing &sharing,
                                      WorkPlan &work) {
  result.name = function.getSymName().str();
  std::vector<BufferId> arguments;
  for (mlir::BlockArgument argument : function.getArguments()) {
    std::optional<TensorType> type = tensorTypeOf(argument.getType());
    if (!type)
      return function.emitOpError()
             << "has an argument of type " << argument.getType()
             << ", which is not supported; expected a static tensor of " << builtin::kElementTypes;
    bind(argument, plan.addArgument(type->bytes(), argument.getArgNumber()));
  }
  auto finish = [&](const std::vector<BufferId> &returned) { result.results = returned; };
  if (mlir::failed(lowerBlock(function.front(), result.body, finish)))
    return mlir::failure();
  // Results are copied out after the last thunk: they live until then.
  int64_t end = plan.nextPosition();
  for (BufferId buffer : result.results)
    plan.use(buffer, end);
  std::optional<WorkPlanner> planner;
  if (!sharing.argumentClasses.empty()) {
    planner.emplace(emitted, plan.buffers(), sharing);
    // A device of its own would compute more in place.
    result.deviceBytes = BufferPlan(plan).assign();
    std::vector<int32_t> homes;
    for (const Home &home : planner->homes()) {
      int32_t number = home.isShared() ? home.classes + 1 : 0;
      homes.push_back(home.isJoint ? -number : number);
    }
    plan.setHomes(std::move(homes));
    for (const HeldBuffer &held : planner->heldBuffers())
      plan.use(held.buffer, held.until);
  }
  result.arenaBytes = plan.assign();
  if (!planner)
    result.deviceBytes = result.arenaBytes;
  result.buffers = plan.buffers();
  if (module.profile)
    writeProfile();
  if (planner)
    work = planner->finish(result.buffers, result.results);
  return mlir::success();
}

LogicalResult FunctionLowering::inlineCall(mlir::Operation &op, mlir::func::FuncOp callee) {
  // Expanded inside of its own expansion, it would never end.
  if (!expanding.insert(callee).second)
    return op.emitOpError() << "calls " << callee.getSymName()
                            << " recursively; recursion is not supported";
  bool isOnlySite = module.hasOneCallSite(callee);
  // A second expansion reuses the names of the first, so nothing of it may be pending.
  if (!isOnlySite)
    flushAll();
  // Arguments are other names of the operands: values never change.
  for (auto [argument, operand] : llvm::zip(callee.getArguments(), op.getOperands()))
    forward(argument, operand);
  if (mlir::failed(lowerOps(callee.front())))
    return mlir::failure();
  expanding.erase(callee);
  mlir::Operation *terminator = callee.front().getTerminator();
  // The names of a callee with one call stay valid; those of others are used again by the next
  // expansion, so results get their buffers here.
  for (auto [value, returned] : llvm::zip(op.getResults(), terminator->getOperands()))
    if (isOnlySite)
      forward(value, returned);
    else
      bind(value, bufferOf(returned));
  if (!isOnlySite) {
    flushAll();
    // Forget the names of the callee: the next expansion gives them other values.
    callee.front().walk([&](mlir::Operation *inner) {
      for (mlir::Value value : inner->getResults()) {
        buffers.erase(value);
        deferred.erase(value);
        forwarded.erase(value);
      }
    });
  }
  return mlir::success();
}

LogicalResult FunctionLowering::inlineRegion(mlir::Operation &op) {
  mlir::Block &block = op.getRegion(0).front();
  for (auto [argument, operand] : llvm::zip(block.getArguments(), op.getOperands()))
    forward(argument, operand);
  if (mlir::failed(lowerOps(block)))
    return mlir::failure();
  for (auto [value, returned] : llvm::zip(op.getResults(), block.getTerminator()->getOperands()))
    forward(value, returned);
  return mlir::success();
}

LogicalResult FunctionLowering::lowerCall(mlir::Operation &op, mlir::SymbolRefAttr name) {
  auto callee = module.symbols.lookupNearestSymbolFrom<mlir::func::FuncOp>(&op, name);
  if (!callee || callee.isExternal())
    return op.emitOpError() << "calls " << name << ", which has no body";
  if (callee.getArgumentTypes() != op.getOperandTypes() ||
      callee.getResultTypes() != op.getResultTypes())
    return op.emitOpError() << "does not have the types of " << name;
  if (module.shouldInline(callee))
    return inlineCall(op, callee);
  mlir::FailureOr<const CompiledFunction *> compiled = module.compiledFunction(callee, op);
  if (mlir::failed(compiled))
    return mlir::failure();
  std::vector<BufferId> arguments = buffersOf(op.getOperands());
  // The callee waits for collectives of its own.
  finishAll();
  std::vector<BufferId> results = define(op.getResults());
  BufferId arena = scratch((*compiled)->arenaBytes);
  // The callee's arena is scratch memory of this one thunk: at other times its place serves the
  // caller's own buffers.
  std::vector<BufferId> writes = results;
  writes.push_back(arena);
  emit(std::make_unique<CallThunk>(**compiled, arguments, results, arena), arguments, writes);
  return mlir::success();
}

} // namespace shardwise::execute
