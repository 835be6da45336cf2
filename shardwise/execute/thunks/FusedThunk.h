// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise ops fused to one pass over memory: loads, block code, stores.

#pragma once

#include "shardwise/execute/thunks/BlockCode.h"
#include "shardwise/execute/thunks/Iota.h"
#include "shardwise/execute/thunks/StridedCopy.h"

#include <algorithm>

namespace shardwise::execute {

/// One pass over `count` elements in blocks. Each external slot of the code that is no splat has an
/// entry in one of the lists.
class FusedThunk final : public Thunk {
public:
  /// An operand or result that lies densely: a block of it is used in place.
  struct Dense {
    SlotId slot;
    BufferId buffer;
  };
  /// An operand that is repeated along dimensions of the elements.
  struct Broadcast {
    SlotId slot;
    BufferId buffer;
    StridedReader reader;
  };
  /// An operand that is an iota.
  struct Counted {
    SlotId slot;
    Iota iota;
  };

  Result<void> run(Frame &frame) const override;
  std::string name() const override;
  std::optional<std::vector<BufferId>> operandsOf(BufferId result) const override;
  std::optional<std::vector<std::byte>> valueOn(RankNumber rank, BufferId result,
                                                const KnownOperands &operands) const override;

  int64_t blockLength() const { return std::min(count, kBlockLength); }
  int64_t scratchBytes() const;

  int64_t count = 0;
  BlockCode code;
  std::vector<Dense> denses; ///< Loads, then stores.
  std::vector<Broadcast> broadcasts;
  std::vector<Counted> counted;
  BufferId scratch = -1; ///< Of the code, then one block per broadcast and iota.

private:
  /// Computes elements [begin, end) with `base` as scratch.
  void runRange(const Frame &frame, int64_t begin, int64_t end, std::byte *base) const;
  int64_t loadBytes(SlotId slot, int64_t length) const {
    return (length * elementBytes(slot) + 63) / 64 * 64;
  }
  int64_t elementBytes(SlotId slot) const { return runtime::byteSize(code.program.typeOf(slot)); }
};

} // namespace shardwise::execute
