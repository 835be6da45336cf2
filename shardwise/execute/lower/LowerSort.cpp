// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sort and top_k, both stable. A comparator that is one comparison of integers, or of floats in the
// total order, sorts by integer keys; any other runs as region code per comparison.

#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/BlockCode.h"
#include "shardwise/execute/thunks/StridedCopy.h"
#include "shardwise/runtime/HalfFloat.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <numeric>

namespace shardwise::execute {
namespace {

/// Returns an integer that orders like the element at `source`; floats in the total order.
int64_t orderKey(const std::byte *source, DataType type) {
  auto read = [&]<class T>() {
    T value;
    std::memcpy(&value, source, sizeof(T));
    return value;
  };
  // Negative floats have all bits but the sign flipped.
  auto keyOf = [](auto bits) {
    using Bits = decltype(bits);
    return static_cast<int64_t>(
        bits < 0 ? static_cast<Bits>(bits ^ std::numeric_limits<Bits>::max()) : bits);
  };
  switch (type) {
  case DataType::I1:
  case DataType::U8:
  case DataType::U2:
  case DataType::U4:
    return read.template operator()<uint8_t>();
  case DataType::I8:
  case DataType::I2:
  case DataType::I4:
    return read.template operator()<int8_t>();
  case DataType::I16:
    return read.template operator()<int16_t>();
  case DataType::I32:
    return read.template operator()<int32_t>();
  case DataType::I64:
    return read.template operator()<int64_t>();
  case DataType::U16:
    return read.template operator()<uint16_t>();
  case DataType::U32:
    return read.template operator()<uint32_t>();
  case DataType::U64:
    return static_cast<int64_t>(read.template operator()<uint64_t>() ^ (uint64_t(1) << 63));
  case DataType::F16:
  case DataType::BF16:
    return keyOf(read.template operator()<int16_t>());
  case DataType::F32:
    return keyOf(read.template operator()<int32_t>());
  case DataType::F64:
    return keyOf(read.template operator()<int64_t>());
  default:
    assert(false && "not a type with integer keys");
  }
  return 0;
}

/// Whether `orderKey` knows the type.
bool hasOrderKey(DataType type) {
  return !runtime::isSmallFloat(type) && !runtime::isComplex(type);
}

class SortThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override {
    std::vector<int64_t> order(static_cast<size_t>(length));
    std::vector<int64_t> keys(keyInput >= 0 ? static_cast<size_t>(length) : 0);
    std::vector<void *> pointers;
    if (keyInput < 0)
      pointers = comparator.code.bind(frame, frame.at(scratch), 1);
    for (int64_t line = 0; line < numLines; ++line) {
      int64_t first = line / inner * inner * length + line % inner;
      std::iota(order.begin(), order.end(), 0);
      if (keyInput >= 0)
        sortByKeys(frame, first, keys, order);
      else
        sortByRegion(frame, first, pointers, order);
      for (size_t i = 0; i < inputs.size(); ++i)
        permute(frame, i, first, order);
    }
    return {};
  }
  std::string name() const override { return "sort"; }

  std::vector<BufferId> inputs, results;
  std::vector<DataType> types;
  int64_t numLines = 0, length = 0, inner = 1;
  int64_t keyInput = -1; ///< Input to sort by; -1: by the comparator.
  bool isDescending = false;
  RegionCode comparator;
  BufferId scratch = -1;

private:
  const std::byte *element(const Frame &frame, size_t input, int64_t first, int64_t at) const {
    return frame.at(inputs[input]) + (first + at * inner) * runtime::byteSize(types[input]);
  }

  void sortByKeys(const Frame &frame, int64_t first, std::vector<int64_t> &keys,
                  std::vector<int64_t> &order) const {
    auto input = static_cast<size_t>(keyInput);
    for (int64_t at = 0; at < length; ++at)
      keys[at] = orderKey(element(frame, input, first, at), types[input]);
    if (isDescending)
      std::stable_sort(order.begin(), order.end(),
                       [&](int64_t a, int64_t b) { return keys[a] > keys[b]; });
    else
      std::stable_sort(order.begin(), order.end(),
                       [&](int64_t a, int64_t b) { return keys[a] < keys[b]; });
  }

  void sortByRegion(const Frame &frame, int64_t first, std::vector<void *> &pointers,
                    std::vector<int64_t> &order) const {
    uint8_t truth = 0;
    pointers[comparator.results[0]] = &truth;
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      for (size_t i = 0; i < inputs.size(); ++i) {
        pointers[comparator.arguments[2 * i]] =
            const_cast<std::byte *>(element(frame, i, first, a));
        pointers[comparator.arguments[2 * i + 1]] =
            const_cast<std::byte *>(element(frame, i, first, b));
      }
      comparator.code.program.run(pointers, 1);
      return truth != 0;
    });
  }

  void permute(const Frame &frame, size_t input, int64_t first,
               const std::vector<int64_t> &order) const {
    int64_t bytes = runtime::byteSize(types[input]);
    for (int64_t at = 0; at < length; ++at)
      std::memcpy(frame.at(results[input]) + (first + at * inner) * bytes,
                  element(frame, input, first, order[at]), static_cast<size_t>(bytes));
  }
};

class TopKThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override {
    int64_t bytes = runtime::byteSize(type);
    std::vector<std::pair<int64_t, int64_t>> entries(static_cast<size_t>(length));
    for (int64_t line = 0; line < numLines; ++line) {
      const std::byte *source = frame.at(operand) + line * length * bytes;
      for (int64_t at = 0; at < length; ++at)
        entries[at] = {orderKey(source + at * bytes, type), at};
      // Larger key first; the lower index wins a tie.
      std::partial_sort(entries.begin(), entries.begin() + count, entries.end(),
                        [](const auto &a, const auto &b) {
                          return a.first != b.first ? a.first > b.first : a.second < b.second;
                        });
      for (int64_t place = 0; place < count; ++place) {
        std::memcpy(frame.at(values) + (line * count + place) * bytes,
                    source + entries[place].second * bytes, static_cast<size_t>(bytes));
        frame.as<int32_t>(indices)[line * count + place] =
            static_cast<int32_t>(entries[place].second);
      }
    }
    return {};
  }
  std::string name() const override { return "top_k"; }

  BufferId operand = -1, values = -1, indices = -1;
  DataType type = DataType::F32;
  int64_t numLines = 0, length = 0, count = 0;
};

/// Recognises `compare LT/GT (a_i, b_i)` as the whole comparator, with an order that keys express.
bool describeKeys(mlir::Region &region, SortThunk &thunk) {
  mlir::Block &block = region.front();
  auto compare = llvm::dyn_cast<stablehlo::CompareOp>(block.front());
  if (!compare || !llvm::hasNItems(block, 2) ||
      block.getTerminator()->getOperand(0) != compare.getResult())
    return false;
  auto a = llvm::dyn_cast<mlir::BlockArgument>(compare.getLhs());
  auto b = llvm::dyn_cast<mlir::BlockArgument>(compare.getRhs());
  using stablehlo::ComparisonDirection;
  bool isLess = compare.getComparisonDirection() == ComparisonDirection::LT;
  if (!a || !b || a.getOwner() != &block || b.getOwner() != &block || a.getArgNumber() % 2 != 0 ||
      b.getArgNumber() != a.getArgNumber() + 1 ||
      (!isLess && compare.getComparisonDirection() != ComparisonDirection::GT))
    return false;
  size_t input = a.getArgNumber() / 2;
  bool isTotal = compare.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
  if (!hasOrderKey(thunk.types[input]) ||
      (runtime::isFloatingPoint(thunk.types[input]) && !isTotal))
    return false;
  thunk.keyInput = static_cast<int64_t>(input);
  thunk.isDescending = !isLess;
  return true;
}

} // namespace

LogicalResult lower(FunctionLowering &lowering, stablehlo::SortOp op) {
  auto thunk = std::make_unique<SortThunk>();
  std::vector<int64_t> shape = typeOf(op.getInputs()[0]).shape;
  for (mlir::Value input : op.getInputs())
    thunk->types.push_back(typeOf(input).type);
  if (shape.empty())
    shape.push_back(1);
  auto dim = static_cast<int64_t>(op.getDimension());
  dim += dim < 0 ? static_cast<int64_t>(shape.size()) : 0;
  thunk->length = shape[dim];
  thunk->inner = rowMajorStrides(shape)[dim];
  thunk->numLines = thunk->length == 0 ? 0 : elementCount(shape) / thunk->length;
  thunk->inputs = lowering.buffersOf(op.getInputs());
  std::vector<BufferId> reads = thunk->inputs;
  std::vector<BufferId> writes;
  if (!describeKeys(op.getComparator(), *thunk)) {
    mlir::FailureOr<RegionCode> code = lowerRegion(lowering, op.getComparator());
    if (mlir::failed(code))
      return mlir::failure();
    thunk->comparator = std::move(*code);
    reads.insert(reads.end(), thunk->comparator.captured.begin(), thunk->comparator.captured.end());
    thunk->scratch = lowering.scratch(thunk->comparator.code.scratchBytes(1));
    writes.push_back(thunk->scratch);
  }
  thunk->results = lowering.define(op.getResults());
  writes.insert(writes.end(), thunk->results.begin(), thunk->results.end());
  lowering.emit(std::move(thunk), reads, writes);
  return mlir::success();
}

LogicalResult lowerTopK(FunctionLowering &lowering, mlir::Operation &op) {
  if (op.getNumOperands() != 1 || op.getNumResults() != 2)
    return op.emitOpError() << "has " << op.getNumOperands() << " operands and "
                            << op.getNumResults() << " results; expected 1 and 2";
  TensorType type = typeOf(op.getOperand(0));
  TensorType values = typeOf(op.getResult(0));
  if (typeOf(op.getResult(1)).type != DataType::I32 || values.shape.empty() || type.shape.empty() ||
      values.shape.back() > type.shape.back())
    return op.emitOpError() << "gives " << op.getResult(0).getType() << " and "
                            << op.getResult(1).getType()
                            << "; expected at most all elements of the last dimension, and i32 "
                               "indices";
  if (!hasOrderKey(type.type))
    return op.emitOpError() << "of elements of type " << runtime::toString(type.type).data()
                            << " is not supported; convert the operand to f32 first";
  auto thunk = std::make_unique<TopKThunk>();
  thunk->type = type.type;
  thunk->length = type.shape.back();
  thunk->count = values.shape.back();
  thunk->numLines = thunk->count == 0 ? 0 : elementCount(type.shape) / thunk->length;
  thunk->operand = lowering.bufferOf(op.getOperand(0));
  thunk->values = lowering.define(op.getResult(0));
  thunk->indices = lowering.define(op.getResult(1));
  BufferId operand = thunk->operand;
  BufferId writes[] = {thunk->values, thunk->indices};
  lowering.emit(std::move(thunk), operand, writes);
  return mlir::success();
}

} // namespace shardwise::execute
