// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fft: the trailing dimensions one after the other, real ones last or first. Real lines of even
// length are transformed as complex lines of half the length.

#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/FourierPlan.h"
#include "shardwise/execute/thunks/StridedCopy.h"

#include <mlir/IR/Diagnostics.h>

#include <algorithm>

namespace shardwise::execute {
namespace {

using stablehlo::FftType;

/// Where the lines along one dimension are, in elements: groups of lines at equal distances.
struct Lines {
  int64_t numGroups = 1, groupStride = 0;
  int64_t perGroup = 1, lineStride = 1;
  int64_t elementStride = 1;

  int64_t count() const { return numGroups * perGroup; }

  /// Lines along dimension `dim` of a row-major tensor.
  static Lines along(std::span<const int64_t> shape, size_t dim) {
    int64_t inner = elementCount(shape.subspan(dim + 1));
    int64_t outer = elementCount(shape.first(dim));
    if (inner == 1)
      return {1, 0, outer, shape[dim], 1};
    return {outer, shape[dim] * inner, inner, 1, inner};
  }
};

/// How to go over the lines of one dimension.
class LineTransform {
public:
  LineTransform(DataType parts, int64_t length, Lines lines)
      : plan(parts, length, lines.count()), lines(lines), kernels(findFourierKernels(parts)),
        partBytes(runtime::byteSize(parts)) {}

  int64_t scratchBytes() const {
    int64_t width = lanes();
    // Spectra of real lines have up to two rows more than the lines.
    return arrayBytes(width) + arrayBytes(width) + plan.scratchBytes(width);
  }

  /// Complex to complex. `source` and `target` may be the same.
  void run(const std::byte *source, std::byte *target, bool isInverse, std::byte *scratch) const {
    double factor = isInverse ? 1.0 / static_cast<double>(plan.length()) : 1.0;
    forBlocks([&](int64_t offset, int64_t width) {
      const std::byte *from = source + offset * 2 * partBytes;
      std::byte *to = target + offset * 2 * partBytes;
      if (plan.isDivided())
        return runDivided(from, to, factor, isInverse, scratch);
      SplitArray values = array(scratch, width);
      kernels->load(from, lines.elementStride, lines.lineStride, plan.length(), width,
                    turned(values, isInverse));
      values = plan.run(values, width, scratch + arrayBytes(width));
      values = turned(values, isInverse);
      kernels->store({values.re, values.im}, plan.length(), width, to, lines.elementStride,
                     lines.lineStride, factor);
    });
  }

protected:
  int64_t lanes() const { return std::min(plan.lanes(), lines.perGroup); }
  int64_t arrayBytes(int64_t width) const {
    return 2 * ((plan.length() + 2) * width * partBytes + 63) / 64 * 64;
  }
  SplitArray array(std::byte *memory, int64_t width) const {
    return {memory, memory + arrayBytes(width) / 2};
  }
  static SplitArray turned(SplitArray array, bool isInverse) {
    return isInverse ? SplitArray{array.im, array.re} : array;
  }

  /// Calls `visit(offset of the first line, number of lines)`.
  template <class F> void forBlocks(F visit) const {
    for (int64_t group = 0; group < lines.numGroups; ++group)
      for (int64_t line = 0; line < lines.perGroup; line += lanes())
        visit(group * lines.groupStride + line * lines.lineStride,
              std::min(lanes(), lines.perGroup - line));
  }

  void runDivided(const std::byte *source, std::byte *target, double factor, bool isInverse,
                  std::byte *scratch) const {
    auto load = [&](int64_t first, int64_t stride, int64_t count, int64_t width, SplitArray block) {
      kernels->load(source + first * lines.elementStride * 2 * partBytes,
                    stride * lines.elementStride, lines.elementStride, count, width,
                    turned(block, isInverse));
    };
    auto store = [&](int64_t first, int64_t stride, int64_t count, int64_t width,
                     SplitArray block) {
      block = turned(block, isInverse);
      kernels->store({block.re, block.im}, count, width,
                     target + first * lines.elementStride * 2 * partBytes,
                     stride * lines.elementStride, lines.elementStride, factor);
    };
    plan.runLine(load, store, scratch);
  }

  FourierPlan plan;
  Lines lines;
  const FourierKernels *kernels;
  int64_t partBytes;
};

/// Between real lines of the last dimension and the half of their spectra that says all.
class RealTransform final : public LineTransform {
public:
  RealTransform(DataType parts, int64_t length, int64_t numLines)
      : LineTransform(parts, length % 2 == 0 ? length / 2 : length, {1, 0, numLines, length, 1}),
        length(length), isEven(length % 2 == 0) {
    if (!isEven)
      return;
    roots = FactorTable(parts, length / 2 + 1);
    for (int64_t k = 0; k <= length / 2; ++k)
      roots.setRoot(k, k, length);
  }

