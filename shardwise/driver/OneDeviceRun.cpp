// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One rank, which meets nobody, so that no wait can time out.

#include "shardwise/driver/OneDeviceRun.h"

#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/driver/MachineMemory.h"
#include "shardwise/runtime/LocalCommunicator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwise::driver {

llvm::FailureOr<std::vector<runtime::HostTensor>>
runOnOneDevice(mlir::ModuleOp module, const execute::Program &program,
               std::span<const runtime::HostTensor> inputs, const execute::RunLimits &limits) {
  if (failed(checkFitsMemory(stablehlo::entryFunctionOrNull(module)->getLoc(), program.peakBytes(),
                             "the tensors of the program")))
    return llvm::failure();
  std::vector<runtime::HostTensor> outputs;
  Result<void> done = runtime::runRanks(
      /*numRanks=*/1, runtime::kDefaultTimeout,
      [&](runtime::Communicator &communicator) -> Result<void> {
        auto output = execute::runWithRecords(program, communicator, inputs, limits);
        if (!output)
          return output.error();
        outputs = std::move(output->results);
        return {};
      });
  if (!done) {
    module.emitError() << done.error().message;
    return llvm::failure();
  }
  return outputs;
}

} // namespace shardwise::driver
