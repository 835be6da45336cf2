// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reproducible random inputs. Own generator and transforms: the standard library's distributions
// differ between implementations.

#include "shardwise/driver/RandomInputs.h"

#include "shardwise/driver/DoubleConversion.h"

#include <cmath>
#include <numbers>
#include <vector>

namespace shardwise::driver {

using runtime::DataType;
using runtime::HostTensor;

namespace {

/// SplitMix64 (Steele, Lea, Flood, 2014): one multiply-xor chain per value.
class Generator {
public:
  explicit Generator(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = (state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }

  /// Uniform in (0, 1].
  double unit() { return (static_cast<double>(next() >> 11) + 1) * 0x1p-53; }

  /// Standard normal, by Box and Muller.
  double normal() {
    double radius = std::sqrt(-2 * std::log(unit()));
    return radius * std::cos(2 * std::numbers::pi * unit());
  }

private:
  uint64_t state;
};

} // namespace

HostTensor randomTensor(DataType type, const core::Shape &shape, uint64_t seed, uint64_t index) {
  // Every input has a stream of its own, so an input does not change with the shapes of others.
  Generator mix(seed);
  Generator generator(mix.next() ^ (index * 0xD1342543DE82EF95ull));
  std::vector<double> values(core::numElements(shape) * (runtime::isComplex(type) ? 2 : 1));
  for (double &value : values)
    if (type == DataType::I1 || type == DataType::I2)
      value = static_cast<double>(generator.next() >> 63);
    // A type without sign.
    else if (type == DataType::F8E8M0FNU)
      value = std::fabs(0.25 * generator.normal());
    else if (runtime::isFloatingPoint(type) || runtime::isComplex(type))
      value = 0.25 * generator.normal();
    // Integers of 0 to 3: small enough for sums and products, and likely to be valid indices.
    else
      value = static_cast<double>(generator.next() >> 62);
  return fromDoubles(type, shape, values);
}

} // namespace shardwise::driver
