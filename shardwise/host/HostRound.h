// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one process does in an exchange of parts of a tensor, known before it happens.
//
// Example: of a vector of 8 floats, process 0 has the first half and process 1 the second,
// [{"x"}]; both want all of it, [{}]. In process 0:
//
//   readers  {1}, of bytes 0 to 16 of its buffer
//   parts    {from 0: bytes 0.. of its own buffer to bytes 0.. of the result},
//            {from 1: bytes 0.. of that of process 1 to bytes 16.. of the result}
//
// If both had partial values, unreduced={"x"}, there would be one part of two terms: the result is
// that of process 0, folded with that of process 1. All processes fold in the same order, so that
// replicas have the same bits.

#pragma once

#include "shardwise/runtime/Reducer.h"
#include "shardwise/runtime/StridedCopy.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace shardwise::host {

/// A box of elements: where its first element lies in one buffer and in another, and how far
/// neighbours along each dimension are apart. In bytes, but for the size.
struct HostBox {
  int64_t source = 0;
  int64_t target = 0;
  std::vector<int64_t> size;
  std::vector<int64_t> sourceStrides;
  std::vector<int64_t> targetStrides;
};

/// Elements of one process for a part of the result.
class HostTerm {
public:
  /// `boxes` lead from the buffer of `process` to the result; elements have `elementBytes`.
  HostTerm(int64_t process, const std::vector<HostBox> &boxes, int64_t elementBytes);

  int64_t process() const { return of; }
  /// From `source`, that process' buffer, to `result`. An element that is where it belongs already
  /// stays there.
  void copy(const std::byte *source, std::byte *result) const;
  /// The same, combined with what is in the result.
  void fold(const std::byte *source, std::byte *result, const runtime::Reducer &combine) const;

private:
  struct Piece {
    int64_t source;
    int64_t target;
    runtime::StridedCopy copy;
  };

  int64_t of;
  std::vector<Piece> pieces;
};

/// What one process does in an exchange.
struct HostRound {
  /// The same in all processes of the exchange, and in no other exchange: processes that do not do
  /// the same find out by it.
  uint64_t meaning = 0;
  /// Who reads from this process, each once, and which bytes of its buffer.
  std::vector<int64_t> readers;
  int64_t sentBegin = 0;
  int64_t sentEnd = 0;
  /// What the result is made of. A part is the combination of its terms, in their order; its first
  /// term has all of its elements. Each other process has one term at most.
  std::vector<std::vector<HostTerm>> parts;
  /// Needed where a part has several terms.
  std::optional<runtime::Reducer> combine;
};

} // namespace shardwise::host
