// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far a tensor is from the one it should be. An element passes if |actual - expected| <= atol +
// rtol * |expected|. By default rtol is what the element type can hold after a chain of operations,
// and atol that times the largest magnitude of the tensor: sums over many devices are added in
// another order, so an element near zero carries the rounding errors of the large ones it was made
// from. It is at least the smallest subnormal: where numbers underflow, both tensors are rounded by
// up to half of that, however small they are. Example, f32: expected {1000, 0.001}, actual {1000,
// 0.002}: rtol = 1e-5, atol = 0.01; both pass. Integers and booleans must be equal.

#include "shardwise/driver/CompareTensors.h"

#include "shardwise/driver/DoubleConversion.h"
#include "shardwise/runtime/ElementError.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

namespace shardwise::driver {

using runtime::DataType;
using runtime::HostTensor;

namespace {

/// Of the first of two tolerances about eight units in the last place.
double defaultRelativeTolerance(DataType type, bool isFirstOfTwo) {
  if (runtime::isSmallFloat(type))
    return runtime::unitInLastPlace(type);
  switch (runtime::realPartType(type)) {
  case DataType::F64:
    return isFirstOfTwo ? 2e-15 : 1e-10;
  case DataType::F32:
    return isFirstOfTwo ? 1e-6 : 1e-5;
  case DataType::F16:
    return 2e-3;
  case DataType::BF16:
    return 2e-2;
  default:
    return 0;
  }
}

/// The magnitude that errors are measured against; with an infinite one everything would pass.
double largestFiniteMagnitude(std::span<const double> values) {
  double largest = 0;
  for (double value : values)
    if (std::isfinite(value))
      largest = std::max(largest, std::abs(value));
  return largest;
}

} // namespace

ElementTolerance::ElementTolerance(const HostTensor &expected, const Tolerance &tolerance)
    : rtol(
          tolerance.rtol.value_or(defaultRelativeTolerance(expected.type, tolerance.isFirstOfTwo))),
      largest(largestFiniteMagnitude(toDoubles(expected))),
      atol(tolerance.atol.value_or(
          rtol == 0 ? 0 : std::max(rtol * largest, runtime::stepAt(expected.type, 0)))) {}

double ElementTolerance::allowed(double expected) const {
  // An infinite tolerance must not let a wrong finite value pass.
  return std::isfinite(expected) ? atol + rtol * std::abs(expected) : 0;
}

TensorDifference compareTensors(const HostTensor &actual, const HostTensor &expected,
                                const Tolerance &tolerance, std::vector<int64_t> *failing) {
  assert(actual.type == expected.type && actual.shape == expected.shape &&
         "comparing tensors of different types");
  std::vector<double> actualValues = toDoubles(actual);
  std::vector<double> expectedValues = toDoubles(expected);
  ElementTolerance limits(expected, tolerance);
  bool isFloat = runtime::isFloatingPoint(expected.type) || runtime::isComplex(expected.type);
  // Doubles cannot tell all 64-bit integers apart; where exactness is asked for, bits decide.
  bool comparesBits = limits.isExact() && !isFloat;
  auto bytes = static_cast<size_t>(runtime::byteSize(expected.type));

  int64_t parts = runtime::isComplex(expected.type) ? 2 : 1;
  int64_t lastFailing = -1;
  TensorDifference difference;
  for (size_t i = 0; i < expectedValues.size(); ++i) {
    double a = actualValues[i];
    double e = expectedValues[i];
    double error = runtime::absoluteError(a, e);
    difference.maxAbsError = std::max(difference.maxAbsError, error);
    bool isEqual = !comparesBits || std::memcmp(actual.bytes.data() + i * bytes,
                                                expected.bytes.data() + i * bytes, bytes) == 0;
    if (error <= limits.allowed(e) && isEqual)
      continue;
    // Both parts of a complex number may fail; it counts once.
    int64_t element = static_cast<int64_t>(i) / parts;
    if (element == lastFailing)
      continue;
    lastFailing = element;
    if (failing)
      failing->push_back(element);
    if (difference.numFailing++ == 0) {
      difference.firstFailing = element;
      difference.actualThere = a;
      difference.expectedThere = e;
    }
  }
  double scale = limits.scale();
  difference.maxRelError = scale > 0 ? difference.maxAbsError / scale : difference.maxAbsError;
  return difference;
}

} // namespace shardwise::driver
