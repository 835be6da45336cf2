// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/files/SafetensorsHeader.h"

#include "shardwise/files/JsonText.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace shardwise::files {
namespace {

constexpr int64_t kLengthBytes = 8;
constexpr const char *kMetadata = "__metadata__";

/// An entry with its bytes as the header gives them, from the end of the header.
struct Extent {
  SafetensorsEntry entry;
  int64_t begin = 0;
  int64_t end = 0;
};

Result<Extent> parseEntry(const JsonObject &object, const std::string &tensor) {
  if (Result<void> checked = object.checkKeys({"dtype", "shape", "data_offsets"}); !checked)
    return checked.error();
  Result<std::string> dtype = object.string("dtype");
  if (!dtype)
    return dtype.error();
  Result<std::vector<int64_t>> shape = object.sizes("shape");
  if (!shape)
    return shape.error();
  Result<std::vector<int64_t>> offsets = object.sizes("data_offsets");
  if (!offsets)
    return offsets.error();
  auto format = safetensorsFormat(*dtype);
  if (!format)
    return unsupported(
        fmt::format("{}: element type '{}' is not known; expected one of the format, as in F32, "
                    "BF16, I8, F8_E4M3",
                    object.name, *dtype));
  if (offsets->size() != 2)
    return invalid(fmt::format("{}: \"data_offsets\" has {} numbers, expected begin and end",
                               object.name, offsets->size()));
  Extent extent{{tensor, *format, std::move(*shape), 0}, (*offsets)[0], (*offsets)[1]};
  std::optional<int64_t> bytes = checkedByteCount(*format, extent.entry.shape);
  // Groups are counted along the last dimension (TensorMove), so that this has to have whole ones.
  // A scalar of 4 bits is refused by its bytes below.
  bool isWhole = extent.entry.shape.empty() || format->groupElements == 1 ||
                 extent.entry.shape.back() % format->groupElements == 0;
  if (!isWhole)
    return unsupported(fmt::format("{}: {} has {} elements in {} bytes, and a last dimension that "
                                   "ends between them",
                                   object.name, typeText(*format, extent.entry.shape),
                                   format->groupElements, format->groupBytes));
  if (!bytes || extent.end < extent.begin || extent.end - extent.begin != *bytes)
    return invalid(fmt::format("{}: {} takes {} bytes, but \"data_offsets\" are [{}, {}]",
                               object.name, typeText(*format, extent.entry.shape),
                               bytes ? std::to_string(*bytes) : "too many", extent.begin,
                               extent.end));
  return extent;
}

Result<std::map<std::string, std::string>> parseMetadata(const JsonObject &object) {
  std::map<std::string, std::string> metadata;
  for (const auto &[key, value] : object.json.items()) {
    Result<std::string> text = object.string(key.c_str());
    if (!text)
      return text.error();
    metadata[key] = *text;
  }
  return metadata;
}

/// Checks that the tensors follow each other without gaps, and are all that the file has.
Result<void> checkExtents(const std::vector<Extent> &extents, int64_t dataBytes,
                          const std::string &name) {
  // No gaps and no overlaps is what the format demands: two tensors of the same bytes, or bytes
  // that no tensor has, are ways to hide something in a file that others read differently.
  int64_t end = 0;
  for (const Extent &extent : extents) {
    if (extent.begin != end)
      return invalid(fmt::format("'{}': tensor '{}' begins at byte {} of the data, {} the end of "
                                 "the one before it at {}",
                                 name, extent.entry.name, extent.begin,
                                 extent.begin < end ? "before" : "behind", end));
    end = extent.end;
  }
  if (end != dataBytes)
    return invalid(fmt::format("'{}' {}: its header tells of {} bytes of data, the file has {}",
                               name, dataBytes < end ? "ends early" : "is too long", end,
                               dataBytes));
  return {};
}

/// The largest power of two of which a tensor's bytes are a multiple, whatever its shape: 8 for
/// I64, 1 for F6, whose groups take 3 bytes.
int64_t alignmentOf(const ElementFormat &format) {
  return format.groupBytes & -format.groupBytes;
}

} // namespace

