// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One product after the other; BLAS and kernels do the rest.
//
// The groups of a ragged product are consecutive rows (or terms) of the left operand, as many as
// the sizes say. Example: sizes {2, 0, 3} of 6 rows: rows 0 and 1 times matrix 0, rows 2 to 4 times
// matrix 2; row 5 is in no group and stays 0.

#include "shardwise/execute/thunks/GemmThunks.h"

#include "shardwise/execute/thunks/Gemm.h"
#include "shardwise/execute/thunks/IndexReader.h"
#include "shardwise/execute/thunks/RankWorkers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace shardwise::execute {

const std::byte *GemmOperand::prepare(const Frame &frame) const {
  const std::byte *data = frame.at(buffer);
  if (pack) {
    pack->run(data, frame.at(packed));
    data = frame.at(packed);
  }
  if (!convert.isIdentity()) {
    convert.run(data, frame.at(converted), count);
    data = frame.at(converted);
  }
  return data;
}

Result<void> GemmThunk::run(Frame &frame) const {
  const std::byte *left = lhs.prepare(frame);
  const std::byte *right = rhs.prepare(frame);
  int64_t sumBytes = runtime::byteSize(sumType);
  int64_t resultBytes = runtime::byteSize(resultType);
  auto multiplyBatch = [&](int64_t batch) {
    std::byte *target = frame.at(result) + batch * m * n * resultBytes;
    std::byte *sums = toResult.isIdentity() ? target : frame.at(scratch);
    multiplyMatrices(sumType, m, n, k,
                     {left + lhs.batchOffsets[batch] * sumBytes, lhs.rowStride, lhs.columnStride},
                     {right + rhs.batchOffsets[batch] * sumBytes, rhs.rowStride, rhs.columnStride},
                     sums);
    if (!toResult.isIdentity())
      toResult.run(sums, target, m * n);
  };
  // Many small products are shared out among the workers, each with what belongs to it; a large one
  // is shared out by itself.
  auto numBatches = std::ssize(lhs.batchOffsets);
  bool areManyAtOnce = numBatches >= numWorkers() && toResult.isIdentity();
  int64_t numPieces =
      areManyAtOnce
          ? piecesFor(productNanoseconds(m, n, k) * static_cast<double>(numBatches), numBatches)
          : 1;
  runPieces(numPieces, [&](int64_t piece, int64_t) {
    auto [begin, end] = pieceRange(numBatches, piece, numPieces, 1);
    for (int64_t batch = begin; batch < end; ++batch)
      multiplyBatch(batch);
  });
  return {};
}

std::string GemmThunk::name() const {
  return fmt::format("gemm {} x {}x{}x{} {}", lhs.batchOffsets.size(), m, n, k,
                     runtime::toString(sumType));
}

Result<void> RaggedDotThunk::run(Frame &frame) const {
  const std::byte *left = lhs.prepare(frame);
  const std::byte *right = rhs.prepare(frame);
  std::byte *sums = toResult.isIdentity() ? frame.at(result) : frame.at(scratch);
  int64_t bytes = runtime::byteSize(sumType);
  // What belongs to no group is 0.
  if (resultCount > 0)
    std::memset(sums, 0, static_cast<size_t>(resultCount * bytes));
  auto at = [&](const std::byte *data, const GemmOperand &operand, int64_t batch, int64_t row,
                int64_t column) -> MatrixBytes {
    int64_t offset =
        operand.batchOffsets[batch] + row * operand.rowStride + column * operand.columnStride;
    return {data + offset * bytes, operand.rowStride, operand.columnStride};
  };
  for (int64_t batch = 0; batch < numBatches; ++batch) {
    int64_t start = 0;
    for (int64_t group = 0; group < numGroups; ++group) {
      int64_t place = (hasSizesPerBatch ? batch * numGroups : 0) + group;
      int64_t wanted = readIndex(frame.at(sizes), sizeType, place);
      // Sizes come from the program's data: below zero counts as none, and what is past the end is
      // left out.
      int64_t size = std::clamp<int64_t>(wanted, 0, raggedSize - start);
      int64_t first = start * perRagged;
      int64_t count = size * perRagged;
      start += size;
      if (isContracting)
        multiplyMatrices(sumType, m, n, count, at(left, lhs, batch, 0, first),
                         at(right, rhs, batch, first, 0),
                         sums + (group * numBatches + batch) * m * n * bytes);
      else
        multiplyMatrices(sumType, count, n, k, at(left, lhs, batch, first, 0),
                         at(right, rhs, group * numBatches + batch, 0, 0),
                         sums + (batch * m + first) * n * bytes);
    }
  }
  if (!toResult.isIdentity())
    toResult.run(sums, frame.at(result), resultCount);
  return {};
}

} // namespace shardwise::execute
