// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What devices reach: two small programs, run by all of them at once, on the kernels that programs
// run on.

#include "shardwise/driver/Registration.h"
#include "shardwise/driver/RunProfile.h"
#include "shardwise/execute/Program.h"
#include "shardwise/runtime/LocalCommunicator.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace shardwise::driver {
namespace {

constexpr int64_t kSize = 256;
constexpr int kProducts = 8;
/// The first run of all makes arenas; of the others the best counts, as it is the one with the
/// least of what else the machine does.
constexpr int kRuns = 4;
constexpr std::chrono::milliseconds kPatience = std::chrono::minutes(10);

/// Products one behind the other, of matrices that stay in the cache.
std::string products() {
  std::string type = fmt::format("tensor<{0}x{0}xf32>", kSize);
  std::string text = fmt::format("func.func @main(%p0: {0}, %b: {0}) -> {0} {{\n", type);
  for (int i = 0; i < kProducts; ++i)
    text += fmt::format("  %p{0} = stablehlo.dot_general %p{1}, %b, contracting_dims = [1] x [0] : "
                        "({2}, {2}) -> {2}\n",
                        i + 1, i, type);
  return text + fmt::format("  return %p{} : {}\n}}\n", kProducts, type);
}

std::string sum(int64_t elements) {
  return fmt::format("func.func @main(%a: tensor<{0}xf32>, %b: tensor<{0}xf32>) -> tensor<{0}xf32> "
                     "{{\n  %c = stablehlo.add %a, %b : tensor<{0}xf32>\n  return %c : "
                     "tensor<{0}xf32>\n}}\n",
                     elements);
}

/// Seconds that a device spends in the thunks of the program, on average, at best.
Result<double> secondsOf(const std::string &text, int64_t numDevices) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return Error{ErrorKind::Internal, "a program that measures the machine cannot be read"};
  auto program = execute::compile(*module);
  if (failed(program))
    return Error{ErrorKind::Internal, "a program that measures the machine cannot be compiled"};
  std::vector<runtime::HostTensor> inputs;
  for (const execute::TensorType &type : program->argumentTypes())
    inputs.push_back(runtime::HostTensor::zeros(type.type, type.shape));
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) {
    std::vector<execute::RankTrace> traces(numDevices);
    Result<void> status = runtime::runRanks(
        numDevices, kPatience, [&](runtime::Communicator &communicator) -> Result<void> {
          execute::TraceScope scope(traces[communicator.rank()]);
          auto output = execute::run(*program, communicator, inputs);
          return output ? Result<void>() : output.error();
        });
    if (!status)
      return status.error();
    int64_t sum = 0;
    for (const execute::RankTrace &trace : traces)
      for (const auto &[thunk, total] : trace.totals)
        sum += total.nanoseconds;
    if (run > 0)
      best = std::min(best, 1e-9 * static_cast<double>(sum) / static_cast<double>(numDevices));
  }
  return best;
}

} // namespace

Result<MachineRates> measureRates(int64_t numDevices) {
  // Larger than caches, but not so many that the devices need gigabytes.
  int64_t elements = std::clamp<int64_t>((int64_t{1} << 24) / numDevices, 1 << 18, 1 << 22);
  // 2 operations for each multiply-add; 3 tensors of f32 that a sum reads and writes.
  Result<double> computing = secondsOf(products(), numDevices);
  if (!computing)
    return computing.error();
  Result<double> moving = secondsOf(sum(elements), numDevices);
  if (!moving)
    return moving.error();
  return MachineRates{2.0 * kProducts * kSize * kSize * kSize / std::max(*computing, 1e-9),
                      3.0 * 4 * static_cast<double>(elements) / std::max(*moving, 1e-9)};
}

} // namespace shardwise::driver
