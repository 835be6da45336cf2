// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choice of the method, tables, and the drivers of the three methods.
//
// 1. *Chirp* if the length has a prime factor above 13. With w[j] = exp(-i pi j^2 / n) and jk =
//    (j^2 + k^2 - (k-j)^2) / 2 the transform is X[k] = w[k] * sum over j of (x[j] w[j])
//    conj(w[k-j]): a convolution, done by transforms of a power of two.
// 2. *Divided* if the line does not fit the cache, or if there are too few lines to fill the lanes.
//    The line is a matrix of n1 x n2, element j1 * n2 + j2: its columns are transformed, multiplied
//    by exp(-2 pi i k1 j2 / n), then its rows. Result k1 + n1 * k2 is element (k1, k2) then. The
//    lanes are columns, then rows, of the one line.
// 3. *Direct* otherwise.
//
// Factors are computed in f64 and rounded once, whatever the parts are.

#include "shardwise/execute/thunks/FourierPlan.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <utility>

namespace shardwise::execute {
namespace {

/// Lines of a divided transform that are handled at once: two cache lines of f32.
constexpr int64_t kBlockLanes = 16;
/// Longer lines do not fit the level-2 cache with all their lanes.
constexpr int64_t kLongestDirect = 8192;
/// Shorter single lines are not worth dividing.
constexpr int64_t kShortestDivided = 64;

/// Radices whose product is `length`, fours first; empty if a prime is too large.
std::vector<int64_t> radicesOf(int64_t length) {
  std::vector<int64_t> radices;
  // Fours come first: two passes of radix 2 in one, with fewer multiplications and half the
  // moves.
  for (int64_t radix : {4, 2, 3, 5, 7, 11, 13})
    for (; length % radix == 0; length /= radix)
      radices.push_back(radix);
  return length == 1 ? radices : std::vector<int64_t>();
}

/// Whether the passes have radices for `length`.
bool isSmooth(int64_t length) {
  return length == 1 || !radicesOf(length).empty();
}

/// The largest divisor of `length` up to its square root.
int64_t nearSquareRoot(int64_t length) {
  auto divisor = static_cast<int64_t>(std::sqrt(static_cast<double>(length)));
  while (length % divisor != 0)
    --divisor;
  return divisor;
}

SplitArray swapped(SplitArray array) {
  return {array.im, array.re};
}

} // namespace

FactorTable::FactorTable(runtime::DataType type, int64_t size)
    : isDouble(type == runtime::DataType::F64) {
  re.resize(static_cast<size_t>(size * runtime::byteSize(type)));
  im.resize(re.size());
}

void FactorTable::set(int64_t i, double real, double imaginary) {
  auto write = [&](std::vector<std::byte> &part, auto value) {
    std::memcpy(part.data() + static_cast<size_t>(i) * sizeof(value), &value, sizeof(value));
  };
  if (isDouble) {
    write(re, real);
    write(im, imaginary);
  } else {
    write(re, static_cast<float>(real));
    write(im, static_cast<float>(imaginary));
  }
}

void FactorTable::setRoot(int64_t i, int64_t turns, int64_t of, double scale) {
  // Only angles up to an eighth of a turn go to the library, so that symmetric roots are equal.
  turns %= of;
  int64_t eighth = 8 * turns / of;
  int64_t numerator = 8 * turns - eighth * of; // of an eighth, in units of 1 / of
  if (eighth % 2 == 1)
    numerator = of - numerator;
  double angle = std::numbers::pi / 4 * static_cast<double>(numerator) / static_cast<double>(of);
  double c = std::cos(angle);
  double s = std::sin(angle);
  // Octant by octant: (cos, sin) of the whole angle.
  static constexpr bool kIsSwapped[] = {false, true, true, false, false, true, true, false};
  if (kIsSwapped[eighth])
    std::swap(c, s);
  double real = eighth >= 2 && eighth < 6 ? -c : c;
  double imaginary = eighth >= 4 ? -s : s;
  set(i, scale * real, -scale * imaginary);
}

ConstSplitArray FactorTable::from(int64_t i) const {
  size_t offset = static_cast<size_t>(i) * (isDouble ? sizeof(double) : sizeof(float));
  return {re.data() + offset, im.data() + offset};
}

FourierPlan::FourierPlan(runtime::DataType type, int64_t length, Kind kind)
    : type(type), size(length), kind(kind), kernels(findFourierKernels(type)) {}

FourierPlan::FourierPlan(runtime::DataType type, int64_t length, int64_t numLines)
    : FourierPlan(type, length, Kind::Direct) {
  if (!isSmooth(length)) {
    kind = Kind::Chirp;
    // Cyclic convolution of length L equals the wanted one if nothing wraps around: x has n
    // entries, and the filter is needed from -(n-1) to n-1, so that L >= 2n - 1.
    int64_t cycle = 1;
    while (cycle < 2 * length - 1)
      cycle *= 2;
    // Long lines run one by one, which is the case for dividing; for others the lanes do it.
    first = std::make_unique<FourierPlan>(type, cycle, /*numLines=*/kBlockLanes);
    return;
  }
  bool wantsDivision =
      length > kLongestDirect || (numLines < kBlockLanes / 2 && length >= kShortestDivided);
  int64_t columns = wantsDivision ? nearSquareRoot(length) : 1;
  // Not wanted, or without a divisor near the square root: a matrix of so few columns is no gain.
  if (columns < 4)
    return;
  kind = Kind::Divided;
  // The line as a matrix of `length / columns` rows; columns are transformed first.
  first.reset(new FourierPlan(type, length / columns, Kind::Direct));
  second.reset(new FourierPlan(type, columns, Kind::Direct));
}

int64_t FourierPlan::numColumnBlocks() const {
  return (second->size + kBlockLanes - 1) / kBlockLanes;
}

int64_t FourierPlan::tableBytes() const {
  int64_t numFactors = 0;
  switch (kind) {
  case Kind::Direct: {
    int64_t left = size;
    for (int64_t radix : radicesOf(size)) {
      left /= radix;
      numFactors += left * (radix - 1) + radix;
    }
    return FactorTable::bytes(type, numFactors);
  }
  case Kind::Divided:
    numFactors = first->size * (kBlockLanes + numColumnBlocks());
    return FactorTable::bytes(type, numFactors) + first->tableBytes() + second->tableBytes();
  case Kind::Chirp:
    break;
  }
  return FactorTable::bytes(type, size + first->size) + first->tableBytes();
}

void FourierPlan::makeTables() {
  switch (kind) {
  case Kind::Direct:
    return makePassTables();
  case Kind::Divided:
    return makeDivisionTables();
  case Kind::Chirp:
    break;
  }
  makeChirpTables();
}

void FourierPlan::makePassTables() {
  int64_t stride = 1;
  int64_t left = size;
  for (int64_t radix : radicesOf(size)) {
    int64_t rest = left / radix;
    // Output k of a butterfly at position p of [radix, rest] is turned by exp(-2 pi i p k / left).
    FactorTable twiddles(type, rest * (radix - 1));
    for (int64_t p = 0; p < rest; ++p)
      for (int64_t k = 1; k < radix; ++k)
        twiddles.setRoot(p * (radix - 1) + k - 1, p * k, left);
    FactorTable roots(type, radix);
    for (int64_t k = 0; k < radix; ++k)
      roots.setRoot(k, k, radix);
    // Moving a table does not move its elements.
    passes.push_back({radix, rest, stride, twiddles.from(0), roots.from(0)});
    tables.push_back(std::move(twiddles));
    tables.push_back(std::move(roots));
    stride *= radix;
    left = rest;
  }
}

void FourierPlan::makeDivisionTables() {
  first->makeTables();
  second->makeTables();
  int64_t rows = first->size;
  int64_t numBlocks = numColumnBlocks();
  // exp(-2 pi i row column / size) is the product of a factor for the block of the column and one
  // for its lane in the block: rows * (16 + columns / 16) factors instead of rows * columns.
  laneFactors = FactorTable(type, rows * kBlockLanes);
  rowFactors = FactorTable(type, rows * numBlocks);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t lane = 0; lane < kBlockLanes; ++lane)
      laneFactors.setRoot(row * kBlockLanes + lane, row * lane, size);
    for (int64_t block = 0; block < numBlocks; ++block)
      rowFactors.setRoot(row * numBlocks + block, row * (block * kBlockLanes), size);
  }
}

