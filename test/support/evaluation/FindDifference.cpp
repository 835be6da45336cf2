// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element by element comparison.

#include "test/support/evaluation/FindDifference.h"

#include "shardwise/reference/Scalar.h"
#include "shardwise/runtime/ElementError.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace shardwise::reference {
namespace {

std::string toText(const Scalar &value) {
  if (value.isComplex())
    return fmt::format("({:.9g},{:.9g})", value.real(), value.imag());
  if (value.isFloat())
    return fmt::format("{:.9g}", value.real());
  return value.numberClass() == NumberClass::Signed ? fmt::format("{}", value.integer())
                                                    : fmt::format("{}", value.bits());
}

/// Returns |x - y| if the floats do not agree.
std::optional<double> errorOf(double x, double y, const Tolerance &tolerance) {
  double error = runtime::absoluteError(y, x);
  bool isExact = tolerance.relative == 0.0 && tolerance.absolute == 0.0;
  if (error == 0.0 && (!isExact || std::isnan(x) || std::signbit(x) == std::signbit(y)))
    return std::nullopt;
  double allowed = tolerance.absolute + tolerance.relative * std::max(std::fabs(x), std::fabs(y));
  // An infinite number must not make room for a finite one.
  if (!isExact && std::isfinite(error) && error <= allowed)
    return std::nullopt;
  return error;
}

/// The tolerance is relative to the magnitude, not to each part: a small part next to a large one
/// has the error of the large one.
std::optional<double> errorOfComplex(std::complex<double> x, std::complex<double> y,
                                     Tolerance tolerance) {
  double magnitude = std::max(std::abs(x), std::abs(y));
  if (std::isfinite(magnitude)) {
    tolerance.absolute += tolerance.relative * magnitude;
    tolerance.relative = 0.0;
  }
  std::optional<double> real = errorOf(x.real(), y.real(), tolerance);
  std::optional<double> imag = errorOf(x.imag(), y.imag(), tolerance);
  return real && imag ? std::max(*real, *imag) : real ? real : imag;
}

std::string indexText(int64_t position, const std::vector<int64_t> &shape) {
  std::string text;
  for (size_t dim = shape.size(); dim-- > 0;) {
    text = fmt::format("{}{}{}", position % shape[dim], text.empty() ? "" : ", ", text);
    position /= shape[dim];
  }
  return "[" + text + "]";
}

} // namespace

Tolerance Tolerance::forSums(runtime::DataType type, int64_t terms) {
  double growth = std::sqrt(static_cast<double>(std::max<int64_t>(terms, 1)));
  double room = 16 * runtime::unitInLastPlace(type) * growth;
  return {room, room};
}

std::optional<Difference> findDifference(const HostTensor &expected, const HostTensor &actual,
                                         const Tolerance &tolerance) {
  Difference difference;
  if (expected.type != actual.type || expected.shape != actual.shape) {
    difference.largestError = std::numeric_limits<double>::infinity();
    difference.text = fmt::format("expected {}, got {}", runtime::typeString(expected),
                                  runtime::typeString(actual));
    return difference;
  }
  if (expected.bytes == actual.bytes)
    return std::nullopt;
  for (int64_t position = 0, count = expected.numElements(); position < count; ++position) {
    Scalar x = load(expected, position);
    Scalar y = load(actual, position);
    std::optional<double> error;
    if (x.isFloat())
      error = errorOf(x.real(), y.real(), tolerance);
    else if (x.isComplex())
      error = errorOfComplex(x.complex(), y.complex(), tolerance);
    else if (x.bits() != y.bits())
      error = std::fabs(static_cast<double>(x.integer()) - static_cast<double>(y.integer()));
    if (!error)
      continue;
    if (difference.count++ == 0 || *error > difference.largestError) {
      difference.position = position;
      difference.largestError = *error;
      difference.text =
          fmt::format("element {} of {}: expected {}, got {}", indexText(position, expected.shape),
                      runtime::typeString(expected), toText(x), toText(y));
    }
  }
  if (difference.count == 0)
    return std::nullopt;
  if (difference.count > 1)
    difference.text += fmt::format(" (the worst of {} elements that differ)", difference.count);
  return difference;
}

} // namespace shardwise::reference
