// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Judging elements by what the program itself moves them by. Examples, of five values s of which
// the first is undisturbed:
//
//     s = {1e-9, -2e-9, 3e-9, 0, 1e-9}      a zero but for rounding: moves by 3e-9
//     s = {pi, -pi, pi, pi, -pi}            a jump: pi and -pi pass, 2 does not
//     s = {7, 7, 7, 7, 7}                   does not move: the tolerance alone counts

#include "shardwise/driver/Movement.h"

#include "shardwise/driver/DoubleConversion.h"
#include "shardwise/runtime/ElementError.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

namespace shardwise::driver {

using runtime::DataType;
using runtime::HostTensor;

namespace {

/// A gap between bundles is this many times as wide as the wider bundle, and so much of the largest
/// magnitude of the tensor: the steps of coarse numbers make small gaps. Where the magnitude itself
/// is few steps, of a type of 8 bits or near underflow, a quarter of it is none: a rounding that
/// goes up or down makes a gap of two steps, and one behind it another two.
constexpr double kGapFactor = 8;
constexpr double kGapOfScale = 0.25;
constexpr double kGapSteps = 4;

/// An error this many times as large as what passes is no matter of too few evaluations.
constexpr double kHopelessFactor = 8;

/// What is known of one number.
struct Verdict {
  bool passes = false;
  double movement = 0;
  /// More evaluations would hardly let it pass.
  bool isHopeless = false;
  /// It has several values, of which it must be one.
  bool jumps = false;
};

/// The finite ones of some values, ascending, and the widest gap between them.
class Bundles {
public:
  explicit Bundles(std::span<const double> all) {
    for (double value : all)
      if (std::isfinite(value))
        sorted.push_back(value);
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 1; i < sorted.size(); ++i)
      if (sorted[i] - sorted[i - 1] > gap) {
        gap = sorted[i] - sorted[i - 1];
        split = i;
      }
  }

  bool isEmpty() const { return sorted.empty(); }
  double range() const { return sorted.back() - sorted.front(); }
  /// The width of the wider of the two sides of the gap.
  double width() const {
    return gap == 0 ? 0
                    : std::max(sorted[split - 1] - sorted.front(), sorted.back() - sorted[split]);
  }
  bool areTwo(DataType type, double scale) const {
    if (gap <= kGapOfScale * scale || gap <= kGapFactor * width())
      return false;
    double largest = std::max(std::abs(sorted[split - 1]), std::abs(sorted[split]));
    return gap > kGapSteps * runtime::stepAt(type, largest);
  }
  double distanceTo(double value) const {
    double nearest = std::abs(value - sorted.front());
    for (double other : sorted)
      nearest = std::min(nearest, std::abs(value - other));
    return nearest;
  }

private:
  std::vector<double> sorted;
  double gap = 0;
  size_t split = 0; ///< The first value behind the gap.
};

bool areEqual(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(),
                     [&](double value) { return runtime::absoluteError(value, values[0]) == 0; });
}

bool isOneOf(double value, std::span<const double> values) {
  return std::any_of(values.begin(), values.end(),
                     [&](double other) { return runtime::absoluteError(value, other) == 0; });
}

/// Judges one number of a tensor of `type` whose largest magnitude is `scale`; `values[0]` is the
/// undisturbed one. An error of more than `tolerance` may be up to `factor` times what the program
/// moves by.
Verdict judgeNumber(DataType type, double actual, double expected, std::span<const double> values,
                    double tolerance, double factor, double scale) {
  // In this order, each for what the next one cannot judge:
  //   1. within tolerance: nothing more to ask;
  //   2. an infinity or NaN: no distance is defined, so both must be a value that the program has
  //      had, or near its finite ones;
  //   3. values in two bundles with a gap between: the number jumps (an angle at pi, a sorted
  //      position), and between the bundles nothing is right, however small the error;
  //   4. else the error is compared with how far the program has moved from its undisturbed value.
  double error = runtime::absoluteError(actual, expected);
  if (error <= tolerance)
    return {.passes = true};
  Bundles bundles(values);
  if (!std::isfinite(actual) || !std::isfinite(expected) || !std::isfinite(values[0])) {
    auto isKnown = [&](double value) {
      return isOneOf(value, values) ||
             (std::isfinite(value) && !bundles.isEmpty() &&
              bundles.distanceTo(value) <= tolerance + kMovementFactor * bundles.range());
    };
    return {isKnown(actual) && isKnown(expected), error, true, !areEqual(values)};
  }
  if (bundles.areTwo(type, scale)) {
    double slack = tolerance + kMovementFactor * bundles.width();
    return {bundles.distanceTo(actual) <= slack && bundles.distanceTo(expected) <= slack,
            bundles.range(), true, true};
  }
  double movement = 0;
  for (double value : values)
    if (std::isfinite(value))
      movement = std::max(movement, std::abs(value - values[0]));
  double allowed = factor * movement;
  return {error <= allowed, movement, error > kHopelessFactor * allowed};
}

