// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thunks that write elements without computing any: fills, counts, conversions, copies at known
// strides and at offsets that are read at run time. All tensors are dense and row-major; strides
// and offsets are in elements.

#pragma once

#include "shardwise/execute/thunks/Conversion.h"
#include "shardwise/execute/thunks/Iota.h"
#include "shardwise/execute/thunks/StridedCopy.h"
#include "shardwise/execute/thunks/Thunk.h"

namespace shardwise::execute {

/// Writes one element `count` times: a splat constant.
class FillThunk final : public Thunk {
public:
  /// `value` are the bytes of the element.
  FillThunk(BufferId target, std::vector<std::byte> value, int64_t count)
      : target(target), value(std::move(value)), count(count) {}

  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "fill"; }

private:
  BufferId target;
  std::vector<std::byte> value;
  int64_t count;
};

/// Writes all `count` elements of an iota.
class IotaThunk final : public Thunk {
public:
  IotaThunk(BufferId target, Iota iota, int64_t count) : target(target), iota(iota), count(count) {}

  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "iota"; }

private:
  BufferId target;
  Iota iota;
  int64_t count;
};

/// Repeats a tensor along dimensions of the target: a copy whose source strides are 0 there.
class BroadcastThunk final : public Thunk {
public:
  BroadcastThunk(BufferId source, BufferId target, StridedCopy copy)
      : source(source), target(target), copy(std::move(copy)) {}

  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "broadcast"; }

private:
  BufferId source, target;
  StridedCopy copy;
};

/// Converts `count` elements to another type.
class ConvertThunk final : public Thunk {
public:
  ConvertThunk(BufferId source, BufferId target, Conversion conversion, int64_t count)
      : source(source), target(target), conversion(std::move(conversion)), count(count) {}

  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "convert"; }

private:
  BufferId source, target;
  Conversion conversion;
  int64_t count;
};

/// One or more strided copies into a buffer, after filling it with a value if there is one:
/// transpose, reverse, slice, pad, concatenate.
class CopyThunk final : public Thunk {
public:
  /// A tensor, and where its elements go in the target.
  struct Part {
    BufferId source;
    StridedCopy copy;
  };

  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "copy"; }

  std::vector<Part> parts;
  BufferId target = -1;
  BufferId fill = -1;       ///< Holds the element to fill with; -1: the parts cover the target.
  int64_t elementBytes = 1; ///< For the fill.
  int64_t count = 0;        ///< Elements of the target, for the fill.
};

/// Where a box of a tensor begins: run-time offsets, each clamped so that the box fits.
struct DynamicStart {
  std::vector<BufferId> buffers; ///< One scalar per dimension: the start along it.
  DataType type = DataType::I32; ///< Of these scalars.
  std::vector<int64_t> strides;  ///< Of the tensor that has the box.
  std::vector<int64_t> largest;  ///< Size of the tensor less that of the box, per dimension.

  /// Offset of the box in elements.
  int64_t offset(const Frame &frame) const;
};

/// Copies a box of the source, which begins at run-time offsets, to a dense target.
class DynamicSliceThunk final : public Thunk {
public:
  /// `copy` brings a box at offset 0 to the target.
  DynamicSliceThunk(BufferId source, BufferId target, DynamicStart start, StridedCopy copy,
                    int64_t elementBytes)
      : source(source), target(target), start(std::move(start)), copy(std::move(copy)),
        elementBytes(elementBytes) {}

  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "dynamic_slice"; }

private:
  BufferId source, target;
  DynamicStart start;
  StridedCopy copy;
  int64_t elementBytes;
};

/// The operand with a box of it, which begins at run-time offsets, replaced by the update. Costs
/// only the update where the plan puts the result in place of the operand.
class DynamicUpdateThunk final : public Thunk {
public:
  /// `copy` brings the dense update to a box at offset 0; `bytes` are those of the operand.
  DynamicUpdateThunk(BufferId operand, BufferId update, BufferId target, DynamicStart start,
                     StridedCopy copy, int64_t elementBytes, int64_t bytes)
      : operand(operand), update(update), target(target), start(std::move(start)),
        copy(std::move(copy)), elementBytes(elementBytes), bytes(bytes) {}

  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "dynamic_update_slice"; }

private:
  BufferId operand, update, target;
  DynamicStart start;
  StridedCopy copy;
  int64_t elementBytes, bytes;
};

} // namespace shardwise::execute
