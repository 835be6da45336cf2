// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A buffer has the kind of the first of these that holds:
//
// 1. it holds a result;
// 2. what it is made for is on the way forward, and what reads it last on the way back: an
//    activation that is kept;
// 3. a collective makes it first; what a collective makes of a value in its place is that value;
// 4. it is made on the way back, and is shaped like a parameter: a gradient;
// 5. all else is a temporary.
//
// Ways are told by the names that JAX gives (JaxNames.h); where there are none, nothing is 2 or 4.
// Loops are one op here: a stack of activations that one fills and another reads lies in the
// buffers that they carry.

#include "shardwise/explain/ExplainMemory.h"

#include "shardwise/dialect/sdy/LocalCollectives.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/explain/ArgumentKinds.h"
#include "shardwise/explain/OpMarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <numeric>
#include <tuple>

using namespace mlir;

namespace shardwise::explain {
namespace {

int64_t sumOf(const BytesByKind &bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), int64_t(0));
}

int64_t &at(BytesByKind &bytes, MemoryKind kind) {
  return bytes[static_cast<size_t>(kind)];
}

std::string nameOf(Operation *op) {
  StringRef name = op->getName().getStringRef();
  name.consume_front("stablehlo.");
  return name.str();
}

bool isCollective(Operation *op) {
  return isa<stablehlo::AllGatherOp, stablehlo::AllReduceOp, stablehlo::AllToAllOp,
             stablehlo::CollectiveBroadcastOp, stablehlo::CollectivePermuteOp,
             stablehlo::ReduceScatterOp>(op) ||
         op->getName().getStringRef() == "sdy.exchange";
}

/// The op that makes a value; the loop of what it carries.
Operation *makerOf(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? op : cast<BlockArgument>(value).getOwner()->getParentOp();
}

class MemoryExplainer {
public:
  MemoryExplainer(ModuleOp local, const execute::MemoryProfile &profile, const ProgramNames &names)
      : entry(stablehlo::entryFunctionOrNull(local)), profile(profile), names(names) {}

  MemoryFacts explain(int64_t limitBytes);

private:
  void addArguments();
  void addBuffers();
  void findPeak();
  void findDonated();
  void addMoments();
  void addLive();
  LiveBuffer describe(const execute::ProfiledBuffer &buffer) const;
  MemoryKind kindOf(const execute::ProfiledBuffer &buffer, int64_t op) const;
  Operation *opAt(int64_t step) const;
  int64_t numberAt(int64_t step) const {
    Operation *op = opAt(step);
    return op ? opNumberOf(op->getLoc()) : -1;
  }
  StringRef directionOf(int64_t op) const {
    return op < 0 ? StringRef() : StringRef(names.scopeOf(op).direction);
  }

  func::FuncOp entry;
  const execute::MemoryProfile &profile;
  const ProgramNames &names;
  MemoryFacts facts;
  /// Those of the whole run.
  BytesByKind always{};
  std::vector<LiveBuffer> arguments;
  std::vector<LiveBuffer> buffers;
  /// What begins and ends before each step.
  std::vector<BytesByKind> changes;
  llvm::DenseSet<ArrayRef<int64_t>> parameterShapes;
};

int64_t bytesOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return 0;
  Type element = tensor.getElementType();
  int64_t bits = 8;
  if (auto complex = dyn_cast<ComplexType>(element))
    bits = 2 * complex.getElementType().getIntOrFloatBitWidth();
  else if (element.isIntOrFloat())
    bits = element.getIntOrFloatBitWidth();
  return tensor.getNumElements() * ((bits + 7) / 8);
}

