// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How lines of one length are transformed: decided at compile time, tabulated at the first run. The
// tables are a few times as large as a line, so they wait until the program is known to fit the
// memory.
//
// - *Direct*: self-sorting passes over several lines at once. For lengths that are products of
//   small primes.
// - *Divided*: a long line is a matrix; its columns are transformed, twiddled, then its rows
//   (W. M. Gentleman, G. Sande, 1966). Whatever is transformed at a time fits the cache.
// - *Chirp*: any other length becomes a cyclic convolution of a length that is a power of two
//   (L. I. Bluestein, 1970).

#pragma once

#include "shardwise/execute/kernels/FourierKernels.h"

#include <llvm/ADT/STLFunctionalExtras.h>

#include <memory>
#include <vector>

namespace shardwise::execute {

/// Complex factors as f32 or f64, computed in f64.
class FactorTable {
public:
  FactorTable() = default;
  FactorTable(runtime::DataType type, int64_t size);
  /// Bytes of a table of `size` factors.
  static int64_t bytes(runtime::DataType type, int64_t size) {
    return 2 * size * runtime::byteSize(type);
  }

  void set(int64_t i, double re, double im);
  /// Sets factor i to `scale` times exp(-2 pi i turns / of).
  void setRoot(int64_t i, int64_t turns, int64_t of, double scale = 1);
  ConstSplitArray from(int64_t i) const;
  SplitArray data() { return {re.data(), im.data()}; }

private:
  std::vector<std::byte> re, im;
  bool isDouble = false;
};

/// The transform of lines of one length. Immutable once its tables are made.
class FourierPlan {
public:
  /// For `length` >= 1 and parts of `type`, f32 or f64. `numLines` is how many are expected.
  FourierPlan(runtime::DataType type, int64_t length, int64_t numLines);

  /// Bytes of the tables.
  int64_t tableBytes() const;
  /// Computes the tables. To be called once, before anything runs.
  void makeTables();

  int64_t length() const { return size; }
  /// Lines to transform at once, at most.
  int64_t lanes() const;
  /// Scratch memory of `run` on up to `lanes` lines.
  int64_t scratchBytes(int64_t numLanes) const;
  /// Transforms `numLanes` lines in `values` (see FourierKernels.h), forwards; for the inverse
  /// without its factor, swap the parts. Returns where the result is: there or in `scratch`.
  SplitArray run(SplitArray values, int64_t numLanes, std::byte *scratch) const;

  /// Whether `runLine` reads and writes one line in pieces, so that it need not be copied first.
  bool isDivided() const { return kind == Kind::Divided; }
  /// Moves `count` rows of `numLanes` neighbours, `stride` apart, to or from `block`. `first` is
  /// the position of the first.
  using MoveBlock = llvm::function_ref<void(int64_t first, int64_t stride, int64_t count,
                                            int64_t numLanes, SplitArray block)>;
  /// Transforms a line that is loaded and stored by the functions. Requires `isDivided`.
  void runLine(MoveBlock load, MoveBlock store, std::byte *scratch) const;

private:
  enum class Kind { Direct, Divided, Chirp };

  FourierPlan(runtime::DataType type, int64_t length, Kind kind);
  void makePassTables();
  void makeDivisionTables();
  void makeChirpTables();
  /// Divided: how many blocks of columns there are.
  int64_t numColumnBlocks() const;
  SplitArray runPasses(SplitArray values, int64_t numLanes, std::byte *scratch) const;
  SplitArray runChirp(SplitArray values, int64_t numLanes, std::byte *scratch) const;
  int64_t partBytes(int64_t elements) const;
  SplitArray split(std::byte *memory, int64_t elements) const;

  runtime::DataType type;
  int64_t size;
  Kind kind = Kind::Direct;
  const FourierKernels *kernels;
  std::vector<FourierPass> passes;
  std::vector<FactorTable> tables; ///< What the passes point to.
  /// Divided: transforms of columns and rows. Chirp: of the convolution.
  std::unique_ptr<FourierPlan> first, second;
  FactorTable rowFactors, laneFactors; ///< Divided: exp(-2 pi i row column / size), in two parts.
  FactorTable chirp, spectrum;         ///< Chirp: factors, and the transform of the filter.
};

} // namespace shardwise::execute
