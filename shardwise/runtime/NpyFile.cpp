// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reader and writer of .npy files:
//
//     bytes 0-5         "\x93NUMPY"
//     bytes 6-7         version 1.0, 2.0 or 3.0, whose header may have more than ASCII
//     2 or 4 bytes      length of the header, little endian; 2 in version 1.0
//     header            a Python dict literal, filled up with blanks, and a line feed
//     from a multiple of 64 on: the elements
//
// The header has the keys 'descr', 'fortran_order' and 'shape', e.g. {'descr': '<f4',
// 'fortran_order': False, 'shape': (2, 3), }; only that form of literal is understood. Files come
// from users: nothing in them is trusted, and every length is checked against what the file has.

#include "shardwise/runtime/NpyFile.h"

#include "shardwise/runtime/WriteFile.h"
#include "shardwise/support/MemoryRequest.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <string_view>

namespace shardwise::runtime {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kHeaderAlignment = 64;

struct Descriptor {
  std::string_view text;
  DataType type;
};

/// What is written comes first; '|V2' and '=' forms are accepted on reading only.
constexpr Descriptor kDescriptors[] = {
    {"|b1", DataType::I1},  {"|i1", DataType::I8},   {"<i2", DataType::I16},
    {"<i4", DataType::I32}, {"<i8", DataType::I64},  {"|u1", DataType::U8},
    {"<u2", DataType::U16}, {"<u4", DataType::U32},  {"<u8", DataType::U64},
    {"<f2", DataType::F16}, {"<V2", DataType::BF16}, {"<f4", DataType::F32},
    {"<f8", DataType::F64}, {"|V2", DataType::BF16}, {"<i1", DataType::I8},
    {"<u1", DataType::U8},  {"<c8", DataType::C64},  {"<c16", DataType::C128},
};

/// Bytes of a type that NumPy does not know.
constexpr std::string_view kRawByte = "<V1";
constexpr std::string_view kRawByteNames[] = {kRawByte, "|V1", "<f1"};

/// Returns what follows `'key':` in the dict literal `header`, without leading blanks.
std::optional<std::string_view> valueOf(std::string_view header, std::string_view key) {
  // NumPy writes single quotes; both are valid Python.
  for (char quote : {'\'', '"'}) {
    std::string quoted = fmt::format("{}{}{}", quote, key, quote);
    size_t at = header.find(quoted);
    if (at == std::string_view::npos)
      continue;
    size_t colon = header.find(':', at + quoted.size());
    size_t start =
        colon == std::string_view::npos ? colon : header.find_first_not_of(' ', colon + 1);
    if (start != std::string_view::npos)
      return header.substr(start);
  }
  return std::nullopt;
}

struct ParsedType {
  DataType type;
  bool isRawByte = false;
};

Result<ParsedType> parseDescriptor(std::string_view text, const std::string &name) {
  if (text.empty() || (text[0] != '\'' && text[0] != '"'))
    return unsupported(
        fmt::format("'{}': structured element types are not supported; save a plain array", name));
  size_t end = text.find(text[0], 1);
  std::string_view descr = text.substr(1, end == std::string_view::npos ? end : end - 1);
  for (const Descriptor &known : kDescriptors)
    if (known.text == descr)
      return ParsedType{known.type};
  // Bytes of types that NumPy lacks; whoever knows the type calls `reinterpretBytes`.
  for (std::string_view raw : kRawByteNames)
    if (raw == descr)
      return ParsedType{DataType::U8, true};
  if (descr.starts_with('>'))
    return unsupported(fmt::format("'{}': element type '{}' is big endian; save it little endian "
                                   "with array.astype('<{}')",
                                   name, descr, descr.substr(1)));
  return unsupported(fmt::format("'{}': element type '{}' is not supported; expected bool, an "
                                 "integer of 8 to 64 bits, f2, f4, f8, c8, c16, V2 (bf16) or V1",
                                 name, descr));
}

Result<std::vector<int64_t>> parseShape(std::string_view text, const std::string &name) {
  Error malformed = invalid(fmt::format("'{}': malformed shape in the .npy header", name));
  if (text.empty() || text[0] != '(')
    return malformed;
  size_t end = text.find(')');
  if (end == std::string_view::npos)
    return malformed;
  std::vector<int64_t> shape;
  int64_t value = -1;
  for (char character : text.substr(1, end)) {
    if (character >= '0' && character <= '9') {
      // The next digit would not fit.
      if (value > (std::numeric_limits<int64_t>::max() - 9) / 10)
        return malformed;
      value = (value < 0 ? 0 : value) * 10 + (character - '0');
    } else if (character == ',' || character == ')') {
      if (value >= 0)
        shape.push_back(value);
      value = -1;
    } else if (character != ' ' && character != 'L') { // Python 2 wrote long integers as 3L.
      return malformed;
    }
  }
  return shape;
}

/// Parses the dict literal.
Result<NpyHeader> parseDict(std::string_view text, const std::string &name) {
  auto descr = valueOf(text, "descr");
  auto order = valueOf(text, "fortran_order");
  auto shapeText = valueOf(text, "shape");
  if (!descr || !order || !shapeText)
    return invalid(
        fmt::format("'{}': the .npy header lacks one of 'descr', 'fortran_order', 'shape'", name));
  Result<ParsedType> type = parseDescriptor(*descr, name);
  if (!type)
    return type.error();
  Result<std::vector<int64_t>> shape = parseShape(*shapeText, name);
  if (!shape)
    return shape.error();
  // Nobody guesses in which order the elements are.
  if (!order->starts_with("True") && !order->starts_with("False"))
    return invalid(fmt::format(
        "'{}': malformed 'fortran_order' in the .npy header; expected True or False", name));
  return NpyHeader{type->type, type->isRawByte, order->starts_with("True"), std::move(*shape)};
}

/// Returns the byte count of a tensor of `header`, or none if it overflows.
std::optional<int64_t> byteCount(const NpyHeader &header) {
  int64_t count = byteSize(header.type);
  // Sizes may overflow before a 0 makes the product one.
  for (int64_t size : header.shape)
    if (__builtin_mul_overflow(count, size, &count))
      return std::nullopt;
  return count;
}

/// Copies from Fortran order (first dimension fastest) to row-major.
void copyFromFortranOrder(HostTensor &tensor, std::span<const std::byte> data) {
  size_t elementBytes = static_cast<size_t>(byteSize(tensor.type));
  std::vector<int64_t> strides(tensor.shape.size());
  int64_t stride = 1;
  for (size_t dim = 0; dim < strides.size(); ++dim) {
    strides[dim] = stride;
    stride *= tensor.shape[dim];
  }
  std::vector<int64_t> index(tensor.shape.size(), 0);
  int64_t source = 0;
  // Targets in order; the source position moves along like an odometer.
  for (int64_t target = 0, count = tensor.numElements(); target < count; ++target) {
    std::memcpy(tensor.bytes.data() + static_cast<size_t>(target) * elementBytes,
                data.data() + static_cast<size_t>(source) * elementBytes, elementBytes);
    for (size_t dim = index.size(); dim-- > 0;) {
      source += strides[dim];
      if (++index[dim] < tensor.shape[dim])
        break;
      source -= strides[dim] * tensor.shape[dim];
      index[dim] = 0;
    }
  }
}

std::string systemMessage(const std::string &what, const std::string &path) {
  return fmt::format("cannot {} '{}': {}", what, path, std::strerror(errno));
}

} // namespace

