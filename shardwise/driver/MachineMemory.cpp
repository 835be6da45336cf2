// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the machine or of the control group that the process is in. A program that cannot fit
// is refused before anything is allocated: the system would grant the memory and end the process,
// without a word, when it is used. Sums of bytes saturate, as shapes come from the user.

#include "shardwise/driver/MachineMemory.h"

#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/driver/HostTypes.h"
#include "shardwise/terminal/ByteText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sys/resource.h>
#include <unistd.h>

using namespace mlir;

namespace shardwise::driver {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

int64_t addSaturated(int64_t a, int64_t b) {
  int64_t sum = 0;
  return llvm::AddOverflow(a, b, sum) ? kUnlimited : sum;
}

/// Bytes of a tensor in memory; 0 for what is none.
int64_t bytesOf(Type type) {
  auto hostType = hostTypeOf(type);
  if (!hostType)
    return 0;
  int64_t bytes = runtime::byteSize(hostType->type);
  for (int64_t size : hostType->shape)
    if (llvm::MulOverflow(bytes, size, bytes))
      // A dimension of 0 behind sizes that overflow: the tensor is empty all the same.
      return llvm::is_contained(hostType->shape, 0) ? 0 : kUnlimited;
  return bytes;
}

/// Bytes that the limit on the address space of this process leaves it.
int64_t addressSpaceLeft() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return kUnlimited;
  std::ifstream statistics("/proc/self/statm");
  int64_t pages = 0;
  statistics >> pages;
  int64_t used = pages * ::sysconf(_SC_PAGE_SIZE);
  return std::max<int64_t>(0, static_cast<int64_t>(limit.rlim_cur) - used);
}

} // namespace

int64_t machineMemoryBytes() {
  int64_t bytes = static_cast<int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGE_SIZE);
  std::ifstream limit("/sys/fs/cgroup/memory.max");
  int64_t allowed = 0;
  return limit >> allowed ? std::min(bytes, allowed) : bytes;
}

LogicalResult checkFitsMemory(Location location, int64_t needed, StringRef what) {
  int64_t available = machineMemoryBytes();
  int64_t allowed = addressSpaceLeft();
  if (needed <= std::min(available, allowed))
    return success();
  InFlightDiagnostic diagnostic = emitError(location);
  diagnostic << what << " take ";
  if (needed == kUnlimited)
    diagnostic << "more bytes than 64 bits can count";
  else
    diagnostic << terminal::bytesText(needed);
  if (allowed < available)
    diagnostic << ", this process may take " << terminal::bytesText(allowed) << " more (ulimit -v)";
  else
    diagnostic << ", this machine has " << terminal::bytesText(available);
  return diagnostic << "; make the shapes smaller, or use 'shardwise propagate', 'partition' or "
                       "'explain', which allocate no tensors";
}

LogicalResult checkTensorsFitMemory(ModuleOp module) {
  func::FuncOp entry = stablehlo::entryFunctionOrNull(module);
  int64_t needed = 0;
  for (TypeRange types : {TypeRange(entry.getArgumentTypes()), TypeRange(entry.getResultTypes())})
    for (Type type : types)
      needed = addSaturated(needed, bytesOf(type));
  return checkFitsMemory(entry.getLoc(), needed,
                         ("the arguments and results of @" + entry.getSymName()).str());
}

} // namespace shardwise::driver
