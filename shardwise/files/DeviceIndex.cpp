// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every value of an index may be wrong, as users write it by hand and other tools write it: each is
// checked where it is read, so that what leaves this file is a tensor that exists, cut in a way
// that fits it. The order of the checks is that in which one value gives another its meaning: mesh,
// shape and type, sharding on this mesh for this shape, segments of this sharding.
//
// Errors lead to the value by the name of the object that it is in, which `JsonObject` carries:
//   'out/index.json': tensor "w": element type 'float' is not known; expected ...

#include "shardwise/files/DeviceIndex.h"

#include "shardwise/core/Text.h"
#include "shardwise/files/Checksum.h"
#include "shardwise/files/JsonText.h"

#include <fmt/format.h>

namespace shardwise::files {
namespace {

/// More devices than have files: the mesh is a mistake. With this bound, products of axis sizes and
/// loops over devices are safe below.
constexpr int64_t kMostDevices = 1 << 20;

Result<ElementFormat> parseFormat(const std::string &dtype, bool isNpy, const std::string &name) {
  // The two kinds of files differ in elements of less than a byte: i4 takes a byte in .npy files,
  // and half of one in .safetensors files. What is beside the index says which is meant.
  if (isNpy) {
    if (auto type = runtime::parseDataType(dtype))
      return npyFormat(*type);
  } else if (auto format = packedFormat(dtype); format && !format->safetensorsName.empty()) {
    return *format;
  }
  return invalid(fmt::format("{}: element type '{}' is not known; expected one of StableHLO, as in "
                             "f32, bf16, i8, ui8, f8E4M3FN",
                             name, dtype));
}

Result<IndexedTensor> parseTensor(const JsonObject &object, const core::Mesh &mesh, bool isNpy) {
  IndexedTensor tensor;
  Result<std::vector<int64_t>> shape = object.sizes("shape");
  if (!shape)
    return shape.error();
  Result<std::string> dtype = object.string("dtype");
  if (!dtype)
    return dtype.error();
  Result<ElementFormat> format = parseFormat(*dtype, isNpy, object.name);
  if (!format)
    return format.error();
  Result<std::string> text = object.string("sharding");
  if (!text)
    return text.error();
  tensor.shape = std::move(*shape);
  tensor.format = *format;
  auto refused = [&](const std::string &message) {
    return invalid(fmt::format("{}: {}", object.name, message));
  };
  // Before anything multiplies its sizes.
  if (!checkedByteCount(tensor.format, tensor.shape))
    return refused(
        fmt::format("{} is no tensor that fits a file", typeText(tensor.format, tensor.shape)));
  Result<core::Sharding> sharding =
      parseCutSharding(*text, mesh, static_cast<int64_t>(tensor.shape.size()));
  if (!sharding)
    return refused(sharding.error().message);
  tensor.cut = {mesh, std::move(*sharding), std::nullopt};
  if (object.has("segments")) {
    Result<JsonObject> segments = object.object("segments");
    if (!segments)
      return segments.error();
    Result<Segments> parsed = parseSegments(*segments);
    if (!parsed)
      return parsed.error();
    tensor.cut.segments = std::move(*parsed);
  }
  if (Result<void> checked = checkCut(tensor.shape, tensor.cut); !checked)
    return refused(checked.error().message);
  return tensor;
}

/// Files that are not named are not checked; names of no file do no harm.
Result<Checksums> parseChecksums(const JsonObject &object) {
  Checksums checksums;
  for (const auto &[file, value] : object.json.items()) {
    Result<uint32_t> checksum = parseChecksum(value.is_string() ? value.get<std::string>() : "");
    if (!checksum)
      return invalid(fmt::format("{}: {}: {}, got {}", object.name, Json(file).dump(),
                                 checksum.error().message, value.dump()));
    checksums[file] = *checksum;
  }
  return checksums;
}

Json toJson(const IndexedTensor &tensor) {
  Json json;
  json["sharding"] = core::toString(tensor.cut.sharding, tensor.cut.mesh);
  json["shape"] = tensor.shape;
  json["dtype"] = tensor.format.name;
  if (tensor.cut.segments)
    json["segments"] = {{"dim", tensor.cut.segments->dim}, {"sizes", tensor.cut.segments->sizes}};
  return json;
}

} // namespace

std::string DeviceIndex::fileName(int64_t position) const {
  return fmt::format("{}.{}", position, isNpy ? "npy" : "safetensors");
}

TensorCut wholeCut(int64_t rank) {
  return {core::Mesh(), core::replicatedSharding(rank), std::nullopt};
}

Result<core::Sharding> parseCutSharding(const std::string &text, const core::Mesh &mesh,
                                        int64_t rank) {
  // Of any rank, so that one word serves tensors of all ranks.
  if (text == "replicated")
    return core::replicatedSharding(rank);
  Result<core::WrittenSharding> written = core::parseSharding(text);
  if (!written)
    return invalid(fmt::format("sharding {}: {}", text, written.error().message));
  Result<core::Sharding> sharding = core::resolve(*written, mesh, rank);
  if (!sharding)
    return invalid(fmt::format("sharding {}: {}", text, sharding.error().message));
  return sharding;
}

Result<Segments> parseSegments(const JsonObject &object) {
  if (Result<void> checked = object.checkKeys({"dim", "sizes"}); !checked)
    return checked.error();
  Result<int64_t> dim = object.size("dim");
  if (!dim)
    return dim.error();
  Result<std::vector<int64_t>> sizes = object.sizes("sizes");
  if (!sizes)
    return sizes.error();
  return Segments{*dim, std::move(*sizes)};
}

Result<DeviceIndex> parseDeviceIndex(std::string_view text, const std::string &path) {
  Result<Json> json = parseJson(text, path);
  if (!json)
    return json.error();
  Result<JsonObject> object = asObject(*json, fmt::format("'{}'", path));
  if (!object)
    return object.error();
  DeviceIndex index;
  Result<std::string> meshText = object->string("mesh");
  if (!meshText)
    return meshText.error();
  Result<core::Mesh> mesh = core::parseMesh(*meshText);
  if (!mesh)
    return invalid(fmt::format("{}: \"mesh\": {}", object->name, mesh.error().message));
  if (mesh->numDevices() > kMostDevices)
    return invalid(fmt::format("{}: the mesh has {} devices, more than {}", object->name,
                               mesh->numDevices(), kMostDevices));
  index.mesh = std::move(*mesh);
  // One tensor without a name beside .npy files, any number with names beside .safetensors files:
  // the key tells which, so that a text can be checked without its folder.
  index.isNpy = !object->has("tensors");
  if (index.isNpy) {
    Result<IndexedTensor> tensor = parseTensor(*object, index.mesh, true);
    if (!tensor)
      return tensor.error();
    index.tensors.push_back(std::move(*tensor));
  } else {
    Result<JsonObject> tensors = object->object("tensors");
    if (!tensors)
      return tensors.error();
    for (const auto &[name, value] : tensors->json.items()) {
      Result<JsonObject> entry =
          asObject(value, fmt::format("{}: tensor {}", object->name, Json(name).dump()));
      if (!entry)
        return entry.error();
      Result<IndexedTensor> tensor = parseTensor(*entry, index.mesh, false);
      if (!tensor)
        return tensor.error();
      tensor->name = name;
      index.tensors.push_back(std::move(*tensor));
    }
  }
  if (!object->has("crc32"))
    return index;
  Result<JsonObject> checksums = object->object("crc32");
  if (!checksums)
    return checksums.error();
  Result<Checksums> parsed = parseChecksums(*checksums);
  if (!parsed)
    return parsed.error();
  index.checksums = std::move(*parsed);
  return index;
}

std::string toText(const DeviceIndex &index) {
  // Names of tensors are any bytes; those that are no UTF-8 are replaced, as JSON cannot have them.
  // They come from JSON (a header), so that this does not happen to tensors that were read.
  Json json;
  json["mesh"] = core::toString(index.mesh);
  if (index.isNpy) {
    json.update(toJson(index.tensors.front()));
  } else {
    json["tensors"] = Json::object();
    for (const IndexedTensor &tensor : index.tensors)
      json["tensors"][tensor.name] = toJson(tensor);
  }
  // Text of fixed length, and not numbers: 8 digits are what other tools print, and compare.
  for (const auto &[file, checksum] : index.checksums)
    json["crc32"][file] = fmt::format("{:08x}", checksum);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace shardwise::files