Result<int64_t> npyHeaderBytes(std::span<const std::byte> start, const std::string &name) {
  std::string_view text(reinterpret_cast<const char *>(start.data()), start.size());
  if (text.size() < 10 || !text.starts_with(kMagic))
    return invalid(fmt::format("'{}' is not a .npy file; write it with numpy.save", name));
  int version = static_cast<unsigned char>(text[6]);
  if (version < 1 || version > 3)
    return unsupported(
        fmt::format("'{}' has .npy format version {}; expected 1.0, 2.0 or 3.0", name, version));
  size_t lengthBytes = version == 1 ? 2 : 4;
  int64_t length = 0;
  for (size_t i = 0; i < lengthBytes && 8 + i < text.size(); ++i)
    length |= static_cast<int64_t>(static_cast<unsigned char>(text[8 + i])) << (8 * i);
  return static_cast<int64_t>(8 + lengthBytes) + length;
}

Result<NpyHeader> parseNpyHeader(std::span<const std::byte> start, int64_t fileBytes,
                                 const std::string &name) {
  Result<int64_t> headerBytes = npyHeaderBytes(start, name);
  if (!headerBytes)
    return headerBytes.error();
  if (static_cast<int64_t>(start.size()) < *headerBytes)
    return invalid(fmt::format("'{}' ends inside the .npy header", name));
  std::string_view text(reinterpret_cast<const char *>(start.data()),
                        static_cast<size_t>(*headerBytes));
  Result<NpyHeader> header = parseDict(text.substr(text[6] == 1 ? 10 : 12), name);
  if (!header)
    return header;
  // The header may claim any size: nothing is allocated before the file is known to have as much.
  std::optional<int64_t> expected = byteCount(*header);
  if (!expected || fileBytes - *headerBytes < *expected)
    return invalid(fmt::format("'{}' ends early: {} needs {} bytes, the file has {}", name,
                               typeString(header->type, header->shape),
                               expected ? std::to_string(*expected) : "too many",
                               fileBytes - *headerBytes));
  header->dataOffset = *headerBytes;
  header->dataBytes = *expected;
  return header;
}

