// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Answers about ops that are given once for all that are alike. A model of eighty layers has the
// ops of one layer eighty times, and to make a sheet takes longer than to see that it is known.

#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <utility>

namespace shardwise::rules {

/// Whether the sheet of `op` (OpSheet.h) follows from its name, its properties and the types of its
/// operands and results: so it is of ops that compute element by element, broadcast, reshape,
/// transpose or multiply matrices, without an attached rule.
bool hasSheetOfKind(mlir::Operation *op);

/// Whether two ops agree in all this.
bool areOfOneKind(mlir::Operation *one, mlir::Operation *other);
/// Returns a number that is the same for ops that do.
uint64_t kindHash(mlir::Operation *op);

/// Values of type T by kinds of ops and by *marks*: addresses that say what else an answer depends
/// on, such as the placements of operands. The ops that are added must stay as they are.
template <class T> class AlikeOps {
public:
  using Marks = llvm::ArrayRef<const void *>;

  /// Returns what was added for an op of the same kind with the same marks; null if there is none.
  /// Requires: `hasSheetOfKind(op)`.
  const T *find(mlir::Operation *op, Marks marks) const {
    auto alike = known.find(keyOf(op, marks));
    if (alike == known.end())
      return nullptr;
    for (const Entry &entry : alike->second)
      if (Marks(entry.marks) == marks && areOfOneKind(entry.op, op))
        return &entry.value;
    return nullptr;
  }

  /// Requires: nothing was added for such an op.
  void add(mlir::Operation *op, Marks marks, T value) {
    known[keyOf(op, marks)].push_back({op, llvm::SmallVector<const void *, 4>(marks), value});
  }

private:
  struct Entry {
    mlir::Operation *op;
    llvm::SmallVector<const void *, 4> marks;
    T value;
  };

  static uint64_t keyOf(mlir::Operation *op, Marks marks) {
    uint64_t key = kindHash(op);
    for (const void *mark : marks)
      key = (key ^ (key >> 32) ^ reinterpret_cast<uintptr_t>(mark)) * 0x9E3779B97F4A7C15;
    // The largest numbers have a meaning of their own in a table.
    return key >> 1;
  }

  llvm::DenseMap<uint64_t, llvm::SmallVector<Entry, 1>> known;
};

} // namespace shardwise::rules
