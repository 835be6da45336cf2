// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each pass changed, counted from outside. MLIR's own statistics are compiled out of release
// builds of LLVM (the stock `--mlir-pass-statistics` prints an empty report there), so passes keep
// none, and the tool answers that option itself.

#pragma once

#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace shardwise::tools {

/// How much there is of what shardings are about, in an op and everything inside it.
struct IrCounts {
  int64_t ops = 0;
  /// Results and block arguments that have a sharding.
  int64_t shardedValues = 0;
  int64_t reshards = 0;
  int64_t collectives = 0;

  IrCounts &operator+=(const IrCounts &other);
};

/// Counts one walk over `root`.
IrCounts countIr(mlir::Operation *root);

/// Collects counts before and after every pass, over any number of pass managers. Passes on
/// different functions may run at the same time.
class PassStatistics {
public:
  /// For `PassManager::addInstrumentation`. Must not outlive this object.
  std::unique_ptr<mlir::PassInstrumentation> makeInstrumentation();

  /// Writes one line per pass, in the order in which passes first ran:
  ///
  ///     pass                        runs  ops          sharded values  reshards  collectives
  ///     sdy-insert-explicit-reshards   1  12 -> 14     9 -> 11         0 -> 2    0
  void print(llvm::raw_ostream &stream) const;

  /// Writes the same counts as MLIR writes statistics, one block per pass:
  ///
  ///     BasicPropagatePass
  ///       (S) 1 runs - Number of ops that the pass ran on
  ///       (S) 2 sharded-values-after - ...
  ///
  /// Sorted by name if `isSorted`, else in the order in which passes first ran.
  void printReport(llvm::raw_ostream &stream, bool isSorted) const;

private:
  class Instrumentation;
  struct Line {
    /// The flag, and the name of the class.
    std::string flag;
    std::string name;
    int64_t numRuns = 0;
    IrCounts before;
    IrCounts after;
  };

  Line &lineOf(const mlir::Pass &pass);

  std::mutex mutex;
  std::vector<Line> lines;
  llvm::DenseMap<std::pair<mlir::Pass *, mlir::Operation *>, IrCounts> running;
};

} // namespace shardwise::tools
