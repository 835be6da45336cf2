// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A box is as many runs of bytes of the file as it has rows, or fewer where rows follow each other.
// Long runs are read one by one. Of short ones, a stretch of the file is read that has several,
// with what lies between them: a system call takes longer than a few hundred bytes.

#include "shardwise/files/NpyBoxes.h"

#include "shardwise/files/NpyHeaders.h"
#include "shardwise/runtime/StridedCopy.h"
#include "shardwise/support/MemoryRequest.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace shardwise::files {

using core::Box;
using core::Shape;
using runtime::HostTensor;
using runtime::StridedCopy;

namespace {

/// In bytes. From here on copying a run out of a stretch costs more than a system call of its own.
constexpr int64_t kLongRun = 4 << 10;
/// Few calls, and still in the cache when its runs are copied.
constexpr int64_t kStretch = 256 << 10;

int64_t offsetOf(const std::vector<int64_t> &index, const std::vector<int64_t> &strides) {
  int64_t offset = 0;
  for (size_t dim = 0; dim < index.size(); ++dim)
    offset += index[dim] * strides[dim];
  return offset;
}

/// Reads runs of one length, which come in the order of the file.
class RunReader {
public:
  RunReader(const FileSet &files, FileNumber file, int64_t end)
      : files(files), file(file), end(end) {}

  Result<void> read(int64_t offset, std::byte *target, int64_t bytes) {
    if (bytes >= kLongRun)
      return files.read(file, offset, {target, static_cast<size_t>(bytes)});
    if (offset < begin || offset + bytes > begin + std::ssize(stretch)) {
      begin = offset;
      stretch.resize(static_cast<size_t>(std::min(kStretch, end - offset)));
      if (Result<void> done = files.read(file, begin, stretch); !done)
        return done;
    }
    std::memcpy(target, stretch.data() + (offset - begin), static_cast<size_t>(bytes));
    return {};
  }

private:
  const FileSet &files;
  FileNumber file;
  int64_t end; ///< Of the elements.
  int64_t begin = 0;
  std::vector<std::byte> stretch;
};

} // namespace

Result<NpyBoxReader> NpyBoxReader::open(const std::string &path) {
  FileSet files;
  Result<FileNumber> file = files.open(path);
  if (!file)
    return file.error();
  Result<runtime::NpyHeader> header = readNpyHeader(files, *file);
  if (!header)
    return header.error();
  return NpyBoxReader(std::move(files), std::move(*header));
}

Result<HostTensor> NpyBoxReader::read(const Box &box) const {
  const int64_t elementBytes = runtime::byteSize(head.type);
  // Dense, in the order of the file.
  auto strides = [&](Shape shape) {
    if (!head.isFortranOrder)
      return runtime::rowMajorStrides(shape, elementBytes);
    std::reverse(shape.begin(), shape.end());
    std::vector<int64_t> reversed = runtime::rowMajorStrides(shape, elementBytes);
    return std::vector<int64_t>(reversed.rbegin(), reversed.rend());
  };
  // Example: box [2:4, 4:8] of a 6x8 array of f32 is two runs of 16 bytes, 32 apart in the file
  // from byte 80 on (strides {32, 4}), and behind each other in memory (strides {16, 4}).
  const std::vector<int64_t> inFile = strides(head.shape);
  const std::vector<int64_t> dense = strides(box.size);
  HostTensor tensor{head.type, box.size, {}};
  MemoryRequest request(box.numElements() * elementBytes, "a part of a .npy file");
  tensor.bytes.resize(static_cast<size_t>(request.bytes));
  RunReader reader(files, 0, head.dataOffset + head.dataBytes);
  const int64_t first = head.dataOffset + offsetOf(box.start, inFile);
  StridedCopy runs(box.size, inFile, dense, elementBytes);
  Result<void> done;
  runs.forEachRun([&](int64_t fromFile, int64_t to) {
    if (done)
      done = reader.read(first + fromFile, tensor.bytes.data() + to, runs.runBytes());
  });
  if (!done)
    return done.error();
  // Read in the order of the file, so that runs are long; the transpose is done in memory.
  if (head.isFortranOrder && box.size.size() > 1) {
    std::vector<std::byte> columns = std::move(tensor.bytes);
    tensor.bytes.assign(columns.size(), std::byte{});
    StridedCopy(box.size, dense, runtime::rowMajorStrides(box.size, elementBytes), elementBytes)
        .run(columns.data(), tensor.bytes.data());
  }
  runtime::normalizeBooleans(tensor);
  return tensor;
}

Result<FileNumber> makeNpy(FileSet &files, const std::string &path, runtime::DataType type,
                           const Shape &shape) {
  std::string header = runtime::npyHeader(type, shape);
  int64_t bytes = core::numElements(shape) * runtime::byteSize(type);
  Result<FileNumber> file = files.make(path, std::ssize(header) + bytes);
  if (!file)
    return file;
  if (Result<void> done = files.write(*file, 0, std::as_bytes(std::span(header))); !done)
    return done.error();
  return file;
}

Result<void> writeNpyBox(const FileSet &files, FileNumber file, runtime::DataType type,
                         const Shape &shape, const Box &box, const std::byte *elements) {
  const int64_t elementBytes = runtime::byteSize(type);
  const std::vector<int64_t> inFile = runtime::rowMajorStrides(shape, elementBytes);
  const int64_t first = std::ssize(runtime::npyHeader(type, shape)) + offsetOf(box.start, inFile);
  StridedCopy runs(box.size, runtime::rowMajorStrides(box.size, elementBytes), inFile,
                   elementBytes);
  Result<void> done;
  runs.forEachRun([&](int64_t from, int64_t toFile) {
    if (done)
      done = files.write(file, first + toFile,
                         {elements + from, static_cast<size_t>(runs.runBytes())});
  });
  return done;
}

} // namespace shardwise::files
