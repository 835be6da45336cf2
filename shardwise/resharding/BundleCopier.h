// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries out copies that are bundles of rows.

#pragma once

#include "shardwise/resharding/RowBundles.h"

namespace shardwise::resharding {

/// Copies bundles; for one thread.
class BundleCopier {
public:
  explicit BundleCopier(runtime::Stores stores) : stores(stores) {}

  /// Copies what begins in bytes `begin` to `end` - 1 of the tensor.
  void run(const BundledCopies &copies, int64_t begin, int64_t end);

private:
  /// A bundle of which there is something to copy: its next row, and the end in the strip.
  struct Active {
    const RowBundle *bundle;
    int64_t next = 0;
    int64_t last = 0;
  };

  bool copyNextRuns();
  void setOffsets(const RowBundle &bundle, int64_t row);
  void copyRun(const RowBundle &bundle, int64_t count);
  bool isPutTogether(const RowBundle &bundle, const StreamGroup &group) const;
  bool areLines(const RowBundle &bundle, const StreamGroup &group) const;
  runtime::SideRows rowsOf(const RowBundle &bundle, size_t stream) const;
  bool continuesPending(const RowBundle &bundle) const;
  void addPending(const RowBundle &bundle, const StreamGroup &group);
  void copyPending();
  void copyLongRows(const RowBundle &bundle, const StreamGroup &group, int64_t count);
  void copyPutTogether(const RowBundle &bundle, const StreamGroup &group, int64_t count);

  runtime::Stores stores;
  std::vector<Active> active;
  TensorPlace place;
  /// By stream: where its rows are from the one on that the innermost loop is at, from its source
  /// and from each of its targets.
  std::vector<int64_t> sourceOffsets, targetOffsets;
  /// Rows that wait to be copied side by side, past the cache and through it, and their number.
  std::vector<runtime::SideRows> streamed, cached;
  int64_t numPending = 0;
  /// What is put together, and rows of a tile as they lie in the target.
  std::vector<runtime::SideRows> parts;
  std::vector<std::byte> block;
};

} // namespace shardwise::resharding
