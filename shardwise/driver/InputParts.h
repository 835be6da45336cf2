// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The global inputs of a run, from which a process takes what its devices need.

#pragma once

#include "shardwise/core/ShardMap.h"
#include "shardwise/runtime/HostTensor.h"
#include "shardwise/runtime/TensorType.h"
#include "shardwise/support/Result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shardwise::driver {

/// One tensor per argument of a program, wherever it is: in memory, in a file, or made from a seed.
/// Safe to call from several threads.
class InputParts {
public:
  virtual ~InputParts() = default;

  virtual size_t count() const = 0;
  virtual runtime::TensorType type(size_t index) const = 0;
  /// Returns the elements of `box`, which lies in tensor number `index`, as a tensor of its size.
  virtual Result<runtime::HostTensor> part(size_t index, const core::Box &box) const = 0;

  /// Tensor number `index`, if it is in memory as long as this lives; else null.
  virtual const runtime::HostTensor *inMemory(size_t index) const { return nullptr; }

  /// Returns all of tensor number `index`.
  Result<runtime::HostTensor> whole(size_t index) const;
};

/// Returns all tensors, whole.
Result<std::vector<runtime::HostTensor>> wholeInputs(const InputParts &inputs);

/// Tensors in memory, which must outlive this.
class TensorParts final : public InputParts {
public:
  explicit TensorParts(std::span<const runtime::HostTensor> tensors) : tensors(tensors) {}

  size_t count() const override { return tensors.size(); }
  runtime::TensorType type(size_t index) const override {
    return {tensors[index].type, tensors[index].shape};
  }
  Result<runtime::HostTensor> part(size_t index, const core::Box &box) const override;
  const runtime::HostTensor *inMemory(size_t index) const override { return &tensors[index]; }

private:
  std::span<const runtime::HostTensor> tensors;
};

/// Random tensors (RandomInputs.h), made where they are wanted: equal in all processes.
class RandomParts final : public InputParts {
public:
  RandomParts(std::vector<runtime::TensorType> types, uint64_t seed)
      : types(std::move(types)), seed(seed) {}

  size_t count() const override { return types.size(); }
  runtime::TensorType type(size_t index) const override { return types[index]; }
  Result<runtime::HostTensor> part(size_t index, const core::Box &box) const override;

private:
  std::vector<runtime::TensorType> types;
  uint64_t seed;
};

} // namespace shardwise::driver
