// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block program together with the scalars it spreads over whole blocks.

#pragma once

#include "shardwise/execute/thunks/BlockProgram.h"
#include "shardwise/execute/thunks/Thunk.h"

namespace shardwise::execute {

/// An external slot that holds one value in every element: a constant, or element 0 of a buffer.
struct Splat {
  SlotId slot;
  std::vector<std::byte> constant; ///< Empty if the value is in `buffer`.
  BufferId buffer = -1;
};

/// Element-wise code with its splats.
struct BlockCode {
  BlockProgram program;
  std::vector<Splat> splats;

  SlotId addConstant(DataType type, std::vector<std::byte> value);
  SlotId addScalar(DataType type, BufferId buffer);

  /// Scratch memory for blocks of at most `length` elements, splats included.
  int64_t scratchBytes(int64_t length) const;
  /// Returns one pointer per slot with internal slots and splats set and filled.
  std::vector<void *> bind(const Frame &frame, std::byte *scratch, int64_t length) const;
};

/// The body of a reduction, sort or scatter: element-wise code from argument slots to results.
struct RegionCode {
  BlockCode code;
  std::vector<SlotId> arguments;
  std::vector<SlotId> results;
  std::vector<BufferId> captured; ///< Buffers that the code reads.

  DataType resultType(size_t result) const { return code.program.typeOf(results[result]); }
  DataType argumentType(size_t argument) const { return code.program.typeOf(arguments[argument]); }
};

} // namespace shardwise::execute