void MemoryExplainer::addArguments() {
  int64_t sum = 0;
  int64_t op = opNumberOf(entry.getLoc());
  for (BlockArgument argument : entry.getArguments()) {
    ValueId id{op, 0, static_cast<int32_t>(argument.getArgNumber())};
    LiveBuffer buffer;
    buffer.kind = argumentKindOf(names.labelOf({id}));
    buffer.value = id;
    buffer.op = op;
    buffer.type = argument.getType();
    buffer.bytes = bytesOf(argument.getType());
    buffer.last = facts.numSteps - 1;
    at(always, buffer.kind) += buffer.bytes;
    sum += buffer.bytes;
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (type && buffer.kind == MemoryKind::Parameters)
      parameterShapes.insert(type.getShape());
    arguments.push_back(buffer);
  }
  // Types of fewer than 8 bits are counted as they are stored.
  at(always, MemoryKind::Inputs) += profile.use.argumentBytes - sum;
  at(always, MemoryKind::Constants) += profile.use.constantBytes;
}

/// The op of a step; at the end of a loop, the one before it.
Operation *MemoryExplainer::opAt(int64_t step) const {
  while (step >= 0 && !profile.steps[step])
    --step;
  return step < 0 ? nullptr : profile.steps[step];
}

MemoryKind MemoryExplainer::kindOf(const execute::ProfiledBuffer &buffer, int64_t op) const {
  if (buffer.isResult)
    return MemoryKind::Results;
  Operation *reader = opAt(buffer.last);
  StringRef made = directionOf(op);
  StringRef read = directionOf(reader ? opNumberOf(reader->getLoc()) : -1);
  if (op >= 0 && made.empty() && !read.empty() && !buffer.values.empty())
    return MemoryKind::Activations;
  Operation *maker = buffer.values.empty() ? opAt(buffer.first) : makerOf(buffer.values.front());
  if (maker && isCollective(maker))
    return MemoryKind::Collectives;
  if (made == "backward")
    for (Value value : buffer.values)
      if (auto type = dyn_cast<RankedTensorType>(value.getType());
          type && type.getRank() > 0 && parameterShapes.contains(type.getShape()))
        return MemoryKind::Gradients;
  return MemoryKind::Temporaries;
}

LiveBuffer MemoryExplainer::describe(const execute::ProfiledBuffer &buffer) const {
  LiveBuffer live;
  live.bytes = buffer.bytes;
  live.first = buffer.first;
  live.last = buffer.last;
  Operation *maker = opAt(buffer.first);
  if (!buffer.values.empty()) {
    // What a loop carries is named before what it begins with.
    Value shown = buffer.values.front();
    for (Value value : buffer.values)
      if (isa<stablehlo::WhileOp>(makerOf(value)) && !isa<stablehlo::WhileOp>(makerOf(shown)))
        shown = value;
    maker = makerOf(shown);
    live.type = shown.getType();
    int64_t number = opNumberOf(maker->getLoc());
    // A collective stands where the op is that it is for, whose results it does not have.
    if (number >= 0 && names.opName(number) == nameOf(maker) && shown.getDefiningOp())
      live.value = {number, -1, static_cast<int32_t>(cast<OpResult>(shown).getResultNumber())};
  }
  if (maker) {
    live.op = opNumberOf(maker->getLoc());
    live.maker = nameOf(maker);
  }
  live.kind = kindOf(buffer, live.op);
  return live;
}

void MemoryExplainer::addBuffers() {
  changes.resize(static_cast<size_t>(facts.numSteps) + 1);
  for (const execute::ProfiledBuffer &buffer : profile.buffers) {
    buffers.push_back(describe(buffer));
    at(changes[buffer.first], buffers.back().kind) += buffer.bytes;
    at(changes[buffer.last + 1], buffers.back().kind) -= buffer.bytes;
  }
}

void MemoryExplainer::findPeak() {
  BytesByKind bytes{};
  int64_t most = -1;
  for (int64_t step = 0; step < facts.numSteps; ++step) {
    for (size_t kind = 0; kind < kNumMemoryKinds; ++kind)
      bytes[kind] += changes[step][kind];
    if (sumOf(bytes) > most) {
      most = sumOf(bytes);
      facts.peakStep = step;
      facts.byKind = bytes;
    }
  }
  for (size_t kind = 0; kind < kNumMemoryKinds; ++kind)
    facts.byKind[kind] += always[kind];
  at(facts.byKind, MemoryKind::Gaps) += facts.peakBytes - sumOf(facts.byKind);
  if (Operation *op = opAt(facts.peakStep)) {
    facts.peakOp = opNumberOf(op->getLoc());
    facts.peakMaker = nameOf(op);
  }
}

