// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fft as its definition: one sum per result element and transformed dimension.
//
//     result[k] = sum over j of operand[j] * exp(-2 pi i j k / n)
//
// with the other sign and a factor 1 / n for the inverses. Several dimensions are done one after
// the other. RFFT keeps the first n / 2 + 1 entries of the last dimension, since entry n - k is the
// conjugate of entry k; IRFFT restores them.

#include "shardwise/reference/ElementTypes.h"
#include "shardwise/reference/IndexSpace.h"
#include "shardwise/reference/Operations.h"
#include "shardwise/reference/Products.h"

#include <cmath>
#include <complex>
#include <numbers>

namespace shardwise::reference {
namespace {

using Complex = std::complex<double>;

/// Numbers with a shape, in row-major order.
struct Grid {
  Index shape;
  std::vector<Complex> values;
};

Grid gridOf(const HostTensor &tensor) {
  Grid grid{Index(tensor.shape.begin(), tensor.shape.end()), {}};
  for (int64_t position = 0, count = tensor.numElements(); position < count; ++position)
    grid.values.push_back(load(tensor, position).complex());
  return grid;
}

/// Transforms every line along `dim`; `sign` is that of the exponent.
void transform(Grid &grid, int64_t dim, double sign) {
  int64_t length = grid.shape[dim];
  std::vector<Complex> roots;
  for (int64_t k = 0; k < length; ++k) {
    double angle =
        sign * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length);
    roots.emplace_back(std::cos(angle), std::sin(angle));
  }
  std::vector<Complex> line(static_cast<size_t>(length));
  auto along = offsetsAlong(grid.shape, {dim});
  for (int64_t start :
       offsetsAlong(grid.shape, otherDims(static_cast<int64_t>(grid.shape.size()), {dim}))) {
    for (int64_t k = 0; k < length; ++k) {
      Complex sum = 0;
      // exp(2 pi i m / n) repeats after m = n: one table of n roots serves all products.
      for (int64_t j = 0; j < length; ++j)
        sum += grid.values[start + along[j]] * roots[j * k % length];
      line[k] = sum;
    }
    for (int64_t k = 0; k < length; ++k)
      grid.values[start + along[k]] = line[k];
  }
}

/// Returns `grid` with its last dimension cut or extended to `length`. A spectrum of real numbers
/// is extended by its symmetry: entry length - k along the last dimension is the conjugate of k.
Grid resizedLast(const Grid &grid, int64_t length) {
  Grid result{grid.shape, {}};
  result.shape.back() = length;
  int64_t half = grid.shape.back();
  Index strides = stridesOf(grid.shape);
  forEachIndex(result.shape, [&](const Index &index) {
    Index source = index;
    bool isMirrored = source.back() >= half;
    if (isMirrored)
      source.back() = length - source.back();
    Complex value = grid.values[offsetOf(source, strides)];
    result.values.push_back(isMirrored ? std::conj(value) : value);
  });
  return result;
}

} // namespace

HostTensor evaluate(stablehlo::FftOp op, const HostTensor &operand) {
  using stablehlo::FftType;
  FftType type = op.getFftType();
  IndexRef lengths = op.getFftLength();
  bool isInverse = type == FftType::IFFT || type == FftType::IRFFT;
  double sign = isInverse ? 1.0 : -1.0;
  Grid grid = gridOf(operand);
  int64_t last = operand.rank() - 1;
  int64_t first = operand.rank() - static_cast<int64_t>(lengths.size());
  HostTensor result = zerosOf(op.getType());
  if (result.numElements() == 0)
    return result;
  // The symmetry of IRFFT holds along its last dimension once the others are transformed back.
  for (int64_t dim = first; dim < last; ++dim)
    transform(grid, dim, sign);
  if (type == FftType::IRFFT)
    grid = resizedLast(grid, lengths.back());
  transform(grid, last, sign);
  if (type == FftType::RFFT)
    grid = resizedLast(grid, result.shape.back());
  double scale = isInverse ? 1.0 / static_cast<double>(numElements(lengths)) : 1.0;
  for (size_t position = 0; position < grid.values.size(); ++position)
    store(result, static_cast<int64_t>(position),
          Scalar::ofComplex(result.type, grid.values[position] * scale));
  return result;
}

} // namespace shardwise::reference