void FourierPlan::makeChirpTables() {
  first->makeTables();
  int64_t length = first->size;
  chirp = FactorTable(type, size);
  spectrum = FactorTable(type, length);
  SplitArray filter = spectrum.data();
  // The inverse transform of the product lacks this factor.
  double scale = 1.0 / static_cast<double>(length);
  for (int64_t j = 0; j < size; ++j) {
    // exp(-i pi j^2 / size); the square only counts modulo 2 * size.
    auto square =
        static_cast<int64_t>(static_cast<unsigned __int128>(j) * static_cast<unsigned __int128>(j) %
                             static_cast<unsigned __int128>(2 * size));
    chirp.setRoot(j, square, 2 * size);
    // conj(w[j]), which is the same for -j: entry length - j of the cyclic filter.
    spectrum.setRoot(j, 2 * size - square, 2 * size, scale);
    if (j > 0)
      spectrum.setRoot(length - j, 2 * size - square, 2 * size, scale);
  }
  std::vector<std::byte> scratch(static_cast<size_t>(first->scratchBytes(1)));
  SplitArray transformed = first->run(filter, 1, scratch.data());
  if (transformed.re != filter.re) {
    std::memcpy(filter.re, transformed.re, static_cast<size_t>(length * runtime::byteSize(type)));
    std::memcpy(filter.im, transformed.im, static_cast<size_t>(length * runtime::byteSize(type)));
  }
}

