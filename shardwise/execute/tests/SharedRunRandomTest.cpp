// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random programs with collectives, loops and branches, run by ranks that share work and that come
// at random times, give the bits of ranks that work alone. Arenas keep what the last run left in
// them, so every run has other inputs: who reads too early gets a wrong value, not an old right
// one.

#include "shardwise/execute/SharedRun.h"
#include "shardwise/runtime/LocalCommunicator.h"
#include "test/support/evaluation/TestPrograms.h"
#include "test/support/runtime/WrappedCommunicator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <thread>

namespace shardwise::execute {
namespace {

using reference::TestPrograms;
using runtime::HostTensor;
using runtime::Rank;

constexpr int kPrograms = 30;
constexpr int kRuns = 6;
constexpr int64_t kMostElements = 60'000;

/// Writes a program of one rank, op by op, over vectors of f32.
class ProgramWriter {
public:
  ProgramWriter(uint32_t seed, int64_t numRanks) : random(seed), numRanks(numRanks) {}

  int64_t below(int64_t end) { return std::uniform_int_distribution<int64_t>(0, end - 1)(random); }

  /// Arguments: a truth value that all ranks have in common, then vectors. All come in two sizes,
  /// so that ops find partners; small collectives take another way than large ones.
  std::string write(int numArguments, int numOps) {
    int64_t sizes[] = {numRanks * (1 + below(8)), numRanks * (500 + below(5000))};
    std::string arguments = "%p: tensor<i1>";
    for (int i = 0; i < numArguments; ++i) {
      int64_t size = sizes[i % 2];
      arguments += fmt::format(", %a{}: {}", i, typeOf(size));
      values.push_back({fmt::format("%a{}", i), size});
    }
    for (int i = 0; i < numOps; ++i)
      addOp(true);
    std::string results, types;
    // Some twice, some arguments as they are.
    for (int i = 0; i < 6; ++i) {
      const Value &value = i < 3 ? values[values.size() - 1 - i] : any();
      results += (i ? ", " : "") + value.name;
      types += (i ? ", " : "") + typeOf(value.size);
    }
    return fmt::format("module attributes {{mhlo.num_partitions = {} : i32, mhlo.num_replicas = 1 "
                       ": i32}} {{\nfunc.func @main({}) -> ({}) {{\n{}return {} : {}\n}}\n}}\n",
                       numRanks, arguments, types, body, results, types);
  }

private:
  struct Value {
    std::string name;
    int64_t size;
  };

  static std::string typeOf(int64_t size) { return fmt::format("tensor<{}xf32>", size); }
  std::string newName() { return fmt::format("%v{}", counter++); }
  const Value &any() {
    // Of the last ones most often: chains of ops work in place.
    int64_t size = std::ssize(values);
    return values[below(2) ? below(size) : size - 1 - below(std::min<int64_t>(size, 4))];
  }
  Value anyOf(int64_t size) {
    std::vector<Value> fit;
    for (const Value &value : values)
      if (value.size == size)
        fit.push_back(value);
    return fit[below(2) ? below(std::ssize(fit)) : std::ssize(fit) - 1];
  }

  void addOp(bool mayNest) {
    switch (below(mayNest ? 9 : 7)) {
    case 0:
    case 1:
      return addElementwise();
    case 2:
      return addReverse();
    case 3:
    case 4:
      return addAllReduce();
    case 5:
      return addAllGather();
    case 6:
      return addPermute();
    case 7:
      return addBranch();
    default:
      return addLoop();
    }
  }

  void addElementwise() {
    Value a = any(), b = anyOf(a.size);
    std::string name = newName();
    const char *kinds[] = {"add", "subtract", "maximum"};
    body += fmt::format("{} = stablehlo.{} {}, {} : {}\n", name, kinds[below(3)], a.name, b.name,
                        typeOf(a.size));
    values.push_back({name, a.size});
  }

  void addReverse() {
    Value a = any();
    std::string name = newName();
    body +=
        fmt::format("{} = stablehlo.reverse {}, dims = [0] : {}\n", name, a.name, typeOf(a.size));
    values.push_back({name, a.size});
  }

