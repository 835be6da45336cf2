// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MLIR tensor types as tensors in host memory.

#include "shardwise/driver/HostTypes.h"

#include "shardwise/dialect/builtin/TensorTypes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <string>
#include <vector>

using namespace mlir;

namespace shardwise::driver {
namespace {

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

} // namespace

Result<runtime::TensorType> hostTypeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return unsupported(fmt::format(
        "values of type {} are not supported; expected tensors with static shapes", textOf(type)));
  if (auto hostType = builtin::tensorTypeOf(type))
    return *hostType;
  return unsupported(fmt::format("element type {} is not supported; expected {}",
                                 textOf(tensor.getElementType()), builtin::kElementTypes));
}

Result<void> checkTypes(std::span<const runtime::TensorType> tensors, llvm::ArrayRef<Type> types,
                        llvm::StringRef what) {
  if (tensors.size() != types.size())
    return invalid(fmt::format("{} {}{} given, but the program has {}", tensors.size(), what.str(),
                               tensors.size() == 1 ? "" : "s", types.size()));
  for (size_t i = 0; i < types.size(); ++i) {
    auto type = hostTypeOf(types[i]);
    if (!type)
      return type.error();
    if (tensors[i] != *type)
      return invalid(fmt::format("{} {} is a {}, but the program has a {} there", what.str(), i,
                                 typeString(tensors[i].type, tensors[i].shape),
                                 typeString(type->type, type->shape)));
  }
  return {};
}

Result<void> checkTensors(std::span<const runtime::HostTensor> tensors, llvm::ArrayRef<Type> types,
                          llvm::StringRef what) {
  std::vector<runtime::TensorType> given;
  for (const runtime::HostTensor &tensor : tensors)
    given.push_back({tensor.type, tensor.shape});
  return checkTypes(given, types, what);
}

} // namespace shardwise::driver
