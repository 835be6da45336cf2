// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands before the elements of a .safetensors file:
//
//     8 bytes    length of what follows, little endian
//     header     {"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}, blanks
//     the elements of all tensors, one behind the other, without gaps
//
// Offsets count from the end of the header. `__metadata__` may map texts to texts.

#pragma once

#include "shardwise/files/ElementFormat.h"
#include "shardwise/files/FileSet.h"

#include <map>
#include <string>
#include <vector>

namespace shardwise::files {

struct SafetensorsEntry {
  std::string name;
  ElementFormat format;
  core::Shape shape;
  int64_t offset = 0; ///< In the file.
};

struct SafetensorsHeader {
  /// In the order of the file.
  std::vector<SafetensorsEntry> entries;
  std::map<std::string, std::string> metadata;
};

/// The longest header that the format allows.
inline constexpr int64_t kLongestSafetensorsHeader = 100'000'000;

/// Parses a header without its length. Fails if it is malformed, or says anything else than what a
/// file of `fileBytes` has; `name` stands for the file in errors.
Result<SafetensorsHeader> parseSafetensorsHeader(std::string_view header, int64_t fileBytes,
                                                 const std::string &name);
Result<SafetensorsHeader> readSafetensorsHeader(const FileSet &files, FileNumber file);

/// A file with tensors that is to be written: their offsets are set by this.
struct SafetensorsFile {
  std::string header; ///< With its length.
  SafetensorsHeader contents;
  int64_t bytes = 0; ///< Of all of it.
};
/// Lays the tensors out: those with larger elements first, so that all are aligned, then by name.
SafetensorsFile layOutSafetensors(SafetensorsHeader contents);

} // namespace shardwise::files
