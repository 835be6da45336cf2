// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transforms against the definition, and long ones on waves whose spectrum is known.

#include "shardwise/execute/tests/PathTesting.h"

#include <complex>
#include <numbers>

namespace shardwise::execute {
namespace {

using Number = std::complex<double>;
using runtime::DataType;
using runtime::HostTensor;

Number root(int64_t turns, int64_t of) {
  double angle = 2 * std::numbers::pi * static_cast<double>(turns % of) / static_cast<double>(of);
  return {std::cos(angle), std::sin(angle)};
}

/// The definition along dimension `dim`; forwards with exp(-2 pi i jk / n).
std::vector<Number> transformed(const std::vector<Number> &x, const std::vector<int64_t> &shape,
                                size_t dim, bool isInverse) {
  int64_t n = shape[dim];
  int64_t inner = 1;
  for (size_t d = dim + 1; d < shape.size(); ++d)
    inner *= shape[d];
  std::vector<Number> roots;
  for (int64_t k = 0; k < n; ++k)
    roots.push_back(isInverse ? root(k, n) / static_cast<double>(n) : std::conj(root(k, n)));
  std::vector<Number> result(x.size());
  for (int64_t at = 0; at < static_cast<int64_t>(x.size()); ++at) {
    int64_t k = at / inner % n;
    int64_t first = at - k * inner;
    for (int64_t j = 0; j < n; ++j)
      result[at] += x[first + j * inner] * roots[j * k % n];
  }
  return result;
}

std::vector<Number> numbersOf(const HostTensor &tensor) {
  std::vector<Number> numbers;
  bool isComplex = runtime::isComplex(tensor.type);
  bool isDouble = runtime::realPartType(tensor.type) == DataType::F64;
  size_t count = tensor.bytes.size() / (isDouble ? 8 : 4);
  auto at = [&](size_t i) {
    return isDouble ? reinterpret_cast<const double *>(tensor.bytes.data())[i]
                    : static_cast<double>(reinterpret_cast<const float *>(tensor.bytes.data())[i]);
  };
  for (size_t i = 0; i < count; i += isComplex ? 2 : 1)
    numbers.push_back(isComplex ? Number(at(i), at(i + 1)) : Number(at(i)));
  return numbers;
}

HostTensor tensorOf(const std::vector<Number> &numbers, DataType type,
                    const std::vector<int64_t> &shape) {
  HostTensor tensor = HostTensor::zeros(type, shape);
  bool isDouble = runtime::realPartType(type) == DataType::F64;
  size_t position = 0;
  auto put = [&](double value) {
    if (isDouble)
      reinterpret_cast<double *>(tensor.bytes.data())[position++] = value;
    else
      reinterpret_cast<float *>(tensor.bytes.data())[position++] = static_cast<float>(value);
  };
  for (Number number : numbers) {
    put(number.real());
    if (runtime::isComplex(type))
      put(number.imag());
  }
  return tensor;
}

std::string typeText(DataType type, const std::vector<int64_t> &shape) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + std::string(runtime::toString(type)) + ">";
}

/// Runs one fft op.
std::vector<Number> runFft(const std::string &kind, const std::vector<Number> &input, DataType from,
                           DataType to, const std::vector<int64_t> &shape,
                           const std::vector<int64_t> &resultShape, size_t numDims) {
  std::string lengths;
  const std::vector<int64_t> &real = kind == "IRFFT" ? resultShape : shape;
  for (size_t dim = real.size() - numDims; dim < real.size(); ++dim)
    lengths += (lengths.empty() ? "" : ", ") + std::to_string(real[dim]);
  std::string a = typeText(from, shape);
  std::string b = typeText(to, resultShape);
  reference::TestPrograms programs;
  auto module =
      programs.parse(function("%x: " + a, b,
                              "%0 = stablehlo.fft %x, type = " + kind + ", length = [" + lengths +
                                  "] : (" + a + ") -> " + b + "\nreturn %0 : " + b));
  EXPECT_TRUE(module) << programs.diagnostics();
  auto program = compile(*module);
  EXPECT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  auto results = runAlone(*program, {tensorOf(input, from, shape)});
  EXPECT_TRUE(results.ok());
  return numbersOf(results->front());
}

/// Largest difference over the largest magnitude.
double relativeError(const std::vector<Number> &actual, const std::vector<Number> &expected) {
  EXPECT_EQ(actual.size(), expected.size());
  double error = 0;
  double size = 1e-30;
  for (size_t i = 0; i < std::min(actual.size(), expected.size()); ++i) {
    double difference = std::abs(actual[i] - expected[i]);
    error = std::isnan(difference) ? difference : std::max(error, difference);
    size = std::max(size, std::abs(expected[i]));
  }
  return error / size;
}

std::vector<Number> randomNumbers(size_t count, bool isComplex, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> real(-1, 1);
  std::vector<Number> numbers;
  for (size_t i = 0; i < count; ++i) {
    double re = real(random);
    numbers.emplace_back(re, isComplex ? real(random) : 0.0);
  }
  return numbers;
}

int64_t product(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

struct Precision {
  DataType real, complex;
  double tolerance;
};
const Precision kPrecisions[] = {{DataType::F32, DataType::C64, 2e-6},
                                 {DataType::F64, DataType::C128, 1e-14}};

void checkAllKinds(const std::vector<int64_t> &shape, size_t numDims, const Precision &precision) {
  SCOPED_TRACE(typeText(precision.real, shape) + " over " + std::to_string(numDims));
  size_t rank = shape.size();
  auto count = static_cast<size_t>(product(shape));
  auto seed = static_cast<unsigned>(count);
  std::vector<Number> x = randomNumbers(count, true, seed);
  for (bool isInverse : {false, true}) {
    std::vector<Number> expected = x;
    for (size_t dim = rank - numDims; dim < rank; ++dim)
      expected = transformed(expected, shape, dim, isInverse);
    EXPECT_LE(relativeError(runFft(isInverse ? "IFFT" : "FFT", x, precision.complex,
                                   precision.complex, shape, shape, numDims),
                            expected),
              precision.tolerance)
        << isInverse;
  }
  // Real lines, and back from the half of their spectra.
  std::vector<int64_t> halfShape = shape;
  halfShape.back() = shape.back() / 2 + 1;
  std::vector<Number> r = randomNumbers(count, false, seed + 1);
  std::vector<Number> spectrum = r;
  for (size_t dim = rank - numDims; dim < rank; ++dim)
    spectrum = transformed(spectrum, shape, dim, false);
  std::vector<Number> half;
  for (size_t at = 0; at < count; ++at)
    if (static_cast<int64_t>(at) % shape.back() < halfShape.back())
      half.push_back(spectrum[at]);
  EXPECT_LE(
      relativeError(runFft("RFFT", r, precision.real, precision.complex, shape, halfShape, numDims),
                    half),
      precision.tolerance);
  EXPECT_LE(
      relativeError(
          runFft("IRFFT", half, precision.complex, precision.real, halfShape, shape, numDims), r),
      precision.tolerance);
}

TEST(FourierTest, everyLengthAgainstTheDefinition) {
  for (const Precision &precision : kPrecisions) {
    for (int64_t length = 1; length <= 40; ++length)
      checkAllKinds({3, length}, 1, precision);
    for (int64_t length : {49, 60, 64, 97, 121, 128, 143, 169, 200, 256, 300, 509, 512})
      checkAllKinds({1, length}, 1, precision);
  }
}

TEST(FourierTest, manyLinesAndDimensions) {
  for (const Precision &precision : kPrecisions) {
    checkAllKinds({37, 30}, 1, precision);
    checkAllKinds({20, 17}, 2, precision);
    checkAllKinds({2, 5, 18}, 2, precision);
    checkAllKinds({4, 6, 10}, 3, precision);
    checkAllKinds({2, 3, 1, 7}, 3, precision);
    checkAllKinds({33, 34}, 2, precision);
  }
}

TEST(FourierTest, tensorsWithoutElements) {
  EXPECT_TRUE(runFft("FFT", {}, DataType::C64, DataType::C64, {0, 4}, {0, 4}, 1).empty());
  EXPECT_TRUE(runFft("RFFT", {}, DataType::F32, DataType::C64, {0, 4}, {0, 3}, 1).empty());
}

/// A wave has one line in its spectrum; the inverse of that is the wave.
TEST(FourierTest, longLines) {
  for (int64_t n : {8192, 16384, 30000, 65536, 100003, 131072}) {
    SCOPED_TRACE(n);
    std::vector<Number> wave, line(static_cast<size_t>(n));
    int64_t k = n / 3;
    for (int64_t j = 0; j < n; ++j)
      wave.push_back(root(static_cast<int64_t>(static_cast<__int128>(j) * k % n), n));
    line[static_cast<size_t>(k)] = static_cast<double>(n);
    EXPECT_LE(relativeError(runFft("FFT", wave, DataType::C64, DataType::C64, {n}, {n}, 1), line),
              1e-5);
    EXPECT_LE(relativeError(runFft("IFFT", line, DataType::C64, DataType::C64, {n}, {n}, 1), wave),
              1e-5);
    std::vector<Number> cosine, half(static_cast<size_t>(n / 2 + 1));
    for (Number value : wave)
      cosine.emplace_back(value.real());
    half[static_cast<size_t>(k)] = 0.5 * static_cast<double>(n);
    EXPECT_LE(relativeError(
                  runFft("RFFT", cosine, DataType::F64, DataType::C128, {n}, {n / 2 + 1}, 1), half),
              1e-12);
    EXPECT_LE(
        relativeError(runFft("IRFFT", half, DataType::C128, DataType::F64, {n / 2 + 1}, {n}, 1),
                      cosine),
        1e-12);
  }
}

} // namespace
} // namespace shardwise::execute
