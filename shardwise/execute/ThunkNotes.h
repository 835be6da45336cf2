// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the thunks of a program are made of, noted while it is compiled: names for profiles.

#pragma once

#include "shardwise/execute/RunTrace.h"

#include <mlir/IR/Operation.h>

#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardwise::execute {

/// What is known of a thunk before it runs.
struct ThunkInfo {
  /// As in listings: "gemm", "fused 3 ops x 1024".
  std::string name;
  /// The op that it was made of, `dot_general`; of those that were fused `add, tanh`.
  std::string op;
  /// Where that comes from.
  std::string place;
  /// What one run reads and writes, and computes.
  int64_t bytes = 0;
  int64_t flops = 0;
};

/// Until it stops, what `compile` makes on its thread is noted.
class ThunkNotes {
public:
  /// `placeOf` says where an op is from, in the words of the report.
  explicit ThunkNotes(std::function<std::string(mlir::Operation &)> placeOf);
  ~ThunkNotes();
  ThunkNotes(const ThunkNotes &) = delete;
  ThunkNotes &operator=(const ThunkNotes &) = delete;

  /// From here on nothing is noted; what was noted stays.
  void stop();

  const ThunkInfo *find(ThunkKey thunk) const {
    auto found = infos.find(thunk);
    return found == infos.end() ? nullptr : &found->second;
  }

  /// Those of this thread; null if nobody asked for them.
  static ThunkNotes *ofThread();
  /// Notes a thunk called `name` that was made of `op`, or of those that are fused, the last one of
  /// which gives the place. An op of several thunks computes in the last of them.
  void add(ThunkKey thunk, std::string name, mlir::Operation *op, int64_t bytes);
  /// The thunks until the end are made of these ops.
  void addFused(mlir::Operation &op) { fused.push_back(&op); }
  void endFused() { fused.clear(); }
  /// Those that were told and have not ended; none is left.
  std::vector<mlir::Operation *> takeFused() { return std::exchange(fused, {}); }

private:
  std::function<std::string(mlir::Operation &)> placeOf;
  std::unordered_map<ThunkKey, ThunkInfo> infos;
  std::vector<mlir::Operation *> fused;
  mlir::Operation *lastOp = nullptr;
  ThunkKey lastThunk = nullptr;
};

} // namespace shardwise::execute