  /// Neighbours, or ranks that are far from each other; those of a group in any order.
  std::string groups(int64_t groupSize) {
    bool isStrided = below(2);
    int64_t numGroups = numRanks / groupSize;
    int64_t turn = below(groupSize);
    std::string text;
    for (int64_t group = 0; group < numGroups; ++group) {
      text += group ? ", [" : "[";
      for (int64_t i = 0; i < groupSize; ++i) {
        int64_t member = (i + turn) % groupSize;
        int64_t rank = isStrided ? member * numGroups + group : group * groupSize + member;
        text += fmt::format("{}{}", i ? ", " : "", rank);
      }
      text += "]";
    }
    return fmt::format("replica_groups = dense<[{}]> : tensor<{}x{}xi64>, channel_handle = "
                       "#stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids",
                       text, numGroups, groupSize);
  }
  int64_t anyGroupSize() {
    int64_t size = int64_t(2) << below(3);
    return std::min(size, numRanks);
  }

  /// Of one or two tensors.
  void addAllReduce() {
    Value a = any(), b = anyOf(a.size);
    std::string name = newName(), type = typeOf(a.size);
    bool isPair = below(2);
    const char *kinds[] = {"add", "maximum"};
    body += fmt::format("{}{} = \"stablehlo.all_reduce\"({}{}) ({{\n^bb0(%x: tensor<f32>, %y: "
                        "tensor<f32>):\n%s = stablehlo.{} %x, %y : tensor<f32>\n"
                        "stablehlo.return %s : tensor<f32>\n}}) {{{}}} : ({}) -> ({})\n",
                        name, isPair ? ":2" : "", a.name, isPair ? ", " + b.name : "",
                        kinds[below(2)], groups(anyGroupSize()), isPair ? type + ", " + type : type,
                        isPair ? type + ", " + type : type);
    values.push_back({isPair ? name + "#0" : name, a.size});
    if (isPair)
      values.push_back({name + "#1", a.size});
  }

  void addAllGather() {
    Value a = any();
    int64_t groupSize = anyGroupSize();
    if (a.size * groupSize > kMostElements)
      return addElementwise();
    std::string name = newName();
    int64_t size = a.size * groupSize;
    body += fmt::format("{} = \"stablehlo.all_gather\"({}) {{all_gather_dim = 0 : i64, {}}} : ({}) "
                        "-> {}\n",
                        name, a.name, groups(groupSize), typeOf(a.size), typeOf(size));
    values.push_back({name, size});
    std::string part = newName();
    body += fmt::format("{} = stablehlo.slice {} [{}:{}] : ({}) -> {}\n", part, name, size - a.size,
                        size, typeOf(size), typeOf(a.size));
    values.push_back({part, a.size});
  }

  void addPermute() {
    Value a = any();
    std::string name = newName();
    std::string pairs;
    for (int64_t rank = 0; rank < numRanks; ++rank)
      pairs += fmt::format("{}[{}, {}]", rank ? ", " : "", rank, (rank + 1) % numRanks);
    body += fmt::format("{} = \"stablehlo.collective_permute\"({}) {{source_target_pairs = "
                        "dense<[{}]> : tensor<{}x2xi64>, channel_handle = "
                        "#stablehlo.channel_handle<handle = 1, type = 1>}} : ({}) -> {}\n",
                        name, a.name, pairs, numRanks, typeOf(a.size), typeOf(a.size));
    values.push_back({name, a.size});
  }

  /// Ops of a nested region, whose values end with it. Returns one of size `size`.
  Value addInside(int64_t size) {
    size_t outer = values.size();
    for (int64_t i = 1 + below(4); i > 0; --i)
      addOp(false);
    Value last = anyOf(size);
    values.resize(outer);
    return last;
  }

  void addBranch() {
    int64_t size = any().size;
    std::string name = newName(), type = typeOf(size);
    body += fmt::format("{} = \"stablehlo.if\"(%p) ({{\n", name);
    Value first = addInside(size);
    body += fmt::format("stablehlo.return {} : {}\n}}, {{\n", first.name, type);
    Value second = addInside(size);
    body += fmt::format("stablehlo.return {} : {}\n}}) : (tensor<i1>) -> {}\n", second.name, type,
                        type);
    values.push_back({name, size});
  }