/// Results whose arguments are donated, as `jax.jit(donate_argnums=...)` writes it: with the number
/// of the result, or without, for any result of the type.
llvm::DenseSet<Value> donatedResults(func::FuncOp entry) {
  llvm::DenseSet<Value> donated;
  auto terminator = stablehlo::returnOrNull(entry);
  if (!terminator)
    return donated;
  for (BlockArgument argument : entry.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (auto result = entry.getArgAttrOfType<IntegerAttr>(number, "tf.aliasing_output");
        result && result.getInt() >= 0 && result.getInt() < terminator->getNumOperands()) {
      donated.insert(terminator->getOperand(static_cast<unsigned>(result.getInt())));
    } else if (entry.getArgAttr(number, "jax.buffer_donor")) {
      auto found = llvm::find_if(terminator->getOperands(), [&](Value returned) {
        return returned.getType() == argument.getType() && !donated.contains(returned);
      });
      if (found != terminator->getOperands().end())
        donated.insert(*found);
    }
  }
  return donated;
}

void MemoryExplainer::findDonated() {
  llvm::DenseSet<Value> donated = donatedResults(entry);
  for (const execute::ProfiledBuffer &buffer : profile.buffers) {
    bool isThere = buffer.first <= facts.peakStep && facts.peakStep <= buffer.last;
    if (isThere && buffer.isResult &&
        llvm::any_of(buffer.values, [&](Value value) { return donated.contains(value); }))
      facts.donatedBytes += buffer.bytes;
  }
}

/// The curve: where it changes, or the fullest steps of as many stretches as are shown.
void MemoryExplainer::addMoments() {
  int64_t stretch = (facts.numSteps + int64_t(kMostMoments) - 1) / int64_t(kMostMoments);
  BytesByKind bytes = always;
  MemoryMoment fullest;
  for (int64_t step = 0; step < facts.numSteps; ++step) {
    for (size_t kind = 0; kind < kNumMemoryKinds; ++kind)
      bytes[kind] += changes[step][kind];
    if (step % stretch == 0 || sumOf(bytes) > sumOf(fullest.bytes))
      fullest = {step, numberAt(step), bytes};
    bool isEnd = step % stretch == stretch - 1 || step + 1 == facts.numSteps;
    if (isEnd && (facts.moments.empty() || facts.moments.back().bytes != fullest.bytes))
      facts.moments.push_back(fullest);
  }
}

void MemoryExplainer::addLive() {
  facts.live = arguments;
  for (const LiveBuffer &buffer : buffers)
    if (buffer.first <= facts.peakStep && facts.peakStep <= buffer.last)
      facts.live.push_back(buffer);
  auto key = [](const LiveBuffer &buffer) {
    return std::tuple(-buffer.bytes, buffer.first, buffer.last, buffer.op, buffer.value);
  };
  std::sort(facts.live.begin(), facts.live.end(),
            [&](const LiveBuffer &a, const LiveBuffer &b) { return key(a) < key(b); });
}

MemoryFacts MemoryExplainer::explain(int64_t limitBytes) {
  facts.limitBytes = limitBytes;
  facts.peakBytes = profile.use.peakBytes();
  facts.numSteps = static_cast<int64_t>(profile.steps.size());
  addArguments();
  addBuffers();
  findPeak();
  findDonated();
  addMoments();
  addLive();
  return std::move(facts);
}

} // namespace

MemoryFacts memoryFacts(ModuleOp local, const execute::MemoryProfile &profile,
                        const ProgramNames &names, int64_t limitBytes) {
  return MemoryExplainer(local, profile, names).explain(limitBytes);
}

} // namespace shardwise::explain
