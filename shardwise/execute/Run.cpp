// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// run(): one rank's arena, frame and records. All ranks share the program, which does not change;
// what a run writes is in its own arena and frame, and only those of a shared run read each
// other's.

#include "shardwise/execute/CompiledProgram.h"
#include "shardwise/execute/SharedRun.h"
#include "shardwise/execute/sharing/SharingRank.h"
#include "shardwise/execute/thunks/CollectivesInFlight.h"
#include "shardwise/execute/thunks/RankWorkers.h"

#include <fmt/format.h>

#include <optional>

namespace shardwise::execute {
namespace {

Result<void> checkInputs(const CompiledProgram &program,
                         llvm::ArrayRef<const runtime::HostTensor *> inputs) {
  if (inputs.size() != program.argumentTypes.size())
    return invalid(fmt::format("the program takes {} arguments, but got {}",
                               program.argumentTypes.size(), inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorType &expected = program.argumentTypes[i];
    const runtime::HostTensor &input = *inputs[i];
    if (input.type != expected.type || input.shape != expected.shape)
      return invalid(fmt::format("the program takes {} as argument {}, but got {}",
                                 runtime::typeString(expected.type, expected.shape), i,
                                 runtime::typeString(input)));
    if (static_cast<int64_t>(input.bytes.size()) != expected.bytes())
      return invalid(fmt::format("argument {} of type {} has {} bytes, expected {}", i,
                                 runtime::typeString(input), input.bytes.size(), expected.bytes()));
  }
  return {};
}

} // namespace

Result<RunOutput> runOnShared(const Program &program, runtime::Communicator &communicator,
                              llvm::ArrayRef<const runtime::HostTensor *> inputs,
                              const std::vector<bool> &wanted, const RunLimits &limits,
                              SharedRun *shared) {
  const CompiledProgram &compiled = ProgramAccess::get(program);
  // Alone in its process, as far as it knows.
  std::optional<SharedRun> unshared;
  if (!shared)
    shared = &unshared.emplace(program, communicator.size(), std::vector{communicator.rank()});
  SharingRank rank(*shared, communicator);
  if (Result<void> checked = checkInputs(compiled, inputs); !checked)
    return checked.error();
  if (!rank.arena())
    return Error{
        ErrorKind::Infeasible,
        fmt::format("cannot allocate {} bytes for the program's arena; make the shapes smaller, "
                    "use fewer devices, or allow the process more memory (ulimit -v)",
                    compiled.main->arenaBytes)};
  std::vector<const std::byte *> arguments;
  for (const runtime::HostTensor *input : inputs)
    arguments.push_back(input->bytes.data());
  RunOutput output;
  // If the run fails, it goes before the memory that peers read.
  CollectivesInFlight inFlight;
  RankContext context = {communicator, output.collectives, limits, inFlight};
  Frame frame(*compiled.main, rank.arena(), arguments, context);
  rank.placeBuffers(frame);
  WorkersScope workers(workersForRanks(rank.numRanksHere(), communicator.size()));
  if (Result<void> done = rank.run(frame); !done)
    return done.error();
  for (size_t i = 0; i < compiled.resultTypes.size(); ++i) {
    const TensorType &type = compiled.resultTypes[i];
    const std::byte *data = frame.at(compiled.main->results[i]);
    runtime::HostTensor tensor = {type.type, type.shape, {}};
    std::optional<runtime::Rank> holder = rank.holderOf(i);
    output.holders.push_back(holder.value_or(communicator.rank()));
    // Results are copied out of the arena, which goes back to the pool for the next run. What
    // others read here, some of them will want.
    if (holder ? *holder == communicator.rank() : wanted.empty() || wanted[i])
      tensor.bytes = compiled.resultMemory.copyOf(data, type.bytes());
    output.results.push_back(std::move(tensor));
  }
  return output;
}

void recycle(const Program &program, int64_t numRanks, std::vector<runtime::HostTensor> results) {
  const CompiledProgram &compiled = ProgramAccess::get(program);
  for (runtime::HostTensor &result : results)
    compiled.resultMemory.giveBack(std::move(result.bytes), numRanks * compiled.memory.resultBytes);
}

Result<RunOutput> runWithRecords(const Program &program, runtime::Communicator &communicator,
                                 llvm::ArrayRef<runtime::HostTensor> inputs,
                                 const RunLimits &limits, SharedRun *shared) {
  std::vector<const runtime::HostTensor *> pointers;
  pointers.reserve(inputs.size());
  for (const runtime::HostTensor &input : inputs)
    pointers.push_back(&input);
  return runOnShared(program, communicator, pointers, /*wanted=*/{}, limits, shared);
}

Result<std::vector<runtime::HostTensor>> run(const Program &program,
                                             runtime::Communicator &communicator,
                                             llvm::ArrayRef<runtime::HostTensor> inputs) {
  Result<RunOutput> output = runWithRecords(program, communicator, inputs);
  if (!output)
    return output.error();
  return std::move(output->results);
}

} // namespace shardwise::execute