  void addLoop() {
    Value start = any();
    std::string name = newName(), type = typeOf(start.size);
    std::string state = newName();
    body +=
        fmt::format("%z{0} = stablehlo.constant dense<0> : tensor<i32>\n"
                    "{1}:2 = stablehlo.while(%i = %z{0}, {2} = {3}) : tensor<i32>, {4}\ncond {{\n"
                    "%n = stablehlo.constant dense<{5}> : tensor<i32>\n"
                    "%c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                    "stablehlo.return %c : tensor<i1>\n}} do {{\n"
                    "%one = stablehlo.constant dense<1> : tensor<i32>\n"
                    "%next = stablehlo.add %i, %one : tensor<i32>\n",
                    counter, name, state, start.name, type, below(4));
    values.push_back({state, start.size});
    Value last = addInside(start.size);
    values.pop_back();
    body += fmt::format("stablehlo.return %next, {} : tensor<i32>, {}\n}}\n", last.name, type);
    values.push_back({name + "#1", start.size});
  }

  std::mt19937 random;
  int64_t numRanks;
  int counter = 0;
  std::string body;
  std::vector<Value> values;
};

/// Ranks of it come to meetings at random times, and leave them so. Ranks of several processes send
/// each other messages; `ranksOfProcess` neighbours are in one.
class LateCommunicator final : public runtime::testing::WrappedCommunicator {
public:
  LateCommunicator(runtime::Communicator &inner, int64_t ranksOfProcess, uint32_t seed)
      : WrappedCommunicator(inner), ranksOfProcess(ranksOfProcess), random(seed) {}

  void dawdle() {
    uint32_t number = random();
    if (number % 4 == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(number / 4 % 200));
    else if (number % 4 == 1)
      std::this_thread::yield();
  }

