// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds of rows, by kernel or by region code. Accumulators and elements are rows of lanes: lane j
// of all of them belongs to one result, so that one call of a kernel does a step of many folds.
//
// Scratch memory holds four rows per input: elements as they are read, the same converted to the
// type of the region, accumulators, and the results of a region. Those need rows of their own,
// since with several inputs the code of the second result may read the first accumulator; the two
// kinds of row change places after every fold.

#include "shardwise/execute/thunks/RowReducer.h"

#include "shardwise/execute/thunks/StridedCopy.h"

#include <algorithm>
#include <limits>

namespace shardwise::execute {
namespace {

/// Every row has room for the widest element, so that one size fits all.
int64_t rowBytes(const Reduction &reduction, int64_t lanes) {
  int64_t widest = 8;
  for (size_t i = 0; i < reduction.numInputs(); ++i)
    for (DataType type : {reduction.inputTypes[i], reduction.accumulatorTypes[i]})
      widest = std::max(widest, runtime::byteSize(type));
  return (lanes * widest + 63) / 64 * 64;
}

} // namespace

int64_t Reduction::scratchBytes(int64_t lanes) const {
  auto inputs = static_cast<int64_t>(numInputs());
  return 4 * inputs * rowBytes(*this, lanes) + (kind ? 0 : region.code.scratchBytes(lanes));
}

bool isIdentity(core::ReductionKind kind, DataType type, std::span<const std::byte> element) {
  // The identities as numbers: conversion saturates them to the ends of integer types.
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double number = 0.0;
  switch (kind) {
  case core::ReductionKind::Sum:
  case core::ReductionKind::Or:
    break;
  case core::ReductionKind::Product:
    number = 1.0;
    break;
  case core::ReductionKind::Max:
    if (runtime::isComplex(type)) // No number is below all others in both parts.
      return false;
    number = type == DataType::I1 ? 0.0 : -kInfinity;
    break;
  case core::ReductionKind::Min:
    if (runtime::isComplex(type))
      return false;
    number = kInfinity;
    break;
  case core::ReductionKind::And:
    // All bits set.
    number = type == DataType::I1 || runtime::isUnsignedInteger(type) ? kInfinity : -1.0;
    break;
  }
  std::byte identity[16];
  Conversion(DataType::F64, type).run(reinterpret_cast<const std::byte *>(&number), identity, 1);
  return std::equal(element.begin(), element.end(), identity);
}

RowReducer::RowReducer(const Reduction &reduction, const Frame &frame, std::byte *scratch,
                       int64_t lanes)
    : reduction(reduction) {
  auto take = [&](std::vector<std::byte *> &rows) {
    for (size_t i = 0; i < reduction.numInputs(); ++i) {
      rows.push_back(scratch);
      scratch += rowBytes(reduction, lanes);
    }
  };
  take(inputRows);
  take(elementRows);
  take(accumulators);
  take(results);
  inputRowPointers.assign(inputRows.begin(), inputRows.end());
  if (!reduction.kind)
    pointers = reduction.region.code.bind(frame, scratch, lanes);
}

void RowReducer::start(std::span<const std::byte *const> inits, int64_t count) {
  for (size_t i = 0; i < reduction.numInputs(); ++i)
    fillElements(accumulators[i], inits[i], runtime::byteSize(reduction.accumulatorTypes[i]),
                 count);
}

void RowReducer::fold(std::span<const std::byte *const> rows, int64_t count) {
  size_t numInputs = reduction.numInputs();
  auto elementsOf = [&](size_t input) -> const std::byte * {
    if (reduction.conversions[input].isIdentity())
      return rows[input];
    reduction.conversions[input].run(rows[input], elementRows[input], count);
    return elementRows[input];
  };
  if (reduction.kind) {
    // The accumulator is the left operand, as the region's first argument is; kernels work in
    // place.
    const void *operands[] = {accumulators[0], elementsOf(0)};
    reduction.rowKernel(accumulators[0], operands, count, {});
    return;
  }
  const RegionCode &region = reduction.region;
  for (size_t i = 0; i < numInputs; ++i) {
    pointers[region.arguments[i]] = accumulators[i];
    pointers[region.arguments[numInputs + i]] = const_cast<std::byte *>(elementsOf(i));
    pointers[region.results[i]] = results[i];
  }
  region.code.program.run(pointers, count);
  std::swap(accumulators, results);
}

} // namespace shardwise::execute
