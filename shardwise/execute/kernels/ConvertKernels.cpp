// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversion between every pair of types that kernels compute in, complex types aside. Floats
// truncate towards zero and saturate at the ends of an integer type, integers keep their low bits,
// and anything but zero is true. Every conversion rounds once: double rounding, e.g. of a 64-bit
// integer through double to f16, may be off by one unit.

#include "shardwise/execute/kernels/ElementStorage.h"

#include <cmath>
#include <limits>

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {
namespace {

/// Truncates, saturating at the ends of `To`; NaN gives 0.
template <class To, class From> inline To saturate(From x) {
  // Both bounds are powers of two or zero, hence exact in any float type with enough range.
  constexpr auto kHigh = static_cast<double>(std::numeric_limits<To>::max() / 2 + 1) * 2.0;
  constexpr auto kLow = static_cast<double>(std::numeric_limits<To>::min());
  auto value = static_cast<double>(x);
  if (!(value > kLow - 1.0)) // also NaN
    return std::isnan(value) ? To(0) : std::numeric_limits<To>::min();
  if (value >= kHigh)
    return std::numeric_limits<To>::max();
  return value <= kLow ? std::numeric_limits<To>::min() : static_cast<To>(value);
}

template <class To, class From> inline To convertElement(From value) {
  auto x = widen(value);
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<To, Bit>) {
    return Bit(x != 0);
  } else if constexpr (kIsFloat<From>) {
    if constexpr (kIsFloat<To>)
      if constexpr (std::is_same_v<From, double>)
        return To(x); // One rounding, from double to any type.
      else
        return To(static_cast<float>(x));
    else
      return saturate<To>(x);
  } else if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
    if constexpr (sizeof(From) == 8) {
      // Rounding to double first would round twice; an odd last bit makes it harmless.
      bool isNegative = x < 0;
      uint64_t magnitude = isNegative ? uint64_t(0) - static_cast<uint64_t>(x) : uint64_t(x);
      auto odd = static_cast<double>((magnitude >> 11) | ((magnitude & 0x7ff) != 0 ? 1 : 0));
      double exact =
          magnitude < (uint64_t(1) << 53) ? static_cast<double>(magnitude) : odd * 2048.0;
      return To(isNegative ? -exact : exact);
    } else {
      return To(static_cast<double>(x));
    }
  } else {
    return static_cast<To>(x);
  }
}

template <class To, class From>
SHARDWISE_KERNEL void convertLoop(void *result, const void *const *operands, int64_t count,
                                  const KernelArguments &) {
  auto *out = static_cast<To *>(result);
  const auto *in = static_cast<const From *>(operands[0]);
  for (int64_t i = 0; i < count; ++i)
    out[i] = convertElement<To>(in[i]);
}

} // namespace

ElementKernel findConvertKernel(DataType from, DataType to) {
  return forType(PlainTypes(), from, [to]<class From>() -> ElementKernel {
    return forType(PlainTypes(), to,
                   []<class To>() -> ElementKernel { return &convertLoop<To, From>; });
  });
}

} // namespace SHARDWISE_ISA
} // namespace shardwise::execute
