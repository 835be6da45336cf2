// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// index.json of a folder with a file for each device: how the tensors are cut.
//
//     {"mesh": "[\"x\"=2]", "sharding": "[{\"x\"}, {}]", "shape": [5, 4], "dtype": "f32"}
//
// stands beside 0.npy, 1.npy, ..., by mesh position, and
//
//     {"mesh": "[\"x\"=2]", "tensors": {"a": {"sharding": ..., "shape": ..., "dtype": ...}, ...}}
//
// beside 0.safetensors, 1.safetensors, ... A tensor may have `"segments": {"dim": 0, "sizes": [4,
// 2, 2]}`, and the index `"crc32": {"0.npy": "cbf43926", ...}`.

#pragma once

#include "shardwise/files/ArrayLayout.h"
#include "shardwise/files/ElementFormat.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace shardwise::files {

inline constexpr const char *kIndexName = "index.json";

/// Checksums of files, by name.
using Checksums = std::map<std::string, uint32_t>;

struct IndexedTensor {
  std::string name; ///< Empty where it is the only one, of .npy files.
  ElementFormat format;
  core::Shape shape;
  TensorCut cut;
};

struct DeviceIndex {
  core::Mesh mesh;
  std::vector<IndexedTensor> tensors;
  Checksums checksums;
  bool isNpy = true;

  /// Returns the name of the file of the device at `position`: `3.npy`.
  std::string fileName(int64_t position) const;
};

/// Parses the text of the file at `path`. Fails with what is wrong in it.
Result<DeviceIndex> parseDeviceIndex(std::string_view text, const std::string &path);
std::string toText(const DeviceIndex &index);

struct JsonObject;
/// Parses `{"dim": 0, "sizes": [...]}`.
Result<Segments> parseSegments(const JsonObject &object);

/// Parses a sharding, or `replicated`, for a tensor of `rank` dimensions on `mesh`.
Result<core::Sharding> parseCutSharding(const std::string &text, const core::Mesh &mesh,
                                        int64_t rank);
/// Returns the cut of a tensor that is whole: one device, no axes.
TensorCut wholeCut(int64_t rank);

} // namespace shardwise::files