/// What is known of one element; of a complex one, of the part that does not pass, or else of the
/// one with the larger error.
struct ElementVerdict {
  bool passes = true;
  double actual = 0, expected = 0, movement = 0;
  bool isHopeless = false;
  bool jumps = false;
};

/// Judges elements of tensors of one type, given as doubles or, of integers, as bits.
class ElementJudge {
public:
  ElementJudge(const HostTensor &actual, const HostTensor &expected,
               std::span<const HostTensor> values, const ElementTolerance &tolerance,
               const ElementTolerance &wide)
      : actual(actual), expected(expected), values(values), tolerance(tolerance), wide(wide),
        parts(runtime::isComplex(actual.type) ? 2 : 1), actualNumbers(toDoubles(actual)),
        expectedNumbers(toDoubles(expected)) {
    for (const HostTensor &tensor : values)
      numbers.push_back(toDoubles(tensor));
  }

  ElementVerdict operator()(size_t element) const {
    bool isFloat = parts == 2 || runtime::isFloatingPoint(actual.type);
    ElementVerdict result;
    double largest = -1;
    std::vector<double> there(numbers.size());
    for (size_t part = element * parts; part < (element + 1) * parts && result.passes; ++part) {
      for (size_t i = 0; i < numbers.size(); ++i)
        there[i] = numbers[i][part];
      double is = actualNumbers[part];
      double should = expectedNumbers[part];
      double error = runtime::absoluteError(is, should);
      double factor = error <= wide.allowed(should) ? kMovementFactorWithin : kMovementFactor;
      Verdict verdict =
          judgeNumber(actual.type, is, should, there, isFloat ? tolerance.allowed(should) : 0,
                      factor, tolerance.scale());
      if (!isFloat)
        verdict = {isAmongValues(actual, element) && isAmongValues(expected, element),
                   verdict.movement, true, verdict.movement > 0};
      if (verdict.passes && error <= largest)
        continue;
      largest = error;
      result = {verdict.passes, is, should, verdict.movement, verdict.isHopeless, verdict.jumps};
    }
    return result;
  }

private:
  bool isAmongValues(const HostTensor &tensor, size_t element) const {
    auto bytes = static_cast<size_t>(runtime::byteSize(tensor.type));
    return std::any_of(values.begin(), values.end(), [&](const HostTensor &other) {
      return std::memcmp(tensor.bytes.data() + element * bytes,
                         other.bytes.data() + element * bytes, bytes) == 0;
    });
  }

  const HostTensor &actual;
  const HostTensor &expected;
  std::span<const HostTensor> values;
  const ElementTolerance &tolerance;
  const ElementTolerance &wide;
  size_t parts;
  std::vector<double> actualNumbers, expectedNumbers;
  std::vector<std::vector<double>> numbers; ///< Of `values`.
};

} // namespace

Movement::Movement(const HostTensor &actual, const HostTensor &expected,
                   const HostTensor &unpartitioned, const Tolerance &tolerance,
                   std::vector<int64_t> failing)
    : failing(std::move(failing)), tolerance(expected, tolerance),
      wide(expected, {tolerance.rtol, tolerance.atol}), actual(gather(actual)),
      expected(gather(expected)) {
  values.push_back(gather(unpartitioned));
}

HostTensor Movement::gather(const HostTensor &tensor) const {
  HostTensor gathered = HostTensor::zeros(tensor.type, {std::ssize(failing)});
  auto bytes = static_cast<size_t>(runtime::byteSize(tensor.type));
  for (size_t i = 0; i < failing.size(); ++i)
    std::memcpy(gathered.bytes.data() + i * bytes,
                tensor.bytes.data() + static_cast<size_t>(failing[i]) * bytes, bytes);
  return gathered;
}

void Movement::add(const HostTensor &disturbed) {
  values.push_back(gather(disturbed));
}

int64_t Movement::judge(TensorDifference &difference) const {
  ElementJudge judge(actual, expected, values, tolerance, wide);
  difference.numFailing = 0;
  difference.firstFailing = -1;
  difference.excused = {};
  double worst = -1;
  int64_t numHopeless = 0;
  for (size_t element = 0; element < failing.size(); ++element) {
    ElementVerdict verdict = judge(element);
    if (!verdict.passes) {
      numHopeless += verdict.isHopeless ? 1 : 0;
      if (difference.numFailing++ == 0) {
        difference.firstFailing = failing[element];
        difference.actualThere = verdict.actual;
        difference.expectedThere = verdict.expected;
        difference.movementThere = verdict.movement;
        difference.jumpsThere = verdict.jumps;
      }
      continue;
    }
    ++difference.excused.count;
    double error = runtime::absoluteError(verdict.actual, verdict.expected);
    double ratio = verdict.movement > 0 ? error / verdict.movement : error;
    if (ratio > worst) {
      worst = ratio;
      difference.excused.element = failing[element];
      difference.excused.error = error;
      difference.excused.movement = verdict.movement;
    }
  }
  return numHopeless;
}

} // namespace shardwise::driver
