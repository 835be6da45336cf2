// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an SSA name stands for on the devices that run an op together, and which of them an op can
// be computed once for.

#pragma once

#include "shardwise/runtime/HostTensor.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>

#include <memory>
#include <vector>

namespace shardwise::reference {

/// A tensor, or a tuple of values. A token is a tensor of nothing.
struct RuntimeValue : runtime::HostTensor {
  RuntimeValue() = default;
  explicit RuntimeValue(runtime::HostTensor tensor) : HostTensor(std::move(tensor)) {}

  std::vector<std::shared_ptr<const RuntimeValue>> members;
};

/// Values are shared, never changed once they belong to an SSA name.
using TensorPtr = std::shared_ptr<const RuntimeValue>;
using TensorList = llvm::SmallVector<TensorPtr, 4>;

/// Puts a tensor where it can be shared.
inline TensorPtr shared(runtime::HostTensor tensor) {
  return std::make_shared<const RuntimeValue>(std::move(tensor));
}

/// Devices by number, ascending.
using DeviceList = std::vector<int64_t>;

/// The value of one SSA name on every device that has run its op: one tensor that all of them
/// have, or one for each device. Example: inside a manual computation a constant is the first, and
/// `stablehlo.partition_id` the second.
class PerDevice {
public:
  PerDevice() = default;
  /// The same on all devices.
  PerDevice(TensorPtr everywhere) : tensors{std::move(everywhere)} {}
  /// A value to be `set` on each of `numDevices`.
  explicit PerDevice(int64_t numDevices) : tensors(numDevices) {}

  const TensorPtr &on(int64_t device) const {
    return isUniform() ? tensors.front() : tensors[device];
  }
  bool isUniform() const { return tensors.size() == 1; }
  /// Requires a value for each device, of which `device` is one.
  void set(int64_t device, TensorPtr tensor) { tensors[device] = std::move(tensor); }

  /// Takes the tensors of `devices` from `other`.
  void take(const PerDevice &other, const DeviceList &devices, int64_t numDevices);
  /// Lets those of `devices` whose tensors are equal in every bit share one, so that what is
  /// computed from it is computed once. If all are equal the value is the same everywhere. Costs
  /// the bytes of the tensors.
  void share(const DeviceList &devices);

private:
  llvm::SmallVector<TensorPtr, 1> tensors;
};

using ValueList = llvm::SmallVector<PerDevice, 4>;

/// Parts `devices` into classes on which all of `values` are the same tensors, in the order of
/// their first devices. Costs the number of devices times that of values.
std::vector<DeviceList> classesOf(const DeviceList &devices,
                                  llvm::ArrayRef<const PerDevice *> values);

} // namespace shardwise::reference
