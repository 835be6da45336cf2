// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which lines of which files are in a page.

#include "shardwise/explain/page/PageSources.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace shardwise::explain {
namespace {

using Json = nlohmann::ordered_json;
/// Numbers of the lines of each file that the report names.
using NamedLines = std::map<std::string, std::set<int64_t>>;

/// Longer ones hold constants, and are cut.
constexpr size_t kMostBytesOfLine = 600;
constexpr int64_t kLinesAround = 3;
/// A larger file is hardly source that somebody wrote.
constexpr uint64_t kMostBytesOfFile = uint64_t{4} << 20;

/// `model.mlir:12:5`, or `model.py:31 (backward) in mlp`.
void addPlace(const std::string &text, NamedLines &lines) {
  llvm::StringRef place = llvm::StringRef(text).split(' ').first;
  llvm::StringRef file = place;
  int64_t last = 0;
  // A column, if there is one, stands behind the line.
  for (int parts = 0; parts < 2; ++parts) {
    auto [before, number] = file.rsplit(':');
    int64_t value = 0;
    if (number.getAsInteger(10, value))
      break;
    file = before;
    last = value;
  }
  if (last > 0 && !file.empty())
    lines[file.str()].insert(last);
}

void addPlaces(const Json &json, NamedLines &lines) {
  for (const auto &entry : json.items()) {
    if (entry.value().is_structured())
      addPlaces(entry.value(), lines);
    else if (json.is_object() && entry.value().is_string() &&
             (entry.key() == "place" || entry.key() == "source"))
      addPlace(entry.value().get_ref<const std::string &>(), lines);
  }
}

/// The file of that name below one of the folders. Names that lead out of them are refused, since a
/// program may name any file of the machine.
std::optional<std::string> readSource(const std::string &file,
                                      const std::vector<std::string> &roots) {
  for (const std::string &root : roots) {
    llvm::SmallString<256> realRoot;
    llvm::SmallString<256> path(root);
    llvm::sys::path::append(path, file);
    llvm::SmallString<256> realPath;
    if (llvm::sys::fs::real_path(root, realRoot) || llvm::sys::fs::real_path(path, realPath))
      continue;
    llvm::StringRef below = realPath;
    uint64_t bytes = 0;
    bool isThere = below.consume_front(realRoot) &&
                   (below.starts_with("/") || realRoot.str().ends_with("/")) &&
                   llvm::sys::fs::is_regular_file(realPath) &&
                   !llvm::sys::fs::file_size(realPath, bytes) && bytes <= kMostBytesOfFile;
    if (!isThere)
      continue;
    if (auto buffer = llvm::MemoryBuffer::getFile(realPath))
      return (*buffer)->getBuffer().str();
  }
  return std::nullopt;
}

std::string shortened(llvm::StringRef line) {
  line = line.rtrim('\r');
  if (line.size() <= kMostBytesOfLine)
    return line.str();
  size_t half = kMostBytesOfLine / 2;
  return line.take_front(half).str() + " ... " + std::to_string(line.size() - 2 * half) +
         " more bytes ... " + line.take_back(half).str();
}

/// The lines of `text` for which `isWanted`, as runs of neighbours.
Json partsOf(llvm::StringRef text, auto isWanted) {
  Json parts = Json::array();
  int64_t number = 0;
  int64_t lastKept = -1;
  while (!text.empty()) {
    llvm::StringRef line;
    std::tie(line, text) = text.split('\n');
    if (!isWanted(++number))
      continue;
    if (lastKept + 1 == number && !parts.empty())
      parts.back()["text"].get_ref<std::string &>() += "\n" + shortened(line);
    else
      parts.push_back({{"from", number}, {"text", shortened(line)}});
    lastKept = number;
  }
  return parts;
}

size_t bytesOf(const Json &parts) {
  size_t bytes = 0;
  for (const Json &part : parts)
    bytes += part["text"].get_ref<const std::string &>().size() + 24;
  return bytes;
}

/// All lines if they fit, else those around the named ones, else only these, else the first of
/// them.
Json linesWithin(llvm::StringRef text, const std::set<int64_t> &named, size_t mostBytes) {
  Json parts = partsOf(text, [](int64_t) { return true; });
  for (int64_t around : {kLinesAround, int64_t{0}}) {
    if (bytesOf(parts) <= mostBytes)
      return parts;
    parts = partsOf(text, [&](int64_t line) {
      auto next = named.lower_bound(line - around);
      return next != named.end() && *next <= line + around;
    });
  }
  while (!parts.empty() && bytesOf(parts) > mostBytes)
    parts.erase(parts.begin() + static_cast<int64_t>(parts.size() / 2), parts.end());
  return parts;
}

} // namespace

Json pageSources(const Json &report, const std::string &programFile, const PageOptions &options,
                 size_t mostBytes) {
  NamedLines named;
  for (const char *key : {"notes", "transfers", "conflicts", "suggestions", "values"})
    if (report.contains(key))
      addPlaces(report[key], named);
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto &[file, lines] : named)
    if (file != programFile)
      if (std::optional<std::string> text = readSource(file, options.sourceRoots))
        files.emplace_back(file, std::move(*text));
  // Bytecode has no lines.
  if (options.programText.find('\0') == std::string_view::npos)
    files.emplace_back(programFile, std::string(options.programText));
  Json sources = Json::array();
  // What the others leave goes to the program, which comes last and is the largest.
  for (size_t i = 0; i < files.size(); ++i) {
    const auto &[file, text] = files[i];
    Json parts = linesWithin(text, named[file], mostBytes / (files.size() - i));
    mostBytes -= std::min(mostBytes, bytesOf(parts));
    if (!parts.empty())
      sources.push_back({{"file", file}, {"parts", std::move(parts)}});
  }
  return sources;
}

} // namespace shardwise::explain