int64_t FourierPlan::lanes() const {
  switch (kind) {
  case Kind::Direct:
    // Fewer lanes for longer lines, so that all lanes of a block fit the cache together.
    return std::clamp<int64_t>(4 * kLongestDirect / size, kBlockLanes / 2, kBlockLanes);
  case Kind::Divided:
    return 1;
  case Kind::Chirp:
    break;
  }
  return first->lanes();
}

int64_t FourierPlan::partBytes(int64_t elements) const {
  return (elements * runtime::byteSize(type) + 63) / 64 * 64;
}

SplitArray FourierPlan::split(std::byte *memory, int64_t elements) const {
  return {memory, memory + partBytes(elements)};
}

int64_t FourierPlan::scratchBytes(int64_t numLanes) const {
  switch (kind) {
  case Kind::Direct:
    return 2 * partBytes(size * numLanes);
  case Kind::Divided: {
    int64_t block = 2 * partBytes(std::max(first->size, second->size) * kBlockLanes);
    return 2 * partBytes(size) + 2 * block;
  }
  case Kind::Chirp:
    break;
  }
  return 2 * partBytes(first->size * numLanes) + first->scratchBytes(numLanes);
}

SplitArray FourierPlan::run(SplitArray values, int64_t numLanes, std::byte *scratch) const {
  switch (kind) {
  case Kind::Direct:
    return runPasses(values, numLanes, scratch);
  case Kind::Chirp:
    return runChirp(values, numLanes, scratch);
  case Kind::Divided:
    break;
  }
  int64_t bytes = runtime::byteSize(type);
  auto partsAt = [&](int64_t position) {
    return SplitArray{static_cast<std::byte *>(values.re) + position * bytes,
                      static_cast<std::byte *>(values.im) + position * bytes};
  };
  auto load = [&](int64_t position, int64_t stride, int64_t count, int64_t width,
                  SplitArray block) {
    SplitArray from = partsAt(position);
    kernels->copyRows(from.re, stride, count, width, block.re, width);
    kernels->copyRows(from.im, stride, count, width, block.im, width);
  };
  auto store = [&](int64_t position, int64_t stride, int64_t count, int64_t width,
                   SplitArray block) {
    SplitArray to = partsAt(position);
    kernels->copyRows(block.re, width, count, width, to.re, stride);
    kernels->copyRows(block.im, width, count, width, to.im, stride);
  };
  runLine(load, store, scratch);
  return values;
}

