// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whatever the bytes are, the headers and texts of files with tensors are parsed or refused, and
// what is accepted describes a file that could be there. The first byte says which of them it is.

#include "shardwise/files/CutSpecs.h"
#include "shardwise/files/DeviceIndex.h"
#include "shardwise/files/SafetensorsHeader.h"
#include "shardwise/runtime/NpyFile.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

using namespace shardwise;

namespace {

void require(bool isTrue) {
  if (!isTrue)
    std::abort();
}

void checkNpy(std::span<const std::byte> bytes) {
  auto fileBytes = static_cast<int64_t>(bytes.size());
  Result<runtime::NpyHeader> header = runtime::parseNpyHeader(bytes, fileBytes, "f");
  if (!header)
    return;
  require(header->dataOffset >= 0 && header->dataBytes >= 0 &&
          header->dataOffset + header->dataBytes <= fileBytes);
  Result<runtime::HostTensor> tensor = runtime::parseNpy(bytes, "f");
  require(tensor && static_cast<int64_t>(tensor->bytes.size()) == header->dataBytes);
}

/// The file is one of some lengths, of which the header may have one right.
void checkSafetensors(std::string_view text) {
  for (int64_t dataBytes : {0, 4, 16, 1024}) {
    int64_t fileBytes = 8 + static_cast<int64_t>(text.size()) + dataBytes;
    Result<files::SafetensorsHeader> header = files::parseSafetensorsHeader(text, fileBytes, "f");
    if (!header)
      continue;
    for (const files::SafetensorsEntry &entry : header->entries)
      require(entry.offset >= 8 &&
              entry.offset + files::byteCount(entry.format, entry.shape) <= fileBytes);
    // What is written of it says the same.
    files::SafetensorsFile written = files::layOutSafetensors(*header);
    Result<files::SafetensorsHeader> again = files::parseSafetensorsHeader(
        std::string_view(written.header).substr(8), written.bytes, "g");
    require(again && again->entries.size() == header->entries.size() &&
            again->metadata == header->metadata);
  }
}

void checkIndex(std::string_view text) {
  Result<files::DeviceIndex> index = files::parseDeviceIndex(text, "f");
  if (!index)
    return;
  int64_t numPositions = std::min<int64_t>(index->mesh.numDevices(), 16);
  for (const files::IndexedTensor &tensor : index->tensors)
    for (int64_t position = 0; position < numPositions; ++position)
      for (const files::ArrayPart &part :
           files::arrayLayout(tensor.shape, tensor.cut, position).parts)
        for (size_t dim = 0; dim < tensor.shape.size(); ++dim)
          require(part.box.start[dim] >= 0 && part.start[dim] >= 0 &&
                  part.box.start[dim] + part.box.size[dim] <= tensor.shape[dim]);
  std::string printed = files::toText(*index);
  Result<files::DeviceIndex> again = files::parseDeviceIndex(printed, "g");
  require(again && files::toText(*again) == printed);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  std::string_view text(reinterpret_cast<const char *>(data) + 1, size - 1);
  switch (data[0] % 4) {
  case 0:
    checkNpy(std::as_bytes(std::span(text)));
    break;
  case 1:
    checkSafetensors(text);
    break;
  case 2:
    checkIndex(text);
    break;
  default:
    if (Result<files::CutSpecs> specs = files::parseCutSpecs(text, "f"))
      specs->find("layers.0.weight");
  }
  return 0;
}