Result<HostTensor> parseNpy(std::span<const std::byte> contents, const std::string &name) {
  Result<NpyHeader> header = parseNpyHeader(contents, static_cast<int64_t>(contents.size()), name);
  if (!header)
    return header.error();
  // Bytes after the last element are ignored, as NumPy does.
  std::span<const std::byte> data = contents.subspan(static_cast<size_t>(header->dataOffset),
                                                     static_cast<size_t>(header->dataBytes));
  HostTensor tensor{header->type, std::move(header->shape), {}};
  MemoryRequest request(static_cast<int64_t>(data.size()), "the tensor of a .npy file");
  tensor.bytes.resize(data.size());
  if (header->isFortranOrder)
    copyFromFortranOrder(tensor, data);
  else if (!data.empty())
    std::memcpy(tensor.bytes.data(), data.data(), data.size());
  normalizeBooleans(tensor);
  return tensor;
}

void normalizeBooleans(HostTensor &tensor) {
  if (tensor.type == DataType::I1)
    for (std::byte &value : tensor.bytes)
      value = std::byte(value != std::byte(0));
}

std::string npyHeader(DataType type, std::span<const int64_t> sizes) {
  std::string_view descr = kRawByte;
  for (const Descriptor &known : kDescriptors)
    if (known.type == type) {
      descr = known.text;
      break;
    }
  std::string shape;
  for (int64_t size : sizes)
    shape += fmt::format("{}, ", size);
  // Python's one-element tuple keeps its comma: (3,).
  if (sizes.size() > 1)
    shape.resize(shape.size() - 2);
  else if (!shape.empty())
    shape.pop_back();
  std::string dict =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  // Magic, version and length of version 1.0; the header is filled up so that the elements begin at
  // a multiple of 64. If it is too long for a length of two bytes, version 2.0 has four.
  size_t prefix = 10;
  auto padded = [&] { return (prefix + dict.size() + kHeaderAlignment) / kHeaderAlignment * 64; };
  bool isLong = padded() - prefix > 0xffff;
  prefix = isLong ? 12 : 10;
  size_t length = padded() - prefix;
  dict.append(length - dict.size() - 1, ' ');
  dict += '\n';
  std::string header(kMagic);
  header += isLong ? '\x02' : '\x01';
  header += '\0';
  for (size_t i = 0; i < prefix - 8; ++i)
    header += static_cast<char>(length >> (8 * i) & 0xff);
  return header + dict;
}

Result<HostTensor> readNpy(const std::string &path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file)
    return invalid(systemMessage("open", path));
  std::streamoff size = file.tellg();
  if (size < 0)
    return invalid(systemMessage("read", path));
  MemoryRequest request(size, "a .npy file");
  std::vector<std::byte> contents(static_cast<size_t>(size));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char *>(contents.data()), size))
    return invalid(systemMessage("read", path));
  return parseNpy(contents, path);
}

Result<void> writeNpy(const std::string &path, const HostTensor &tensor, PendingFiles &files) {
  std::string_view bytes(reinterpret_cast<const char *>(tensor.bytes.data()), tensor.bytes.size());
  return files.add(path, {npyHeader(tensor.type, tensor.shape), bytes});
}

Result<void> writeNpy(const std::string &path, const HostTensor &tensor) {
  PendingFiles files;
  if (Result<void> written = writeNpy(path, tensor, files); !written)
    return written;
  return files.commit();
}

} // namespace shardwise::runtime