SplitArray FourierPlan::runPasses(SplitArray values, int64_t numLanes, std::byte *scratch) const {
  SplitArray other = split(scratch, size * numLanes);
  for (const FourierPass &pass : passes) {
    kernels->pass(pass, numLanes, {values.re, values.im}, other);
    // A pass cannot work in place, so two arrays take turns.
    std::swap(values, other);
  }
  return values;
}

void FourierPlan::runLine(MoveBlock load, MoveBlock store, std::byte *scratch) const {
  int64_t rows = first->size;
  int64_t columns = second->size;
  int64_t bytes = runtime::byteSize(type);
  SplitArray middle = split(scratch, size);
  scratch += 2 * partBytes(size);
  int64_t blockElements = std::max(rows, columns) * kBlockLanes;
  SplitArray block = split(scratch, blockElements);
  scratch += 2 * partBytes(blockElements);
  auto middleAt = [&](int64_t position) {
    return SplitArray{static_cast<std::byte *>(middle.re) + position * bytes,
                      static_cast<std::byte *>(middle.im) + position * bytes};
  };
  int64_t numBlocks = numColumnBlocks();
  for (int64_t number = 0; number < numBlocks; ++number) {
    int64_t column = number * kBlockLanes;
    int64_t width = std::min(kBlockLanes, columns - column);
    // A block of columns: its lanes are neighbours in the line.
    load(column, columns, rows, width, block);
    SplitArray done = first->runPasses(block, width, scratch);
    kernels->twiddle(done, laneFactors.from(0), kBlockLanes, rowFactors.from(number), numBlocks,
                     rows, width);
    SplitArray to = middleAt(column);
    kernels->copyRows(done.re, width, rows, width, to.re, columns);
    kernels->copyRows(done.im, width, rows, width, to.im, columns);
  }
  for (int64_t row = 0; row < rows; row += kBlockLanes) {
    int64_t width = std::min(kBlockLanes, rows - row);
    SplitArray from = middleAt(row * columns);
    // A block of rows, turned so that its lanes are neighbours; stored, lane r of bin k2 is element
    // r + rows * k2 of the result, where lanes are neighbours again.
    kernels->transpose(from.re, columns, width, columns, block.re);
    kernels->transpose(from.im, columns, width, columns, block.im);
    store(row, rows, columns, width, second->runPasses(block, width, scratch));
  }
}

SplitArray FourierPlan::runChirp(SplitArray values, int64_t numLanes, std::byte *scratch) const {
  int64_t bytes = runtime::byteSize(type);
  int64_t length = first->size;
  SplitArray work = split(scratch, length * numLanes);
  scratch += 2 * partBytes(length * numLanes);
  auto used = static_cast<size_t>(size * numLanes * bytes);
  auto all = static_cast<size_t>(length * numLanes * bytes);
  kernels->scaleRows(values, chirp.from(0), size, numLanes, /*isConjugated=*/false);
  for (auto [to, from] : {std::pair(work.re, values.re), std::pair(work.im, values.im)}) {
    std::memcpy(to, from, used);
    std::memset(static_cast<std::byte *>(to) + used, 0, all - used);
  }
  SplitArray transformed = first->run(work, numLanes, scratch);
  kernels->scaleRows(transformed, spectrum.from(0), length, numLanes, /*isConjugated=*/false);
  if (transformed.re != work.re) {
    std::memcpy(work.re, transformed.re, all);
    std::memcpy(work.im, transformed.im, all);
  }
  // The inverse transform of the product; its factor is in `spectrum`.
  SplitArray back = swapped(first->run(swapped(work), numLanes, scratch));
  std::memcpy(values.re, back.re, used);
  std::memcpy(values.im, back.im, used);
  kernels->scaleRows(values, chirp.from(0), size, numLanes, /*isConjugated=*/false);
  return values;
}

} // namespace shardwise::execute
