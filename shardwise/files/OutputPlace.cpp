// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder is replaced as a whole, by a rename. So everything in it goes, and a call that names a
// home directory by mistake must not get that far: only a folder with nothing but what such calls
// write, by name, is replaced.

#include "shardwise/files/OutputPlace.h"

#include "shardwise/files/Checksum.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace shardwise::files {
namespace {

namespace fs = std::filesystem;

/// Whether a folder with tensors has such a file: 12.npy, index.json.
bool isWrittenName(const fs::path &name) {
  if (name == kIndexName || name == kHuggingFaceIndexName)
    return true;
  // Hugging Face's: model-00001-of-00002.safetensors.
  if (name.extension() == ".safetensors" && name.string().starts_with("model"))
    return true;
  if (name.extension() == kChecksumSuffix)
    return isWrittenName(name.stem());
  std::string stem = name.stem().string();
  bool isNumber = !stem.empty() && std::all_of(stem.begin(), stem.end(),
                                               [](char c) { return c >= '0' && c <= '9'; });
  return isNumber && (name.extension() == ".npy" || name.extension() == ".safetensors");
}

Result<void> checkFolder(const fs::path &place) {
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(place, error))
    if (!isWrittenName(entry.path().filename()) || entry.is_directory(error))
      return invalid(
          fmt::format("the folder '{}' has '{}', which is no shard of a tensor; it would "
                      "be lost, as the whole folder is replaced: give a new one",
                      place.string(), entry.path().filename().string()));
  if (error)
    return invalid(fmt::format("cannot read '{}': {}", place.string(), error.message()));
  return {};
}

} // namespace

Result<std::string> outputPlace(const std::string &output) {
  std::error_code error;
  fs::path place = fs::absolute(output, error).lexically_normal();
  if (!place.has_filename())
    place = place.parent_path();
  // A link is followed, so that it goes on pointing to the new file; a rename to its own name would
  // replace the link. One that points to nothing yet counts as well.
  // What does not exist is an error to some of these functions, and is none here.
  std::error_code ignored;
  if (fs::exists(place, ignored))
    place = fs::canonical(place, error);
  else if (fs::is_symlink(place, ignored))
    place = (place.parent_path() / fs::read_symlink(place, error)).lexically_normal();
  if (output.empty() || error || !place.has_filename())
    return invalid(fmt::format("'{}' is no place for files", output));
  if (!fs::is_directory(place.parent_path(), error))
    return invalid(fmt::format("cannot write '{}': there is no folder '{}'", output,
                               place.parent_path().string()));
  return place.string();
}

Result<void> checkOutputPlace(const std::string &place, FileForm form) {
  std::error_code error;
  fs::file_status status = fs::status(place, error);
  if (!fs::exists(status))
    return {};
  if (!isFolder(form))
    return fs::is_regular_file(status)
               ? Result<void>()
               : invalid(fmt::format("cannot write '{}': it is {}, not a regular file", place,
                                     fs::is_directory(status) ? "a folder" : "something else"));
  if (!fs::is_directory(status))
    return invalid(fmt::format("cannot write '{}': it is a file, not a folder; a file with the "
                               "whole tensor ends in .npy or .safetensors",
                               place));
  return checkFolder(place);
}

} // namespace shardwise::files
