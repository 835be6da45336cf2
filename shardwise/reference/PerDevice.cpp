// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices that hold the same tensor hold the same pointer. An op is then computed once for all
// devices whose operands are the same pointers, and equal results become one pointer again:
//
//   device            0  1  2  3      mesh <["x"=2, "y"=2]>, "x" manual
//   partition_id      0  1  2  3      four tensors
//   divided by 2      0  0  1  1      two: what follows is computed twice, not four times

#include "shardwise/reference/PerDevice.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Support/xxhash.h>

#include <unordered_map>

namespace shardwise::reference {

void PerDevice::take(const PerDevice &other, const DeviceList &devices, int64_t numDevices) {
  if (isUniform() && numDevices > 1)
    tensors.assign(numDevices, TensorPtr(tensors.front()));
  for (int64_t device : devices)
    set(device, other.on(device));
}

void PerDevice::share(const DeviceList &devices) {
  if (isUniform())
    return;
  // Each pointer is looked at once; its bytes are compared where the hashes are equal.
  llvm::DenseMap<const RuntimeValue *, TensorPtr> sharedOf;
  std::unordered_multimap<uint64_t, TensorPtr> byHash;
  bool isOne = true;
  for (int64_t device : devices) {
    auto [known, isNew] = sharedOf.try_emplace(tensors[device].get(), tensors[device]);
    const TensorPtr &own = tensors[device];
    if (isNew && own->members.empty()) {
      uint64_t hash = llvm::xxh3_64bits(
          {reinterpret_cast<const uint8_t *>(own->bytes.data()), own->bytes.size()});
      auto [begin, end] = byHash.equal_range(hash);
      while (begin != end && static_cast<const runtime::HostTensor &>(*begin->second) != *own)
        ++begin;
      if (begin == end)
        byHash.emplace(hash, own);
      else
        known->second = begin->second;
    }
    tensors[device] = TensorPtr(known->second);
    isOne &= tensors[device] == tensors[devices.front()];
  }
  if (isOne)
    tensors.assign(1, TensorPtr(tensors[devices.front()]));
}

std::vector<DeviceList> classesOf(const DeviceList &devices,
                                  llvm::ArrayRef<const PerDevice *> values) {
  std::vector<size_t> classOf(devices.size(), 0);
  size_t numClasses = 1;
  for (const PerDevice *value : values) {
    if (value->isUniform())
      continue;
    llvm::DenseMap<std::pair<size_t, const RuntimeValue *>, size_t> refined;
    for (size_t i = 0; i < devices.size(); ++i)
      classOf[i] = refined.try_emplace({classOf[i], value->on(devices[i]).get()}, refined.size())
                       .first->second;
    numClasses = refined.size();
  }
  std::vector<DeviceList> classes(numClasses);
  for (size_t i = 0; i < devices.size(); ++i)
    classes[classOf[i]].push_back(devices[i]);
  return classes;
}

} // namespace shardwise::reference
