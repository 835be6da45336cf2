// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled path: a per-device program becomes a list of thunks over a planned arena, run by one
// rank or by N ranks on a communicator.

#pragma once

#include "shardwise/execute/CollectiveRecord.h"
#include "shardwise/execute/MemoryProfile.h"
#include "shardwise/execute/RunLimits.h"
#include "shardwise/execute/sharing/RankClasses.h"
#include "shardwise/runtime/HostTensor.h"
#include "shardwise/runtime/TensorType.h"
#include "shardwise/support/Result.h"

#include <llvm/ADT/ArrayRef.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/Support/LLVM.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace shardwise::runtime {
class Communicator;
} // namespace shardwise::runtime

namespace shardwise::execute {

class SharedRun;
struct CompiledProgram;

using runtime::TensorType;

/// What ranks may do for each other.
struct Sharing {
  /// Which ranks get equal values, by argument. Empty if nothing is known of that, or there is one
  /// rank: nothing is shared then.
  std::vector<RankClasses> argumentClasses;
  /// A thunk that reads and writes fewer bytes is run by every rank: waking others costs more.
  int64_t leastBytes = 32 << 10;
};

/// Whether collectives run while other ops do.
enum class Overlapping {
  /// Where that takes no more memory.
  Allowed,
  /// Each ends where it begins, and ops run in the order of the program. For comparisons.
  None,
  /// Whatever memory it takes. Likewise.
  Always
};

/// A compiled module. Immutable and cheap to copy; all ranks may share one. It keeps the memory of
/// past runs for the next ones, one arena per rank that ran at the same time.
class Program {
public:
  const std::vector<TensorType> &argumentTypes() const;
  const std::vector<TensorType> &resultTypes() const;
  const MemoryUse &memory() const;
  int64_t peakBytes() const { return memory().peakBytes(); }
  /// One line per thunk, and which rank runs it for others. The sequences inside of a loop or
  /// branch follow it, indented, each after a line "-"; functions that are called follow at the
  /// end.
  std::string describe() const;

private:
  friend mlir::FailureOr<Program> compile(mlir::ModuleOp localModule, const Sharing &sharing,
                                          Overlapping overlapping);
  friend struct ProgramAccess;
  std::shared_ptr<const CompiledProgram> compiled;
};

/// The results of a run on one rank, and what it received for them.
struct RunOutput {
  std::vector<runtime::HostTensor> results;
  /// By result: the rank of this process whose result it is. What is not this rank's own has no
  /// bytes here: it is the very same memory there (`SharedRun::keepResultsOnce`).
  std::vector<int64_t> holders;
  /// One record per kind and axes, in order of first execution.
  std::vector<CollectiveRecord> collectives;
};

/// Compiles the public function `main` (or the only public one) of `localModule`, whose shapes are
/// those on one device. Calls are compiled once per callee; chains of element-wise ops are fused.
///
/// With `sharing`, ranks of one process can share work (SharedRun.h).
///
/// Fails with a diagnostic at the op if an op, an element type or an attribute is not covered.
mlir::FailureOr<Program> compile(mlir::ModuleOp localModule, const Sharing &sharing = {},
                                 Overlapping overlapping = Overlapping::Allowed);

/// Runs `program` as the rank that `communicator` stands for; the rank is the device id that
/// `partition_id` gives and that replica groups name. Every rank of the communicator must call it
/// with the same program. Blocks until this rank is done.
///
/// `shared` is what the ranks of this process share, the same for all of them; null if each works
/// for itself.
///
/// Fails if an input has another type than the argument, if communication fails, or at a limit.
Result<RunOutput> runWithRecords(const Program &program, runtime::Communicator &communicator,
                                 llvm::ArrayRef<runtime::HostTensor> inputs,
                                 const RunLimits &limits = {}, SharedRun *shared = nullptr);

/// The same with arguments that ranks may share, as they do not change. Results of this rank alone
/// that are not `wanted` have no bytes; all are if that is empty.
Result<RunOutput> runOnShared(const Program &program, runtime::Communicator &communicator,
                              llvm::ArrayRef<const runtime::HostTensor *> inputs,
                              const std::vector<bool> &wanted, const RunLimits &limits = {},
                              SharedRun *shared = nullptr);

/// Gives back the memory of results that nobody needs any more; later runs of `program` put theirs
/// there. At most what `numRanks` ranks give is kept.
void recycle(const Program &program, int64_t numRanks, std::vector<runtime::HostTensor> results);

/// The same as `runWithRecords`, without the records.
Result<std::vector<runtime::HostTensor>> run(const Program &program,
                                             runtime::Communicator &communicator,
                                             llvm::ArrayRef<runtime::HostTensor> inputs);

} // namespace shardwise::execute
