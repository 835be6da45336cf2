// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers of 2 and 4 bits: one byte in memory each, sign- or zero-extended.

#pragma once

#include <cstdint>
#include <type_traits>

namespace shardwise::runtime {

/// An integer of `Bits` bits. Conversion from a wider integer keeps the low bits, so arithmetic
/// done in the byte wraps around as the narrow type does.
template <int Bits, bool IsSigned> struct SmallInteger {
  using Byte = std::conditional_t<IsSigned, int8_t, uint8_t>;

  Byte value = 0;

  SmallInteger() = default;
  explicit SmallInteger(uint8_t wide) : value(wrap(wide)) {}
  explicit SmallInteger(int8_t wide) : value(wrap(static_cast<uint8_t>(wide))) {}
  explicit operator Byte() const { return value; }

private:
  static Byte wrap(uint8_t wide) {
    constexpr int kUnused = 8 - Bits;
    // Shifting a signed byte right extends its sign.
    return static_cast<Byte>(static_cast<Byte>(static_cast<uint8_t>(wide << kUnused)) >> kUnused);
  }
};

using Int2 = SmallInteger<2, true>;
using Int4 = SmallInteger<4, true>;
using UInt2 = SmallInteger<2, false>;
using UInt4 = SmallInteger<4, false>;

static_assert(sizeof(Int2) == 1 && sizeof(UInt4) == 1, "must be storable as tensor elements");

} // namespace shardwise::runtime