Result<SafetensorsHeader> parseSafetensorsHeader(std::string_view text, int64_t fileBytes,
                                                 const std::string &name) {
  Result<Json> json = parseJson(text, name);
  if (!json)
    return json.error();
  Result<JsonObject> object = asObject(*json, fmt::format("'{}'", name));
  if (!object)
    return object.error();
  SafetensorsHeader header;
  std::vector<Extent> extents;
  for (const auto &[key, value] : object->json.items()) {
    Result<JsonObject> entry = asObject(value, fmt::format("'{}': tensor '{}'", name, key));
    if (!entry)
      return entry.error();
    if (key == kMetadata) {
      Result<std::map<std::string, std::string>> metadata = parseMetadata(*entry);
      if (!metadata)
        return metadata.error();
      header.metadata = std::move(*metadata);
      continue;
    }
    Result<Extent> extent = parseEntry(*entry, key);
    if (!extent)
      return extent.error();
    extents.push_back(std::move(*extent));
  }
  // JSON has no order that counts, offsets have: sorted by these, the tensors must follow each
  // other without gaps. A tensor without elements begins where another one does, and goes before
  // it.
  std::sort(extents.begin(), extents.end(), [](const Extent &a, const Extent &b) {
    return std::tie(a.begin, a.end, a.entry.name) < std::tie(b.begin, b.end, b.entry.name);
  });
  int64_t dataOffset = kLengthBytes + static_cast<int64_t>(text.size());
  if (Result<void> checked = checkExtents(extents, fileBytes - dataOffset, name); !checked)
    return checked.error();
  for (Extent &extent : extents) {
    extent.entry.offset = dataOffset + extent.begin;
    header.entries.push_back(std::move(extent.entry));
  }
  return header;
}

Result<SafetensorsHeader> readSafetensorsHeader(const FileSet &files, FileNumber file) {
  const std::string &name = files.path(file);
  std::array<std::byte, kLengthBytes> start{};
  if (files.bytes(file) < kLengthBytes)
    return invalid(
        fmt::format("'{}' is no .safetensors file: it has {} bytes", name, files.bytes(file)));
  if (Result<void> done = files.read(file, 0, start); !done)
    return done.error();
  uint64_t length = 0;
  for (size_t i = 0; i < start.size(); ++i)
    length |= static_cast<uint64_t>(start[i]) << (8 * i);
  // Compared as it is, without a sign: any eight bytes may stand there.
  if (length > static_cast<uint64_t>(kLongestSafetensorsHeader))
    return invalid(fmt::format("'{}' is no .safetensors file: its header would have {} bytes, more "
                               "than {}",
                               name, length, kLongestSafetensorsHeader));
  if (static_cast<int64_t>(length) > files.bytes(file) - kLengthBytes)
    return invalid(fmt::format("'{}' ends inside the header: that has {} bytes, the file {} behind "
                               "its length",
                               name, length, files.bytes(file) - kLengthBytes));
  std::string text(static_cast<size_t>(length), '\0');
  if (Result<void> done =
          files.read(file, kLengthBytes, std::as_writable_bytes(std::span<char>(text)));
      !done)
    return done.error();
  return parseSafetensorsHeader(text, files.bytes(file), name);
}

SafetensorsFile layOutSafetensors(SafetensorsHeader contents) {
  // Before a tensor are only such of its own alignment or a larger one, so it begins at a multiple
  // of its own: readers that map the file can use its elements where they are.
  std::sort(contents.entries.begin(), contents.entries.end(),
            [](const SafetensorsEntry &a, const SafetensorsEntry &b) {
              int64_t alignmentA = alignmentOf(a.format);
              int64_t alignmentB = alignmentOf(b.format);
              return std::tie(alignmentB, a.name) < std::tie(alignmentA, b.name);
            });
  Json json = Json::object();
  if (!contents.metadata.empty())
    json[kMetadata] = contents.metadata;
  int64_t end = 0;
  for (SafetensorsEntry &entry : contents.entries) {
    entry.offset = end;
    end += byteCount(entry.format, entry.shape);
    json[entry.name] = {{"dtype", entry.format.safetensorsName},
                        {"shape", entry.shape},
                        {"data_offsets", {entry.offset, end}}};
  }
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  // The data begin at a multiple of 8, the largest alignment; the format allows blanks there.
  text.resize((text.size() + 7) / 8 * 8, ' ');
  SafetensorsFile file;
  for (int64_t i = 0; i < kLengthBytes; ++i)
    file.header += static_cast<char>(text.size() >> (8 * i) & 0xff);
  file.header += text;
  auto dataOffset = static_cast<int64_t>(file.header.size());
  for (SafetensorsEntry &entry : contents.entries)
    entry.offset += dataOffset;
  file.contents = std::move(contents);
  file.bytes = dataOffset + end;
  return file;
}

} // namespace shardwise::files