  void forwards(const std::byte *source, std::byte *target, std::byte *scratch) const {
    forLines([&](int64_t line, int64_t width) {
      const std::byte *from = source + line * length * partBytes;
      SplitArray values = array(scratch, width);
      SplitArray spectrum = array(scratch + arrayBytes(width), width);
      std::byte *rest = scratch + 2 * arrayBytes(width);
      if (isEven) {
        kernels->load(from, 1, length / 2, length / 2, width, values);
        values = plan.run(values, width, rest);
        kernels->unpackReal({values.re, values.im}, length / 2, width, roots.from(0), spectrum);
      } else {
        kernels->loadReal(from, 1, length, length, width, values);
        spectrum = plan.run(values, width, rest);
      }
      kernels->store({spectrum.re, spectrum.im}, numBins(), width,
                     target + line * numBins() * 2 * partBytes, 1, numBins(), 1.0);
    });
  }

  void backwards(const std::byte *source, std::byte *target, std::byte *scratch) const {
    forLines([&](int64_t line, int64_t width) {
      SplitArray spectrum = array(scratch + arrayBytes(width), width);
      SplitArray values = array(scratch, width);
      std::byte *rest = scratch + 2 * arrayBytes(width);
      std::byte *to = target + line * length * partBytes;
      kernels->load(source + line * numBins() * 2 * partBytes, 1, numBins(), numBins(), width,
                    spectrum);
      if (isEven) {
        kernels->packReal({spectrum.re, spectrum.im}, length / 2, width, roots.from(0), values);
        values = turned(plan.run(turned(values, true), width, rest), true);
        kernels->store({values.re, values.im}, length / 2, width, to, 1, length / 2,
                       2.0 / static_cast<double>(length));
      } else {
        kernels->mirror(spectrum, length, width);
        values = turned(plan.run(turned(spectrum, true), width, rest), true);
        kernels->storeReal({values.re, values.im}, length, width, to, 1, length,
                           1.0 / static_cast<double>(length));
      }
    });
  }

private:
  int64_t numBins() const { return length / 2 + 1; }

  template <class F> void forLines(F visit) const {
    for (int64_t line = 0; line < lines.perGroup; line += lanes())
      visit(line, std::min(lanes(), lines.perGroup - line));
  }

  int64_t length;
  bool isEven;
  FactorTable roots;
};

class FftThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override {
    const std::byte *source = frame.at(operand);
    std::byte *target = frame.at(result);
    std::byte *work = frame.at(scratch);
    if (type == FftType::RFFT) {
      real->forwards(source, target, work);
      source = target;
    }
    // The complex input of IRFFT must stay, so its other dimensions are done in a copy.
    std::byte *place = type == FftType::IRFFT ? frame.at(copy) : target;
    bool isInverse = type == FftType::IFFT || type == FftType::IRFFT;
    for (const LineTransform &dimension : dimensions) {
      dimension.run(source, place, isInverse, work);
      source = place;
    }
    if (type == FftType::IRFFT)
      real->backwards(source, target, work);
    return {};
  }
  std::string name() const override { return "fft"; }

  FftType type = FftType::FFT;
  std::vector<LineTransform> dimensions; ///< Of complex lines.
  std::unique_ptr<RealTransform> real;
  BufferId operand = -1, result = -1, copy = -1, scratch = -1;
};

} // namespace

LogicalResult lower(FunctionLowering &lowering, stablehlo::FftOp op) {
  TensorType operandType = typeOf(op.getOperand());
  TensorType resultType = *tensorTypeOf(op.getType());
  auto thunk = std::make_unique<FftThunk>();
  thunk->type = op.getFftType();
  bool isReal = thunk->type == FftType::RFFT || thunk->type == FftType::IRFFT;
  thunk->operand = lowering.bufferOf(op.getOperand());
  std::vector<BufferId> reads = {thunk->operand};
  std::vector<BufferId> writes;
  if (elementCount(resultType.shape) > 0 && elementCount(operandType.shape) > 0) {
    DataType parts = runtime::realPartType(operandType.type);
    // The complex side: the operand, but for RFFT.
    const TensorType &side = thunk->type == FftType::RFFT ? resultType : operandType;
    size_t rank = side.shape.size();
    size_t numDims = op.getFftLength().size();
    int64_t bytes = 0;
    for (size_t dim = rank - (isReal ? 1 : 0); dim-- > rank - numDims;) {
      thunk->dimensions.emplace_back(parts, side.shape[dim], Lines::along(side.shape, dim));
      bytes = std::max(bytes, thunk->dimensions.back().scratchBytes());
    }
    if (isReal) {
      std::span<const int64_t> sizes(side.shape);
      thunk->real = std::make_unique<RealTransform>(parts, op.getFftLength().back(),
                                                    elementCount(sizes.first(rank - 1)));
      bytes = std::max(bytes, thunk->real->scratchBytes());
    }
    thunk->scratch = lowering.scratch(bytes);
    writes.push_back(thunk->scratch);
    if (thunk->type == FftType::IRFFT) {
      thunk->copy = lowering.scratch(thunk->dimensions.empty() ? 0 : operandType.bytes());
      writes.push_back(thunk->copy);
    }
  }
  thunk->result = lowering.define(op.getResult());
  writes.push_back(thunk->result);
  if (thunk->scratch >= 0)
    lowering.emit(std::move(thunk), reads, writes);
  return mlir::success();
}

} // namespace shardwise::execute