  bool canMeet(runtime::RankGroup group) const override {
    return inner.canMeet(group) && std::all_of(group.begin(), group.end(), [&](Rank rank) {
             return rank / ranksOfProcess == group.front() / ranksOfProcess;
           });
  }
  Result<runtime::PendingMeeting> publish(runtime::RankGroup group,
                                          const runtime::Publication &own) override {
    dawdle();
    return inner.publish(group, own);
  }
  Result<std::span<const runtime::Publication>> meet(runtime::PendingMeeting meeting) override {
    dawdle();
    auto published = inner.meet(meeting);
    dawdle();
    return published;
  }
  Result<void> barrier(runtime::PendingMeeting meeting) override {
    dawdle();
    return inner.barrier(meeting);
  }
  Result<void> release(runtime::PendingMeeting meeting) override {
    auto released = inner.release(meeting);
    dawdle();
    return released;
  }

private:
  int64_t ranksOfProcess;
  std::mt19937 random;
};

/// Inputs of one run, equal on ranks of one class.
std::vector<HostTensor> inputsOf(const Program &program, const std::vector<RankClasses> &classes,
                                 Rank rank, int run) {
  std::vector<HostTensor> inputs;
  for (size_t i = 0; i < classes.size(); ++i) {
    const TensorType &type = program.argumentTypes()[i];
    HostTensor &tensor = inputs.emplace_back(HostTensor::zeros(type.type, type.shape));
    if (i == 0) {
      tensor.bytes[0] = std::byte(run % 2);
      continue;
    }
    auto *elements = reinterpret_cast<float *>(tensor.bytes.data());
    int64_t seed = classes[i][rank] * 7 + static_cast<int64_t>(i) * 31 + run * 101;
    for (size_t at = 0; at < tensor.bytes.size() / sizeof(float); ++at)
      elements[at] = static_cast<float>((seed + static_cast<int64_t>(at) * 11) % 1009) / 8 - 60;
  }
  return inputs;
}

struct RunOptions {
  bool isShared = false, areResultsKeptOnce = false;
  runtime::RankThreads threads = runtime::RankThreads::Own;
  int64_t numProcesses = 1;
  uint32_t seed = 0;
};

/// By rank, each with all of its results.
std::vector<std::vector<std::vector<std::byte>>> resultsOf(const Program &program,
                                                           const std::vector<RankClasses> &classes,
                                                           int run, const RunOptions &options) {
  auto numRanks = static_cast<int64_t>(classes.front().size());
  std::vector<RunOutput> outputs(numRanks);
  int64_t ranksOfProcess = numRanks / options.numProcesses;
  std::vector<std::unique_ptr<SharedRun>> shared;
  for (Rank first = 0; first < numRanks; first += ranksOfProcess) {
    std::vector<Rank> here(static_cast<size_t>(ranksOfProcess));
    std::iota(here.begin(), here.end(), first);
    shared.push_back(std::make_unique<SharedRun>(program, numRanks, here));
    if (options.areResultsKeptOnce)
      shared.back()->keepResultsOnce();
  }
  Result<void> done = runtime::runRanks(
      numRanks, std::chrono::milliseconds(60'000),
      [&](runtime::Communicator &communicator) -> Result<void> {
        Rank rank = communicator.rank();
        LateCommunicator late(communicator, ranksOfProcess,
                              options.seed * 64 + static_cast<uint32_t>(rank));
        late.dawdle();
        auto output =
            runWithRecords(program, late, inputsOf(program, classes, rank, run), {},
                           options.isShared ? shared[rank / ranksOfProcess].get() : nullptr);
        if (!output)
          return output.error();
        outputs[rank] = std::move(*output);
        return {};
      },
      options.threads);
  EXPECT_TRUE(done) << done.error().message;
  std::vector<std::vector<std::vector<std::byte>>> results(numRanks);
  for (Rank rank = 0; done && rank < numRanks; ++rank)
    for (size_t i = 0; i < program.resultTypes().size(); ++i) {
      Rank holder = outputs[rank].holders.empty() ? rank : outputs[rank].holders[i];
      results[rank].push_back(outputs[holder].results[i].bytes);
    }
  return results;
}

/// A partition of the ranks for each argument: all equal, none, or halves of two kinds.
std::vector<RankClasses> randomClasses(ProgramWriter &writer, int64_t numRanks, int numVectors) {
  std::vector<RankClasses> classes = {together(numRanks)};
  for (int i = 0; i < numVectors; ++i) {
    RankClasses one;
    int64_t kind = writer.below(4);
    for (int64_t rank = 0; rank < numRanks; ++rank)
      one.push_back(static_cast<int32_t>(kind == 0   ? 0
                                         : kind == 1 ? rank
                                         : kind == 2 ? rank % 2
                                                     : rank / 2 * 2));
    classes.push_back(std::move(one));
  }
  return classes;
}

class SharedRunRandomTest : public ::testing::TestWithParam<int64_t> {};

TEST_P(SharedRunRandomTest, bitsAreThoseOfRanksThatWorkAlone) {
  int64_t numRanks = GetParam();
  constexpr int kVectors = 6;
  int numShared = 0, numOverlapping = 0;
  for (uint32_t seed = 0; seed < kPrograms && !HasFailure(); ++seed) {
    ProgramWriter writer(seed, numRanks);
    std::string text = writer.write(kVectors, 20);
    std::vector<RankClasses> classes = randomClasses(writer, numRanks, kVectors);
    TestPrograms programs;
    auto module = programs.parse(text);
    ASSERT_TRUE(module) << programs.diagnostics() << text;
    // Also what takes more memory than it would without overlaps, every other time.
    auto program =
        compile(*module, {classes, 0}, seed % 2 ? Overlapping::Always : Overlapping::Allowed);
    ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics() << text;
    auto alone = compile(*module, {}, Overlapping::None);
    ASSERT_TRUE(mlir::succeeded(alone)) << programs.diagnostics() << text;
    numShared += program->describe().find("rank ") != std::string::npos;
    numOverlapping += program->describe().find(" wait") != std::string::npos;
    for (int run = 0; run < kRuns && !HasFailure(); ++run) {
      RunOptions options = {true, run % 3 == 0,
                            run % 2 ? runtime::RankThreads::Shared : runtime::RankThreads::Own,
                            run / 2 % 2 ? 2 : 1, seed * kRuns + static_cast<uint32_t>(run)};
      auto expected = resultsOf(*alone, classes, run, {});
      auto actual = resultsOf(*program, classes, run, options);
      for (size_t rank = 0; rank < expected.size() && !HasFailure(); ++rank)
        for (size_t i = 0; i < expected[rank].size(); ++i)
          EXPECT_TRUE(actual[rank][i] == expected[rank][i])
              << "seed " << seed << ", run " << run << ", rank " << rank << ", result " << i << "\n"
              << text << program->describe();
    }
  }
  EXPECT_GT(numShared, kPrograms / 2);
  EXPECT_GT(numOverlapping, kPrograms / 3);
}

INSTANTIATE_TEST_SUITE_P(Ranks, SharedRunRandomTest, ::testing::Values(2, 4, 8));

} // namespace
} // namespace shardwise::execute
