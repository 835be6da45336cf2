// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products over lists of element offsets: the arithmetic of dot_general and convolution.

#pragma once

#include "shardwise/reference/IndexSpace.h"
#include "shardwise/reference/Scalar.h"

#include <vector>

namespace shardwise::reference {

/// The elements of a tensor after conversion to a result type, in the type sums are made in:
/// double for floats, two of them for complex numbers, 64-bit integers modulo 2^64 for the rest.
struct Numbers {
  std::vector<double> reals;
  std::vector<double> imags;
  std::vector<uint64_t> integers;

  void append(const Numbers &from, int64_t at) {
    auto copy = [at](const auto &source, auto &target) {
      if (!source.empty())
        target.push_back(source[static_cast<size_t>(at)]);
    };
    copy(from.reals, reals);
    copy(from.imags, imags);
    copy(from.integers, integers);
  }
};

/// Returns all elements of `tensor`, converted to `type` first.
inline Numbers numbersOf(const HostTensor &tensor, DataType type) {
  Numbers numbers;
  for (int64_t position = 0, count = tensor.numElements(); position < count; ++position) {
    Scalar value = convert(load(tensor, position), type);
    if (value.isFloat() || value.isComplex())
      numbers.reals.push_back(value.real());
    else
      numbers.integers.push_back(value.bits());
    if (value.isComplex())
      numbers.imags.push_back(value.imag());
  }
  return numbers;
}

/// Returns the offsets of all positions spanned by `dims` of a tensor, in row-major order.
inline std::vector<int64_t> offsetsAlong(IndexRef shape, IndexRef dims) {
  Index sizes = pick(shape, dims);
  Index strides = pick(stridesOf(shape), dims);
  std::vector<int64_t> offsets;
  forEachIndex(sizes, [&](const Index &index) { offsets.push_back(offsetOf(index, strides)); });
  return offsets;
}

/// Returns the numbers in the order [batch, row, term], each given by its list of offsets.
inline Numbers reordered(const Numbers &numbers, const std::vector<int64_t> &batches,
                         const std::vector<int64_t> &rows, const std::vector<int64_t> &terms) {
  Numbers result;
  for (int64_t batch : batches)
    for (int64_t row : rows)
      for (int64_t term : terms)
        result.append(numbers, batch + row + term);
  return result;
}

/// A running sum of products in one result type. i1 sums are "or" of "and".
class ProductSum {
public:
  ProductSum(DataType type, const Numbers &lhs, const Numbers &rhs)
      : type(type), lhs(lhs), rhs(rhs) {}

  void clear() { real = imag = 0.0, integer = 0; }
  void add(int64_t left, int64_t right) {
    if (!lhs.imags.empty()) {
      real += lhs.reals[left] * rhs.reals[right] - lhs.imags[left] * rhs.imags[right];
      imag += lhs.reals[left] * rhs.imags[right] + lhs.imags[left] * rhs.reals[right];
    } else if (!lhs.reals.empty())
      real += lhs.reals[left] * rhs.reals[right];
    else if (type == DataType::I1)
      integer |= lhs.integers[left] & rhs.integers[right];
    else
      integer += lhs.integers[left] * rhs.integers[right];
  }
  /// Adds `count` products of neighbours.
  void addRun(int64_t left, int64_t right, int64_t count) {
    if (lhs.reals.empty() || !lhs.imags.empty()) {
      for (int64_t i = 0; i < count; ++i)
        add(left + i, right + i);
      return;
    }
    // Four sums side by side: one would wait for each addition.
    double sums[4] = {};
    int64_t i = 0;
    for (; i + 4 <= count; i += 4)
      for (int64_t lane = 0; lane < 4; ++lane)
        sums[lane] += lhs.reals[left + i + lane] * rhs.reals[right + i + lane];
    for (; i < count; ++i)
      sums[0] += lhs.reals[left + i] * rhs.reals[right + i];
    real += (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  Scalar value() const {
    bool isExact = classOf(type) != NumberClass::Float && classOf(type) != NumberClass::Complex;
    return isExact ? Scalar::ofBits(type, integer) : Scalar::ofComplex(type, {real, imag});
  }

private:
  DataType type;
  const Numbers &lhs;
  const Numbers &rhs;
  double real = 0.0;
  double imag = 0.0;
  uint64_t integer = 0;
};

} // namespace shardwise::reference
