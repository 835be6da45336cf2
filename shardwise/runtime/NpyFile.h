// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in NumPy's .npy files (format versions 1.0 and 2.0).

#pragma once

#include "shardwise/runtime/HostTensor.h"
#include "shardwise/runtime/WriteFile.h"
#include "shardwise/support/Result.h"

#include <optional>
#include <span>
#include <string>

namespace shardwise::runtime {

/// Reads a tensor from the .npy file at `path`. Little endian; C and Fortran order (the result is
/// always row-major). Types: '|b1' is i1, '|i1' '<i2' '<i4' '<i8' and '|u1' '<u2' '<u4' '<u8' are
/// integers, '<f2' '<f4' '<f8' floats, '<c8' '<c16' complex, '<V2' or '|V2' raw bf16 (NumPy has no
/// bf16 of its own). NumPy has no floats of 8 bits and no integers of 2 and 4 bits either: their
/// bytes, '<V1' '|V1' or '<f1', are read as ui8; `reinterpretBytes` gives them their type.
/// Fails, naming the file, if it cannot be read, is no .npy file, has another type, or ends early.
Result<HostTensor> readNpy(const std::string &path);

/// Writes `tensor` to `path` in format 1.0 (2.0 if the header needs it), C order; bf16 as '<V2',
/// 8-bit floats and integers of 2 and 4 bits as '<V1'. Readers never see half a
/// file, see `writeFile`.
Result<void> writeNpy(const std::string &path, const HostTensor &tensor);
/// The same for one of several files that appear together.
Result<void> writeNpy(const std::string &path, const HostTensor &tensor, PendingFiles &files);

/// The same on bytes in memory; `name` stands for the file in errors.
Result<HostTensor> parseNpy(std::span<const std::byte> contents, const std::string &name);
/// Makes every true of an i1 tensor the byte 1, on which the kernels rely: other programs may write
/// any other than 0. Leaves every other tensor as it is.
void normalizeBooleans(HostTensor &tensor);

/// What stands before the elements of a .npy file.
struct NpyHeader {
  /// U8 for bytes of types that NumPy does not have.
  DataType type = DataType::F32;
  bool isRawByte = false;
  bool isFortranOrder = false;
  std::vector<int64_t> shape;
  /// Where the elements begin, and how many bytes they take.
  int64_t dataOffset = 0;
  int64_t dataBytes = 0;
};

/// Number of first bytes of a file that `npyHeaderBytes` looks at.
inline constexpr size_t kNpyStartBytes = 12;
/// Returns how many bytes stand before the elements of the file that begins with `start`. Fails,
/// naming the file, if it is no .npy file.
Result<int64_t> npyHeaderBytes(std::span<const std::byte> start, const std::string &name);
/// Parses the first bytes of a file, which has `fileBytes`. Fails as `readNpy` does.
Result<NpyHeader> parseNpyHeader(std::span<const std::byte> start, int64_t fileBytes,
                                 const std::string &name);

/// Returns what stands before the elements in a file of a row-major tensor.
std::string npyHeader(DataType type, std::span<const int64_t> shape);

} // namespace shardwise::runtime
