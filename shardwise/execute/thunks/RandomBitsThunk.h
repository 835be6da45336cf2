// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rng_bit_generator: Threefry-2x32-20 and Philox-4x32-10 (Salmon et al., SC 2011), in the block
// layout of StableHLO's own lowering.

#pragma once

#include "shardwise/execute/thunks/DataMovementThunks.h"

namespace shardwise::execute {

/// Fills a tensor with random bits and moves the counter of the state on. The state is u64: key,
/// counter, and possibly one more word, which stays. Or fills a box of the tensor only.
class RandomBitsThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "random bits"; }

  BufferId state = -1, newState = -1, bits = -1;
  int64_t stateBytes = 16, elementBytes = 4;
  bool isThreefry = false;    ///< Else Philox.
  std::vector<int64_t> shape; ///< Of the bits; Threefry's layout depends on it.
  /// Sizes of the box that is wanted of the bits, empty for all of them, and where it begins.
  std::vector<int64_t> box;
  DynamicStart start;

private:
  /// Where the bits go.
  struct Target {
    std::byte *bytes;
    std::vector<int64_t> starts; ///< Of the box.
  };

  Target targetIn(const Frame &frame) const;
  /// The place of an element in the target; -1 if it is outside of the box.
  int64_t placeOf(const Target &target, int64_t position) const;
  void put(const Target &target, int64_t position, uint64_t value) const;
  // Both return how many blocks were used, or would be by all bits.
  uint64_t threefry(uint64_t key, uint64_t counter, const Target &target) const;
  uint64_t philox(uint64_t key, uint64_t counter, const Target &target) const;
};

} // namespace shardwise::execute
