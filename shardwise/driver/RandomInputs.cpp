// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reproducible random inputs. Own generator and transforms: the standard library's distributions
// differ between implementations.
//
// The state of the generator grows by the same number with each value, so that it can begin at any
// of them: element 5 of floats, each of which takes two values, begins at value 10. A part of a
// tensor has the elements of the whole.

#include "shardwise/driver/RandomInputs.h"

#include "shardwise/driver/DoubleConversion.h"
#include "shardwise/runtime/StridedCopy.h"

#include <algorithm>
#include <cmath>
#include <cstring>
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

  /// The generator that has made `count` values already.
  Generator after(uint64_t count) const { return Generator(state + count * kStep); }

  uint64_t next() {
    uint64_t z = (state += kStep);
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
  static constexpr uint64_t kStep = 0x9E3779B97F4A7C15ull;
  uint64_t state;
};

/// How numbers of a type are made: elements, or the parts of complex ones.
enum class Kind { Bit, Magnitude, Normal, Small };

Kind kindOf(DataType type) {
  if (type == DataType::I1 || type == DataType::I2)
    return Kind::Bit;
  // A type without sign.
  if (type == DataType::F8E8M0FNU)
    return Kind::Magnitude;
  if (runtime::isFloatingPoint(type) || runtime::isComplex(type))
    return Kind::Normal;
  // Integers of 0 to 3: small enough for sums and products, and likely to be valid indices.
  return Kind::Small;
}

double numberOf(Kind kind, Generator &generator) {
  switch (kind) {
  case Kind::Bit:
    return static_cast<double>(generator.next() >> 63);
  case Kind::Magnitude:
    return std::fabs(0.25 * generator.normal());
  case Kind::Normal:
    return 0.25 * generator.normal();
  case Kind::Small:
    return static_cast<double>(generator.next() >> 62);
  }
  return 0;
}

/// What `numberOf` takes from the generator.
uint64_t valuesOf(Kind kind) {
  return kind == Kind::Bit || kind == Kind::Small ? 1 : 2;
}

/// Elements `first` to `first + count` of the tensor that `begin` begins, to `target`.
void fill(DataType type, Generator begin, int64_t first, int64_t count, std::byte *target) {
  // As doubles, which take more memory than most types: some at a time.
  constexpr int64_t kAtOnce = 16'384;
  const Kind kind = kindOf(type);
  const int64_t numbers = runtime::isComplex(type) ? 2 : 1;
  Generator generator = begin.after(static_cast<uint64_t>(first * numbers) * valuesOf(kind));
  std::vector<double> values;
  for (int64_t done = 0; done < count; done += kAtOnce) {
    int64_t size = std::min(kAtOnce, count - done);
    values.resize(static_cast<size_t>(size * numbers));
    for (double &value : values)
      value = numberOf(kind, generator);
    HostTensor elements = fromDoubles(type, {size}, values);
    std::memcpy(target, elements.bytes.data(), elements.bytes.size());
    target += elements.bytes.size();
  }
}

} // namespace

HostTensor randomPart(DataType type, const core::Shape &shape, const core::Box &box, uint64_t seed,
                      uint64_t index) {
  // Every input has a stream of its own, so an input does not change with the shapes of others.
  Generator mix(seed);
  const Generator begin(mix.next() ^ (index * 0xD1342543DE82EF95ull));
  HostTensor part = HostTensor::zeros(type, box.size);
  const int64_t elementBytes = runtime::byteSize(type);
  // Strides of elements count them; a run is a row of the box, or several that follow each other.
  std::vector<int64_t> strides = runtime::rowMajorStrides(shape, 1);
  int64_t origin = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    origin += box.start[dim] * strides[dim];
  runtime::StridedCopy runs(box.size, strides, runtime::rowMajorStrides(box.size, 1), 1);
  runs.forEachRun([&](int64_t inTensor, int64_t inPart) {
    fill(type, begin, origin + inTensor, runs.runBytes(),
         part.bytes.data() + inPart * elementBytes);
  });
  return part;
}

HostTensor randomTensor(DataType type, const core::Shape &shape, uint64_t seed, uint64_t index) {
  return randomPart(type, shape, {core::Shape(shape.size(), 0), shape}, seed, index);
}

} // namespace shardwise::driver
